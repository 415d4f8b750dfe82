"""Which vectors of integers answer the aggregates of a question, and what each costs.

One vector often answers several aggregates: the pair of sums (x - a, b - x) gives COUNT, SUM and AVG of x, and the three
sums of degree two give the variance as well, each for one share of the price (docs/proofs/estimators.md).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from discreet.errors import QuestionError
from discreet.facts.model import EachRow, Facts
from discreet.planning.caps import bounded_alone, caps_checked, clamped, matches_of, reach_of, rows_checked
from discreet.planning.cells import cells_of, unknown_key
from discreet.planning.plan import Known
from discreet.planning.unknown import keys_draft
from discreet.questions.aggregates import BOUNDED
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Column,
    DatePart,
    Expression,
    In,
    KeyOf,
    Like,
    Literal,
    Overall,
    Question,
)
from discreet.questions.bounds import beyond_bounds, bounds_of, is_whole, may_be_null
from discreet.questions.disjoint import are_disjoint
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS
from discreet.questions.text import to_text
from discreet.questions.unit_range import argument_of, bounds_units
from discreet.sensitivities.scope import Scope
from discreet.statistics.at_caps import AtCapsDraft, Cut
from discreet.statistics.count import Count
from discreet.statistics.distinct import Distinct
from discreet.statistics.end_drafts import EndsDraft
from discreet.statistics.mode import ModeDraft, declared_values
from discreet.statistics.moments import VARIANCES, Moments
from discreet.statistics.numerators import CovarianceNumerator, VarianceNumerator
from discreet.statistics.on_grid import OnGrid
from discreet.statistics.part import Draft
from discreet.statistics.rank_drafts import rank_drafts
from discreet.statistics.running_counts import RunningCounts
from discreet.statistics.summed import Summed
from discreet.statistics.tensor import SQUARES, Tensor
from discreet.statistics.total import Total
from discreet.statistics.trees import Tree
from discreet.statistics.unit_sizes import size_drafts
from discreet.statistics.unit_total import UnitTotal
from discreet.statistics.units import Units
from discreet.statistics.vector import VectorDraft

__all__ = [
    "Choice",
    "aggregates_in",
    "aggregates_in_expression",
    "choose",
    "drafts_of",
    "drops_rows",
    "known_rows_behind",
    "values_in",
]

@dataclass(frozen=True, slots=True)
class Choice:
    """How the aggregates are answered: by drafts of vectors, or because they are public."""

    drafts: tuple[Draft, ...]
    known: tuple[tuple[Aggregate, Known], ...]

    @property
    def is_clamped(self) -> bool:
        """Whether totals of units are clamped; then those of all drafts are."""
        return any(draft.is_clamped for draft in self.drafts)


def aggregates_in(question: Question) -> tuple[Aggregate, ...]:
    """Every aggregate that is released, each once: those in HAVING and ORDER BY too."""
    return tuple(dict.fromkeys(found for value in values_in(question) for found in _aggregates(value)))


def values_in(question: Question) -> list[Expression]:
    """All that is worked out from what is released: what is shown, HAVING and ORDER BY."""
    shown = [output.value for output in question.outputs] + [order.by for order in question.order]
    return shown if question.having is None else [*shown, question.having]


def aggregates_in_expression(expression: Expression) -> tuple[Aggregate, ...]:
    """Every aggregate of one released value, each once."""
    return tuple(dict.fromkeys(_aggregates(expression)))


def _aggregates(expression: Expression) -> Iterable[Aggregate]:
    match expression:
        case Aggregate():
            yield expression
        case Apply(of=parts):
            for part in parts:
                yield from _aggregates(part)
        case In(of=of) | Like(of=of) | DatePart(of=of) | Bin(of=of) | Overall(of=of):
            yield from _aggregates(of)
        case Case(whens=whens, otherwise=otherwise):
            for condition, value in whens:
                yield from _aggregates(condition)
                yield from _aggregates(value)
            yield from _aggregates(otherwise)
        case Column() | Literal() | KeyOf():
            pass


def choose(question: Question, facts: Facts, *, as_before: bool = False) -> Choice:
    """Known values first, then as few vectors as answer the rest. ``as_before``: ends of intervals are chosen by their ranks."""
    known, rest = [], []
    for aggregate in aggregates_in(question):
        if (size := _public_size(aggregate, question, facts)) is not None:
            known.append((aggregate, Known(size)))
        else:
            rest.append(aggregate)
    ranked = [each for each in rest if each.kind in RANKED_KINDS]
    sizes = [each for each in rest if each.kind in SIZE_KINDS]
    modes = [each for each in rest if each.kind == "mode"]
    cut = [each for each in rest if each.kind == "at_caps"]
    keys = keys_draft(question, facts, rest)
    if keys is not None and (ranked or modes or cut):
        raise QuestionError(
            "values with ranks are for keys that are public",
            hint="name groups: CASE WHEN x = 'a' THEN 'a' ELSE 'others' END; or ask for AVG, or declare its values in the facts",
        )
    if keys is not None and keys.aggregates:
        return Choice((keys,), tuple(known))
    others = [each for each in rest if each not in (*ranked, *sizes, *modes, *cut)]
    drafts = _of_units(drafts_of(others, question, facts), bool(ranked or modes), question, facts)
    scope = _scope(question, facts, filtered=True)  # the number of rows does not matter to ranks
    with_ranks = [(each, _argument(each, facts), scope) for each in ranked]
    chosen = (*rank_drafts(with_ranks, with_ends=None if as_before else EndsDraft), *_modes(modes, scope, facts))
    first = () if keys is None else (keys,)
    counted = (*size_drafts(_counted(sizes, facts), facts), *_cut(_counted(cut, facts), question, facts))
    return Choice((*first, *drafts, *chosen, *counted), tuple(known))


def _modes(aggregates: list[Aggregate], scope: Scope, facts: Facts) -> Iterable[ModeDraft]:
    """One choice for each, by the counts of single values in single groups."""
    for each in aggregates:
        of = _argument(each, facts)
        yield ModeDraft(of, each.filter, declared_values(of, facts), ((each,),), replace(scope, grouped=False, groups_per_unit=1))


def _cut(aggregates: list[Aggregate], question: Question, facts: Facts) -> Iterable[AtCapsDraft]:
    """One pair for each: a unit is in one cell, and says yes or no there. Rule 40."""
    scope = Scope(facts.neighbours, filtered=True, grouped=bool(question.keys))
    for each in aggregates:
        statistic = Cut(question.keys, each.of, caps_checked(each, question, facts))
        yield AtCapsDraft(statistic, (None,), ((each,),), scope, to_text(each))


def _counted(sizes: list[Aggregate], facts: Facts) -> list[Aggregate]:
    """Sizes of units; refused here if nobody knows their groups or these are too many, and not when units are counted."""
    for each in sizes:
        if each.of is not None and unknown_key(each.of, facts):
            raise QuestionError(
                f"the values of {to_text(each.of)} are not public, so that nobody knows in how many groups a unit can be",
                hint="declare its values in the facts, or use ROWS_PER_UNIT, which is never less",
            )
        if each.of is not None:
            cells_of((each.of,), facts)
    return sizes


def _of_units(drafts: tuple[VectorDraft, ...], is_ranked: bool, question: Question, facts: Facts) -> tuple[VectorDraft, ...]:
    """The drafts in the form that suits the units; row-disjoint ones side by side where rows are what is bounded."""
    reach = reach_of(question, facts)
    if reach is not None:
        if drafts and not is_ranked and (found := clamped(drafts, reach)) is not None:
            return _side_by_side(found, facts, for_units=True)
        bounded_alone(drafts)
        if drafts or is_ranked:
            rows_checked(reach)
        drafts = tuple(replace(draft, reach=reach) for draft in drafts)
    return _side_by_side(drafts, facts)


def _public_size(aggregate: Aggregate, question: Question, facts: Facts) -> int | None:
    if aggregate.kind == "count_units":
        return _scope(question, facts, filtered=aggregate.filter is not None).known_units
    counts_rows = aggregate.kind == "count_rows" or (aggregate.kind == "count" and not drops_rows(aggregate, facts))
    return _scope(question, facts, filtered=aggregate.filter is not None).known_rows if counts_rows else None


def drafts_of(aggregates: list[Aggregate], question: Question, facts: Facts) -> tuple[VectorDraft, ...]:
    """One draft per number and filter that is aggregated; row counts join one whose number is never NULL."""
    by_number: dict[tuple[Expression | None, Expression | None], list[Aggregate]] = {}
    for aggregate in aggregates:
        if aggregate.kind in ("count_distinct", "count_units") or aggregate.and_of is not None:
            continue
        if aggregate.unit_range is not None:
            continue
        if _is_in_tree(aggregate, aggregates, facts):
            continue
        of = None if _counts_all(aggregate, facts) else _argument(aggregate, facts)
        by_number.setdefault((of, aggregate.filter), []).append(aggregate)
    for condition in [condition for of, condition in by_number if of is None]:
        hosts = [key for key, wanted in by_number.items() if key[1] == condition and _hosts_counts(wanted, key[0], facts)]
        if hosts:
            by_number[hosts[0]] += by_number.pop((None, condition))
    numbers = [draft for key, wanted in by_number.items() for draft in _drafts(*key, wanted, question, facts)]
    units = [_units(each, question, facts) for each in aggregates if each.kind == "count_units"]
    apart = (_unit_totals, _trees, _distinct, _related)
    return (*numbers, *units, *(draft for drafts in apart for draft in drafts(aggregates, question, facts)))


def _is_in_tree(aggregate: Aggregate, aggregates: list[Aggregate], facts: Facts) -> bool:
    """Whether it is a running count, or a count of the same rows: that comes out of the same tree."""
    same = Aggregate("running_rows", None, aggregate.filter)
    return aggregate == same or (same in aggregates and _counts_all(aggregate, facts))


def _trees(aggregates: list[Aggregate], question: Question, facts: Facts) -> Iterable[VectorDraft]:
    """One draft for every filter under which counts run up."""
    for running in [each for each in aggregates if each.kind == "running_rows"]:
        wanted = [each for each in aggregates if each.filter == running.filter and _is_in_tree(each, aggregates, facts)]
        scope = _scope(question, facts, filtered=running.filter is not None)
        leaves = cells_of(question.keys[-1:], facts, runs=True)[0][0].cells
        what = ", ".join(dict.fromkeys(to_text(each) for each in wanted))
        yield VectorDraft(RunningCounts(Tree(leaves, (1,))), (running.filter,), (tuple(wanted),), scope, what)


def _units(aggregate: Aggregate, question: Question, facts: Facts) -> VectorDraft:
    scope = _scope(question, facts, filtered=aggregate.filter is not None)
    return VectorDraft(Units(), (aggregate.filter,), ((aggregate,),), scope, to_text(aggregate))


def _unit_totals(aggregates: list[Aggregate], question: Question, facts: Facts) -> Iterable[VectorDraft]:
    """One draft for every sum that is bounded per unit. Rule 39."""
    for each in aggregates:
        if each.unit_range is not None:
            if (of := argument_of(each, facts)) is None:
                raise QuestionError(f"{to_text(each)} has no public bounds to add up within", hint="declare lower and upper")
            scope = _scope(question, facts, filtered=True)  # a unit may have no value
            yield VectorDraft(UnitTotal(OnGrid(of), each.unit_range), (each.filter,), ((each,),), scope, to_text(each))


def _distinct(aggregates: list[Aggregate], question: Question, facts: Facts) -> Iterable[VectorDraft]:
    """One draft for every COUNT(DISTINCT …)."""
    for each in aggregates:
        if each.kind == "count_distinct":
            of = _argument(each, facts)
            scope = _scope(question, facts, filtered=True)  # which values there are is private, whatever the size of the table
            yield VectorDraft(Distinct(of), (each.filter,), ((each,),), scope, to_text(each))


def _related(aggregates: list[Aggregate], question: Question, facts: Facts) -> Iterable[VectorDraft]:
    """One draft for every pair of numbers under one filter: all that relates them comes out of the same sums."""
    pairs: dict[tuple[Expression, Expression, Expression | None], list[Aggregate]] = {}
    for each in aggregates:
        if each.and_of is not None:
            of, and_of = _argument(each, facts), with_nulls_replaced(each.and_of, facts)
            turned = (and_of, of, each.filter)  # one release tells both ways round
            pairs.setdefault(turned if turned in pairs else (of, and_of, each.filter), []).append(each)
    for (of, and_of, condition), wanted in pairs.items():
        drops = may_be_null(of, facts) or may_be_null(and_of, facts)
        scope = _scope(question, facts, filtered=condition is not None or drops)
        what = ", ".join(dict.fromkeys(to_text(each) for each in wanted))
        relates = any(each.kind in SQUARES for each in wanted)
        is_known = scope.known_rows is not None and not relates  # three known numerators would be worse
        x, y = OnGrid(of), OnGrid(and_of)
        statistic = CovarianceNumerator(x, y) if is_known else Tensor(x, y, 2 if relates else 1)
        yield VectorDraft(statistic, (condition,), (tuple(wanted),), scope, what)


def _counts_all(aggregate: Aggregate, facts: Facts) -> bool:
    return aggregate.kind == "count_rows" or (aggregate.kind == "count" and not drops_rows(aggregate, facts))


def _hosts_counts(aggregates: list[Aggregate], of: Expression | None, facts: Facts) -> bool:
    """Whether the number of rows comes for free with this number: it is never NULL, and more than its count is wanted."""
    alone = ("count",) if isinstance(facts.unit, EachRow) else ("count", "sum")  # apart, both are clamped and no row is left out
    return of is not None and not may_be_null(of, facts) and any(each.kind not in alone for each in aggregates)


def _drafts(
    of: Expression | None, condition: Expression | None, wanted: list[Aggregate], question: Question, facts: Facts
) -> Iterable[VectorDraft]:
    """The vectors for all aggregates of one number under one filter."""
    kinds = {aggregate.kind for aggregate in wanted}
    drops = of is not None and may_be_null(of, facts)
    scope = _scope(question, facts, filtered=condition is not None or drops)

    def draft(statistic: Summed, answered: list[Aggregate]) -> VectorDraft:
        what = ", ".join(dict.fromkeys(to_text(each) for each in answered))
        return VectorDraft(statistic, (condition,), (tuple(answered),), scope, what)

    if of is None or kinds == {"count"}:
        yield draft(Count(of), wanted)
        return
    x = OnGrid(of)
    if (bounds := bounds_of(of, facts)) is None:
        raise QuestionError(
            f"{to_text(of)} has no public bounds to aggregate within",
            hint="declare lower and upper in the facts, or clamp it: GREATEST(LEAST(x, 100), 0)",
        )
    if scope.known_rows is not None:
        sums = [each for each in wanted if each.kind in ("sum", "mean", *BOUNDED)]
        variances = [each for each in wanted if each.kind in VARIANCES]
        if sums:
            yield draft(Total(x), sums)
        if variances:
            yield draft(VarianceNumerator(x), variances)
    elif kinds & set(VARIANCES):
        yield draft(Moments(x, 2), wanted)
    elif kinds == {"sum"} and is_whole(of, facts) and bounds[1] - bounds[0] <= 1 << 31 and question.bounds_share is None:
        yield draft(Total(x), wanted)
    else:  # for a sum that may be rounded to a grid too: its interval needs the number of rows
        yield draft(Moments(x, 1), wanted)


def _side_by_side(
    drafts: tuple[VectorDraft, ...], facts: Facts, *, for_units: bool = False
) -> tuple[VectorDraft, ...]:
    """Drafts that differ only in filters which exclude each other become one: a row is in one of them at most. Rule 8.

    ``for_units``: a unit is in one of them at most, because the filters test what is constant per unit.
    """
    merged: list[VectorDraft] = []
    for draft in drafts:
        for place, other in enumerate(merged):
            filters = (*other.filters, *draft.filters)
            alike = draft.statistic == other.statistic and None not in filters
            of_units = for_units or draft.statistic.is_of_units  # a unit may have rows in both of two parts of the rows
            if alike and are_disjoint([f for f in filters if f is not None], facts, for_units=of_units):
                merged[place] = replace(
                    other,
                    filters=filters,
                    aggregates=(*other.aggregates, *draft.aggregates),
                    scope=replace(other.scope, filtered=True, grouped=True),
                    what=f"{other.what}, {draft.what}",
                )
                break
        else:
            merged.append(draft)
    return tuple(merged)


def _scope(question: Question, facts: Facts, *, filtered: bool) -> Scope:
    """How one unit reaches a statistic of this question. Rule 3."""
    scope = Scope(
        facts.neighbours, rows=facts.rows, units=facts.units, grouped=bool(question.keys),
        filtered=filtered or question.where is not None or bool(question.joins),
    )  # fmt: skip
    reach = reach_of(question, facts)
    if reach is None:  # a row may become several, and those be in as many groups
        matches = matches_of(question, facts)
        return replace(scope, rows_per_unit=matches, groups_per_unit=matches if question.keys else 1)
    rows = None if bounds_units(question) else reach.rows  # none is left out then: what bounds units is in each statistic
    return replace(scope, rows_per_unit=rows, groups_per_unit=reach.groups if question.keys else 1)


def _argument(aggregate: Aggregate, facts: Facts) -> Expression:
    """What is aggregated, the null rules written out."""
    if aggregate.kind in BOUNDED and (beyond := beyond_bounds(aggregate, facts)) is not None:
        return beyond  # NULL stays NULL: a value that is made up is at no bound
    assert aggregate.of is not None
    return with_nulls_replaced(aggregate.of, facts)


def known_rows_behind(aggregate: Aggregate, question: Question, facts: Facts) -> int | None:
    """The number of rows behind the aggregate where it is public, else None. Rule 3."""
    return _scope(question, facts, filtered=aggregate.filter is not None or drops_rows(aggregate, facts)).known_rows


def drops_rows(aggregate: Aggregate, facts: Facts) -> bool:
    """Whether a row may be left out of the aggregate because its value is NULL."""
    if aggregate.of is None:
        return False
    numbers = [_argument(aggregate, facts)]
    numbers += [] if aggregate.and_of is None else [with_nulls_replaced(aggregate.and_of, facts)]
    return any(may_be_null(each, facts) for each in numbers)
