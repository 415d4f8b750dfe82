"""A stored request is planned again exactly as it was charged: whatever the question, its weights, and its part of a batch."""

from fractions import Fraction

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws.questions_at_random import facts_for, questions

import discreet as dc
from discreet.curator import Curator
from discreet.curator.stock import Stock
from discreet.ledger import ledger_in_memory
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.codec import canonical
from discreet.ledger.entries.requests import request_body, request_from
from discreet.planning.batches import make_plans
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

pytestmark = pytest.mark.slow
FACTS = {relation: facts_for(relation, 7) for relation in ("add_remove", "change_one")}
PRICES = st.one_of(
    st.fractions(Fraction(1, 1000), 9).map(lambda e: read_price(epsilon=e)),
    st.fractions(Fraction(1, 1000), 9).map(lambda r: read_price(rho=r)),
    st.fractions(Fraction(1, 1000), 9).map(lambda e: read_price(epsilon=e, delta="1e-6")),
)
RELATIONS = st.sampled_from(["add_remove", "change_one"])


def stored(plan):
    """The request of a plan after it was written down and read again."""
    import json

    curator = Curator(plan.facts, lambda: None, ledger_in_memory())
    body = request_body(curator.desk.request(plan, "alice", None), Amount(Fraction(1)), {}, "alice")
    return request_from(json.loads(canonical(body)))


def planned(make):
    try:
        return make()
    except dc.Refused:
        assume(False)


def check_again(plan):
    again = Stock(plan.facts, None).purchase_of(stored(plan)).plan
    assert (again.vectors, again.price, again.event, again.wanted) == (plan.vectors, plan.price, plan.event, plan.wanted)


@settings(max_examples=120, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(questions(), PRICES, RELATIONS, st.data())
def test_every_question_with_any_weights_is_planned_again_as_it_was(sql, price, relation, data):
    facts = FACTS[relation]
    plan = planned(lambda: make_plan(read_sql(sql, facts), facts, price))
    check_again(plan)
    names = [vector.what for vector in plan.vectors]
    weights = data.draw(st.dictionaries(st.sampled_from(names), st.integers(1, 100), max_size=3)) if names else {}
    check_again(planned(lambda: make_plan(plan.question, facts, price, weights)))


@settings(max_examples=50, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(st.lists(questions(), min_size=2, max_size=4), PRICES, RELATIONS, st.data())
def test_every_part_of_a_batch_is_planned_again_as_it_was(asked, price, relation, data):
    facts = FACTS[relation]
    read = [planned(lambda sql=sql: read_sql(sql, facts)) for sql in asked]
    plans = planned(lambda: make_plans(read, facts, price))
    names = [vector.what for plan in plans for vector in plan.vectors]
    weights = data.draw(st.dictionaries(st.sampled_from(names), st.integers(1, 100), max_size=3)) if names else {}
    for plan in [*plans, *planned(lambda: make_plans(read, facts, price, weights))]:
        check_again(plan)
