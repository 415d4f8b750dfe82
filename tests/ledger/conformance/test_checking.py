"""What every ledger tells of itself: its entries, its verification, a witness; and what it does with tables beside a table."""

from dataclasses import replace

import numpy as np
import pytest
from tests.ledger.made import made_facts, request

import discreet as dc
from discreet.ledger import foresight, registry, stops
from discreet.ledger.entries.chain import START, hash_of
from discreet.ledger.entries.codec import canonical
from discreet.ledger.records import (
    AccountRecord,
    AnswerRecord,
    ChargeRecord,
    EntryRecord,
    TableRecord,
    TotalRecord,
)
from discreet.ledger.verify import verify, witness

ONE = (np.array([1]),)
PEOPLE = 'people = "patients"'


def answered(ledger, what="q", epsilon="1/10", **more):
    (granted,) = ledger.reserve([request(what, epsilon, **more)])
    return ledger.settle(granted, ONE, {"question": what})


# ---- entries


def test_entries_tell_in_order_what_was_done_and_hang_together(ledger):
    answered(ledger, analyst="alice")
    registry.raise_cap(ledger, "t", dc.Pure(epsilon=2), "more")
    found = ledger.entries()
    assert [entry.kind for entry in found] == ["register", "charge", "settle", "raise"]
    before = START
    for number, entry in enumerate(found, start=1):
        assert entry.number == number
        assert entry.hash == hash_of(before, number, entry.at, entry.kind, canonical(entry.body))
        before = entry.hash
    assert [entry.signature is not None for entry in found] == [True, False, False, True]
    assert ledger.entries(2) == found[2:]
    assert list(ledger.each_entry()) == found


def test_the_last_day_of_a_budget_is_written_down_once(empty_ledger):
    registry.register(empty_ledger, made_facts(budget="epsilon = 1\nexpires = 2020-01-01"), [])
    for _ in range(2):
        with pytest.raises(dc.AccessError, match="ended"):
            empty_ledger.reserve([request()])
    assert [entry.kind for entry in empty_ledger.entries()] == ["register", "end"]
    assert [stop.state for stop in stops.stops(empty_ledger, "t")] == ["ended"]
    assert verify(empty_ledger).ok


def test_what_is_refused_leaves_no_entry_and_nothing_spent(ledger):
    before = ledger.entries()
    for wrong in (request("a", "1.1"), request("b", version="0"), request("c", table="nobody's")):
        with pytest.raises((dc.BudgetError, dc.AccessError)):
            ledger.reserve([request("fine"), wrong])
    assert ledger.entries() == before
    assert ledger.state("t").spent == dc.Pure(epsilon=0)


# ---- verification


def test_what_was_done_verifies_and_a_witness_excludes_a_rollback(ledger):
    answered(ledger)
    note = witness(ledger)
    answered(ledger, "other")
    found = verify(ledger, note)
    assert (found.ok, found.rollback, found.entries) == (True, "excluded", 5)
    assert verify(ledger).rollback == "not excluded"
    assert "rolled back" in verify(ledger, _elsewhere(ledger, note)).problems[0]


def _elsewhere(ledger, note):
    """A witness by the same key of entries that this ledger does not have."""
    from discreet.ledger.entries.signatures import signed

    said = {name: value for name, value in note.items() if name not in ("kind", "format", "signature", "signed_by")}
    return signed("witness", said | {"entries": 100}, ledger.key)


