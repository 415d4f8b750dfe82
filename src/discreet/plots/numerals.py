"""Numbers as people read them: digits follow the ±, thousands stand apart, and rounding does not narrow an interval.

An end that sticks out by less than a ten-thousandth of the last digit is taken as that digit: 0 … 109 000, not −1 000 … 109 000
because of an end at −0.0005.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from math import isfinite
from typing import Any, Literal

from discreet.plots.lettering import clean

__all__ = [
    "Reading", "TOO_FEW", "drawn_without_width", "grouped", "half_width", "percent", "read_column", "read_number", "rough",
]  # fmt: skip

_NOTHING = "–"  # stands for NULL
Ends = tuple[Any, Any]  # (low, high); None where nothing bounds the value

_MATH = Context(prec=700)  # any two floats add up exactly
_MOST_DECIMALS = 30
_SLACK = Decimal("1e-4")  # of the last digit
_ASYMMETRY = Decimal("0.05")  # of the width: below it, ± says as much as two ends
_COARSER = Decimal("1.1")  # a ± of one digit is taken if it is at most this much wider


@dataclass(frozen=True, slots=True)
class Reading:
    """A number in parts that can be aligned: ``45`` with ``± 30`` (both), or ``15 … 80`` (ends), or nothing (public, null).

    ``few``: there is no number, since too few rows may be behind it.
    """

    value: str
    spread: str
    shape: Literal["both", "ends", "public", "null", "few"]

    def __str__(self) -> str:
        match self.shape:
            case "both":
                return f"{self.value} {self.spread}"
            case "ends" if self.spread:
                return f"{self.value} ({self.spread})"
            case "few":
                return self.spread
            case _:
                return self.value


TOO_FEW = Reading(_NOTHING, "too few rows", "few")


@dataclass(frozen=True, slots=True)
class _Number:
    value: Decimal
    low: Decimal | None
    high: Decimal | None

    @property
    def width(self) -> Decimal | None:
        return None if self.low is None or self.high is None else _MATH.subtract(self.high, self.low)

    def is_lopsided(self, slack: Decimal) -> bool:
        """Whether the value is so far from the middle of its interval that a ± would mislead."""
        if self.low is None and self.high is None:
            return False
        if self.low is None or self.high is None:
            return True
        width = _MATH.subtract(self.high, self.low)
        tilt = _MATH.add(_MATH.subtract(self.high, self.value), _MATH.subtract(self.low, self.value))
        return abs(tilt) > max(_MATH.multiply(width, _ASYMMETRY), slack)


def read_number(value: Any, ends: Ends, *, whole: bool = False) -> Reading:
    """One number by itself: one digit of its ± is enough where that hardly widens it, else two."""
    fine = read_column([value], [ends], whole=whole)[0]
    if whole or fine.shape != "both":
        return fine
    number = _number(value, ends)
    if number is None or not number.width:
        return fine
    coarse = _read(number, _decimals(number.width / 2, 1), lopsided=False)
    return coarse if _half(number, _decimals(number.width / 2, 1)) <= number.width / 2 * _COARSER else fine


def read_column(
    values: Sequence[Any], ends: Sequence[Ends], *, whole: bool = False, by_number: bool = False
) -> list[Reading]:  # fmt: skip
    """The numbers of one column with as many decimals each; ``whole`` numbers keep all their digits and get no decimals.

    One number whose ends say more than a ± has all of them told by their ends, unless each is read ``by_number``.
    """
    numbers = [_number(value, pair) for value, pair in zip(values, ends, strict=True)]
    found = [number for number in numbers if number is not None]
    slack = Decimal(1 if whole else 0)
    lopsided = not by_number and any(number.is_lopsided(slack) for number in found)
    decimals = 0 if whole else _decimals_for(found)
    return [_told(value) if number is None else _read(number, decimals, lopsided=lopsided or number.is_lopsided(slack))
            for value, number in zip(values, numbers, strict=True)]  # fmt: skip


def half_width(value: Any, ends: Ends, *, whole: bool = False) -> float | None:
    """The ± of a number: how far its farther end is. None for what is no number, has no two ends, or is told better by them."""
    number = _number(value, ends)
    if number is None or number.low is None or number.high is None or number.is_lopsided(Decimal(1 if whole else 0)):
        return None
    return float(max(_MATH.subtract(number.value, number.low), _MATH.subtract(number.high, number.value)))


def _told(value: Any) -> Reading:
    """A value that is no number: one of a list, or none at all."""
    if isinstance(value, bool):
        return Reading(str(value).casefold(), "", "ends")
    return Reading(clean(value), "", "ends") if isinstance(value, str) else Reading(_NOTHING, "", "null")


def drawn_without_width(read: Reading) -> Reading:
    """A number whose interval has no width although noise is behind it: ``50 ± < 1``, for it is neither public nor exact."""
    _, point, decimals = read.value.partition(".")
    return Reading(read.value, f"± < {_written(Decimal(1).scaleb(-len(decimals))) if point else 1}", "both")


def rough(value: float, digits: int = 2) -> str:
    """A positive number to a few digits, rounded up: an expected ±."""
    if not isfinite(value):
        return "∞"
    exact = Decimal(repr(value))
    up = _rounded(exact, _decimals(exact, digits), ROUND_CEILING)
    return _written(_rounded(up, min(_places(up), _decimals(exact, digits)), ROUND_CEILING)) if exact else "0"


def grouped(number: int) -> str:
    """A whole number with its thousands apart: 10 000."""
    return f"{number:,}".replace(",", " ")


def percent(share: Any) -> str:
    """0.95 as 95 %."""
    return f"{float(share) * 100:.4g} %"


def _number(value: Any, ends: Ends) -> _Number | None:
    exact = None if isinstance(value, str | bool) else _decimal(value)
    return None if exact is None else _Number(exact, _decimal(ends[0]), _decimal(ends[1]))


def _decimal(value: Any) -> Decimal | None:
    if isinstance(value, int):
        return Decimal(int(value))
    return Decimal(repr(float(value))) if value is not None and isfinite(value) else None


def _decimals(half: Decimal, digits: int) -> int:
    """The decimals (below 0: tens, hundreds) at which ``half`` has this many digits."""
    return min(_MOST_DECIMALS, digits - 1 - half.adjusted())


def _decimals_for(numbers: list[_Number]) -> int:
    """Two digits for the narrowest interval, four at most for the widest; six digits where no interval helps."""
    halves = [number.width / 2 for number in numbers if number.width]
    if halves:
        return min(_decimals(min(halves), 2), _decimals(max(halves), 4))
    largest = max((abs(number.value) for number in numbers), default=Decimal(0))
    fewest = max((_places(number.value) for number in numbers), default=0)
    return min(fewest, _decimals(largest, 6)) if largest else 0


def _places(value: Decimal) -> int:
    exponent = value.normalize(_MATH).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _read(number: _Number, decimals: int, *, lopsided: bool) -> Reading:
    value = _written(_rounded(number.value, decimals, ROUND_HALF_EVEN))
    if number.width == 0:
        return Reading(value, "", "public")
    if lopsided:
        low = "−∞" if number.low is None else _written(-_up(-number.low, decimals))
        high = "∞" if number.high is None else _written(_up(number.high, decimals))
        return Reading(value, f"{low} … {high}", "ends")
    half = _half(number, decimals)
    return Reading(value, f"± {_written(half)}" if half.is_finite() else "± ∞", "both")


def _half(number: _Number, decimals: int) -> Decimal:
    """The ± around the rounded value that still covers both ends."""
    if number.low is None or number.high is None:
        return Decimal("Infinity")
    middle = _rounded(number.value, decimals, ROUND_HALF_EVEN)
    reach = max(_MATH.subtract(middle, number.low), _MATH.subtract(number.high, middle))
    return _up(reach, decimals)


def _up(value: Decimal, decimals: int) -> Decimal:
    return _rounded(_MATH.subtract(value, _SLACK.scaleb(-decimals)), decimals, ROUND_CEILING)


def _rounded(value: Decimal, decimals: int, rounding: str) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-decimals), rounding=rounding, context=_MATH)


def _written(value: Decimal) -> str:
    """All digits, thousands apart, a minus as long as a plus; powers of ten only for the very small and the very large."""
    if not value:
        value = abs(value)
    exponent = value.as_tuple().exponent
    small = isinstance(exponent, int) and exponent < -9
    text = f"{value.normalize(_MATH):e}" if value and (small or value.adjusted() >= 15) else f"{value:,f}".replace(",", " ")
    return text.replace("-", "−", 1) if text.startswith("-") else text
