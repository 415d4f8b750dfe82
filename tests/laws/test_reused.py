"""Two neighbouring tables, two questions one after the other: what the second uses of the first tells nothing more. Rule 16."""

from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.laws import questions_at_random as at_random
from tests.laws.engines_of_laws import ENGINES, examples, opened
from tests.laws.observing import PRICES, RANKED, RELATIONS, budgeted, judged, priced, watching

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.privacy.prices import pure


def observed(facts, engine, questions, price, tapes, passed=None):
    """All that questions one after the other leave behind on a table; the second table has the outcomes of the first."""
    curator = curator_in_memory(facts, engine, passed)
    public = []
    with watching(tapes) as calls:
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


@pytest.mark.parametrize("engine", ENGINES)
def test_views_of_neighbouring_tables_differ_by_noise_alone(engine):
    @settings(max_examples=examples(engine, 100, 25), suppress_health_check=list(HealthCheck))
    @given(pairs_of_questions(), st.sampled_from(PRICES), st.sampled_from(RELATIONS), st.data())
    def hold(questions, price, relation, data):
        tables, price = data.draw(at_random.neighbours(relation)), priced(price, " ".join(questions))
        facts = budgeted(at_random.facts_for(relation, len(tables[0])), price)
        with ExitStack() as held:
            engines = [held.enter_context(opened(engine, facts, rows)) for rows in tables]
            tapes, passed = [], {}  # what is tried before a charge follows from the plan, which both have: once is enough
            found = [observed(facts, each, questions, price, tapes, passed) for each in engines]
            (calls, public), (other_calls, other_public) = found
            assert public == other_public
            assert public[-1] == public[-3]  # the third is the first again, and free
            assert all(moved <= allowed for moved, allowed in judged(relation, calls, other_calls))

    hold()


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(pairs_of_questions(), st.data())
def test_what_is_charged_is_the_loss_of_all_draws_and_no_more(questions, data):
    assume(not any(name in sql for sql in questions for name in (*RANKED, "PER_UNIT")))
    rows, _ = data.draw(at_random.neighbours("add_remove"))
    facts = budgeted(at_random.facts_for("add_remove", len(rows)), PRICES[0])
    calls, public = observed(facts, Reference(facts, rows), questions, PRICES[0], [])
    drawn = {id(call.mechanism): pure(call.mechanism.cost).epsilon for call in calls}
    assert public[-1].epsilon == sum(drawn.values())
