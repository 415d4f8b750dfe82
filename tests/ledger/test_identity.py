"""A process that has a table open notices that its ledger is not the one its name leads to any more (rule 38).

Otherwise it would go on charging a file that nobody else sees, and the budget would be there twice.
"""

import os
import shutil
import subprocess
import sys
from fractions import Fraction

import pytest
from tests.ledger.made import charged_by_hand, count_above, sql, write_table

import discreet as dc
from discreet.curator import office, open_table

pytestmark = pytest.mark.slow  # ledgers are moved and swapped while tables are asked


@pytest.fixture
def file(tmp_path):
    """A registered table with a cap of 40."""
    found = write_table(tmp_path, budget="epsilon = 40")
    office.register(found)
    return found


@pytest.fixture
def place(file):
    return file.parent / ".discreet"


def renamed_and_copied_back(place):
    place.rename(place.with_name("moved"))
    shutil.copytree(place.with_name("moved"), place)


def restored(place):
    """An older copy, as from a backup."""
    shutil.copytree(place.with_name("backup"), place.with_name("new"))
    place.rename(place.with_name("moved"))
    place.with_name("new").rename(place)


def restored_in_place(place):
    """The same files with older content: neither a name nor an inode changes."""
    for each in place.with_name("backup").iterdir():
        (place / each.name).write_bytes(each.read_bytes())


def removed(place):
    shutil.rmtree(place)


def file_replaced(place):
    shutil.copy(place / "ledger.db", place / "copy")
    (place / "copy").replace(place / "ledger.db")


def without_log(place):
    (place / "ledger.db-wal").unlink()


def without_index(place):
    (place / "ledger.db-shm").unlink()


def without_both(place):
    without_log(place)
    without_index(place)


SWAPS = [renamed_and_copied_back, restored, restored_in_place, removed, file_replaced, without_log, without_index, without_both]
every_swap = pytest.mark.parametrize("swap", SWAPS, ids=lambda swap: swap.__name__)


@pytest.fixture
def opened(file, place):
    """A table that was opened and asked, with a backup from before."""
    curator = open_table(file)
    curator.ask(count_above(0), epsilon=1)
    shutil.copytree(place, place.with_name("backup"))
    curator.ask(count_above(1), epsilon=1)
    yield curator
    curator.close()


@every_swap
def test_whoever_has_a_ledger_open_that_was_swapped_is_answered_nothing_more(file, place, opened, swap):
    swap(place)
    for number in (1, 2):                                                   # a replay, and a question
        with pytest.raises(dc.LedgerFault, match="open the table again"):
            opened.ask(count_above(number), epsilon=30)
    with pytest.raises(dc.LedgerFault, match="open the table again"):
        opened.ask(count_above(1), epsilon=1)
    with pytest.raises(dc.LedgerFault, match="open the table again"):
        _ = opened.budget


ASKING = """
import sys
from discreet.curator import office, open_table
open_table(sys.argv[1]).ask("SELECT COUNT(*) AS n FROM t WHERE x > 3", epsilon=30)
print(office.verify(sys.argv[1]).ok)
"""
STAYING = [renamed_and_copied_back, restored, file_replaced, without_log, without_index, without_both]


@pytest.mark.slow
@pytest.mark.parametrize("swap", STAYING, ids=lambda swap: swap.__name__)
def test_a_cap_is_not_there_twice_when_the_ledger_was_swapped_under_an_open_table(file, place, opened, swap):
    swap(place)
    words = [sys.executable, "-W", "error", "-c", ASKING, str(file)]
    assert subprocess.run(words, capture_output=True, text=True, timeout=120, check=True).stdout == "True\n"
    with pytest.raises(dc.LedgerFault):
        opened.ask(count_above(2), epsilon=30)
    opened.close()
    assert charged_by_hand(file.parent) <= 40
    assert office.verify(file).ok


def test_a_folder_behind_a_link_that_leads_elsewhere_now_is_another_ledger(file, place, tmp_path):
    homes = [place.rename(tmp_path / "first"), tmp_path / "second"]
    place.symlink_to(homes[0])
    curator = open_table(file)
    curator.ask(count_above(0), epsilon=1)
    shutil.copytree(*homes)
    place.unlink()
    place.symlink_to(homes[1])
    with pytest.raises(dc.LedgerFault, match="open the table again"):
        curator.ask(count_above(1), epsilon=30)
    curator.close()
    again = open_table(file)
    again.ask(count_above(2), epsilon=30)
    again.close()
    assert charged_by_hand(tmp_path) == 31


