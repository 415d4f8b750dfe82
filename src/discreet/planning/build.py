"""From a question, the facts and a price to a plan, in passes that can be read one by one. No data so far."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import prod

from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.errors import QuestionError
from discreet.facts.model import Facts, Text
from discreet.mechanisms import Gaussian, Laplace
from discreet.planning.cells import MOST_CELLS, cells_of, check_having, unknown_key
from discreet.planning.found_bounds import Bounds as FoundBounds
from discreet.planning.found_bounds import at_assumed, bounded, found_of, part_of, price_without
from discreet.planning.grids import FEW, LARGEST_SCALE, grid_for, grids_for_pair
from discreet.planning.plan import Axis, Derived, Found, Keys, Known, Mechanism, Plan, Ranks, Vector
from discreet.planning.price import Price
from discreet.planning.ranks import RankDraft, event_of, ranks_of
from discreet.planning.shares import Weights, check_weights, shares_by, weights_behind, weights_of
from discreet.planning.trees import tree_for
from discreet.planning.units import bound_of, clamped_measures, clamped_sensitivity, spread_over_groups
from discreet.planning.unknown import KeysDraft, keys_of
from discreet.planning.vectors import Choice, Draft, choose
from discreet.planning.work import check_work
from discreet.privacy.conversion import rho_of
from discreet.privacy.events import Event, GaussianRelease, Sequence
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Column, Expression, Question
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.joins import facts_seen
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.statistic import (
    Bernstein,
    Bounds,
    Count,
    CovarianceNumerator,
    Distinct,
    Marginals,
    Sum,
    Tensor,
    Units,
    VarianceNumerator,
)
from discreet.sensitivities.table import sensitivity_of

__all__ = ["choice_for", "make_plan", "plan_at_bounds", "plan_of"]

_SPARE = 32  # times wider noise would be planned just as well, so that it is for whatever bounds are found


def make_plan(question: Question, facts: Facts, price: Price, weights: Weights | None = None) -> Plan:
    """The plan for ``question`` at ``price``; refused for reasons that are all public.

    Every vector gets an equal share of the price, or one in proportion to its weight. ``weights`` names outputs, or vectors by
    the words of a quote; what it does not name weighs 1, and a vector that serves several outputs takes the largest.
    """
    choice = choice_for(question, facts)                                     # as few vectors as answer all aggregates
    named = check_weights(weights, [(question, choice)])
    plan = plan_of(question, facts, price, choice, weights_of(question, choice, named))
    check_work([plan])
    return plan


def choice_for(question: Question, facts: Facts) -> Choice:
    """Which vectors answer the question; the same whatever bounds are found for it."""
    facts = facts_seen(question, facts)
    return choose(question, at_assumed(facts, part_of(question, facts)[0]))


def plan_of(question: Question, facts: Facts, price: Price, choice: Choice, weights: tuple[Fraction, ...]) -> Plan:
    """The plan that releases the vectors of ``choice``, one weight for each; first the bounds that have to be found."""
    facts = facts_seen(question, facts)                                      # with the columns of what it joins
    columns, share = part_of(question, facts)
    if not columns:
        return _plan_of(question, facts, price, choice, weights)
    if any(isinstance(draft, KeysDraft) for draft in choice.drafts):
        raise QuestionError(
            "keys and bounds that nothing public says are not found in one question",
            hint="declare the key's values, or lower and upper, in the facts",
        )
    found, rest, assumed = found_of(question, facts, price), price_without(price, share), at_assumed(facts, columns)
    spare = price_without(rest, 1 - Fraction(1, _SPARE if isinstance(rest, Pure) else _SPARE**2))
    _plan_of(question, assumed, spare, choice, weights, is_alone=False)  # refused here, and not when bounds are found
    plan = _behind(found, _plan_of(question, assumed, rest, choice, weights, is_alone=False), price, share)
    return replace(plan, facts=facts)


def plan_at_bounds(plan: Plan, bounds: Mapping[str, FoundBounds]) -> Plan:
    """The plan once its bounds are found. It has the same event, shares and order of vectors whatever they are."""
    columns, share = part_of(plan.question, plan.facts)
    if not columns:
        return plan  # they are in its facts already
    facts = bounded(plan.facts, bounds)
    choice = choose(plan.question, facts)
    weights = weights_of(plan.question, choice, weights_behind(plan))
    rest = _plan_of(plan.question, facts, price_without(plan.price, share), choice, weights, is_alone=False)
    found = _behind(tuple(each for each in plan.vectors if isinstance(each, Found)), rest, plan.price, share)
    assert found.event == plan.event, "the loss does not depend on the bounds"
    return found


def _behind(found: tuple[Found, ...], rest: Plan, price: Price, share: Fraction) -> Plan:
    """The plan that finds bounds first."""
    later = tuple(replace(each, share=each.share * (1 - share)) for each in rest.vectors)
    moved = tuple((a, s if isinstance(s, Known) else replace(s, vector=s.vector + len(found))) for a, s in rest.sources)
    selections = tuple(event_of(end, rest.facts, 1) for each in found for end in each.ends)
    return replace(rest, price=price, vectors=(*found, *later), sources=moved, event=Sequence((*selections, rest.event)))


def _plan_of(
    question: Question, facts: Facts, price: Price, choice: Choice, weights: tuple[Fraction, ...], *, is_alone: bool = True
) -> Plan:
    """The same where all bounds are public. ``is_alone``: nothing else is paid from the same (epsilon, delta)."""
    keys, axes = cells_of(question.keys, facts)                              # every value of every key
    check_having(question.having, tuple(_as_text(key, axis, facts) for key, axis in zip(question.keys, axes, strict=True)))
    cells = MOST_CELLS if any(unknown_key(key, facts) for key in question.keys) else prod(key.cells for key in keys)
    drafts = zip(choice.drafts, shares_by(weights), strict=True)
    has_keys = any(isinstance(draft, KeysDraft) for draft in choice.drafts)  # they take the delta, all else is pure then
    pure = Pure(epsilon=price.epsilon) if has_keys and isinstance(price, Approximate) else price
    vectors = [_planned(d, facts, price if isinstance(d, KeysDraft) else pure, share, cells) for d, share in drafts]
    measures, vectors = _measured(vectors)                                   # what the engine must add up
    is_clamped = any(isinstance(draft, Draft) and draft.per_unit is not None for draft in choice.drafts)
    bound = bound_of(question, facts, is_clamped=is_clamped)
    wanted = Wanted(question.where, keys, measures, bound, joins=question.joins)
    if is_alone and len(vectors) == 1 and isinstance(vectors[0], Vector):
        vectors = [_calibrated_alone(vectors[0], price, wanted)]
    derived = [(a, Derived(v, f)) for v, d in enumerate(choice.drafts) for f, group in enumerate(d.aggregates) for a in group]
    event = _event(vectors, facts, price, cells)
    return Plan(facts, question, price, axes, wanted, tuple(vectors), (*choice.known, *derived), event)


def _as_text(key: Expression, axis: Axis, facts: Facts) -> Axis:
    """An axis whose values are not known yet, with a text in it if they are texts."""
    column = facts.column(key.name) if isinstance(key, Column) else None
    return Axis(("",)) if isinstance(column, Text) else axis


def _planned(
    draft: Draft | RankDraft | KeysDraft, facts: Facts, price: Price, share: Fraction, cells: int
) -> Vector | Ranks | Keys:
    if isinstance(draft, KeysDraft):
        return keys_of(draft, facts, price, share)
    if isinstance(draft, RankDraft):
        return ranks_of(draft, facts, price, share, cells)
    return _vector(draft, facts, price, share, cells)


def _vector(draft: Draft, facts: Facts, price: Price, share: Fraction, cells: int) -> Vector:
    """The draft with its grid and its noise."""
    grid = and_grid = None
    tree = tree_for(draft.leaves, is_gaussian=not isinstance(price, Pure)) if draft.estimator == "tree" else None
    numbers = cells * (draft.degree + 1) ** (1 if draft.and_of is None else 2)
    numbers = numbers if tree is None else cells // tree.leaves * tree.nodes
    are_few = numbers * len(draft.filters) <= FEW
    draft = draft if tree is None else replace(draft, degree=len(tree.runs))
    if draft.of is not None and draft.estimator not in ("count", "units", "distinct"):
        one_step = _mechanism(_sensitivity(draft, Grid(Fraction(1), 0, 1)), price, share)  # were the range one step wide
        grid, and_grid = _grids(draft, facts, None if are_few else _scale(one_step))
        if draft.estimator == "sum" and draft.scope.known_rows is None and grid.step > 1:
            return _vector(_with_rows(draft), facts, price, share, cells)
    sensitivity = _sensitivity(draft, grid or Grid(Fraction(1), 0, 1), and_grid)
    mechanism = _mechanism(sensitivity, price, share)
    if not are_few and _scale(mechanism) > LARGEST_SCALE:
        raise QuestionError(
            f"the noise for {draft.what} would be out of reach at this price",
            hint="pay more for it, or ask for fewer statistics at once",
        )
    return Vector(
        draft.estimator, draft.of, draft.filters, (), grid, draft.degree, mechanism, share, are_few, draft.what,
        draft.and_of, and_grid, draft.per_unit, tree,
    )  # fmt: skip


def _with_rows(draft: Draft) -> Draft:
    """A sum of whole numbers that are rounded after all, as a pair: its interval needs the number of rows. Rule 18."""
    if draft.per_unit is None:
        return replace(draft, estimator="bernstein", degree=1)
    raise QuestionError(
        f"the numbers of {draft.what} are too large to be added up as they are",
        hint="subtract a constant first, ask for fewer groups at once, or pay more",
    )


def _grids(draft: Draft, facts: Facts, noise: Fraction | None) -> tuple[Grid, Grid | None]:
    """The grid of the draft's number, and of the second where it has two."""
    numbers = [each for each in (draft.of, draft.and_of) if each is not None]
    found, are_whole = [bounds_of(each, facts) for each in numbers], [is_whole(each, facts) for each in numbers]
    bounds = [each for each in found if each is not None]
    assert len(bounds) == len(numbers)
    if len(numbers) == 1:
        return grid_for(bounds[0], is_whole=are_whole[0], degree=draft.degree, noise=noise, what=draft.what), None
    pair, whole = (bounds[0], bounds[1]), (are_whole[0], are_whole[1])
    return grids_for_pair(pair, whole, degree=draft.degree, noise=noise, what=draft.what)


