"""Questions that a service took in, over every store: found by key, taken over from the dead, bounded, and nobody else's."""

from time import time

import pytest

import discreet as dc
from discreet.ledger import asked
from discreet.ledger.alarms import remember
from discreet.ledger.asked import all_done, done, forget, left_behind, reword, take, take_in
from discreet.ledger.history import forget_before
from discreet.ledger.owners import LEASE
from discreet.ledger.records import AskedRecord, FilledRecord

BODY = {"sql": "SELECT 1", "epsilon": "0.1"}


@pytest.fixture
def dead(monkeypatch):
    """Once called, whoever works is dead."""
    return lambda: monkeypatch.setattr(asked, "is_dead", lambda *_: True)


def test_a_key_finds_its_request_and_no_other_asker_or_body(ledger, open_again):
    first = take_in(ledger, "alice", "t", BODY, key="k", lasts=30)
    assert (first.is_new, first.is_done, first.due - first.at) == (True, False, 30)
    other = open_again()
    again = take_in(other, "alice", "t", dict(reversed(BODY.items())), key="k")
    assert (again.id, again.is_new, again.body) == (first.id, False, BODY)
    for table, body in (("t", BODY | {"epsilon": "0.2"}), ("u", BODY)):
        with pytest.raises(dc.ParameterError, match="another request"):
            take_in(other, "alice", table, body, key="k")
    assert take_in(other, "bob", "t", BODY, key="k").is_new                          # a key is of whoever chose it
    assert take_in(other, "alice", "t", BODY).is_new
    with pytest.raises(dc.MissingError):
        asked.asked(other, "bob", first.id)
    assert done(other, first.id, {"answer": "a"}).outcome == {"answer": "a"}
    assert done(ledger, first.id, {"answer": "b"}).outcome == {"answer": "a"}        # the first counts
    found = take_in(ledger, "alice", "t", BODY, key="k")
    assert (found.is_done, found.body, found.is_new) == (True, None, False)
    forget(ledger, first.id)
    assert take_in(ledger, "alice", "t", BODY, key="k").is_new


def kept_by(ledger, asker, answer):
    with ledger.store.writing() as transaction:
        remember(transaction, asker, answer, "t")


def test_several_are_done_at_once_and_what_was_said_before_or_forgotten_stays_so(ledger):
    first, second, third, fourth = (take_in(ledger, "alice", "t", BODY, key=key).id for key in "abcd")
    done(ledger, first, {"error": "crash"})
    forget(ledger, third)
    for asker, answer in (("alice", "1"), ("alice", "2"), ("alice", "3"), ("bob", "4")):
        kept_by(ledger, asker, answer)
    all_done(ledger, {each: {"answer": str(number)} for number, each in enumerate((first, second, third, fourth), 1)})
    assert asked.asked(ledger, "alice", first).outcome == {"error": "crash"}
    assert asked.asked(ledger, "alice", second).outcome == {"answer": "2"}
    for gone in (third, fourth):
        with pytest.raises(dc.MissingError):
            asked.asked(ledger, "alice", gone)
    assert take_in(ledger, "alice", "t", BODY, key="d").is_new                       # hers was forgotten before it was done


def test_an_answer_that_is_forgotten_before_its_question_is_done_leaves_no_key_behind(ledger):
    first = take_in(ledger, "alice", "t", BODY, key="k").id
    kept_by(ledger, "alice", "1")
    assert forget_before(ledger, "9999") == 1
    all_done(ledger, {first: {"answer": "1"}})
    assert take_in(ledger, "alice", "t", BODY, key="k").is_new
    assert kept(ledger, "alice") == (1, 1)


def test_whoever_goes_on_with_a_wish_has_its_price_and_the_key_stands_for_the_wish(ledger, open_again, dead):
    wish, priced = BODY | {"within": "5"}, BODY | {"within": None, "epsilon": "0.3"}
    first = take_in(ledger, "alice", "t", wish, key="k")
    reword(ledger, first.id, priced)
    with pytest.raises(dc.ParameterError, match="another request"):
        take_in(ledger, "alice", "t", priced, key="k")
    dead()
    assert take_in(open_again(), "alice", "t", wish, key="k").body == priced
    kept_by(ledger, "alice", "1")
    all_done(ledger, {first.id: {"answer": "1"}})
    reword(ledger, first.id, wish)                                                   # it is over
    assert asked.asked(ledger, "alice", first.id).body is None


def test_what_dead_workers_left_is_taken_over_once_and_not_for_ever(ledger, open_again, dead, monkeypatch):
    first = take_in(ledger, "alice", "t", BODY, key="k")
    assert left_behind(ledger) == []
    assert take(ledger, first.id) is None
    dead()
    assert left_behind(open_again()) == [first.id]
    assert take(open_again(), first.id).body == BODY
    assert take_in(ledger, "alice", "t", BODY, key="k").is_new                       # by the same request, sent again
    assert all(take(ledger, first.id).is_new for _ in range(asked.MOST_TAKEN - 3))
    assert take(ledger, first.id) is None
    assert asked.asked(ledger, "alice", first.id).outcome["error"] == "crash"
    assert left_behind(ledger) == []


def test_a_lease_is_renewed_when_half_of_it_is_over_and_not_before(ledger, monkeypatch):
    first, mine = take_in(ledger, "alice", "t", BODY).id, take_in(ledger, "alice", "t", BODY).id
    done(ledger, first, {"answer": "a"})
    before = lease_of(ledger, mine)
    asked.renew(ledger, [first, mine, "ask-nothing"])
    assert lease_of(ledger, mine) == before
    later = time() + LEASE * 0.6
    with ledger.store.reading() as snapshot:
        monkeypatch.setattr(type(snapshot), "clock", lambda _: later)
    asked.renew(ledger, [first, mine, "ask-nothing"])
    assert lease_of(ledger, mine) == later + LEASE


def lease_of(ledger, identity):
    with ledger.store.reading() as snapshot:
        return snapshot.one(AskedRecord, id=identity).lease


def test_no_more_is_kept_for_one_asker_than_the_bounds_say(ledger, monkeypatch):
    monkeypatch.setattr(asked, "MOST_WAITING", 3)
    monkeypatch.setattr(asked, "MOST_KEPT", 5)
    waiting = [take_in(ledger, "alice", "t", BODY) for _ in range(3)]
    with pytest.raises(dc.BusyError):
        take_in(ledger, "alice", "t", BODY)
    assert take_in(ledger, "bob", "t", BODY).is_new
    for each in waiting:
        done(ledger, each.id, {"answer": "a"})
    for _ in range(20):
        done(ledger, take_in(ledger, "alice", "t", BODY).id, {"answer": "a"})
    assert kept(ledger, "alice") == (5, 5)
    later = time() + asked.KEPT_FOR + 1
    with ledger.store.reading() as snapshot:
        monkeypatch.setattr(type(snapshot), "clock", lambda _: later)
    for _ in range(4):
        done(ledger, take_in(ledger, "alice", "t", BODY).id, {"answer": "a"})
    assert kept(ledger, "alice") == (4, 4)                                           # what is a day old is forgotten


def kept(ledger, asker):
    with ledger.store.reading() as snapshot:
        return len(list(snapshot.each(AskedRecord, asker=asker))), snapshot.one(FilledRecord, asker=asker).asked
