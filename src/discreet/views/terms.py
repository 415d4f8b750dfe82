"""Expressions over released numbers as sums of weighted integers and of quotients of such, as far as they are that."""

from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf

import numpy as np

from discreet.planning.plan import Derived, Known, Plan
from discreet.questions.algebra import Aggregate, Apply, Expression, Literal
from discreet.statistics.part import Released
from discreet.statistics.reach import Floats

__all__ = ["Over", "Quotient", "Terms", "Weighted", "terms_of"]


@dataclass(frozen=True, slots=True)
class Weighted:
    """A weighted sum of released integers, by where they are, and a constant. The exact one may be off by ``blur``."""

    weights: dict[Derived, Floats] = field(default_factory=dict)
    constant: float = 0.0
    blur: Floats | float = 0.0

    def times(self, by: float) -> "Weighted":
        return Weighted({at: by * each for at, each in self.weights.items()}, by * self.constant, abs(by) * self.blur)

    def plus(self, other: "Weighted") -> "Weighted":
        both = {at: self.weights.get(at, 0.0) + other.weights.get(at, 0.0) for at in self.weights | other.weights}
        weights = {at: np.asarray(each) for at, each in both.items()}
        return Weighted(weights, self.constant + other.constant, self.blur + other.blur)


@dataclass(frozen=True, slots=True)
class Quotient:
    """``by`` times one sum over another: within ``blur`` of the exact one, which is between two public ends."""

    by: float
    top: Weighted
    bottom: Weighted
    blur: float = 0.0
    least: float = -inf
    most: float = inf


@dataclass(frozen=True, slots=True)
class Over:
    """``by`` times one sum of integers and quotients over another: a mean over a mean."""

    by: float
    top: "Terms"
    bottom: "Terms"


@dataclass(frozen=True, slots=True)
class Terms:
    """An expression: a sum of integers and quotients; or a constant and ``over``."""

    rest: Weighted
    quotients: tuple[Quotient, ...] = ()
    over: Over | None = None

    def times(self, by: float) -> "Terms":
        over = None if self.over is None else replace(self.over, by=by * self.over.by)
        return Terms(self.rest.times(by), tuple(replace(each, by=by * each.by) for each in self.quotients), over)

    def plus(self, other: "Terms") -> "Terms | None":
        if (self.over and not other.is_constant) or (other.over and not self.is_constant):
            return None
        return Terms(self.rest.plus(other.rest), self.quotients + other.quotients, self.over or other.over)

    @property
    def is_constant(self) -> bool:
        return not self.quotients and not self.rest.weights and self.over is None

    @property
    def sums(self) -> list[Weighted]:
        inside = [] if self.over is None else [*self.over.top.sums, *self.over.bottom.sums]
        return [self.rest, *(each for quotient in self.quotients for each in (quotient.top, quotient.bottom)), *inside]


def terms_of(plan: Plan, expression: Expression, released: Released, alpha: float) -> Terms | None:
    """The expression as terms; None if it is of another form. How far values are rounded holds but with ``alpha``, for each."""
    match expression:
        case Literal(Fraction() | bool() as value):
            return Terms(Weighted(constant=float(value)))
        case Aggregate():
            return _aggregate(plan, expression, released, alpha)
        case Apply("add" | "subtract" | "negate" | "multiply" | "divide" as operation, of):
            parts = [terms_of(plan, each, released, alpha) for each in of]
            known = [each for each in parts if each is not None]
            return _combined(operation, known) if len(known) == len(parts) else None
        case _:
            return None


def _aggregate(plan: Plan, aggregate: Aggregate, released: Released, alpha: float) -> Terms | None:
    source = plan.source(aggregate)
    if isinstance(source, Known):
        return Terms(Weighted(constant=float(source.value)))
    part = plan.vectors[source.vector]
    found = part.ratio(plan.told(released), source.vector, source.filter, aggregate, alpha)
    if found is None or part.law is None or part.shares_noise:
        return None
    if found.bottom is None:
        return Terms(Weighted({source: np.array(found.top)}, blur=found.blur))
    top, bottom = (Weighted({source: np.array(each)}) for each in (found.top, found.bottom))
    return Terms(Weighted(), (Quotient(1.0, top, bottom, float(found.blur), found.least, found.most),))


def _combined(operation: str, of: list[Terms]) -> Terms | None:
    one, other = of[0], of[-1]
    match operation:
        case "add":
            return one.plus(other)
        case "subtract":
            return one.plus(other.times(-1.0))
        case "negate":
            return one.times(-1.0)
        case "multiply" if one.is_constant or other.is_constant:
            return one.times(other.rest.constant) if other.is_constant else other.times(one.rest.constant)
        case "divide" if other.is_constant and other.rest.constant:
            return one.times(1 / other.rest.constant)
        case "divide" if not one.quotients and not other.quotients and other.rest.weights:
            return Terms(Weighted(), (Quotient(1.0, one.rest, other.rest),)) if not one.over and not other.over else None
        case "divide" if not one.over and not other.over and not other.is_constant:
            return Terms(Weighted(), over=Over(1.0, one, other))
        case _:
            return None
