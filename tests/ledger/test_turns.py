"""Nobody empties the log while somebody writes: SQLite versions up to 3.51.2 can spoil the file then."""

import fcntl
import os
import subprocess
import sys
import time
from collections import Counter
from contextlib import ExitStack
from itertools import cycle
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.ledger.made import count_above, request, sql, write_table
from tests.ledger.recorded import recording

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger import open_ledger
from discreet.ledger.sqlite import database, turns
from discreet.ledger.sqlite.turns import has_reset_bug, taking_turns

ROOT = Path(__file__).parents[2]


@pytest.fixture
def file(tmp_path):
    found = write_table(tmp_path, budget="epsilon = 1000")
    office.register(found)
    return found


def is_free(lock):
    """Whether anybody could take the lock now."""
    handle = os.open(lock, os.O_RDONLY | os.O_CREAT)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True


def test_whatever_is_written_to_a_ledger_is_written_while_nobody_else_can(file, monkeypatch):
    """Charges, emptying the log in between, and what SQLite does when the last one closes."""
    monkeypatch.setattr(database, "_LONGEST_LOG", 100_000)
    lock, done = file.parent / ".discreet" / "ledger.lock", Counter()

    def told(did):
        done[did.what, did.name, is_free(lock)] += 1

    with recording(told):
        ledger = open_ledger(file.parent / ".discreet")
        for number in range(30):
            (granted,) = ledger.reserve([request(str(number), "1")])
            ledger.settle(granted, (), {"question": "how many"})
        ledger.close()
    print(f"\n  {dict(done)}")
    assert done["write", "ledger.db", False] > 20 < done["write", "ledger.db-wal", False]
    assert done["truncate", "ledger.db-wal", False] >= 2
    assert done["delete", "ledger.db-wal", False] == 1
    assert not [did for did in done if did[2]]


def test_the_log_stays_short_without_sqlite_emptying_it_on_its_own(file, monkeypatch):
    monkeypatch.setattr(database, "_LONGEST_LOG", 200_000)
    ledger = open_ledger(file.parent / ".discreet")
    log, longest = file.parent / ".discreet" / "ledger.db-wal", 0
    for number in range(100):
        ledger.reserve([request(str(number), "1")])
        longest = max(longest, log.stat().st_size)
    with ledger.store.database.reading() as connection:
        assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)
    ledger.close()
    assert longest < 400_000


def test_somebody_who_reads_for_long_is_not_waited_for_and_the_log_is_emptied_later(file, monkeypatch):
    monkeypatch.setattr(database, "_LONGEST_LOG", 100_000)
    ledger, reader = open_ledger(file.parent / ".discreet"), open_ledger(file.parent / ".discreet")
    log = file.parent / ".discreet" / "ledger.db-wal"
    with reader.store.database.reading() as connection:
        connection.execute("SELECT * FROM entries").fetchone()
        for number in range(30):
            ledger.reserve([request(str(number), "1")])
        assert log.stat().st_size > 200_000
    for number in range(30, 60):
        ledger.reserve([request(str(number), "1")])
    assert log.stat().st_size < 200_000
    reader.close()
    ledger.close()
    assert office.verify(file).ok


@pytest.mark.slow
def test_the_log_stays_short_while_somebody_reads_at_every_moment(file, monkeypatch):
    """Two who read by turns, each beginning before the other ends: to wait for the older one is enough."""
    monkeypatch.setattr(database, "_LONGEST_LOG", 100_000)
    monkeypatch.setattr(database, "_LONGEST_LOG_WHILE_READ", 200_000)
    place, over = file.parent / ".discreet", Event()
    ledger, readers = open_ledger(place), [open_ledger(place) for _ in range(2)]
    log, longest = place / "ledger.db-wal", 0

    def read():
        with ExitStack() as ending:
            for reader in cycle(readers):
                following = ExitStack()
                following.enter_context(reader.store.database.reading()).execute("SELECT * FROM entries").fetchone()
                ending.close()
                ending.push(following.pop_all())
                if over.wait(0.005):
                    return

    reading = Thread(target=read)
    reading.start()
    try:
        for number in range(100):
            ledger.reserve([request(str(number), "1")])
            longest = max(longest, log.stat().st_size)
    finally:
        over.set()
        reading.join()
    assert longest < 400_000
    for each in (*readers, ledger):
        each.close()
    assert office.verify(file).ok


