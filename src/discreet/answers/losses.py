"""Losses in words: exact where the exact text is short, else rounded against the reader, and never down to nothing."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.exact import shown
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

if TYPE_CHECKING:
    from discreet.answers.answer import BudgetState

__all__ = ["exactly", "is_enough", "letters", "loss_in_words", "share_left", "shortly"]

_LONGEST = 12  # letters of an exact number
_SMALL = Fraction(1, 10_000)  # below it zeros are counted by a power of ten: 9.7e-6


def letters(loss: Loss) -> dict[str, Fraction]:
    """The parts of a loss under the letters people know."""
    match loss:
        case Pure(epsilon=epsilon):
            return {"ε": epsilon}
        case Approximate(epsilon=epsilon, delta=delta):
            return {"ε": epsilon, "δ": delta}
        case Concentrated(rho=rho):
            return {"ρ": rho}


def loss_in_words(loss: Loss, *, named: bool = True, up: bool = True) -> str:
    """``ε 0.1`` or ``ε 1, δ 1e-6``; ``up`` rounds long numbers up (a cost), else down (what is left).

    A cost without a delta has none to show; that none is left is said.
    """
    parts = {letter: part for letter, part in letters(loss).items() if part or letter != "δ" or not up}
    return ", ".join(f"{letter if named else ''} {exactly(part, up=up)}".lstrip() for letter, part in parts.items())


def exactly(number: Fraction, *, up: bool) -> str:
    """The number itself where that is short, by a power of ten if need be; else four digits of it."""
    if len(text := shortly(number)) <= _LONGEST:
        return text
    four_digits = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    four = four_digits.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize()
    near = f"{four:e}" if len(f"{four:f}") > _LONGEST or four < _SMALL else f"{four:f}"
    return near if Fraction(four) == number else f"≈ {near}"


def shortly(number: Fraction) -> str:
    """The number itself; a small one without zeros to be counted: ``9.7e-6``. Nothing is rounded."""
    text = shown(number)
    is_long = 0 < number < _SMALL and "/" not in text
    return f"{Decimal(text).normalize():e}" if is_long else text


def is_enough(remaining: Loss, cost: Loss) -> bool:
    """Whether every part of ``cost`` is left."""
    left = letters(remaining)
    return all(number <= left.get(letter, Fraction(0)) for letter, number in letters(cost).items())


def share_left(state: "BudgetState") -> float:
    """The share of the budget that is left, by the part that is scarcest; for a gauge."""
    left = letters(state.remaining)
    return min((float(left[letter] / cap) for letter, cap in letters(state.cap).items() if cap), default=0.0)