@every_swap
def test_a_swap_between_charge_and_answer_delivers_nothing(file, place, opened, swap, monkeypatch):
    run = opened.desk.ready().run

    def swapping(wanted):
        found = run(wanted)
        swap(place)
        return found

    monkeypatch.setattr(opened.desk.engine, "run", swapping)
    with pytest.raises(dc.LedgerFault, match="open the table again"):
        opened.ask(count_above(2), epsilon=30)


@pytest.mark.parametrize("swap", [each for each in SWAPS if each is not restored_in_place], ids=lambda swap: swap.__name__)
def test_a_swap_inside_a_transaction_ends_it(file, place, opened, swap):
    database = opened.desk.ledger.store.database
    with pytest.raises(dc.LedgerFault, match="open the table again"), database.writing():
        swap(place)


@pytest.mark.parametrize("way", ["writing", "reading"])
def test_a_ledger_that_was_moved_and_is_back_goes_on(file, place, opened, way):
    place.rename(place.with_name("moved"))
    with pytest.raises(dc.LedgerFault), getattr(opened.desk.ledger.store.database, way)():
        pass
    place.with_name("moved").rename(place)
    assert opened.ask(count_above(1), epsilon=1).replayed
    opened.ask(count_above(2), epsilon=1)
    assert charged_by_hand(file.parent) == 3


def test_what_sqlite_deletes_and_makes_again_by_itself_is_no_swap(file, place, opened):
    """Its log goes when the last one closes, and is emptied when it is long."""
    again = open_table(file)
    again.ask(count_above(2), epsilon=1)
    again.close()
    opened.ask(count_above(3), epsilon=1)
    opened.desk.ledger.store.database.checkpoint()
    assert (place / "ledger.db-wal").stat().st_size == 0
    opened.ask(count_above(4), epsilon=1)
    opened.close()
    assert not (place / "ledger.db-wal").exists()
    later = open_table(file)
    later.ask(count_above(5), epsilon=1)
    later.close()
    assert charged_by_hand(file.parent) == Fraction(6)
    assert sql(file.parent, "SELECT COUNT(*) FROM answers") == [(6,)]


def test_closing_a_ledger_that_was_swapped_leaves_the_other_one_alone(file, place, opened):
    restored(place)
    again = open_table(file)
    again.ask(count_above(3), epsilon=30)
    log = (place / "ledger.db-wal").stat()
    opened.close()
    assert (place / "ledger.db-wal").stat().st_ino == log.st_ino
    again.ask(count_above(4), epsilon=1)
    again.close()
    assert charged_by_hand(file.parent) == 32


# ---- a ledger with two names: SQLite keeps a log beside each of them


def linked(place):
    """What ``cp -al`` makes: another folder with the same files."""
    snapshot = place.with_name("snapshot")
    snapshot.mkdir()
    for each in place.iterdir():
        os.link(each, snapshot / each.name)
    return snapshot


def test_a_ledger_that_has_a_second_name_is_not_opened_by_either(file, place):
    home = place.with_name("home")
    home.mkdir()
    other = write_table(home, budget="epsilon = 40")
    snapshot = linked(place).rename(home / ".discreet")
    for each in (file, other):
        for act in (open_table, office.verify, office.register):
            with pytest.raises(dc.LedgerFault, match="hard link"):
                act(each)
    assert not (place / "ledger.db-wal").exists()
    assert not (snapshot / "ledger.db-wal").exists()
    shutil.rmtree(snapshot)
    curator = open_table(file)
    curator.ask(count_above(0), epsilon=1)
    curator.close()


@pytest.mark.parametrize("what", ["ledger.db", "ledger.db-wal"])
def test_a_second_name_that_an_open_ledger_is_given_stops_it_until_it_is_gone(file, place, opened, what):
    os.link(place / what, place.with_name("other"))
    for number in (1, 2):                                                   # a replay, and a question
        with pytest.raises(dc.LedgerFault, match="hard link"):
            opened.ask(count_above(number), epsilon=1)
    with pytest.raises(dc.LedgerFault, match="hard link"):
        open_table(file)
    place.with_name("other").unlink()
    opened.ask(count_above(2), epsilon=1)
    assert charged_by_hand(file.parent) == 3


def test_a_second_name_inside_a_transaction_ends_it(place, opened):
    with pytest.raises(dc.LedgerFault, match="hard link"), opened.desk.ledger.store.database.writing():
        linked(place)
