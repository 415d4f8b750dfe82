"""One suite for every kind of ledger: a new one is a line in KINDS and has to pass everything that takes ``ledger``."""

import pytest
from tests.ledger.made import made_facts

from discreet.ledger import ledger_in_memory, made_ledger
from discreet.ledger.registry import register

KINDS = {
    "SQLite file": lambda folder: made_ledger(folder / ".discreet"),
    "SQLite in memory": lambda folder: ledger_in_memory(),
}


@pytest.fixture(params=KINDS)
def empty_ledger(request, tmp_path):
    """A ledger that knows no table."""
    ledger = KINDS[request.param](tmp_path)
    yield ledger
    ledger.close()


@pytest.fixture
def open_again(request, tmp_path, empty_ledger):
    """Another process's view of the same ledger; the ledger itself where there is no other."""

    def opened():
        return empty_ledger if empty_ledger.database.in_memory else KINDS["SQLite file"](tmp_path)

    return opened


@pytest.fixture
def ledger(empty_ledger):
    """A ledger with the table t, whose cap is 1."""
    register(empty_ledger, made_facts(), [])
    return empty_ledger
