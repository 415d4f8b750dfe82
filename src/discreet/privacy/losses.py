"""Losses: how much privacy something costs, as exact rationals.

Pure(epsilon) is differential privacy, Approximate(epsilon, delta) its relaxation, Concentrated(rho) zero-concentrated
differential privacy (Bun and Steinke 2016).
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact_between, exact_not_negative, shown
from discreet.privacy.conversion import epsilon_of

__all__ = ["Approximate", "Comparable", "Concentrated", "Loss", "Pure", "delta_between", "zCDP"]


def delta_between(value: Number) -> Fraction:
    """``value`` as an exact delta in [0, 1)."""
    return exact_between(value, "delta", 0, 1, closed_low=True, hint="write a small delta such as '1e-6'")


def _readable(number: Fraction) -> str:
    text = str(number)
    return text if len(text) <= 12 else shown(number)


class Comparable:
    """A loss is at most another if none of its numbers is larger; of two (epsilon, delta) it may be neither."""

    __slots__ = ()

    def __le__(self, other: object) -> bool:
        return all(mine <= theirs for mine, theirs in _side_by_side(self, other))

    def __ge__(self, other: object) -> bool:
        return all(mine >= theirs for mine, theirs in _side_by_side(self, other))

    def __lt__(self, other: object) -> bool:
        return self <= other and not self >= other

    def __gt__(self, other: object) -> bool:
        return self >= other and not self <= other


def _side_by_side(one: object, other: object) -> list[tuple[Fraction, Fraction]]:
    """The numbers of two losses in pairs. A pure loss has a delta of 0; a rho stands beside a rho alone."""
    if isinstance(one, Concentrated) and isinstance(other, Concentrated):
        return [(one.rho, other.rho)]
    if isinstance(one, Pure | Approximate) and isinstance(other, Pure | Approximate):
        return [(one.epsilon, other.epsilon), (_delta(one), _delta(other))]
    raise ParameterError(
        f"a {type(one).__name__} and a {type(other).__name__} are not compared",
        hint="compare losses of one kind: loss.to_approximate(delta) reads a rho as (epsilon, delta)",
    )


def _delta(loss: "Pure | Approximate") -> Fraction:
    return loss.delta if isinstance(loss, Approximate) else Fraction(0)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Pure(Comparable):
    """Every output is at most e^epsilon times likelier on one of two neighbouring tables than on the other."""

    epsilon: Fraction

    def __init__(self, *, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", exact_not_negative(epsilon, "epsilon"))

    def to_approximate(self, delta: Number = 0) -> "Approximate":
        """The same loss read as (epsilon, delta)."""
        return Approximate(epsilon=self.epsilon, delta=delta)

    def to_concentrated(self) -> "Concentrated":
        """rho = epsilon^2 / 2, which every epsilon-private mechanism satisfies."""
        return Concentrated(rho=self.epsilon**2 / 2)

    def __repr__(self) -> str:
        return f"Pure(epsilon={_readable(self.epsilon)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Approximate(Comparable):
    """As Pure, but for a part of probability at most delta."""

    epsilon: Fraction
    delta: Fraction

    def __init__(self, *, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", exact_not_negative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", delta_between(delta))

    @classmethod
    def capped(cls, epsilon: Fraction, delta: Fraction) -> "Approximate":
        """What composition arrives at: a delta that reaches 1 promises nothing, and says so."""
        if delta < 1:
            return cls(epsilon=epsilon, delta=delta)
        vacuous = cls(epsilon=epsilon, delta=0)
        object.__setattr__(vacuous, "delta", Fraction(1))
        return vacuous

    def to_approximate(self, delta: Number) -> "Approximate":
        """The same loss with the larger ``delta``."""
        wanted = delta_between(delta)
        if wanted < self.delta:
            raise ParameterError(
                f"a loss with delta {shown(self.delta)} cannot be read at delta {shown(wanted)}",
                hint=f"write a delta of at least {shown(self.delta)}",
            )
        return Approximate(epsilon=self.epsilon, delta=wanted)

    def __repr__(self) -> str:
        return f"Approximate(epsilon={_readable(self.epsilon)}, delta={_readable(self.delta)})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Concentrated(Comparable):
    """Zero-concentrated: the Renyi divergence of every order alpha > 1 is at most rho alpha."""

    rho: Fraction

    def __init__(self, *, rho: Number) -> None:
        object.__setattr__(self, "rho", exact_not_negative(rho, "rho"))

    def to_approximate(self, delta: Number) -> Approximate:
        """The (epsilon, delta) that this rho implies, by the tight conversion; epsilon is rounded up."""
        wanted = delta_between(delta)
        if wanted == 0:
            raise ParameterError("a concentrated loss needs a delta above 0", hint="write a small delta such as '1e-6'")
        return Approximate(epsilon=epsilon_of(self.rho, wanted), delta=wanted)

    def __repr__(self) -> str:
        return f"Concentrated(rho={_readable(self.rho)})"


zCDP = Concentrated  # noqa: N816 - the name that its readers know
Loss = Pure | Approximate | Concentrated
