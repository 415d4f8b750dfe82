"""What can happen to data: a closed vocabulary. An event is a fact; what it costs is worked out in ``prices``.

Ledgers store events, so the meaning of a kind never changes once it has been released.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from discreet.privacy.losses import Approximate

__all__ = [
    "Disjoint",
    "Event",
    "ExponentialSelection",
    "GaussianRelease",
    "KeyRelease",
    "LaplaceRelease",
    "Neighbours",
    "PureRelease",
    "Repeated",
    "Sequence",
]

Neighbours = Literal["add_remove", "change_one"]


@dataclass(frozen=True, slots=True)
class LaplaceRelease:
    """Discrete Laplace noise was added once. ``ratio`` is the l1 sensitivity over the scale."""

    ratio: Fraction


@dataclass(frozen=True, slots=True)
class GaussianRelease:
    """Discrete Gaussian noise was added once. ``ratio_squared`` is the squared l2 sensitivity over the variance.

    ``claim`` is the (epsilon, delta) that the variance was chosen for, if it was: it holds by the exact law, not by the ratio.
    """

    ratio_squared: Fraction
    claim: Approximate | None = None


@dataclass(frozen=True, slots=True)
class ExponentialSelection:
    """One candidate was chosen by the exponential mechanism at this epsilon."""

    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class PureRelease:
    """Something epsilon-private happened, and no more is known of it: permute-and-flip, randomized response, a threshold."""

    epsilon: Fraction


@dataclass(frozen=True, slots=True)
class KeyRelease:
    """Keys that no list names were released, each by how many units have it: (epsilon, delta) for all keys of a unit together."""

    epsilon: Fraction
    delta: Fraction


@dataclass(frozen=True, slots=True)
class Sequence:
    """All of these happened to the same rows."""

    parts: tuple["Event", ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """The same kind of event happened ``count`` times to the same rows."""

    part: "Event"
    count: int


@dataclass(frozen=True, slots=True)
class Disjoint:
    """Each happened to another group of rows; one unit has rows in at most ``groups`` of them."""

    parts: tuple["Event", ...]
    neighbours: Neighbours
    groups: int = 1


Event = LaplaceRelease | GaussianRelease | ExponentialSelection | PureRelease | KeyRelease | Sequence | Repeated | Disjoint
