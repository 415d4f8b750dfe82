"""Groups of too few rows: a statistic that means nothing on nobody is not shown where a released count may be 0. Rule 28.

Decided on the plan and on released values alone, so it costs nothing. A count is looked at if it is released anyway, of the same
rows: with the statistic, as it is with a mean, or beside it in the same question. Where there is none, one of more rows is, such
as COUNT(*) beside a median that leaves out NULL: if there may be none of those, there may be none of these.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import expm1, log1p

import numpy as np
from numpy.typing import NDArray

from discreet.facts.model import Facts
from discreet.planning.choosing import aggregates_in, known_rows_behind, values_in
from discreet.planning.plan import Derived, Plan
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Expression
from discreet.questions.ranked import SIZE_KINDS
from discreet.questions.walk import every
from discreet.statistics.estimate import Estimate
from discreet.statistics.part import Released
from discreet.views.counts_behind import rows_behind
from discreet.views.simultaneous import Confidence

__all__ = ["ALL_SHOWN", "Few", "count_beside", "few_in", "uncounted", "wider_count"]

Cells = NDArray[np.bool_]

_COUNTS: tuple[AggregateKind, ...] = ("count_rows", "count", "count_units")
_OF_NOBODY: tuple[AggregateKind, ...] = (*_COUNTS, "count_distinct", "running_rows", "sum")  # are 0 there, and say so
_TELL = (*_COUNTS, "at_caps")  # how many rows, or units, they are of
_ROWS = Aggregate("count_rows")


@dataclass(frozen=True, slots=True)
class Few:
    """For aggregates that have cells with too few rows, these; and for counts, where one is too small to be divided by."""

    cells: dict[Aggregate, Cells] = field(default_factory=dict)
    divisors: dict[Aggregate, Cells] = field(default_factory=dict)

    def of(self, value: Expression) -> Cells | None:
        """The cells in which a value, or anything that it is made of, is of too few rows; None if there are none."""
        found = list(self._in(value)) if self.cells or self.divisors else []
        return np.logical_or.reduce(found) if found else None

    def _in(self, value: Expression) -> Iterator[Cells]:
        for one in every(value):
            if isinstance(one, Aggregate) and one in self.cells:
                yield self.cells[one]
            if isinstance(one, Apply) and one.operation == "divide" and one.of[1] in self.divisors:
                yield self.divisors[one.of[1]]

    def without(self, found: Estimate, value: Expression) -> Estimate:
        """What was found for a value, and NULL where it is of too few rows."""
        if (cells := self.of(value)) is None:
            return found
        return Estimate(*(np.where(cells, np.nan, part) for part in (found.value, found.low, found.high)))


ALL_SHOWN = Few()  # for quotes, which are about as many rows as they say


def few_in(plan: Plan, released: Released, confidence: Confidence) -> Few:
    """Where counts have a lower end below 1, at a confidence that all cells of the answer share."""
    divisors = {divisor for value in values_in(plan.question) for divisor in _divisors(value)}
    told = [each for each in aggregates_in(plan.question) if each.kind not in _OF_NOBODY or each in divisors]
    sources = {each: _counted(each, plan) or _counted_wider(each, plan) for each in told}
    low = {source: _lower_end(plan, source, released, confidence) for source in set(sources.values()) if source is not None}
    found = {each: low[source] < 1 for each, source in sources.items() if source is not None}
    some = {each: cells for each, cells in found.items() if cells.any()}
    return Few({each: cells for each, cells in some.items() if each.kind not in _OF_NOBODY},
               {each: cells for each, cells in some.items() if each.kind in _COUNTS})  # fmt: skip


def _divisors(value: Expression) -> Iterator[Expression]:
    return (one.of[1] for one in every(value) if isinstance(one, Apply) and one.operation == "divide")


def uncounted(plan: Plan) -> tuple[Aggregate, ...]:
    """The statistics that mean nothing on nobody, and beside which no count of the same rows is released or public."""
    statistics = [each for each in aggregates_in(plan.question) if each.kind not in _OF_NOBODY]
    return tuple(each for each in statistics if not _is_known(each, plan) and _counted(each, plan) is None)


def count_beside(aggregate: Aggregate, facts: Facts) -> Aggregate:
    """The count of the rows that an aggregate is about; of the units, where these are what it is about."""
    if aggregate.kind in SIZE_KINDS:
        return Aggregate("count_units", None, aggregate.filter)
    return rows_behind(aggregate, facts)


def _is_known(aggregate: Aggregate, plan: Plan) -> bool:
    return known_rows_behind(aggregate, plan.question, plan.facts) is not None


def _counted(aggregate: Aggregate, plan: Plan) -> Derived | None:
    """Where a count of an aggregate's rows is released; None if nowhere, or if they are public."""
    source = plan.source(aggregate)
    if not isinstance(source, Derived) or _is_known(aggregate, plan):
        return None
    if aggregate.kind in _TELL or plan.vectors[source.vector].tells_rows:
        return source
    wanted = count_beside(aggregate, plan.facts)
    return next((place for each, place in plan.sources if isinstance(place, Derived) and _tells(each, place, wanted, plan)), None)


def wider_count(aggregate: Aggregate, plan: Plan) -> Aggregate | None:
    """The released count that is looked at where none is of the same rows: of more rows, or of their units; None if none is."""
    if aggregate.kind in _OF_NOBODY or _is_known(aggregate, plan) or not isinstance(plan.source(aggregate), Derived):
        return None
    wanted = _wider(aggregate, plan.facts)
    found = {each: place for each, place in plan.sources if isinstance(place, Derived)}
    return next((count for count in wanted if any(_tells(each, place, count, plan) for each, place in found.items())), None)


def _counted_wider(aggregate: Aggregate, plan: Plan) -> Derived | None:
    if (wanted := wider_count(aggregate, plan)) is None:
        return None
    return next(place for each, place in plan.sources if isinstance(place, Derived) and _tells(each, place, wanted, plan))


def _wider(aggregate: Aggregate, facts: Facts) -> list[Aggregate]:
    """Counts of rows among which those of an aggregate are, or of the units that these have: the narrowest first."""
    kinds: tuple[AggregateKind, ...] = ("count_rows", "count_units")
    filters = dict.fromkeys((aggregate.filter, None))
    with_value = [rows_behind(replace(aggregate, filter=None), facts)] if aggregate.kind not in SIZE_KINDS else []
    return [*with_value, *(Aggregate(kind, None, only) for only in filters for kind in kinds)]


def _tells(aggregate: Aggregate, place: Derived, wanted: Aggregate, plan: Plan) -> bool:
    if aggregate.kind == "count_units" or wanted.kind == "count_units":
        return aggregate == wanted
    is_count = aggregate.kind in _COUNTS or plan.vectors[place.vector].tells_rows
    return is_count and rows_behind(aggregate, plan.facts) == wanted


def _lower_end(plan: Plan, source: Derived, released: Released, confidence: Confidence) -> NDArray[np.float64]:
    part = plan.vectors[source.vector]
    risk, cells = float(1 - confidence), max(1, plan.groups)
    alone = risk / cells if part.shares_noise else -expm1(log1p(-risk) / cells)
    return part.estimate(plan.told(released), source.vector, source.filter, _ROWS, alone).low
