"""Which vectors of integers answer the aggregates of a question, and what each costs.

One vector often answers several aggregates: the pair of sums (x - a, b - x) gives COUNT, SUM and AVG of x, and the three
sums of degree two give the variance as well, each for one share of the price (docs/proofs/estimators.md).
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.facts.model import EachRow, Facts
from discreet.planning.plan import Estimator, Known
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
    Question,
)
from discreet.questions.bounds import bounds_of, is_whole, may_be_null
from discreet.questions.disjoint import are_disjoint
from discreet.questions.words import to_text
from discreet.sensitivities.scope import Scope

__all__ = [
    "Choice",
    "Draft",
    "aggregates_in",
    "aggregates_in_expression",
    "choose",
    "drafts_of",
    "drops_rows",
    "known_rows_behind",
    "with_nulls_replaced",
]

_VARIANCES = {"variance_pop", "variance_samp", "stddev_pop", "stddev_samp"}


@dataclass(frozen=True, slots=True)
class Draft:
    """A vector before it has a grid, a share and a mechanism. ``aggregates[i]`` are those that filter i answers."""

    estimator: Estimator
    of: Expression | None
    degree: int
    filters: tuple[Expression | None, ...]
    aggregates: tuple[tuple[Aggregate, ...], ...]
    scope: Scope
    what: str


@dataclass(frozen=True, slots=True)
class Choice:
    """How the aggregates are answered: by drafts of vectors, or because they are public."""

    drafts: tuple[Draft, ...]
    known: tuple[tuple[Aggregate, Known], ...]


def aggregates_in(question: Question) -> tuple[Aggregate, ...]:
    """Every aggregate that is released, each once: those in HAVING and ORDER BY too."""
    places = [output.value for output in question.outputs] + [order.by for order in question.order]
    if question.having is not None:
        places.append(question.having)
    return tuple(dict.fromkeys(found for place in places for found in _aggregates(place)))


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
        case In(of=of) | Like(of=of) | DatePart(of=of) | Bin(of=of):
            yield from _aggregates(of)
        case Case(whens=whens, otherwise=otherwise):
            for condition, value in whens:
                yield from _aggregates(condition)
                yield from _aggregates(value)
            yield from _aggregates(otherwise)
        case Column() | Literal() | KeyOf():
            pass


def choose(question: Question, facts: Facts) -> Choice:
    """Known values first, then as few vectors as answer the rest."""
    known, rest = [], []
    for aggregate in aggregates_in(question):
        if (size := _public_size(aggregate, question, facts)) is not None:
            known.append((aggregate, Known(size)))
        else:
            rest.append(aggregate)
    return Choice(_side_by_side(drafts_of(rest, question, facts), facts), tuple(known))


def _public_size(aggregate: Aggregate, question: Question, facts: Facts) -> int | None:
    counts_rows = aggregate.kind == "count_rows" or (aggregate.kind == "count" and not drops_rows(aggregate, facts))
    return _scope(question, facts, filtered=aggregate.filter is not None).known_rows if counts_rows else None


def drafts_of(aggregates: list[Aggregate], question: Question, facts: Facts) -> tuple[Draft, ...]:
    """One draft per number and filter that is aggregated; row counts join one whose number is never NULL."""
    by_number: dict[tuple[Expression | None, Expression | None], list[Aggregate]] = {}
    for aggregate in aggregates:
        of = None if _counts_all(aggregate, facts) else with_nulls_replaced(_argument(aggregate), facts)
        by_number.setdefault((of, aggregate.filter), []).append(aggregate)
    for condition in [condition for of, condition in by_number if of is None]:
        hosts = [key for key, wanted in by_number.items() if key[1] == condition and _hosts_counts(wanted, key[0], facts)]
        if hosts:
            by_number[hosts[0]] += by_number.pop((None, condition))
    return tuple(draft for key, wanted in by_number.items() for draft in _drafts(*key, wanted, question, facts))


def _counts_all(aggregate: Aggregate, facts: Facts) -> bool:
    return aggregate.kind == "count_rows" or (aggregate.kind == "count" and not drops_rows(aggregate, facts))


def _hosts_counts(aggregates: list[Aggregate], of: Expression | None, facts: Facts) -> bool:
    """Whether the number of rows comes for free with this number: it is never NULL, and more than its count is wanted."""
    return of is not None and not may_be_null(of, facts) and any(each.kind != "count" for each in aggregates)


def _drafts(
    of: Expression | None, condition: Expression | None, wanted: list[Aggregate], question: Question, facts: Facts
) -> Iterable[Draft]:
    """The vectors for all aggregates of one number under one filter."""
    kinds = {aggregate.kind for aggregate in wanted}
    drops = of is not None and may_be_null(of, facts)
    scope = _scope(question, facts, filtered=condition is not None or drops)

    def draft(estimator: Estimator, degree: int, answered: list[Aggregate]) -> Draft:
        what = ", ".join(dict.fromkeys(to_text(each) for each in answered))
        return Draft(estimator, of, degree, (condition,), (tuple(answered),), scope, what)

    if of is None or kinds == {"count"}:
        yield draft("count", 0, wanted)
        return
    if (bounds := bounds_of(of, facts)) is None:
        raise QuestionError(
            f"{to_text(of)} has no public bounds to aggregate within",
            hint="declare lower and upper in the facts, or clamp it: GREATEST(LEAST(x, 100), 0)",
        )
    if scope.known_rows is not None:
        sums = [each for each in wanted if each.kind in ("sum", "mean")]
        variances = [each for each in wanted if each.kind in _VARIANCES]
        if sums:
            yield draft("sum", 1, sums)
        if variances:
            yield draft("variance_numerator", 2, variances)
    elif kinds & _VARIANCES:
        yield draft("bernstein", 2, wanted)
    elif kinds == {"sum"} and is_whole(of, facts) and bounds[1] - bounds[0] <= 1 << 31:
        yield draft("sum", 1, wanted)
    else:  # for a sum that is rounded to a grid too: its interval needs the number of rows
        yield draft("bernstein", 1, wanted)


def _side_by_side(drafts: tuple[Draft, ...], facts: Facts) -> tuple[Draft, ...]:
    """Drafts that differ only in filters which exclude each other become one: a row is in one of them at most. Rule 8."""
    merged: list[Draft] = []
    for draft in drafts:
        for place, other in enumerate(merged):
            filters = (*other.filters, *draft.filters)
            alike = (draft.estimator, draft.of, draft.degree) == (other.estimator, other.of, other.degree)
            if alike and None not in filters and are_disjoint([f for f in filters if f is not None], facts):
                merged[place] = replace(
                    other,
                    filters=filters,
                    aggregates=(*other.aggregates, *draft.aggregates),
                    scope=Scope(other.scope.neighbours, filtered=True, grouped=True),
                    what=f"{other.what}, {draft.what}",
                )
                break
        else:
            merged.append(draft)
    return tuple(merged)


def _scope(question: Question, facts: Facts, *, filtered: bool) -> Scope:
    """How one unit reaches a statistic of this question. Rule 3."""
    if not isinstance(facts.unit, EachRow):
        raise QuestionError("units with many rows are not in the language yet", hint='ask tables whose unit is "row"')
    return Scope(facts.neighbours, rows=facts.rows, filtered=filtered or question.where is not None, grouped=bool(question.keys))


def _argument(aggregate: Aggregate) -> Expression:
    assert aggregate.of is not None
    return aggregate.of


def known_rows_behind(aggregate: Aggregate, question: Question, facts: Facts) -> int | None:
    """The number of rows behind the aggregate where it is public, else None. Rule 3."""
    return _scope(question, facts, filtered=aggregate.filter is not None or drops_rows(aggregate, facts)).known_rows


def drops_rows(aggregate: Aggregate, facts: Facts) -> bool:
    """Whether a row may be left out of the aggregate because its value is NULL."""
    return aggregate.of is not None and may_be_null(with_nulls_replaced(aggregate.of, facts), facts)


def with_nulls_replaced(expression: Expression, facts: Facts) -> Expression:
    """The aggregated number with the facts' null rule written out: a column with a replacement becomes COALESCE. Rule 4."""
    match expression:
        case Column(name):
            null = getattr(facts.column(name), "null", None)
            if null is None:
                return expression
            return Apply("coalesce", (expression, Literal(null if isinstance(null, bool) else Fraction(null))))
        case Apply(operation, of):
            return Apply(operation, tuple(with_nulls_replaced(part, facts) for part in of))
        case Case(whens, otherwise):
            # conditions keep NULL as NULL, as in WHERE
            return Case(tuple((c, with_nulls_replaced(v, facts)) for c, v in whens), with_nulls_replaced(otherwise, facts))
        case Bin(of, width, origin):
            return Bin(with_nulls_replaced(of, facts), width, origin)
        case _:
            return expression
