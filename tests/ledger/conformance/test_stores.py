"""What every store does, whatever its records mean: keeps them, finds them, and does all of a transaction or nothing."""

from dataclasses import replace
from threading import Event, Thread

import pytest

import discreet as dc
from discreet.ledger.records import (
    AccountRecord,
    AlarmRecord,
    AnswerRecord,
    ChargeRecord,
    DocumentRecord,
    EntryRecord,
    SourceRecord,
    TotalRecord,
    ViewedRecord,
)


def charge(number, fingerprint="q", **more):
    told = {"table": "t", "version": "1", "kind": "epsilon", "price": "1/10", "price_delta": "0", "analyst": "alice", "key": None,
            "state": "running", "attempt": 1, "owner": "somebody", "lease": 12.5, "reference": None}  # fmt: skip
    return ChargeRecord(number=number, fingerprint=fingerprint, **told | more)


class InterruptedQuestion(BaseException):
    """As Ctrl-C is."""


@pytest.fixture
def store(empty_ledger):
    return empty_ledger.store


def written(store, *records):
    with store.writing() as transaction:
        for record in records:
            transaction.add(record)


def read(store, kind, **where):
    with store.reading() as snapshot:
        return list(snapshot.each(kind, **where))


@pytest.mark.parametrize("record", [
    EntryRecord(7, "now", "charge", '{"ε":"1/3"}', "00", None),
    AccountRecord("table:t", "rho", True, "1/3", "0"),
    charge(7, lease=1234567890.125, key="k"),
    AlarmRecord(7, "table:t", "alice", "f-1", False, True),
    SourceRecord("t", "t", "", "look", "content", True),
    TotalRecord("table:t", "t", 1, "", f"{10**400}/3", "0"),
], ids=lambda record: type(record).__name__)  # fmt: skip
def test_a_record_comes_back_as_it_was_with_its_types(store, open_again, record):
    written(store, record)
    (found,) = read(open_again().store, type(record))
    assert found == record
    assert [type(getattr(found, name)) for name in record.__slots__] == [type(getattr(record, name)) for name in record.__slots__]


def test_bytes_stay_bytes(store):
    written(store, charge(1), AnswerRecord(1, "id", "[]", "{}"), DocumentRecord(1, b"\x00\xff"))
    assert read(store, DocumentRecord) == [DocumentRecord(1, b"\x00\xff")]


def test_a_transaction_that_is_left_by_an_error_has_done_nothing(store):
    written(store, charge(1), ViewedRecord(1, 0, "alice"))

    def stopped():
        with store.writing() as transaction:
            transaction.add(charge(2))
            transaction.put(charge(1, state="settled"))
            transaction.drop(ViewedRecord, charge=1)
            assert list(transaction.parts(ChargeRecord, "number")) == [(1,), (2,)]  # inside, it is seen
            raise InterruptedQuestion

    with pytest.raises(InterruptedQuestion):
        stopped()
    assert read(store, ChargeRecord) == [charge(1)]
    assert read(store, ViewedRecord) == [ViewedRecord(1, 0, "alice")]


def test_what_is_there_is_not_added_again(store):
    written(store, charge(1))
    with pytest.raises(dc.LedgerFault):
        written(store, charge(2), charge(1, state="settled"))
    assert read(store, ChargeRecord) == [charge(1)]


def test_putting_takes_the_place_of_the_record_with_the_same_key_and_of_no_other(store):
    written(store, charge(1), AnswerRecord(1, "id", "[]", "{}"), charge(2))
    with store.writing() as transaction:
        transaction.put(charge(1, state="settled"))
        transaction.put(charge(3))
        transaction.put(ViewedRecord(1, 0, "alice"))
        transaction.put(ViewedRecord(1, 0, "alice"))
    assert read(store, ChargeRecord) == [charge(1, state="settled"), charge(2), charge(3)]
    assert read(store, AnswerRecord) == [AnswerRecord(1, "id", "[]", "{}")]        # what refers to it stays
    assert read(store, ViewedRecord) == [ViewedRecord(1, 0, "alice")]


def test_a_change_is_of_the_fields_that_are_named_and_of_no_other_record(store):
    written(store, charge(1), charge(2, key="k"))
    with store.writing() as transaction:
        transaction.change(transaction.one(ChargeRecord, number=2), state="faulted", reference="f-1", lease=1.5)
    assert read(store, ChargeRecord) == [charge(1), charge(2, key="k", state="faulted", reference="f-1", lease=1.5)]


