"""A fault that cannot be written down at once is no crash: it is written as soon as it can be, whatever became of its charge."""

import fcntl
import os
import time

import numpy as np
import pytest
from tests.ledger.made import count_above, made_facts, request, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger import failures, made_ledger, owners, registry
from discreet.ledger.entries.charges import Stored
from discreet.ledger.sqlite import database
from discreet.ledger.verify import verify

ONE = (np.array([1]),)


@pytest.fixture
def ledger(tmp_path):
    found = made_ledger(tmp_path / ".discreet")
    registry.register(found, made_facts(), [])
    yield found
    found.close()


@pytest.fixture
def other(tmp_path, ledger):
    """Another process's view of the same ledger."""
    found = made_ledger(tmp_path / ".discreet")
    yield found
    found.close()


@pytest.fixture
def locked(monkeypatch):
    """From the call on somebody holds the ledger, until what it gives back is called."""
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    monkeypatch.setattr(failures, "_PAUSE", 0.02)

    def begins(place):
        handle = os.open(place / "ledger.lock", os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        return lambda: os.close(handle)

    return begins


def resumed(ledger, monkeypatch, **more):
    """A charge that somebody goes on with because its lease is over."""
    with monkeypatch.context() as patch:
        patch.setattr(owners, "is_dead", lambda *words: True)
        (found,) = ledger.reserve([request(**more)])
    return found


def settle(ledger, granted):
    return ledger.settle(granted, ONE, {"question": granted.request.question})


def frozen(ledger):
    return [(each.asker, each.charge) for each in registry.alarms(ledger, "t")]


def written(file):
    """The state of the first charge, once it has one: half a minute is waited for it."""
    until = time.monotonic() + 30
    while (found := sql(file.parent, "SELECT state FROM charges")) == [("running",)] and time.monotonic() < until:
        time.sleep(0.02)
    return found


def test_a_fault_while_somebody_holds_the_ledger_is_an_alarm_as_soon_as_they_let_go(tmp_path, locked):
    file = write_table(tmp_path, budget="epsilon = 10")
    office.register(file)
    t, letting_go = open_table(file), []
    run = t.desk.ready().run

    def failing(wanted):
        run(wanted)
        letting_go.append(locked(file.parent / ".discreet"))
        raise RuntimeError

    t.desk.engine.run = failing
    with pytest.raises(dc.LedgerFault):                                          # nothing of the engine before it is written
        t.ask(count_above(1), epsilon=1, analyst="eve")
    t.desk.engine.run = run
    letting_go[0]()
    assert written(file) == [("faulted",)]                                       # though this process asks nothing more
    second = open_table(file)
    with pytest.raises(dc.AccessError, match="eve is frozen"):
        second.ask(count_above(1), epsilon=1, analyst="eve")
    assert office.verify(file).ok
    second.close()
    t.close()


def test_an_alarm_is_raised_though_somebody_has_gone_on_with_the_charge_and_they_deliver_nothing(ledger, other, monkeypatch):
    (first,) = ledger.reserve([request(analyst="eve")])
    second = resumed(other, monkeypatch, analyst="bob")
    assert second.attempt == 2
    ledger.fail(first, dc.EngineFault("failed"))
    assert frozen(other) == [("eve", first.charge)]
    with pytest.raises(dc.LedgerFault):
        settle(other, second)
    assert verify(other).ok


def test_an_alarm_is_raised_though_somebody_has_settled_the_charge_and_their_answer_stays(ledger, other, monkeypatch):
    (first,) = ledger.reserve([request(analyst="eve")])
    settle(other, resumed(other, monkeypatch, analyst="bob"))
    ledger.fail(first, dc.EngineFault("failed"))
    assert frozen(other) == [("eve", first.charge)]
    assert isinstance(other.reserve([request(analyst="bob")])[0], Stored)
    with pytest.raises(dc.AccessError, match="eve is frozen"):
        ledger.reserve([request("another", analyst="eve")])
    assert verify(other).ok
    registry.unfreeze(other, "t", "looked")
    assert verify(other).ok


def test_one_charge_that_fails_twice_is_one_alarm(ledger, other, monkeypatch):
    (first,) = ledger.reserve([request(analyst="eve")])
    second = resumed(other, monkeypatch, analyst="bob")
    other.fail(second, dc.EngineFault("failed"))
    ledger.fail(first, dc.EngineFault("failed"))
    assert frozen(other) == [("bob", first.charge), ("eve", first.charge)]
    assert other.reserve([request("another", analyst="carol")])                 # the tables are not frozen
    assert verify(other).ok


def test_what_is_nobodys_fault_leaves_alone_who_has_gone_on_with_the_charge(ledger, other, monkeypatch):
    (first,) = ledger.reserve([request(analyst="eve")])
    second = resumed(other, monkeypatch, analyst="bob")
    ledger.fail(first, dc.Fault("interrupted", freezes=False))
    assert isinstance(settle(other, second), Stored)
    assert frozen(other) == []
