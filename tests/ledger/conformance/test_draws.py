"""What every ledger promises of what was bought: found by name, seen as it is when it is charged, used and never paid twice."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from tests.ledger.conformance.test_charging import settle, spent
from tests.ledger.made import request

import discreet as dc
from discreet.ledger import owners, registry
from discreet.ledger.entries.charges import Changed, Granted, Seen, Stored, Used, Viewed
from discreet.ledger.records import DrawRecord
from discreet.ledger.verify import verify

ONE = (np.array([[[41, -(2**70)]]], dtype=object),)


def buying(ledger, what, names, **more):
    """A request for vectors of these names, as it stands now."""
    asked = request(what, bought=tuple(range(len(names))), **more)
    found = ledger.seen(asked, names)
    return replace(asked, names=tuple((place, 0, name) for place, name in enumerate(names)), looked_for=tuple(names), seen=found)


def viewing(ledger, what, *uses, **more):
    """A request that buys nothing."""
    return replace(buying(ledger, what, [], **more), uses=uses)


def bought(ledger, what, names, **more):
    (granted,) = ledger.reserve([buying(ledger, what, names, **more)])
    return settle(ledger, granted, ONE * len(names))


def test_what_is_bought_is_seen_under_its_names_while_it_runs_and_afterwards(ledger, open_again):
    (granted,) = ledger.reserve([buying(ledger, "q", ["a", "b"])])
    assert open_again().seen(request(), ["b", "c"]) == (Seen("b", granted.charge, 1, 0, is_running=True),)
    settle(ledger, granted, ONE * 2)
    assert open_again().seen(request(), ["b", "c"]) == (Seen("b", granted.charge, 1, 0, is_running=False),)
    assert [each.tolist() for each in open_again().stored(granted.charge).released] == [ONE[0].tolist()] * 2


def test_a_name_of_what_a_charge_itself_finds_has_its_number(ledger):
    found = bought(ledger, "q", ["keys", "mean@"])
    assert [each.name for each in ledger.seen(request(), ["mean@", f"mean@{found.charge}"])] == [f"mean@{found.charge}"]


def test_what_changed_since_the_look_is_not_charged(ledger):
    late = buying(ledger, "late", ["a", "b"])
    bought(ledger, "q", ["b"])
    with pytest.raises(Changed):
        ledger.reserve([late])
    with pytest.raises(Changed):
        ledger.reserve([buying(ledger, "fine", ["c"]), late])
    assert spent(ledger) == Fraction(1, 10)
    assert isinstance(ledger.reserve([buying(ledger, "late", ["a", "b"])])[0], Granted)


def test_what_one_buys_twice_in_a_batch_is_no_change(ledger):
    asked = [buying(ledger, "one", ["a", "b"]), buying(ledger, "two", ["b", "c"])]
    assert all(isinstance(each, Granted) for each in ledger.reserve(asked))


def test_a_view_is_charged_nothing_and_is_in_the_history_of_whoever_asks(ledger):
    first = bought(ledger, "q", ["a"])
    use = Used(0, 0, first.charge, 0, 0)
    (found,) = ledger.reserve([viewing(ledger, "view", use, analyst="bob")])
    assert isinstance(found, Viewed)
    assert spent(ledger) == Fraction(1, 10)
    registry.freeze(ledger, "t", "test", analyst="bob")
    assert isinstance(ledger.reserve([viewing(ledger, "another view", use, analyst="bob")])[0], Viewed)
    with pytest.raises(dc.AccessError, match="bob is frozen"):
        ledger.reserve([buying(ledger, "new", ["z"], analyst="bob")])


def test_whoever_is_frozen_sees_what_they_were_shown_and_no_more(ledger):
    bought(ledger, "q", ["a"])
    bought(ledger, "r", ["b"], analyst="bob")
    registry.freeze(ledger, "t", "test", analyst="bob")
    assert [each.name for each in ledger.seen(request(analyst="bob"), ["a", "b"])] == ["b"]
    assert [each.name for each in ledger.seen(request(), ["a", "b"])] == ["a", "b"]


def test_one_s_own_answer_is_found_by_its_draws_and_nobody_else_s(ledger):
    first = bought(ledger, "q", ["a"], analyst="alice")
    asked = viewing(ledger, "q", Used(0, 0, first.charge, 0, 0), analyst="alice")
    assert ledger.same_answer(asked) == first.charge
    assert ledger.same_answer(replace(asked, analyst="bob")) is None
    assert ledger.same_answer(replace(asked, uses=())) is None
    (again,) = ledger.reserve([replace(asked, replays=first.charge)])
    assert isinstance(again, Stored)
    assert again.id == first.id


def test_what_failed_is_not_there(ledger):
    (granted,) = ledger.reserve([buying(ledger, "q", ["a"])])
    ledger.fail(granted, dc.Fault("interrupted", freezes=False))
    assert ledger.seen(request(), ["a"]) == ()


def test_a_dead_worker_s_charge_is_taken_over_and_a_living_one_s_is_not(ledger, monkeypatch):
    (granted,) = ledger.reserve([buying(ledger, "q", ["a"])])
    assert ledger.waited_for(granted.charge, "bob") is None
    monkeypatch.setattr(owners, "is_dead", lambda who, lease, clock: True)
    with pytest.raises(dc.LedgerFault, match="cut off"):
        ledger.waited_for(granted.charge, "bob", lambda _: False)
    taken = ledger.waited_for(granted.charge, "bob")
    assert (taken.charge, taken.attempt, taken.asker) == (granted.charge, 2, "bob")
    settle(ledger, taken, ONE)
    assert ledger.waited_for(granted.charge, "bob") is None
    assert spent(ledger) == Fraction(1, 10)


def test_of_many_draws_of_one_name_the_dearest_are_seen(ledger):
    for number in range(12):
        bought(ledger, f"q{number}", ["a"] if number else ["a", "b"], epsilon=f"1/{100 - number}")
    seen = ledger.seen(request(), ["a"])
    assert len(seen) == 8
    assert min(each.charge for each in seen) > 2


def test_askers_at_once_pay_for_a_name_once(ledger, open_again):
    def ask(number):
        mine = open_again()
        while True:
            asked = buying(mine, f"q{number}", ["a"])
            if asked.seen:
                return 0
            try:
                (granted,) = mine.reserve([asked])
            except Changed:
                continue
            settle(mine, granted, ONE)
            return 1

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(ask, range(8))) == 1
    assert spent(ledger) == Fraction(1, 10)


def test_names_that_were_changed_without_an_entry_are_found(ledger):
    found = bought(ledger, "q", ["a", "b"])
    assert verify(ledger).ok
    with ledger.store.writing() as transaction:
        transaction.drop(DrawRecord, name="a")
    assert verify(ledger).problems == (f"what charge {found.charge} has bought was changed without an entry",)


def test_receipts_of_views_hold_and_are_the_same_whenever_they_are_made(ledger):
    from discreet.answers.document import Document
    from discreet.ledger.entries.signatures import problem_with
    from discreet.views.rows import Table

    first = bought(ledger, "q", ["a"])
    asked, nothing = viewing(ledger, "view", Used(0, 0, first.charge, 0, 0)), Document(Table((), 0), Fraction(19, 20))
    receipt = ledger.view_receipt(asked, {"question": "view"}, nothing)
    bought(ledger, "r", ["b"])
    assert ledger.view_receipt(asked, {"question": "view"}, nothing) == receipt
    assert problem_with(receipt, "receipt", ledger.key.public) is None
    assert receipt["budget"]["before"] == receipt["budget"]["after"] == {"epsilon": "0.1"}
