"""Whoever reads waits for no thread that writes, sees what was committed, and is told of swapped files as everybody is."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest
from tests.ledger.made import made_facts, request

import discreet as dc
from discreet.ledger import made_ledger
from discreet.ledger.registry import register


@pytest.fixture
def ledger(tmp_path):
    with closing(made_ledger(tmp_path / ".discreet")) as made:
        register(made, made_facts(), [])
        yield made


@pytest.fixture
def elsewhere():
    """Another thread."""
    with ThreadPoolExecutor(1) as threads:
        yield lambda act, *words: threads.submit(act, *words).result(timeout=60)


def spent(ledger):
    return ledger.state("t").spent.epsilon


def test_a_state_is_read_while_another_thread_writes(ledger, elsewhere):
    ledger.reserve([request("q")])
    with ledger.store.writing():
        assert elsewhere(spent, ledger) == dc.Pure(epsilon="0.1").epsilon
    elsewhere(ledger.reserve, [request("r")])
    with ledger.store.writing():
        assert elsewhere(spent, ledger) == dc.Pure(epsilon="0.2").epsilon              # what was committed since
    assert len(ledger.store.database._spares) == 1


def test_whoever_waits_to_write_is_next(ledger, elsewhere):
    database = ledger.store.database
    with ThreadPoolExecutor(1) as threads:
        with ledger.store.reading():
            writing = threads.submit(ledger.reserve, [request("q")])
            while not database._wanted:
                assert not writing.done()
        writing.result(timeout=10)
    assert database._wanted == []
    assert database._spares == {}                                                      # nobody else was there
    database._wanted.append(None)                                                      # as one does who has not got it yet
    elsewhere(spent, ledger)
    assert len(database._spares) == 1


def test_an_older_copy_is_noticed_by_whichever_connection_reads(ledger, elsewhere, tmp_path):
    file = tmp_path / ".discreet" / "ledger.db"
    with ledger.store.writing():
        elsewhere(spent, ledger)                                                       # the spare one is there
    ledger.store.database.checkpoint()
    shutil.copy(file, tmp_path / "older")
    ledger.reserve([request("q")])
    ledger.store.database.checkpoint()
    with file.open("r+b") as opened, (tmp_path / "older").open("rb") as older:         # the same file, with what it held before
        shutil.copyfileobj(older, opened)
        opened.truncate()
    with ledger.store.database._lock, pytest.raises(dc.LedgerFault, match="gone back"):  # as one does who waits for their turn
        elsewhere(spent, ledger)


def test_a_spare_connection_is_made_to_no_other_file(ledger, elsewhere, tmp_path):
    place = tmp_path / ".discreet"
    shutil.copytree(place, tmp_path / "copy")
    place.rename(tmp_path / "moved")
    (tmp_path / "copy").rename(place)
    with ledger.store.database._lock, pytest.raises(dc.LedgerFault, match="replaced"):
        elsewhere(spent, ledger)
