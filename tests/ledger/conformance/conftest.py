"""One suite for every kind of store: a new one is a line in KINDS, and its ledger has to pass everything in this folder."""

import pytest
from tests.ledger.conformance.plain import Plain
from tests.ledger.made import made_facts

from discreet.ledger import Ledger, ledger_in_memory, made_ledger
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.registry import register

KINDS = {
    "SQLite file": lambda folder: made_ledger(folder / ".discreet"),
    "SQLite in memory": lambda folder: ledger_in_memory(),
    "dictionaries": lambda folder: Ledger(Plain(), SigningKey.new()),
}
SHARED = {"SQLite file"}  # with other processes, or whoever opens it again


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def empty_ledger(kind, tmp_path):
    """A ledger that knows no table."""
    ledger = KINDS[kind](tmp_path)
    yield ledger
    ledger.close()


@pytest.fixture
def open_again(kind, tmp_path, empty_ledger):
    """Another process's view of the same ledger; the ledger itself where there is no other."""
    opened = []

    def again():
        if kind not in SHARED:
            return empty_ledger
        opened.append(KINDS[kind](tmp_path))
        return opened[-1]

    yield again
    for each in opened:
        each.close()


@pytest.fixture
def ledger(empty_ledger):
    """A ledger with the table t, whose cap is 1."""
    register(empty_ledger, made_facts(), [])
    return empty_ledger