def test_a_lock_whose_file_was_replaced_is_taken_anew(tmp_path):
    lock, inside = tmp_path / "lock", []

    def second():
        with taking_turns(lock, 10):
            inside.append("second")

    with taking_turns(lock, 1):
        waiting = Thread(target=second)
        waiting.start()
        time.sleep(0.05)
        assert not inside
        inside.append("first")
    waiting.join()
    assert inside == ["first", "second"]
    with taking_turns(lock, 1):
        lock.unlink()
        words = "import sys; from pathlib import Path; from discreet.ledger.sqlite.turns import taking_turns as turns"
        subprocess.run([sys.executable, "-c", f"{words}\nwith turns(Path(sys.argv[1]), 1): pass", str(lock)], check=True)
        with pytest.raises(TimeoutError), taking_turns(lock, 0.01):  # nobody of this process overtakes whoever is inside
            pass


def test_whoever_comes_to_a_ledger_by_a_link_takes_turns_with_all_others(file, tmp_path_factory, monkeypatch):
    place, elsewhere = file.parent / ".discreet", tmp_path_factory.mktemp("elsewhere")
    for each in ("ledger.db", "key.pem"):
        (elsewhere / each).symlink_to(place / each)
    ledger = open_ledger(elsewhere)
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    with taking_turns(place / "ledger.lock", 1), pytest.raises(dc.LedgerFault, match="another process holds the ledger"):
        ledger.reserve([request("q", "1")])
    ledger.reserve([request("q", "1")])
    ledger.close()
    assert office.verify(file).ok


HOLDING = """
import sys, time
from pathlib import Path
from discreet.ledger.sqlite.turns import taking_turns
with taking_turns(Path(sys.argv[1]), 10):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.mark.slow
def test_a_turn_ends_with_the_process_that_has_it(file, monkeypatch):
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    lock = file.parent / ".discreet" / "ledger.lock"
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, str(lock)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        assert holder.stdout.readline() == "held\n"
        curator = open_table(file)
        with pytest.raises(dc.LedgerFault, match="another process holds the ledger"):
            curator.ask(count_above(1), epsilon=1)
        assert curator.budget.spent.epsilon == 0                        # whoever only reads waits for nobody
    finally:
        holder.kill()
        holder.communicate()
    curator.ask(count_above(1), epsilon=1)
    curator.close()


def test_affected_versions_are_known():
    affected = ["3.7.0", "3.40.1", "3.44.5", "3.45.0", "3.50.6", "3.51.0", "3.51.2"]
    mended = ["3.6.23", "3.44.6", "3.50.7", "3.51.3", "3.52.0", "3.53.1", "4.0.0"]
    for words, is_affected in [*((each, True) for each in affected), *((each, False) for each in mended)]:
        assert has_reset_bug(tuple(map(int, words.split(".")))) is is_affected


def test_verifying_names_an_affected_version_and_what_protects(file, monkeypatch):
    from discreet.ledger.sqlite import store

    assert turns.about_sqlite("3.51.3") == ()
    assert "SQLite 3.40.1 has the WAL-reset bug" in turns.about_sqlite("3.40.1")[0]
    monkeypatch.setattr(store, "about_sqlite", lambda: turns.about_sqlite("3.40.1"))
    found = office.verify(file)
    assert found.ok
    assert "lock of discreet's own" in found.to_dict()["notes"][0]


@pytest.mark.slow
def test_two_that_write_and_empty_the_log_at_once_lose_nothing(file, monkeypatch):
    """Four connections, each emptying the log after nearly every charge."""
    monkeypatch.setattr(database, "_LONGEST_LOG", 1)
    ledgers = [open_ledger(file.parent / ".discreet") for _ in range(4)]

    def work(who, ledger):
        for number in range(25):
            ledger.reserve([request(f"{who} {number}", "1")])

    threads = [Thread(target=work, args=each) for each in enumerate(ledgers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for ledger in ledgers:
        ledger.close()
    assert sql(file.parent, "SELECT COUNT(*) FROM charges") == [(100,)]
    assert office.verify(file).ok
