"""Locked, read-only, full, cut off, damaged, gone: a clear fault each time, nothing lost, nothing overspent."""

import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing, nullcontext
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock

import pytest
from tests.ledger.made import charged_by_hand, count_above, spent, sql, write_table

import discreet as dc
from discreet.curator import office, open_table
from discreet.ledger import owners
from discreet.ledger.sqlite import database, following

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    found = write_table(tmp_path_factory.mktemp("begun"), budget="epsilon = 1")
    office.register(found)
    curator = open_table(found)
    curator.ask(count_above(0), epsilon="0.1")
    curator.close()
    return found


@pytest.fixture
def file(begun, tmp_path):
    """A registered table that was asked one question."""
    return shutil.copytree(begun.parent, tmp_path / "home") / begun.name


@pytest.fixture
def place(file):
    return file.parent / ".discreet"


def still_sound(file, total="0.1"):
    found = office.verify(file)
    assert found.ok, found.problems
    assert charged_by_hand(file.parent) == Fraction(total)


def test_a_locked_ledger_is_a_fault_before_anything_is_charged(file, place, monkeypatch):
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    curator = open_table(file)
    with closing(sqlite3.connect(place / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(dc.LedgerFault, match="another process holds the ledger"):
            curator.ask(count_above(1), epsilon="0.1")
        other.execute("ROLLBACK")
    still_sound(file)
    curator.ask(count_above(1), epsilon="0.1")
    still_sound(file, "0.2")


@pytest.mark.parametrize("lease", [60.0, 0.0])
def test_a_ledger_locked_while_the_table_is_read_is_waited_for_with_what_was_drawn(file, place, monkeypatch, lease):
    """Also where the lease runs out meanwhile, if nobody else has gone on with it."""
    monkeypatch.setattr(database, "_PATIENCE", 0.05)
    monkeypatch.setattr(owners, "LEASE", lease)
    curator = open_table(file)
    other = sqlite3.connect(place / "ledger.db", isolation_level=None, check_same_thread=False)
    ledger, run, tried, drawn = curator.desk.ledger, curator.desk.ready().run, [], []
    settle, writing = ledger.settle, ledger.store.writing
    counting = Lock()

    def slow(wanted):
        found = run(wanted)
        other.execute("BEGIN EXCLUSIVE")
        return found

    def settling(granted, released, *words):
        drawn.append(released)
        monkeypatch.setattr(curator.desk.ledger.store, "writing", waiting)
        return settle(granted, released, *words)

    def waiting():
        with counting:                                                              # whoever renews the lease tries too
            tried.append("once more")
            if len(tried) == 4:                                                     # three times its patience later
                other.execute("ROLLBACK")
        return writing()

    monkeypatch.setattr(curator.desk.engine, "run", slow)
    monkeypatch.setattr(curator.desk.ledger, "settle", settling)
    answer = curator.ask(count_above(1), epsilon="0.1", analyst="alice")
    other.close()
    assert len(tried) >= 4
    assert len(drawn) == 1
    still_sound(file, "0.2")
    assert sql(file.parent, "SELECT state, attempt FROM charges ORDER BY number") == [("settled", 1), ("settled", 1)]
    assert sql(file.parent, "SELECT COUNT(*) FROM analysts WHERE faults > 0") == [(0,)]
    monkeypatch.undo()
    assert curator.ask(count_above(1), epsilon="0.1").value == answer.value


def in_a_child(code, file, **more):
    """What a new process prints."""
    words = [sys.executable, "-W", "error", "-c", code, str(file)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


ASKING = """
import sys
import discreet as dc
from discreet.curator import open_table
try:
    open_table(sys.argv[1]).ask("SELECT COUNT(*) AS n FROM t WHERE x > 77", epsilon="0.1")
    print("answered")
except dc.LedgerFault as fault:
    print("fault:", fault)
"""


AS_NOBODY = """
import os
from discreet.testing import open_unregistered
from pathlib import Path
warm = open_unregistered(Path(sys.argv[1]).parents[1] / "warm" / "t.toml")
warm.ask("SELECT COUNT(*) AS n FROM t", epsilon="0.1")                    # loads all that asking needs
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
"""


@pytest.mark.slow
@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_read_only_ledger_is_a_fault_and_nothing_is_charged(begun, what):
    with TemporaryDirectory() as folder:                                           # pytest's own may be entered by us alone
        warm, home = Path(folder) / "warm", Path(folder) / "home"
        warm.mkdir()
        write_table(warm)
        file = shutil.copytree(begun.parent, home) / begun.name
        place = home / ".discreet"
        for each in place.iterdir():
            each.chmod(0o444)
        place.chmod(0o555 if what == "folder" else 0o777)
        for each in (Path(folder), home, warm):
            each.chmod(0o755)
        said = in_a_child(ASKING.replace("import sys\n", "import sys\n" + AS_NOBODY, 1), file)
        place.chmod(0o700)
        assert said.startswith("fault:"), said
        assert "writable" in said
        still_sound(file)


@pytest.mark.slow
def test_a_full_disk_before_the_charge_charges_nothing(file, place):
    with_little_room = ASKING.replace("import sys\n", (
        "import sys, os, resource, signal\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "import discreet as dc, duckdb, sqlglot\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))\n"
    ))
    said = in_a_child(with_little_room, file)
    assert said.startswith("fault:"), said
    assert "disk" in said
    still_sound(file)


def test_a_disk_that_fills_up_while_the_table_is_read_keeps_the_charge_and_delivers_nothing(file):
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    curator = open_table(file)
    run, before = curator.desk.ready().run, resource.getrlimit(resource.RLIMIT_FSIZE)

    class Filling:
        counts = keys = None

        def at_once(self):
            return nullcontext(self)

        def check(self):
            pass

        def run(self, wanted):
            found = run(wanted)
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, before[1]))
            return found

    curator.desk.engine = Filling()
    try:
        with pytest.raises(dc.LedgerFault, match="disk"):
            curator.ask(count_above(1), epsilon="0.1")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    still_sound(file, "0.2")
    with pytest.raises(dc.BudgetError):                                             # the failure is written down first
        curator.ask(count_above(1), epsilon="0.9")
    assert sql(file.parent, "SELECT state FROM charges ORDER BY number") == [("settled",), ("faulted",)]
    still_sound(file, "0.2")