def test_records_come_in_the_order_of_their_keys_or_backwards_and_not_more_than_wanted(store):
    written(store, *(charge(number) for number in (10, 9, 100, 2)))
    assert [each.number for each in read(store, ChargeRecord, number={100, 9, 7})] == [9, 100]
    with store.reading() as snapshot:
        assert [each.number for each in snapshot.each(ChargeRecord)] == [2, 9, 10, 100]
        assert [each.number for each in snapshot.each(ChargeRecord, backwards=True, most=2)] == [100, 10]
        assert list(snapshot.parts(ChargeRecord, "number")) == [(2,), (9,), (10,), (100,)]


def test_records_are_found_by_any_of_their_fields_by_several_values_and_by_none(store):
    first, second, third = charge(1, "a"), charge(2, "b", state="settled"), charge(3, "a", key="k", table="u")
    written(store, first, second, third)
    assert read(store, ChargeRecord, table="t", fingerprint={"a", "b", "c"}) == [first, second]
    assert read(store, ChargeRecord, fingerprint="a", state=None) == [first, third]
    assert read(store, ChargeRecord, state=("running", "settled"), fingerprint=["b"]) == [second]
    assert read(store, ChargeRecord, fingerprint=[]) == []
    with store.reading() as snapshot:
        assert snapshot.one(ChargeRecord, table="u", analyst="alice", key="k") == third
        assert snapshot.one(ChargeRecord, number=4) is None
        assert list(snapshot.parts(ChargeRecord, "table", "number", state="running")) == [("t", 1), ("u", 3)]


def test_many_fingerprints_are_looked_up_at_once(store):
    written(store, *(charge(number, f"f {number}") for number in range(1, 201)))
    assert len(read(store, ChargeRecord, table="t", version="1", fingerprint=[f"f {n}" for n in range(100_000)])) == 200


def test_dropping_forgets_what_has_these_values_and_says_how_many(store):
    written(store, *(ViewedRecord(number, 0, who) for number in (1, 2) for who in ("alice", "bob")))
    with store.writing() as transaction:
        assert transaction.drop(ViewedRecord, asker="bob") == 2
        assert transaction.drop(ViewedRecord, asker="bob") == 0
        assert transaction.drop(ViewedRecord) == 2
    assert read(store, ViewedRecord) == []


@pytest.mark.parametrize("kind", ["SQLite file", "dictionaries"])                   # else one connection, in turns
def test_what_is_read_is_one_state_whatever_is_written_meanwhile(store, open_again):
    written(store, charge(1))
    other = open_again().store
    with store.reading() as snapshot:
        assert list(snapshot.parts(ChargeRecord, "number")) == [(1,)]
        written(other, charge(2))
        assert list(snapshot.parts(ChargeRecord, "number")) == [(1,)]
    assert [each.number for each in read(store, ChargeRecord)] == [1, 2]


def test_of_two_who_write_the_second_sees_what_the_first_wrote(store, open_again):
    other, inside, done = open_again().store, Event(), []

    def second():
        inside.wait(60)
        with other.writing() as transaction:
            done.append(list(transaction.parts(ChargeRecord, "number")))

    thread = Thread(target=second)
    thread.start()
    with store.writing() as transaction:
        inside.set()
        thread.join(0.1)
        assert not done
        transaction.add(charge(1))
    thread.join(60)
    assert done == [[(1,)]]


def test_the_clock_goes_on_and_nothing_is_damaged(store):
    with store.reading() as snapshot:
        before = snapshot.clock()
        assert before <= snapshot.clock() < before + 10
        assert snapshot.damages() == []


def test_nothing_is_left_of_a_record_that_another_took_the_place_of(store):
    written(store, charge(1, key="k"))
    with store.writing() as transaction:
        transaction.put(replace(charge(1), reference="f-1"))
    assert read(store, ChargeRecord) == [charge(1, reference="f-1")]


def test_records_are_read_back_from_a_number_that_was_seen(store):
    written(store, *(charge(number, analyst="alice" if number % 2 else "bob") for number in range(1, 8)))
    with store.reading() as snapshot:
        found = snapshot.each(ChargeRecord, backwards=True, most=2, below=5, analyst="alice")
        assert [each.number for each in found] == [3, 1]
        assert [each.number for each in snapshot.each(ChargeRecord, below=3)] == [1, 2]