def _sensitivity(draft: Draft, grid: Grid, and_grid: Grid | None = None) -> Sensitivity:
    """How far one unit moves the vector, in steps of its grid."""
    x, y = (Bounds(each.low, each.high) for each in (grid, and_grid or Grid(Fraction(1), 0, 1)))
    if draft.per_unit is not None and draft.estimator != "units":
        return clamped_sensitivity(draft.estimator, x, draft.per_unit, draft.scope)
    match draft.estimator:
        case "count":
            found = sensitivity_of(Count(), draft.scope)
        case "units":
            return sensitivity_of(Units(), draft.scope)
        case "distinct":
            found = sensitivity_of(Distinct(), draft.scope)
        case "sum":
            found = sensitivity_of(Sum(x), draft.scope)
        case "bernstein":
            found = sensitivity_of(Bernstein(x, draft.degree), draft.scope)
        case "variance_numerator":
            return sensitivity_of(VarianceNumerator(x), draft.scope)
        case "tensor":
            found = sensitivity_of(Tensor(x, y, draft.degree), draft.scope)
        case "covariance_numerator":
            return sensitivity_of(CovarianceNumerator(x, y), draft.scope)
        case "tree":
            return sensitivity_of(Marginals(draft.degree), draft.scope)  # a row is in one node of every level
    return spread_over_groups(found, draft.reach, x, draft.scope)


