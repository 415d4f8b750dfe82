"""Answers on rows made up from the facts: free, and about nobody."""

from dataclasses import replace
from fractions import Fraction

from discreet.answers.answer import Answer
from discreet.curator.desk import Desk
from discreet.curator.pace import public_numbers
from discreet.curator.refusals import by_parts
from discreet.curator.request import Weights
from discreet.curator.results import answer_from
from discreet.errors import QuestionError
from discreet.planning.build import make_plan
from discreet.planning.price import Price
from discreet.planning.purchase import bought_whole
from discreet.questions.algebra import Question
from discreet.releasing.stages import released_from

__all__ = ["rehearsed"]


def rehearsed(
    desk: Desk, asked: Question, price: Price, weights: Weights | None, confidence: Fraction, simultaneous: bool,
    most: int | None = None,
) -> Answer:
    """What an answer would look like. Nothing is charged, and no row of the table is read. Refused above so many numbers."""
    from discreet.engines.reference.made_up import rehearsal

    made = rehearsal(desk.facts)
    plan = make_plan(asked, made.facts, price, weights)
    if most is not None and (numbers := public_numbers(plan)) > most:
        told = f"a rehearsal has at most {most:,} numbers, and this one has {numbers:,}"
        raise QuestionError(told, hint="ask for fewer groups")
    with by_parts(desk.ledger, [desk.request(plan)]):
        cost = desk.cost(plan.event)
    released = released_from(plan, made.engine) if plan.vectors else ()
    answer = answer_from(
        bought_whole(plan), released, confidence, simultaneous,
        id="rehearsal", cost=cost, budget=desk.ledger.state(desk.facts.name), replayed=False, receipt=None,
    )  # fmt: skip
    return replace(answer, rehearsed=True, warnings=(made.note, *answer.warnings))
