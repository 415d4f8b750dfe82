"""What a ledger adds up: exact amounts of (epsilon, delta) or, under concentrated accounting, of (rho, delta).

The stop rule is a sum (rule 7). Sums stay exact; only when a denominator passes 1024 binary digits, which takes prices made
for it, is a sum rounded up, so that the cost of one more charge does not grow with the number of charges before.
"""

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from math import inf, isqrt
from typing import Literal

from discreet.answers.losses import shortly
from discreet.errors import BudgetError
from discreet.facts.model import Budget
from discreet.privacy.conversion import rho_of
from discreet.privacy.events import Event
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.privacy.prices import approximate, concentrated_delta, concentrated_part, pure

__all__ = ["Amount", "Currency", "Money", "NOTHING", "Rank", "rank"]

Currency = Literal["epsilon", "rho"]

_LONGEST = 1024
_FINE = 10**60
_ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Amount:
    """Epsilon or rho, and delta."""

    first: Fraction
    delta: Fraction = Fraction(0)

    def plus(self, other: "Amount") -> "Amount":
        """The sum."""
        if not other.delta:  # as it is most of the time
            return Amount(_kept(self.first + other.first), self.delta) if other.first else self
        return Amount(_kept(self.first + other.first), _kept(self.delta + other.delta))

    def minus(self, other: "Amount") -> "Amount":
        """The difference."""
        return Amount(self.first - other.first, self.delta - other.delta)

    def or_more(self, other: "Amount") -> "Amount":
        """The larger in each part."""
        return Amount(_larger(self.first, other.first), _larger(self.delta, other.delta))

    def or_less(self, other: "Amount") -> "Amount":
        """The smaller in each part."""
        return Amount(min(self.first, other.first), min(self.delta, other.delta))

    def beyond(self, cap: "Amount") -> tuple[bool, bool]:
        """Which part of it is more than ``cap`` has."""
        return self.first > cap.first, self.delta > cap.delta

    def fits(self, cap: "Amount") -> bool:
        """Whether it is at most ``cap`` in each part."""
        return self.first <= cap.first and self.delta <= cap.delta

    def to_texts(self) -> tuple[str, str]:
        """Both parts as exact fractions."""
        return str(self.first), str(self.delta)

    @staticmethod
    @lru_cache(1024)  # prices and limits come again and again
    def from_texts(first: str, delta: str) -> "Amount":
        """What ``to_texts`` wrote."""
        return Amount(Fraction(first), Fraction(delta) if delta != "0" else _ZERO)


def _larger(one: Fraction, other: Fraction) -> Fraction:
    """The larger of both, several times as fast as ``max``: every quote compares some dozens."""
    return one if one.numerator * other.denominator >= other.numerator * one.denominator else other


NOTHING = Amount(Fraction(0))
Rank = tuple[float, Fraction]


@lru_cache(1024)
def rank(text: str) -> Rank:
    """What exact fractions as texts are sorted by. Rounding keeps their order: floats decide, or fractions between equal ones."""
    number = Fraction(text)
    try:
        return float(number), number
    except OverflowError:
        return inf, number


@dataclass(frozen=True, slots=True)
class Money:
    """What a budget counts in, and whether it has a delta at all."""

    currency: Currency
    has_delta: bool

    @classmethod
    def of(cls, budget: Budget) -> "Money":
        """The money of a budget."""
        if budget.accounting == "concentrated":
            return cls("rho", isinstance(budget.cap, Approximate))
        return cls("epsilon", isinstance(budget.cap, Approximate))

    def amount(self, loss: Loss) -> Amount:
        """A cap or a limit. Half of a delta is kept for the selection of keys; rho comes from the other half (rule 10)."""
        match self.currency, loss:
            case "rho", Approximate(epsilon=epsilon, delta=delta):
                return Amount(rho_of(epsilon, delta / 2), delta / 2)
            case "rho", Concentrated(rho=rho):
                return Amount(rho)
            case "epsilon", Approximate(epsilon=epsilon, delta=delta):
                return Amount(epsilon, delta)
            case "epsilon", Pure(epsilon=epsilon):
                return Amount(epsilon)
        raise BudgetError("the budget counts in another kind of loss", hint=f"write it in {self.currency}")

    def like(self, cap: Amount, loss: Loss) -> Loss:
        """A new cap as it is meant: one that is written without a delta keeps that of the old one."""
        if not (self.has_delta and isinstance(loss, Pure)):
            return loss
        return Approximate(epsilon=loss.epsilon, delta=cap.delta * (2 if self.currency == "rho" else 1))

    @property
    def kind(self) -> str:
        """What is counted, in a sentence."""
        if not self.has_delta:
            return f"{self.currency} only"
        return "epsilon and delta" if self.currency == "epsilon" else "rho, from epsilon and delta"

    def is_cap(self, loss: Loss) -> bool:
        """Whether a cap may be written so. What another kind adds could never be spent."""
        if self.has_delta:
            return isinstance(loss, Approximate)
        return isinstance(loss, Pure if self.currency == "epsilon" else Concentrated)

    def price(self, event: Event) -> Amount:
        """What an event costs; refused if it has no price in this money."""
        if self.currency == "rho":
            return Amount(concentrated_part(event).rho, concentrated_delta(event))
        if self.has_delta:
            found = approximate(event)
            return Amount(found.epsilon, found.delta)
        return Amount(pure(event).epsilon)

    def loss(self, amount: Amount) -> Loss:
        """An amount as people read it."""
        if self.currency == "rho":
            return Concentrated(rho=amount.first)
        return Approximate.capped(amount.first, amount.delta) if self.has_delta else Pure(epsilon=amount.first)

    def words(self, amount: Amount, *, left: bool = False) -> str:
        """An amount in a sentence. A cost without a delta has none to tell; of what is ``left`` it is told that none is."""
        first = f"{self.currency} {_short(amount.first)}"
        says_delta = amount.delta or (left and self.currency == "epsilon" and self.has_delta)
        return f"{first} and delta {_short(amount.delta)}" if says_delta else first

    def too_much(self, cost: Amount, left: Amount, scarce: tuple[bool, bool], whose: str = "") -> str:
        """Why a question is refused: what it costs, what is left, and which part is ``scarce`` where there are several."""
        said = f"the question costs {self.words(cost)} and {self.words(left, left=True)} is left{whose}"
        if not (self.currency == "epsilon" and self.has_delta):
            return said
        parts = [part for part, is_scarce in zip(("epsilon", "delta"), scarce, strict=True) if is_scarce]
        return f"{said}: {' and '.join(parts)} {'is' if len(parts) == 1 else 'are'} too much"

    def affordable(self, amount: Amount) -> Fraction:
        """The largest single epsilon that this much pays for, rounded down where it is a root."""
        left = max(Fraction(0), amount.first)
        return left if self.currency == "epsilon" else Fraction(isqrt(int(2 * left * 10**24)), 10**12)


def _kept(total: Fraction) -> Fraction:
    if total.denominator.bit_length() <= _LONGEST:
        return total
    return Fraction(-(-total.numerator * _FINE // total.denominator), _FINE)


def _short(number: Fraction) -> str:
    text = shortly(number)
    return text if len(text) <= 24 else f"about {_rounded(number)}"


def _rounded(number: Fraction) -> str:
    """Twelve digits, also of what no float can hold."""
    with localcontext(Context(prec=12, Emax=MAX_EMAX, Emin=MIN_EMIN)):
        found = Decimal(number.numerator) / Decimal(number.denominator)
        return f"{found.normalize():.12g}"