def _mechanism(sensitivity: Sensitivity, price: Price, share: Fraction) -> Mechanism:
    match price:
        case Pure(epsilon=epsilon):
            return Laplace(epsilon=epsilon * share, sensitivity=sensitivity.l1)
        case Concentrated(rho=rho):
            return Gaussian(rho=rho * share, sensitivity_squared=sensitivity.l2_squared)
        case Approximate(epsilon=epsilon, delta=delta):
            return Gaussian(rho=rho_of(epsilon, delta) * share, sensitivity_squared=sensitivity.l2_squared)


def _calibrated_alone(vector: Vector, price: Price, wanted: Wanted) -> Vector:
    """A single number at (epsilon, delta) is calibrated by the exact law of its noise, which is tighter. Rule 22."""
    if not isinstance(price, Approximate) or vector.numbers(wanted.cells) > 1:
        return vector
    assert isinstance(vector.mechanism, Gaussian)
    alone = Gaussian(epsilon=price.epsilon, delta=price.delta, sensitivity_squared=vector.mechanism.sensitivity_squared)
    return replace(vector, mechanism=alone)


def _scale(mechanism: Mechanism) -> Fraction:
    """At least the width of the noise, in steps."""
    law = mechanism.law
    return 1 / law.linear if law.linear else Fraction(law.spread + 1)


def _measured(vectors: list[Vector | Ranks | Keys]) -> tuple[tuple[Measure, ...], list[Vector | Ranks | Keys]]:
    """The sums that the vectors need, each once, and where each vector finds its own."""
    measures: list[Measure] = []
    placed: list[Vector | Ranks | Keys] = []
    for vector in vectors:
        if isinstance(vector, Ranks | Keys):  # counts are read for it, not sums
            placed.append(vector)
            continue
        starts = []
        for condition in vector.filters:
            powers = range(vector.degree + 1)
            if vector.per_unit is not None or vector.estimator == "units":
                needed = clamped_measures(vector.estimator, vector.of, vector.grid, condition, vector.per_unit or 1)
            elif vector.estimator in ("count", "distinct", "tree"):
                needed = [Measure(0, vector.of, None, condition, distinct=vector.estimator == "distinct")]
            elif vector.and_of is not None:
                second = vector.and_of, vector.and_grid
                needed = [Measure(i, vector.of, vector.grid, condition, j, *second) for i in powers for j in powers]
            else:
                needed = [Measure(power, vector.of, vector.grid if power else None, condition) for power in powers]
            starts.append(len(measures))
            measures += needed
        placed.append(replace(vector, measures=tuple(starts)))
    return tuple(measures), placed


def _event(vectors: list[Vector | Ranks | Keys], facts: Facts, price: Price, cells: int) -> Event:
    """What the whole release is. Vectors follow each other on the same rows."""
    if isinstance(price, Approximate) and not any(isinstance(each, Keys) for each in vectors):
        ratio = sum((v.mechanism.cost.ratio_squared for v in vectors if isinstance(v.mechanism, Gaussian)), start=Fraction(0))
        return GaussianRelease(ratio, claim=price) if vectors else Sequence(())
    return Sequence(tuple(event_of(each, facts, cells) if isinstance(each, Ranks) else each.mechanism.cost for each in vectors))


