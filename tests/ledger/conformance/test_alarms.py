"""A fault that may depend on rows is an alarm: who asked is frozen at once, the second one freezes the tables (rule 17)."""

from dataclasses import replace
from fractions import Fraction
from threading import Barrier, Thread

import numpy as np
import pytest
from tests.ledger.made import made_facts, request

import discreet as dc
from discreet.ledger import owners, registry
from discreet.ledger.entries.charges import Granted, Stored
from discreet.ledger.records import AlarmRecord
from discreet.ledger.verify import verify

PEOPLE = 'people = "patients"'


@pytest.fixture
def ledger(empty_ledger):
    """Two tables about the same people, and one about others."""
    for name in ("t", "visits"):
        registry.register(empty_ledger, made_facts(name=name, more=PEOPLE), [])
    registry.register(empty_ledger, made_facts(name="elsewhere"), [])
    return empty_ledger


@pytest.fixture
def dead(monkeypatch):
    return lambda: monkeypatch.setattr(owners, "is_dead", lambda *words: True)


def reserved(ledger, what="q", **more):
    (found,) = ledger.reserve([request(what, **more)])
    return found


ONE = (np.array([1]),)


def settle(ledger, granted, released=ONE):
    return ledger.settle(granted, released, {"question": granted.request.question})


def alarm(ledger, what="q", **more):
    """A question that ends in a fault; the reference of that."""
    fault = dc.EngineFault("failed")
    ledger.fail(reserved(ledger, what, **more), fault)
    return fault.reference


@pytest.mark.parametrize("asker", ["alice", ""])
def test_one_fault_freezes_the_asker_named_or_not_on_all_tables_of_the_people_and_nowhere_else(ledger, asker):
    reference = alarm(ledger, analyst=asker)
    for table in ("t", "visits"):
        with pytest.raises(dc.AccessError, match="frozen") as caught:
            reserved(ledger, "other", table=table, analyst=asker)
        assert caught.value.reference == reference
        assert reference in str(caught.value)
        assert isinstance(reserved(ledger, "other", table=table, analyst="bob"), Granted)
    assert isinstance(reserved(ledger, "other", table="elsewhere", analyst=asker), Granted)
    assert verify(ledger).ok


def test_a_table_that_joins_the_people_later_is_closed_to_the_frozen_too(ledger):
    alarm(ledger, analyst="alice")
    registry.register(ledger, made_facts(name="later", more=PEOPLE), [])
    with pytest.raises(dc.AccessError, match="alice is frozen"):
        reserved(ledger, table="later", analyst="alice")


def test_the_second_fault_freezes_the_tables_for_everybody_until_the_data_holder_looks(ledger):
    alarm(ledger, "a", analyst="alice")
    second = alarm(ledger, "b", analyst="bob", table="visits")
    for table in ("t", "visits"):
        with pytest.raises(dc.AccessError, match=f"{table} is frozen") as caught:
            reserved(ledger, "c", table=table, analyst="carol")
        assert caught.value.reference == second
    assert isinstance(reserved(ledger, "c", table="elsewhere", analyst="carol"), Granted)
    assert verify(ledger).ok
    registry.unfreeze(ledger, "t", "looked at both")
    for who, table in (("alice", "t"), ("bob", "visits"), ("carol", "t")):
        assert isinstance(reserved(ledger, f"after, {who}", table=table, analyst=who), Granted)
    assert verify(ledger).ok
    alarm(ledger, "d", analyst="dora")                                          # counting begins anew
    assert isinstance(reserved(ledger, "e", analyst="carol"), Granted)


def test_letting_one_asker_go_on_leaves_the_tables_frozen_and_others_too(ledger):
    alarm(ledger, "a", analyst="alice")
    alarm(ledger, "b", analyst="bob")
    registry.unfreeze(ledger, "visits", "alice explained", analyst="alice")
    assert verify(ledger).ok
    with pytest.raises(dc.AccessError, match="t is frozen"):
        reserved(ledger, "c", analyst="alice")
    registry.unfreeze(ledger, "t", "looked")
    assert isinstance(reserved(ledger, "c", analyst="alice"), Granted)
    assert verify(ledger).ok


