"""Two neighbouring tables, two questions one after the other: what the second uses of the first tells nothing more. Rule 16."""

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws import test_neighbours as laws

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines.reference import Reference
from discreet.privacy.prices import pure
from discreet.testing import recorded

at_random = laws.at_random


def observed(facts, rows, questions, price):
    """All that questions one after the other leave behind on a table."""
    cap = laws.BUDGETS["delta" if "delta" in price else next(iter(price))]
    facts = replace(facts, budget=type(facts.budget)(cap, accounting="concentrated" if "rho" in price else "basic"))
    curator = curator_in_memory(facts, Reference(facts, rows))
    public = []
    with recorded() as calls:
        for sql in questions:
            try:
                answer = curator.ask(sql, **price)
            except dc.Refused as error:
                public.append((type(error).__name__, str(error)))
            else:
                public.append((answer.columns, answer.split, answer.free, answer.replayed, answer.warnings))
            public.append(curator.budget.spent)
    return calls, public


@st.composite
def pairs_of_questions(draw):
    """Two questions that share something more often than not: the outputs of one are put beside those of the other."""
    first, second = draw(at_random.questions()), draw(at_random.questions())
    if draw(st.booleans()) and "GROUP BY" not in first + second and "WHERE" not in first + second:
        more = first[len("SELECT ") : first.index(" FROM")].replace(" AS ", " AS again_")
        second = second.replace("SELECT ", f"SELECT {more}, ", 1)
    return [first, second, first]


@pytest.mark.slow
@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large])
@given(pairs_of_questions(), st.sampled_from(laws.PRICES), st.sampled_from(laws.RELATIONS), st.data())
def test_views_of_neighbouring_tables_differ_by_noise_alone(questions, price, relation, data):
    rows, other = data.draw(at_random.neighbours(relation))
    facts = at_random.facts_for(relation, len(rows))
    if any(f"{name}(" in sql for sql in questions for name in laws.RANKED) and "delta" in price:
        price = laws.PRICES[0]
    (calls, public), (other_calls, other_public) = (observed(facts, each, questions, price) for each in (rows, other))
    assert public == other_public
    assert public[-1] == public[-3]  # the third is the first again, and free
    calls, other_calls = ([call for call in each if laws.is_first_level(call)] for each in (calls, other_calls))
    assert [call.mechanism for call in calls] == [call.mechanism for call in other_calls]
    for moved, allowed in laws.judged(relation, calls, other_calls):
        assert moved <= allowed


@pytest.mark.slow
@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
@given(pairs_of_questions(), st.data())
def test_what_is_charged_is_the_loss_of_all_draws_and_no_more(questions, data):
    assume(not any(f"{name}(" in sql for sql in questions for name in (*laws.RANKED, "PER_UNIT")))
    rows, _ = data.draw(at_random.neighbours("add_remove"))
    calls, public = observed(at_random.facts_for("add_remove", len(rows)), rows, questions, {"epsilon": "0.5"})
    drawn = {id(call.mechanism): pure(call.mechanism.cost).epsilon for call in calls}
    assert public[-1].epsilon == sum(drawn.values())
