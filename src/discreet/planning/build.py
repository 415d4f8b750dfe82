"""From a question, the facts and a price to a plan, in passes that can be read one by one. No data so far."""

from dataclasses import replace
from fractions import Fraction
from math import prod

from discreet.engines.wanted import Measure, Wanted
from discreet.errors import QuestionError
from discreet.facts.model import Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.planning.cells import cells_of, check_having
from discreet.planning.grids import FEW, LARGEST_SCALE, grid_for
from discreet.planning.plan import Derived, Mechanism, Plan, Vector
from discreet.planning.price import Price
from discreet.planning.shares import Weights, check_weights, shares_by, weights_of
from discreet.planning.vectors import Choice, Draft, choose
from discreet.privacy.conversion import rho_of
from discreet.privacy.events import Event, GaussianRelease, LaplaceRelease, Sequence
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Question
from discreet.questions.bounds import bounds_of, is_whole
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.statistic import Bernstein, Bounds, Count, Sum, VarianceNumerator
from discreet.sensitivities.table import sensitivity_of

__all__ = ["make_plan", "plan_of"]


def make_plan(question: Question, facts: Facts, price: Price, weights: Weights | None = None) -> Plan:
    """The plan for ``question`` at ``price``; refused for reasons that are all public.

    Every vector gets an equal share of the price, or one in proportion to its weight. ``weights`` names outputs, or vectors by
    the words of a quote; what it does not name weighs 1, and a vector that serves several outputs takes the largest.
    """
    choice = choose(question, facts)                                         # as few vectors as answer all aggregates
    named = check_weights(weights, [(question, choice)])
    return plan_of(question, facts, price, choice, weights_of(question, choice, named))


def plan_of(question: Question, facts: Facts, price: Price, choice: Choice, weights: tuple[Fraction, ...]) -> Plan:
    """The plan that releases the vectors of ``choice``, one weight for each."""
    keys, axes = cells_of(question.keys, facts)                              # every value of every key
    check_having(question.having, axes)
    cells = prod(key.cells for key in keys)
    drafts = zip(choice.drafts, shares_by(weights), strict=True)
    vectors = [_vector(draft, facts, price, share, cells) for draft, share in drafts]
    measures, vectors = _measured(vectors)                                   # what the engine must add up
    wanted = Wanted(question.where, keys, measures)
    vectors = [_calibrated_alone(vector, price, wanted) for vector in vectors] if len(vectors) == 1 else vectors
    derived = [(a, Derived(v, f)) for v, d in enumerate(choice.drafts) for f, group in enumerate(d.aggregates) for a in group]
    return Plan(facts, question, price, axes, wanted, tuple(vectors), (*choice.known, *derived), _event(vectors, price))


def _vector(draft: Draft, facts: Facts, price: Price, share: Fraction, cells: int) -> Vector:
    """The draft with its grid and its noise."""
    grid = None
    are_few = cells * len(draft.filters) * (draft.degree + 1) <= FEW
    if draft.of is not None and draft.estimator != "count":
        bounds = bounds_of(draft.of, facts)
        assert bounds is not None
        one_step = _mechanism(_sensitivity(draft, 0, 1), price, share)       # its noise, were the range one step wide
        noise = None if are_few else _scale(one_step)
        grid = grid_for(bounds, is_whole=is_whole(draft.of, facts), degree=draft.degree, noise=noise, what=draft.what)
    mechanism = _mechanism(_sensitivity(draft, grid.low, grid.high) if grid else _sensitivity(draft, 0, 1), price, share)
    if not are_few and _scale(mechanism) > LARGEST_SCALE:
        raise QuestionError(
            f"the noise for {draft.what} would be out of reach at this price",
            hint="pay more for it, or ask for fewer statistics at once",
        )
    return Vector(draft.estimator, draft.of, draft.filters, (), grid, draft.degree, mechanism, share, are_few, draft.what)


def _sensitivity(draft: Draft, low: int, high: int) -> Sensitivity:
    """How far one unit moves the vector, in steps of the grid [low, high]."""
    match draft.estimator:
        case "count":
            return sensitivity_of(Count(), draft.scope)
        case "sum":
            return sensitivity_of(Sum(Bounds(low, high)), draft.scope)
        case "bernstein":
            return sensitivity_of(Bernstein(Bounds(low, high), draft.degree), draft.scope)
        case "variance_numerator":
            return sensitivity_of(VarianceNumerator(Bounds(low, high)), draft.scope)


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
    if not isinstance(price, Approximate) or wanted.cells * len(vector.filters) * vector.coordinates > 1:
        return vector
    assert isinstance(vector.mechanism, Gaussian)
    alone = Gaussian(epsilon=price.epsilon, delta=price.delta, sensitivity_squared=vector.mechanism.sensitivity_squared)
    return replace(vector, mechanism=alone)


def _scale(mechanism: Mechanism) -> Fraction:
    """At least the width of the noise, in steps."""
    law = mechanism.law
    return 1 / law.linear if law.linear else Fraction(law.spread + 1)


def _measured(vectors: list[Vector]) -> tuple[tuple[Measure, ...], list[Vector]]:
    """The sums that the vectors need, each once, and where each vector finds its own."""
    measures: list[Measure] = []
    placed = []
    for vector in vectors:
        starts = []
        for condition in vector.filters:
            if vector.estimator == "count":
                needed = [Measure(0, vector.of, None, condition)]
            else:
                powers = range(vector.degree + 1)
                needed = [Measure(power, vector.of, vector.grid if power else None, condition) for power in powers]
            starts.append(len(measures))
            measures += needed
        placed.append(replace(vector, measures=tuple(starts)))
    return tuple(measures), placed


def _event(vectors: list[Vector], price: Price) -> Event:
    """What the whole release is. Vectors follow each other on the same rows."""
    if isinstance(price, Approximate):
        ratio = sum((v.mechanism.cost.ratio_squared for v in vectors if isinstance(v.mechanism, Gaussian)), start=Fraction(0))
        return GaussianRelease(ratio, claim=price) if vectors else Sequence(())
    costs: list[LaplaceRelease | GaussianRelease] = [vector.mechanism.cost for vector in vectors]
    return Sequence(tuple(costs))


