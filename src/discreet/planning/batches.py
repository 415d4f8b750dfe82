"""Several questions for one price: as if they were one question, but each with a plan, a price and an event of its own.

The parts of the price add up to the whole of it, and each event is worth its part by itself: plans may be charged one by one.
"""

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt

from discreet.errors import ParameterError
from discreet.facts.model import Facts
from discreet.planning.build import choice_for, plan_of
from discreet.planning.plan import Plan
from discreet.planning.price import Price
from discreet.planning.shares import Weights, check_weights, shares_by, weights_of
from discreet.planning.work import check_work
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.algebra import Question
from discreet.questions.normal import fingerprint

__all__ = ["make_plans"]

_DIGITS = 10**9  # of the roots below


def make_plans(questions: Iterable[Question], facts: Facts, price: Price, weights: Weights | None = None) -> tuple[Plan, ...]:
    """One plan for each different question, in order; their prices add up to ``price``, unless nothing at all is released.

    Every vector of every question gets an equal share, or one in proportion to its weight (see ``make_plan``). A question that
    is the same as an earlier one has no plan of its own: its answer is a replay. One whose numbers are all public has a price
    of 0 and does not enter the split.
    """
    different: dict[str, Question] = {}
    for question in questions:
        different.setdefault(fingerprint(question), question)
    if not different:
        raise ParameterError("there are no questions to plan", hint="give one question or more")
    asked = [(question, choice_for(question, facts)) for question in different.values()]
    named = check_weights(weights, asked)
    weighed = [weights_of(question, choice, named) for question, choice in asked]
    parts = _parts([sum(each, start=Fraction(0)) for each in weighed], price)
    together = zip(asked, weighed, parts, strict=True)
    plans = tuple(plan_of(question, facts, part, choice, each) for (question, choice), each, part in together)
    check_work(plans)
    return plans


def _parts(totals: list[Fraction], price: Price) -> list[Price]:
    """What each question pays. ``totals`` are the weights of its vectors, added up."""
    paying = shares_by([_pull(total, price) for total in totals if total])
    shares = iter(paying)
    return [_part(price, next(shares) if total else Fraction(0)) for total in totals]


def _pull(total: Fraction, price: Price) -> Fraction:
    """What a question's part of the price is in proportion to.

    Epsilon and rho add up over vectors, so a part is in proportion to their weights. Each of several (epsilon, delta) has to hold
    by itself, and inside it rho, about epsilon^2 / (4 log(1/delta)), is what adds up: there equal vectors get about equal
    noise if epsilon is in proportion to the root of the weights.
    """
    if not isinstance(price, Approximate):
        return total
    return Fraction(isqrt(int(total * _DIGITS**2)) or 1, _DIGITS)


def _part(price: Price, share: Fraction) -> Price:
    match price:
        case Pure(epsilon=epsilon):
            return Pure(epsilon=epsilon * share)
        case Concentrated(rho=rho):
            return Concentrated(rho=rho * share)
        case Approximate(epsilon=epsilon, delta=delta):
            return Approximate(epsilon=epsilon * share, delta=delta * share)