CHANGES = {
    "a total": (TotalRecord, {"amount": "0"}, "total of table t was changed"),
    "a cap": (AccountRecord, {"cap": "7"}, "cap of table:t was changed"),
    "a price": (ChargeRecord, {"price": "1/100"}, "charge 2 was changed without an entry"),
    "a state": (ChargeRecord, {"state": "running"}, "state of charge 2 was changed"),
    "an answer": (AnswerRecord, {"released": "[]"}, "stored answer of charge 2 was changed"),
    "a receipt": (AnswerRecord, {"receipt": "{}"}, "receipt of charge 2 was changed"),
    "a table": (TableRecord, {"frozen": True}, "a registered table was changed"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_record_that_was_changed_without_an_entry_is_named(ledger, what):
    kind, change, told = CHANGES[what]
    answered(ledger)
    with ledger.store.writing() as transaction:
        transaction.put(replace(next(transaction.each(kind)), **change))
    assert told in " | ".join(verify(ledger).problems)


@pytest.mark.parametrize(("what", "change"), [(TotalRecord, {"amount": "a lot"}), (AccountRecord, {"cap": "1/0"}),
                                              (TableRecord, {"budget": "[]"})], ids=str)  # fmt: skip
def test_a_record_that_nobody_could_have_written_is_a_fault_and_spends_nothing(ledger, what, change):
    before = ledger.entries()
    ledger.reserve([request("before")])
    with ledger.store.writing() as transaction:
        transaction.put(replace(next(transaction.each(what)), **change))
    for act in (lambda: ledger.state("t"), lambda: ledger.reserve([request("after")])):
        with pytest.raises(dc.LedgerFault):
            act()
    assert len(ledger.entries()) == len(before) + 1


def test_records_that_no_entry_speaks_of_are_named(ledger):
    answered(ledger)
    answered(ledger, "other")
    with ledger.store.writing() as transaction:
        first, second = transaction.each(ChargeRecord)
        transaction.put(replace(first, number=3))
        transaction.put(replace(second, number=9, state="faulted"))
        transaction.put(AnswerRecord(9, "new", "[]", "{}"))
    problems = " | ".join(verify(ledger).problems)
    for told in ("state of charge 3 was changed", "state of charge 9 was changed", "charge 9, which was not settled"):
        assert told in problems


def test_an_entry_that_does_not_hang_on_the_one_before_is_named(ledger):
    answered(ledger)
    with ledger.store.writing() as transaction:
        transaction.add(EntryRecord(4, "now", "raise", "{}", "0" * 64, None))
    assert verify(ledger).problems == ("entry 4 (raise) was changed",)


# ---- tables about the same people


@pytest.fixture
def two(empty_ledger):
    """Two tables about the same people, which share a cap of 1; bob may spend 0.6 on the second."""
    registry.register(empty_ledger, made_facts(more=PEOPLE), [])
    visits = made_facts(name="visits", more=PEOPLE, budget='epsilon = 1\npartition = "place"\nper_analyst = 0.6')
    registry.register(empty_ledger, visits, [])
    return empty_ledger


def test_a_companion_shares_the_cap_and_its_version_is_checked(two):
    two.reserve([request("a", "0.4", beside=(("visits", "1"),), analyst="alice")])
    two.reserve([request("b", "0.4", table="visits", analyst="bob")])
    with pytest.raises(dc.BudgetError, match=r"0\.2 is left"):
        two.reserve([request("c", "0.3")])
    with pytest.raises(dc.AccessError, match="version 1 now"):
        two.reserve([request("d", "0.1", beside=(("visits", "2"),))])
    assert {str(two.state(table).spent.epsilon) for table in ("t", "visits")} == {"4/5"}
    assert verify(two).ok


def test_the_limit_of_a_companion_counts_for_whoever_reads_it(two):
    two.reserve([request("a", "0.5", analyst="bob")])
    with pytest.raises(dc.BudgetError, match="is left for bob"):
        two.reserve([request("b", "0.2", analyst="bob", beside=(("visits", "1"),))])
    two.reserve([request("c", "0.1", analyst="bob", beside=(("visits", "1"),))])


def test_a_table_of_other_people_is_no_companion(two):
    registry.register(two, made_facts(name="elsewhere"), [])
    with pytest.raises(dc.AccessError, match="not about the same people"):
        two.reserve([request("a", "0.1", beside=(("elsewhere", "1"),))])


def test_a_batch_is_foreseen_as_it_is_charged(two):
    batch = [request("a", "0.2", cells=("1",)), request("b", "0.1", cells=("2",)), request("c", "0.3", table="visits")]
    (seen,) = foresight.foreseen(two, batch, ["t", "visits"])
    (alone,) = foresight.worth(two, batch)
    two.reserve(batch)
    assert seen.is_enough
    assert seen.after == seen.takes == alone.loss == two.state("t").spent == dc.Pure(epsilon="0.5")
