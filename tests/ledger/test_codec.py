"""What a ledger keeps as text comes back as it was, whatever its kind."""

import json
from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.ledger.made import made_facts, request

import discreet as dc
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.codec import (
    canonical,
    event_from,
    event_to,
    loss_from,
    loss_to,
    plain,
    price_from,
    released_from,
    released_to,
)
from discreet.ledger.entries.requests import request_body, request_from
from discreet.ledger.registry import facts_digest
from discreet.privacy.events import (
    Disjoint,
    Event,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)

POSITIVE = st.fractions(min_value=Fraction(1, 10**40), max_value=10**9)
SMALL = st.fractions(min_value=Fraction(1, 10**30), max_value=Fraction(1, 2))
LOSSES = st.one_of(
    st.builds(lambda e: dc.Pure(epsilon=e), POSITIVE),
    st.builds(lambda e, d: dc.Approximate(epsilon=e, delta=d), POSITIVE, SMALL),
    st.builds(lambda r: dc.Concentrated(rho=r), POSITIVE),
)
CLAIMS = st.none() | st.builds(lambda e, d: dc.Approximate(epsilon=e, delta=d), POSITIVE, SMALL)
LEAVES = [
    st.builds(LaplaceRelease, POSITIVE),
    st.builds(GaussianRelease, POSITIVE, CLAIMS),
    st.builds(ExponentialSelection, POSITIVE),
    st.builds(PureRelease, POSITIVE),
    st.builds(KeyRelease, POSITIVE, SMALL),
]


def _of_others(inner):
    several = st.lists(inner, max_size=3).map(tuple)
    return st.one_of(
        st.builds(Sequence, several),
        st.builds(Repeated, inner, st.integers(1, 10**6)),
        st.builds(Disjoint, several, st.sampled_from(["add_remove", "change_one"]), st.integers(1, 9)),
    )


EVENTS = st.recursive(st.one_of(LEAVES), _of_others, max_leaves=6)


def through_text(value):
    return json.loads(canonical(value))


@pytest.mark.slow
@given(EVENTS)
def test_every_event_comes_back_as_it_was(event):
    assert event_from(through_text(event_to(event))) == event


def test_no_kind_of_event_is_left_out():
    kinds = {LaplaceRelease, GaussianRelease, ExponentialSelection, PureRelease, KeyRelease, Sequence, Repeated, Disjoint}
    assert set(get_args(Event)) == kinds


@pytest.mark.slow
@given(LOSSES)
def test_every_loss_and_price_comes_back_as_it_was(loss):
    assert loss_from(through_text(loss_to(loss))) == price_from(loss_to(loss)) == loss


@pytest.mark.slow
@given(st.lists(st.lists(st.integers(-(2**80), 2**80), min_size=1, max_size=6), max_size=3))
def test_released_integers_come_back_whatever_their_size(vectors):
    released = tuple(np.array(values, dtype=object).reshape(1, 1, -1) for values in vectors)
    again = released_from(through_text(released_to(released)))
    assert [v.tolist() for v in again] == [v.tolist() for v in released]
    assert [v.shape for v in again] == [v.shape for v in released]


@pytest.mark.slow
@given(
    EVENTS, LOSSES, st.none() | st.lists(st.text(), max_size=3).map(tuple), st.none() | st.text(min_size=1),
    st.dictionaries(st.text(st.characters(codec="utf-8")), POSITIVE, max_size=3),
)  # fmt: skip
def test_every_request_comes_back_as_it_was_charged(event, price, cells, key, weights):
    one = request()
    asked = type(one)("t", "1", "f", "SELECT é", price, event, weights, cells, "alice", key)
    assert request_from(through_text(request_body(asked, Amount(Fraction(1)), {}, asked.analyst))) == asked


@pytest.mark.parametrize("stored", [{"kind": "new"}, {}, {"kind": "laplace"}, {"kind": "repeated", "part": {}, "count": "x"}])
def test_what_another_version_wrote_is_a_fault_and_not_a_guess(stored):
    with pytest.raises(dc.LedgerFault):
        event_from(stored)
    with pytest.raises(dc.LedgerFault):
        loss_from({"sigma": "1"})
    with pytest.raises(dc.LedgerFault):
        plain(1.5)


def test_the_digest_of_facts_changes_with_what_they_promise_and_with_nothing_else():
    first = facts_digest(made_facts())
    budget = {"budget": 'epsilon = 9\npartition = "place"'}
    for same in (budget, {"more": "rows_about = 7"}, {"more": 'description = "new words"'}):
        assert facts_digest(made_facts(**same)) == first
    for other in ({"budget": "epsilon = 1"}, {"version": "2"}, {"neighbours": "change_one"}, {"more": 'people = "p"'}):
        assert facts_digest(made_facts(**other)) != first
