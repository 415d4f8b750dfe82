"""Losses in words: exact where the exact text is short, else rounded against the reader, and never down to nothing."""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.exact import shown
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

if TYPE_CHECKING:
    from discreet.answers.answer import BudgetState

__all__ = ["exactly", "is_enough", "letters", "loss_in_words", "share_left"]

_LONGEST = 12  # letters of an exact number


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
    """``ε 0.1`` or ``ε 1, δ 0.000001``; ``up`` rounds long numbers up (a cost), else down (what is left)."""
    return ", ".join(f"{letter if named else ''} {exactly(part, up=up)}".lstrip() for letter, part in letters(loss).items())


def exactly(number: Fraction, *, up: bool) -> str:
    """The number itself where that is short, by a power of ten if need be; else four digits of it."""
    if len(text := shown(number)) <= _LONGEST:
        return text
    four_digits = Context(prec=4, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    four = four_digits.divide(Decimal(number.numerator), Decimal(number.denominator)).normalize()
    near = f"{four:e}" if len(f"{four:f}") > _LONGEST else f"{four:f}"
    return near if Fraction(four) == number else f"≈ {near}"


def is_enough(remaining: Loss, cost: Loss) -> bool:
    """Whether every part of ``cost`` is left."""
    left = letters(remaining)
    return all(number <= left.get(letter, Fraction(0)) for letter, number in letters(cost).items())


def share_left(state: "BudgetState") -> float:
    """The share of the budget that is left, by the part that is scarcest; for a gauge."""
    left = letters(state.remaining)
    return min((float(left[letter] / cap) for letter, cap in letters(state.cap).items() if cap), default=0.0)