def test_a_disk_with_no_room_at_all_is_said_to_be_full(file, tmp_path):
    """On a file system of its own, where the system lets us make one."""
    small = tmp_path / "small"
    small.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(small)], capture_output=True, check=False)
    if made.returncode != 0:
        pytest.skip("optional data: a file system of a few pages (mounting is not allowed here)")
    try:
        there = write_table(small, budget="epsilon = 1")
        office.register(there)
        curator = open_table(there)
        curator.ask(count_above(0), epsilon="0.1")
        with pytest.raises(OSError, match="space"):
            (small / "filler").write_bytes(b"x" * 1_000_000)
        with pytest.raises(dc.LedgerFault, match="disk"):
            [curator.ask(count_above(number), epsilon="0.01") for number in range(1, 9)]
        (small / "filler").unlink()
        assert office.verify(there).ok
        curator.ask(count_above(99), epsilon="0.01")
        assert office.verify(there).ok
        assert spent(curator) == charged_by_hand(small)
        curator.close()
    finally:
        subprocess.run(["umount", str(small)], capture_output=True, check=True)


@pytest.mark.parametrize("left", [0, 10, 100, 4096, 20_000])
def test_a_ledger_that_was_cut_off_is_a_fault_and_is_not_made_anew(file, place, left):
    whole = (place / "ledger.db").read_bytes()
    (place / "ledger.db").write_bytes(whole[:left])
    for act in (lambda: open_table(file).ask(count_above(1), epsilon="0.1"), lambda: office.register(file)):
        with pytest.raises(dc.LedgerFault):
            act()
    (place / "ledger.db").write_bytes(whole)
    still_sound(file)


@pytest.mark.slow
def test_a_damaged_ledger_is_a_fault_or_a_problem_with_a_name(file, place):
    whole = (place / "ledger.db").read_bytes()
    silent = 0
    for start in range(0, len(whole), 1024):
        spoilt = whole[:start] + b"\xa5" * 256 + whole[start + 256 :]
        (place / "ledger.db").write_bytes(spoilt)
        try:
            found = office.verify(file)
        except dc.LedgerFault:
            continue
        if found.ok:                                                               # free space in a page, which nobody reads
            silent += 1
            assert charged_by_hand(file.parent) == Fraction(1, 10)
    print(f"\n  {silent} of {len(whole) // 1024} places were free space")
    assert silent < 0.8 * len(whole) / 1024                                        # a fresh ledger has much of it


def test_a_file_of_something_else_is_no_ledger(file, place):
    for content in (b"not a ledger at all, but long enough to be read" * 100, b""):
        (place / "ledger.db").write_bytes(content)
        with pytest.raises(dc.LedgerFault, match="backup"):
            open_table(file)