def test_after_one_asker_was_let_go_the_next_fault_is_the_first_again(ledger):
    alarm(ledger, "a", analyst="alice")
    registry.unfreeze(ledger, "t", "alice explained", analyst="alice")
    alarm(ledger, "b", analyst="alice")
    assert isinstance(reserved(ledger, "c", analyst="carol"), Granted)
    registry.unfreeze(ledger, "t", "again", analyst="alice")
    assert isinstance(reserved(ledger, "d", analyst="alice"), Granted)


def test_what_was_looked_at_names_charge_question_asker_and_reference(ledger):
    first, second = alarm(ledger, "a", analyst="alice"), alarm(ledger, "b")
    told = registry.alarms(ledger, "visits")
    assert [(each.reference, each.asker, each.question, each.froze_tables) for each in told] == [
        (first, "alice", "SELECT a", False), (second, "anonymous", "SELECT b", True)
    ]  # fmt: skip
    assert [each.charge for each in told] == [4, 6]
    assert registry.unfreeze(ledger, "t", "looked", analyst="alice") == told[:1]
    assert registry.unfreeze(ledger, "t", "looked") == told[1:]
    assert registry.alarms(ledger, "t") == []


@pytest.mark.parametrize("fault", [dc.LedgerFault("locked"), dc.Fault("interrupted", freezes=False)])
def test_what_cannot_depend_on_rows_freezes_nobody_however_often(ledger, fault):
    for number in range(4):
        ledger.fail(reserved(ledger, str(number), epsilon="1/100", analyst="alice"), fault)
    assert isinstance(reserved(ledger, "after", analyst="alice"), Granted)
    assert registry.alarms(ledger, "t") == []
    assert verify(ledger).ok


# ---- in flight


@pytest.mark.parametrize("asker", ["alice", ""])
def test_what_the_frozen_asker_has_running_is_settled_and_not_delivered(ledger, asker):
    flying, failing = reserved(ledger, "a", analyst=asker), reserved(ledger, "b", table="visits", analyst=asker)
    others = reserved(ledger, "c", analyst="bob")
    ledger.fail(failing, dc.EngineFault("failed"))
    with pytest.raises(dc.AccessError, match="frozen"):
        settle(ledger, flying)
    assert isinstance(settle(ledger, others), Stored)
    with pytest.raises(dc.AccessError, match="frozen"):                         # nor is it theirs to read now
        reserved(ledger, "a", analyst=asker)
    assert isinstance(reserved(ledger, "a", analyst="bob"), Granted)             # hidden: that it is there would tell something
    registry.unfreeze(ledger, "t", "looked")
    assert isinstance(reserved(ledger, "a", analyst=asker), Stored)              # paid for, and kept
    assert ledger.state("t").spent.epsilon == Fraction(4, 10)
    assert verify(ledger).ok


def test_what_anybody_has_running_on_frozen_tables_is_not_delivered(ledger):
    flying = reserved(ledger, "a", analyst="carol")
    alarm(ledger, "b", analyst="alice")
    alarm(ledger, "c", analyst="bob")
    with pytest.raises(dc.AccessError, match="t is frozen"):
        settle(ledger, flying)


def test_a_second_fault_in_flight_looks_like_an_answer_that_is_not_delivered(ledger):
    """Which of the two it was would tell something about rows once more."""
    first, second, third = (reserved(ledger, what, analyst="alice") for what in "abc")
    failed = dc.EngineFault("failed")
    assert ledger.fail(first, failed) is None
    with pytest.raises(dc.AccessError) as settled:
        settle(ledger, second)
    withheld = ledger.fail(third, dc.EngineFault("failed"))
    assert isinstance(withheld, dc.AccessError)
    assert (str(withheld), withheld.reference) == (str(settled.value), failed.reference)


def test_whoever_resumes_a_charge_that_fails_is_frozen_beside_the_one_who_was_charged(ledger, dead):
    reserved(ledger, "a", analyst="alice")
    dead()
    ledger.fail(reserved(ledger, "a", analyst="bob"), dc.EngineFault("failed"))
    for who in ("alice", "bob"):
        with pytest.raises(dc.AccessError, match=who):
            reserved(ledger, "b", analyst=who)
    assert isinstance(reserved(ledger, "b", analyst="carol"), Granted)            # one fault, though it froze two
    assert verify(ledger).ok


