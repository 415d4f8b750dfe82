"""Numbers as the user wrote them: ``exact(0.1) == Fraction(1, 10)``.

Every privacy parameter, scale and sensitivity passes through here once and is a Fraction from then on. Data is another
matter: a float that was computed means what it holds, ``stored(0.1) != Fraction(1, 10)``, since a decimal near it may be
further from its neighbour than the sensitivity allows.
"""

import re
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real

from discreet.errors import ParameterError

__all__ = ["Number", "exact", "exact_between", "exact_not_negative", "exact_positive", "exact_whole", "shown", "stored"]

Number = int | str | float | Fraction | Decimal

# a longer numeral or exponent is a slip or an attack on the parser, not a privacy parameter
_NUMERAL = re.compile(r"\s*[+-]?(\d{1,400}/\d{1,400}|(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,3})?)\s*", re.ASCII)
_LONGEST = 4096  # binary digits, for the same reason
_HOW = "write an int, a decimal or fraction string such as '0.1' or '1/3', a Fraction or a Decimal"


def exact(value: Number, name: str = "value") -> Fraction:
    """The rational number that the user wrote; a float stands for its shortest decimal."""
    if isinstance(value, bool) or value is None:
        raise ParameterError(f"{name} is {value!r}, not a number", hint=_HOW)
    if isinstance(value, Rational):
        number = Fraction(int(value.numerator), int(value.denominator))
        if max(number.numerator.bit_length(), number.denominator.bit_length()) > _LONGEST:
            raise ParameterError(f"{name} has more than {_LONGEST} binary digits", hint=_HOW)
        return number
    if isinstance(value, str):
        return _from_text(value.replace("_", ""), name)
    if isinstance(value, Real | Decimal):  # the shortest decimal; NaN and infinity have none
        return _from_text(str(value), name)
    raise ParameterError(f"{name} is a {type(value).__name__}, not a number", hint=_HOW)


def stored(value: Number, name: str = "value") -> Fraction:
    """The rational number that is in memory: a float stands for its binary value."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return exact(value, name)
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    try:
        top, bottom = value.as_integer_ratio()
    except (OverflowError, ValueError):
        raise ParameterError(f"{name} is not a finite number", hint="write a finite number") from None
    return Fraction(int(top), int(bottom))


def _from_text(text: str, name: str) -> Fraction:
    if not _NUMERAL.fullmatch(text):
        raise ParameterError(f"{name} is {text[:40]!r}, not a number", hint=_HOW)
    try:
        return Fraction(text.strip())
    except ZeroDivisionError:
        raise ParameterError(f"{name} is {text[:40]!r}, a division by zero", hint=_HOW) from None


def exact_positive(value: Number, name: str) -> Fraction:
    """``exact(value)``, refused unless it is above zero."""
    number = exact(value, name)
    if number.numerator <= 0:
        raise ParameterError(f"{name} is {shown(number)}, not above 0", hint="write a number above 0, such as 1 or '0.1'")
    return number


def exact_not_negative(value: Number, name: str) -> Fraction:
    """``exact(value)``, refused below zero."""
    number = exact(value, name)
    if number.numerator < 0:
        raise ParameterError(f"{name} is {shown(number)}, below 0", hint="write a number of 0 or more, such as '0.1'")
    return number


def exact_between(value: Number, name: str, low: int, high: int, *, closed_low: bool, hint: str) -> Fraction:
    """``exact(value)``, refused outside [low, high) or (low, high)."""
    number = exact(value, name)
    if not (low < number < high or (closed_low and number == low)):
        raise ParameterError(f"{name} is {shown(number)}, not between {low} and {high}", hint=hint)
    return number


def exact_whole(value: int, name: str, *, at_least: int = 0) -> int:
    """``value`` as an int, refused if it is not a whole number or too small."""
    if type(value) is int and at_least <= value < 1 << _LONGEST:
        return value
    number = exact(value, name)
    if number.denominator != 1 or number < at_least:
        raise ParameterError(f"{name} is {shown(number)}", hint=f"write a whole number, {at_least} or more")
    return int(number)


def shown(number: Fraction) -> str:
    """A decimal where one exists and is short, else a fraction: '0.1', '1/3', '0.000001'."""
    twos = fives = 0
    rest = number.denominator
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places > 40:
        return str(number)
    digits = abs(number.numerator) * 10**places // number.denominator
    text = str(digits).rjust(places + 1, "0")
    sign = "-" if number < 0 else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"
