"""Many answers to one question, for tests of how often something holds: one plan, drawn again and again.

What a curator does between a charge and the delivery is done every time; what it does once, reading, planning, trying out and
charging, is not. That is most of the time of an answer about few rows.
"""

from collections.abc import Iterator
from typing import Any

from discreet.answers.answer import Answer
from discreet.curator import Curator
from discreet.curator.request import Ask
from discreet.curator.results import answer_from
from discreet.engines.wanted import Engine
from discreet.facts.model import Facts
from discreet.planning.build import make_plan
from discreet.planning.plan import Plan
from discreet.planning.price import read_price
from discreet.planning.purchase import bought_whole
from discreet.releasing.stages import released_from


def answers(curator: Curator, sql: str, times: int, **words: Any) -> Iterator[Answer]:
    """As many answers as if nothing had been asked before; nothing is charged."""
    request = Ask.of(sql, **words)
    plan = planned(curator.facts, request)
    for _ in range(times):
        yield answered(plan, request, curator.desk.ready(), curator.budget)


def planned(facts: Facts, request: Ask) -> Plan:
    """The plan of a request for a price."""
    price = read_price(epsilon=request.epsilon, delta=request.delta, rho=request.rho)
    return make_plan(request.read(facts), facts, price, request.weights)


def answered(plan: Plan, request: Ask, engine: Engine, budget: Any) -> Answer:
    """One draw, with its intervals and all that is shown."""
    released = released_from(plan, engine) if plan.vectors else ()
    return answer_from(bought_whole(plan), released, request.sure, request.simultaneous,
                       id="again", cost=budget.cap, budget=budget, replayed=False, receipt=None)  # fmt: skip
