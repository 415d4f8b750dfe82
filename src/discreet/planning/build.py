"""From a question, the facts and a price to a plan, in passes that can be read one by one. No data so far."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod

from discreet.engines.wanted import UnitRows, Wanted
from discreet.errors import QuestionError
from discreet.facts.model import Facts, Text
from discreet.planning.caps import bound_of
from discreet.planning.cells import MOST_CELLS, cells_of, check_having, unknown_key
from discreet.planning.choosing import Choice, aggregates_in, choose
from discreet.planning.excluded import without_excluded
from discreet.planning.found_bounds import at_assumed, bounded, found_of, part_of, price_without
from discreet.planning.plan import Axis, Derived, Known, Plan
from discreet.planning.price import Price
from discreet.planning.shares import Weights, check_weights, shares_by, weights_behind, weights_of
from discreet.planning.unit_rows import unit_rows
from discreet.planning.work import check_work
from discreet.privacy.events import Event, GaussianRelease, Sequence
from discreet.privacy.losses import Approximate, Pure
from discreet.questions.algebra import Column, Expression, Question
from discreet.questions.joins import facts_seen
from discreet.statistics.bounds import Bounds, Found
from discreet.statistics.part import Part, measured
from discreet.statistics.ranks import Ranks

__all__ = ["choice_for", "make_plan", "plan_at_bounds", "plan_of"]

_SPARE = 32  # times wider noise would be planned just as well, so that it is for whatever bounds are found


def make_plan(
    question: Question, facts: Facts, price: Price, weights: Weights | None = None, *, as_before: bool = False
) -> Plan:
    """The plan for ``question`` at ``price``; refused for reasons that are all public.

    Every vector gets a share of the price in proportion to its weight. ``weights`` names outputs, or vectors by the words of a
    quote; what it does not name weighs 1, or 3 with an interval that is bought, and a vector that serves several outputs takes
    the largest. ``as_before`` is for what earlier versions have charged: see ``choose``.
    """
    choice = choice_for(question, facts, as_before=as_before)                # as few vectors as answer all aggregates
    named = check_weights(weights, [(question, choice)])
    plan = plan_of(question, facts, price, choice, weights_of(question, choice, named))
    check_work([plan])
    return plan


def choice_for(question: Question, facts: Facts, *, as_before: bool = False) -> Choice:
    """Which vectors answer the question; the same whatever bounds are found for it."""
    facts = facts_seen(question, facts)
    return choose(question, at_assumed(facts, part_of(question, facts)[0]), as_before=as_before)


def plan_of(question: Question, facts: Facts, price: Price, choice: Choice, weights: tuple[Fraction, ...]) -> Plan:
    """The plan that releases the vectors of ``choice``, one weight for each; first the bounds that have to be found."""
    rows = unit_rows(question, facts)                                        # one for each unit, if it asks about such
    facts = facts_seen(question, facts)                                      # with the columns of what it joins
    columns, share = part_of(question, facts)
    if not columns:
        return _plan_of(question, facts, price, choice, weights, rows)
    if any(draft.is_first for draft in choice.drafts):
        raise QuestionError(
            "keys and bounds that nothing public says are not found in one question",
            hint="declare the key's values, or lower and upper, in the facts",
        )
    found, rest, assumed = found_of(question, facts, price), price_without(price, share), at_assumed(facts, columns)
    spare = price_without(rest, 1 - Fraction(1, _SPARE if isinstance(rest, Pure) else _SPARE**2))
    _plan_of(question, assumed, spare, choice, weights, rows, is_alone=False)  # refused here, and not when bounds are found
    plan = _behind(found, _plan_of(question, assumed, rest, choice, weights, rows, is_alone=False), price, share)
    return replace(plan, facts=facts)


def plan_at_bounds(plan: Plan, bounds: Mapping[str, Bounds]) -> Plan:
    """The plan once its bounds are found. It has the same event, shares and order of vectors whatever they are."""
    columns, share = part_of(plan.question, plan.facts)
    if not columns:
        return plan  # they are in its facts already
    facts = bounded(plan.facts, bounds)
    is_old = any(isinstance(each, Ranks) and each.role != "point" for each in plan.vectors)
    choice = choose(plan.question, facts, as_before=is_old)
    weights = weights_of(plan.question, choice, weights_behind(plan))
    rows = plan.wanted.per_unit
    rest = _plan_of(plan.question, facts, price_without(plan.price, share), choice, weights, rows, is_alone=False)
    found = _behind(tuple(each for each in plan.vectors if isinstance(each, Found)), rest, plan.price, share)
    assert found.event == plan.event, "the loss does not depend on the bounds"
    return found


def _behind(found: tuple[Found, ...], rest: Plan, price: Price, share: Fraction) -> Plan:
    """The plan that finds bounds first."""
    later = tuple(replace(each, share=each.share * (1 - share)) for each in rest.vectors)
    moved = tuple((a, s if isinstance(s, Known) else replace(s, vector=s.vector + len(found))) for a, s in rest.sources)
    selections = tuple(end.event(rest.facts, 1) for each in found for end in each.ends)
    return replace(rest, price=price, vectors=(*found, *later), sources=moved, event=Sequence((*selections, rest.event)))


def _plan_of(
    question: Question, facts: Facts, price: Price, choice: Choice, weights: tuple[Fraction, ...], rows: UnitRows | None,
    *, is_alone: bool = True,
) -> Plan:
    """The same where all bounds are public. ``is_alone``: nothing else is paid from the same (epsilon, delta)."""
    runs = any(each.kind == "running_rows" for each in aggregates_in(question))
    keys, axes = cells_of(question.keys, facts, runs=runs)                   # every value of every key
    axes = without_excluded(question.where, question.keys, keys, axes)       # and of these, which an answer shows
    check_having(question.having, tuple(_as_text(key, axis, facts) for key, axis in zip(question.keys, axes, strict=True)))
    cells = MOST_CELLS if any(unknown_key(key, facts) for key in question.keys) else prod(key.cells for key in keys)
    drafts = zip(choice.drafts, shares_by(weights), strict=True)
    has_keys = any(draft.is_first for draft in choice.drafts)  # they take the delta, all else is pure then
    pure = Pure(epsilon=price.epsilon) if has_keys and isinstance(price, Approximate) else price
    planned: list[Part] = []
    for draft, share in drafts:
        planned.append(draft.beside(planned).planned(facts, price if draft.is_first else pure, share, cells))
    measures, vectors = measured(planned)                                    # what the engine must add up
    bound = bound_of(question, facts, is_clamped=choice.is_clamped)
    wanted = Wanted(question.where, keys, measures, bound, joins=question.joins, per_unit=rows)
    if is_alone and len(vectors) == 1:
        vectors = (vectors[0].alone(price, wanted.cells),)
    derived = [(a, Derived(v, f)) for v, d in enumerate(choice.drafts) for f, group in enumerate(d.aggregates) for a in group]
    event = _event(vectors, facts, price, cells)
    return Plan(facts, question, price, axes, wanted, vectors, (*choice.known, *derived), event)


def _as_text(key: Expression, axis: Axis, facts: Facts) -> Axis:
    """An axis whose values are not known yet, with a text in it if they are texts."""
    column = facts.column(key.name) if isinstance(key, Column) else None
    return Axis(("",)) if isinstance(column, Text) else axis


def _event(vectors: tuple[Part, ...], facts: Facts, price: Price, cells: int) -> Event:
    """What the whole release is. Vectors follow each other on the same rows."""
    if isinstance(price, Approximate) and not any(each.takes_delta for each in vectors):
        ratio = sum((each.ratio_squared for each in vectors), start=Fraction(0))
        return GaussianRelease(ratio, claim=price) if vectors else Sequence(())
    return Sequence(tuple(each.event(facts, cells) for each in vectors))