def test_a_ledger_from_the_future_is_left_alone(file):
    sql(file.parent, "PRAGMA user_version = 99")
    with pytest.raises(dc.LedgerFault, match="newer"):
        open_table(file)


def test_a_ledger_that_a_newer_version_took_over_meanwhile_is_left_alone(file):
    curator = open_table(file)
    sql(file.parent, f"PRAGMA user_version = {len(database.MIGRATIONS) + 1}")
    for number in (0, 1):                                                   # a replay, and a question
        with pytest.raises(dc.LedgerFault, match="written by a newer version"):
            curator.ask(count_above(number), epsilon="0.1")
    curator.close()
    assert charged_by_hand(file.parent) == Fraction("0.1")


def test_a_version_that_a_newer_one_overtook_while_it_brought_a_ledger_up_to_date_does_not_lower_it(tmp_path, monkeypatch):
    made, every, follow = tmp_path / "ledger.db", database.MIGRATIONS, following.follow

    def known(count):
        for module in (database, following):
            monkeypatch.setattr(module, "MIGRATIONS", every[:count])

    known(3)
    database.Database(made, create=True).close()

    def overtaken(connection):
        known(len(every))
        follow(connection)
        known(4)
        follow(connection)

    known(4)
    monkeypatch.setattr(database, "follow", overtaken)
    with pytest.raises(dc.LedgerFault, match="written by a newer version"):
        database.Database(made)
    monkeypatch.undo()
    database.Database(made).close()
    with closing(sqlite3.connect(made)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(every),)


@pytest.mark.parametrize("name", ["ledger.db", "key.pem"])
def test_a_ledger_or_key_that_is_gone_is_a_fault_and_neither_is_made_anew(file, place, name):
    kept = (place / name).read_bytes()
    (place / name).unlink()
    for act in (open_table, office.register, office.verify, office.recover):
        with pytest.raises(dc.LedgerFault, match="gone"):
            act(file)
    assert not (place / name).exists()
    (place / name).write_bytes(kept)
    still_sound(file)


def test_opening_never_makes_a_ledger(tmp_path):
    file = write_table(tmp_path)
    for act in (open_table, office.verify, office.witness, office.entries, office.recover):
        with pytest.raises(dc.FactsError, match="register"):
            act(file)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.csv", "t.toml"]


def test_a_folder_that_cannot_be_written_gets_no_half_of_a_ledger(tmp_path, monkeypatch):
    from discreet.ledger import folder

    file = write_table(tmp_path)

    def full(*words, **more):
        raise OSError("no space left on device")

    monkeypatch.setattr(folder, "Database", full)
    with pytest.raises(dc.LedgerFault, match="cannot be made"):
        office.register(file)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["t.csv", "t.toml"]


def test_the_folder_and_the_key_are_for_their_owner_only(file, place):
    assert place.stat().st_mode & 0o777 == 0o700
    assert (place / "key.pem").stat().st_mode & 0o777 == 0o600
    assert (place / "ledger.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_child_that_was_forked_off_loses_no_charge_when_its_parent_lets_go_of_the_ledger(file):
    """SQLite's locks do not survive a fork: a parent that closes would otherwise delete what its child still writes to."""
    forking = """
import os, sys
from discreet.curator import open_table
curator = open_table(sys.argv[1])
curator.ask("SELECT COUNT(*) AS n FROM t WHERE x > 5", epsilon="0.1")
closed, close = os.pipe()
opened, open_ = os.pipe()
child = os.fork()
from tests.ledger.made import request
if child == 0:
    curator.desk.ledger.reserve([request("before", "0.1")])
    os.write(open_, b"x")
    os.read(closed, 1)
    curator.desk.ledger.reserve([request("after", "0.1")])
    os._exit(0)
os.read(opened, 1)
curator.close()
os.write(close, b"x")
print(os.waitpid(child, 0)[1])
"""
    assert in_a_child(forking, file).strip() == "0"
    still_sound(file, "0.4")


@pytest.mark.slow
def test_a_budget_in_memory_is_not_shared_with_a_child(file):
    forking = """
import os, sys
import discreet as dc
from discreet.testing import open_unregistered
curator = open_unregistered(sys.argv[1])
curator.ask("SELECT COUNT(*) AS n FROM t WHERE x > 5", epsilon="0.1")
child = os.fork()
if child == 0:
    try:
        curator.budget
    except dc.LedgerFault as fault:
        os._exit(7 if "one process" in str(fault) else 1)
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), curator.budget.spent.epsilon)
"""
    shutil.rmtree(file.parent / ".discreet")
    assert in_a_child(forking, file).split() == ["7", "1/10"]