def test_what_another_settles_for_a_frozen_asker_is_no_history_of_theirs(ledger, dead):
    reserved(ledger, "a", analyst="alice")
    alarm(ledger, "b", analyst="alice")
    dead()
    assert isinstance(settle(ledger, reserved(ledger, "a", analyst="bob")), Stored)
    with pytest.raises(dc.AccessError, match="alice"):
        reserved(ledger, "a", analyst="alice")


def test_of_two_threads_in_flight_at_most_one_tells_how_it_ended(ledger):
    granted = [reserved(ledger, what, analyst="alice") for what in "abcdef"]
    start, told = Barrier(len(granted)), []

    def end(each, is_failing):
        start.wait()
        if is_failing:
            told.append(ledger.fail(each, dc.EngineFault("failed")))
            return
        try:
            told.append(settle(ledger, each))
        except dc.AccessError as error:
            told.append(error)

    threads = [Thread(target=end, args=(each, place % 2 == 0)) for place, each in enumerate(granted)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert told.count(None) == 1                                                  # the one fault that is told as a fault
    kinds = [(entry.kind, "withheld" in entry.body) for entry in ledger.entries() if entry.kind in ("settle", "fault")]
    first = [kind for kind, _ in kinds].index("fault")
    assert [held for kind, held in kinds if kind == "settle"] == [place > first for place, (kind, _) in enumerate(kinds)
                                                                  if kind == "settle"]  # fmt: skip
    assert sum(isinstance(each, Stored) for each in told) == first
    assert verify(ledger).ok


# ---- history


def test_ones_history_stays_readable_and_anything_else_does_not(ledger):
    own = settle(ledger, reserved(ledger, "own", analyst="alice"))
    theirs = settle(ledger, reserved(ledger, "theirs", analyst="bob"))
    settle(ledger, reserved(ledger, "unseen", analyst="bob"))
    assert reserved(ledger, "theirs", analyst="alice").id == theirs.id               # shown to her before it all
    alarm(ledger, "a", analyst="alice")
    alarm(ledger, "b", analyst="bob")                                               # the tables are frozen as well
    assert reserved(ledger, "own", analyst="alice").id == own.id
    assert reserved(ledger, "own", epsilon="1/20", analyst="alice").id == own.id
    assert reserved(ledger, "theirs", analyst="alice").id == theirs.id
    for what, price in (("unseen", "1/10"), ("own", "1/5"), ("new", "1/10")):
        with pytest.raises(dc.AccessError, match="frozen"):
            reserved(ledger, what, epsilon=price, analyst="alice")
    with pytest.raises(dc.AccessError, match="frozen"):
        ledger.reserve([request("own", analyst="alice"), request("unseen", analyst="alice")])
    with pytest.raises(dc.AccessError, match="frozen"):
        reserved(ledger, "own", analyst="carol")


# ---- verification


@pytest.mark.parametrize("change", [None, {"froze_tables": True}, {"froze_asker": False}, {"asker": "bob"}], ids=str)
def test_an_alarm_that_was_touched_without_an_entry_is_named(ledger, change):
    alarm(ledger, "a", analyst="alice")
    with ledger.store.writing() as transaction:
        (found,) = transaction.each(AlarmRecord)
        transaction.drop(AlarmRecord)
        if change is not None:
            transaction.add(replace(found, **change))
    assert verify(ledger).problems == ("an analyst or a table was frozen or unfrozen without an entry",)


def test_answers_that_cannot_be_written_down_are_alarms_and_no_matter_of_the_ledger(ledger):
    """What was released depends on rows: an error while it becomes text must not pass for a broken ledger."""
    granted = reserved(ledger, "a", analyst="alice")
    with pytest.raises(TypeError):
        settle(ledger, granted, released=object())


@pytest.mark.parametrize("act", [registry.freeze, registry.unfreeze])
@pytest.mark.parametrize("nobody", ["", " "])
def test_an_act_about_an_analyst_without_a_name_is_refused_and_leaves_no_entry(ledger, act, nobody):
    """It would look done, and stop nobody."""
    with pytest.raises(dc.ParameterError, match="name of an analyst"):
        act(ledger, "t", "a reason", analyst=nobody)
    assert len(ledger.entries()) == 3
