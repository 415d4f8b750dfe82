"""Copies of a ledger, and what putting one back can and cannot do."""

import json
import os
import shutil
import stat
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from threading import Event, Thread

import pytest
from tests.ledger.made import sql

import discreet as dc
from discreet.curator import accounts, office
from discreet.curator.backups import backup, restore
from discreet.ledger import open_ledger, registry
from discreet.ledger import verify as checking

SOURCE = Path(__file__).resolve().parents[2] / "src"
FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 100
[columns.age]
type = "integer"
lower = 0
upper = 100
"""
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.fixture
def home(tmp_path):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "people.csv").write_text("age\n" + "\n".join(str(20 + i % 50) for i in range(300)) + "\n")
    (folder / "people.toml").write_text(FACTS)
    office.register(folder / "people.toml")
    return folder


@pytest.fixture
def elsewhere(tmp_path, home):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "people.csv").write_bytes((home / "people.csv").read_bytes())
    return folder


def ask(folder, epsilon=1, **words):
    with dc.open(folder / "people.toml") as table:
        return table.ask(COUNT, epsilon=epsilon, anew=True, **words)


def spent(folder):
    with dc.open(folder / "people.toml") as table:
        return table.budget.spent.epsilon


def test_a_copy_holds_ledger_keys_and_facts_for_its_owner_and_no_rows(home, tmp_path):
    ask(home)
    made = backup(home, tmp_path / "copy")
    kept = {"ledger/ledger.db", "ledger/key.pem", "ledger/public.pem"}
    assert set(made.files) == kept | {"people.toml", "witness.json", "backup.json"}
    assert stat.S_IMODE((tmp_path / "copy").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "copy" / "ledger" / "key.pem").stat().st_mode) == 0o600
    assert made.verified.ok
    assert office.verify(home, made.witness).rollback == "excluded"
    assert {each.name for each in tmp_path.iterdir()} == {"home", "copy"}
    with pytest.raises(dc.ParameterError, match="there already"):
        backup(home, tmp_path / "copy")


def test_what_comes_back_is_frozen_until_somebody_has_looked_and_then_goes_on(home, elsewhere, tmp_path):
    first = ask(home)
    made = backup(home, tmp_path / "copy")
    found = restore(tmp_path / "copy", elsewhere, witness=made.witness)
    assert (found.is_done, found.verified.rollback, found.mended.tables) == (True, "excluded", ("people",))
    with pytest.raises(dc.AccessError, match="restored from a copy of"):
        ask(elsewhere, epsilon=2)
    assert spent(elsewhere) == spent(home) == 1
    assert office.verify(elsewhere, made.witness).ok
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    with dc.open(elsewhere / "people.toml") as table:
        assert table.ask(COUNT, epsilon=1).value == first.value
    ask(elsewhere)
    assert spent(elsewhere) == 2


def test_a_copy_that_is_older_than_the_witness_is_refused_and_leaves_nothing(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home)
    late = office.witness(home)
    found = restore(tmp_path / "copy", elsewhere, witness=late)
    assert not found.is_done
    assert "rolled back" in found.verified.problems[0]
    assert {each.name for each in elsewhere.iterdir()} == {"people.csv"}
    with pytest.raises(dc.ParameterError, match="reason"):
        restore(tmp_path / "copy", elsewhere, witness=late, older=True)
    told = restore(tmp_path / "copy", elsewhere, witness=late, older=True, reason="the disk is gone")
    assert told.is_done
    (act,) = [each for each in office.entries(elsewhere) if each.kind == "freeze"]
    assert "older than the witness" in act.body["reason"]
    assert act.body["reason"].endswith("the disk is gone")
    assert not office.verify(elsewhere, late).ok


def test_what_the_witness_had_seen_spent_counts_as_spent_in_an_older_copy(home, elsewhere, tmp_path):
    ask(home, epsilon=3, analyst="alice")
    backup(home, tmp_path / "copy")
    ask(home, epsilon="0.5")
    ask(home, epsilon=4)
    late = office.witness(home)
    ask(home, epsilon=50)                                                     # after the witness: nobody can know
    told = restore(tmp_path / "copy", elsewhere, witness=late, older=True, reason="the disk is gone")
    assert told.to_dict()["lost"] == {"table:people": {"epsilon": "4.5"}}
    assert spent(elsewhere) == 7.5
    with dc.open(elsewhere / "people.toml") as table:
        assert table.budget.to_dict()["analysts"]["alice"]["spent"] == {"epsilon": "3"}     # whose it was is not known
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    with pytest.raises(dc.BudgetError):
        ask(elsewhere, epsilon=93)
    ask(elsewhere, epsilon="92.5")
    assert spent(elsewhere) == 100
    assert office.verify(elsewhere).ok
    (act,) = [each for each in office.entries(elsewhere) if each.kind == "lost"]
    assert act.signature
    assert act in office.entries_about(elsewhere / "people.toml", "people")


def test_a_total_of_what_was_lost_is_verified_like_any_other(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home)
    restore(tmp_path / "copy", elsewhere, witness=office.witness(home), older=True, reason="the disk is gone")
    sql(elsewhere, "UPDATE totals SET amount = '0' WHERE tbl = ''")
    assert office.verify(elsewhere).problems == ("the total of what was lost was changed without an entry",)


def test_what_was_put_back_may_be_copied_and_put_back_again_and_counts_once(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home, epsilon=2)
    late = office.witness(home)
    restore(tmp_path / "copy", elsewhere, witness=late, older=True, reason="the disk is gone")
    backup(elsewhere, tmp_path / "second")
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "people.csv").write_bytes((home / "people.csv").read_bytes())
    again = restore(tmp_path / "second", tmp_path / "third", witness=late, older=True, reason="and the next one")
    assert (again.mended.lost, spent(tmp_path / "third")) == ({}, 2)


def test_what_was_put_back_whole_and_is_put_back_again_by_the_same_witness_counts_once(home, elsewhere, tmp_path):
    """Nothing was missing the first time: no entry says that anything was lost, and its mark says by what it was put back."""
    ask(home, epsilon=3)
    backup(home, tmp_path / "copy")
    office.freeze(home / "people.toml", reason="the night")
    late = office.witness(home)
    first = restore(tmp_path / "copy", elsewhere, witness=late, older=True, reason="the disk is gone")
    backup(elsewhere, tmp_path / "second")
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "people.csv").write_bytes((home / "people.csv").read_bytes())
    again = restore(tmp_path / "second", tmp_path / "third", witness=late, older=True, reason="and the next one")
    assert (first.mended.lost, again.mended.lost, spent(elsewhere), spent(tmp_path / "third")) == ({}, {}, 3, 3)
    assert office.verify(tmp_path / "third").ok


def test_a_copy_that_has_gone_on_by_itself_counts_all_that_the_witness_had_seen(home, elsewhere, tmp_path):
    ask(home, epsilon=1)
    backup(home, tmp_path / "copy")
    ask(home, epsilon=2)
    late = office.witness(home)
    restore(tmp_path / "copy", elsewhere)                                     # without the witness: 2 is forgotten
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    ask(elsewhere, epsilon=4)
    backup(elsewhere, tmp_path / "second")
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "people.csv").write_bytes((home / "people.csv").read_bytes())
    restore(tmp_path / "second", tmp_path / "third", witness=late, older=True, reason="the witness was found")
    assert spent(tmp_path / "third") == 5 + 3                                 # at least the 1 + 2 + 4 that left


@pytest.mark.parametrize("many", [1, 12])
@pytest.mark.parametrize("is_forks", [False, True])
def test_a_copy_that_has_gone_on_by_itself_is_known_however_short_and_early_it_is(home, elsewhere, tmp_path, many, is_forks):
    """A ledger and one that was put back from its copy; a copy of one comes back beside a witness of the other."""
    ask(home, epsilon=1)
    backup(home, tmp_path / "copy")
    restore(tmp_path / "copy", elsewhere)                                     # as a trial, on another machine
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    older, newer = (elsewhere, home) if is_forks else (home, elsewhere)
    ask(older, epsilon=4)
    backup(older, tmp_path / "second")
    for _ in range(many):
        ask(newer, epsilon="0.5")
    (tmp_path / "third").mkdir()
    (tmp_path / "third" / "people.csv").write_bytes((home / "people.csv").read_bytes())
    late = office.witness(newer)
    told = restore(tmp_path / "second", tmp_path / "third", witness=late, older=True, reason="the disk is gone")
    assert told.is_done
    assert spent(tmp_path / "third") == 5 + 1 + many / 2                      # what is in it, and all that was seen
    assert office.verify(tmp_path / "third").ok


def test_a_budget_that_the_copy_does_not_know_is_named_and_one_beyond_the_cap_has_nothing_left(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    office.raise_budget(home / "people.toml", 300, reason="a second wave")
    ask(home, epsilon=150)
    (home / "late.toml").write_text(FACTS.replace('name = "people"', 'name = "late"').replace("people.csv", "late.csv"))
    (home / "late.csv").write_text("age\n1\n")
    office.register(home / "late.toml")
    told = restore(tmp_path / "copy", elsewhere, witness=office.witness(home), older=True, reason="the disk is gone")
    assert told.mended.uncounted == ("table:late",)
    with dc.open(elsewhere / "people.toml") as table:
        assert (table.budget.spent.epsilon, table.budget.remaining.epsilon, table.budget.affordable) == (150, 0, 0)
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    with pytest.raises(dc.BudgetError, match="epsilon 0 is left"):
        ask(elsewhere)
    assert office.verify(elsewhere).ok


def test_a_budget_that_came_back_later_counts_what_the_witness_had_seen_of_it_the_next_time(home, elsewhere, tmp_path):
    """Its table was registered after the copy, and again after that was put back: the second is a budget of its own.
    What left of the first counts as soon as there is something to count it in."""
    def late(folder, epsilon):
        (folder / "late.toml").write_text(FACTS.replace('name = "people"', 'name = "late"').replace("people.csv", "late.csv"))
        (folder / "late.csv").write_text("age\n1\n")
        office.register(folder / "late.toml")
        with dc.open(folder / "late.toml") as table:
            table.ask("SELECT COUNT(*) AS n FROM late", epsilon=epsilon)

    ask(home, epsilon=3)
    backup(home, tmp_path / "copy")
    late(home, 5)
    seen = office.witness(home)
    first = restore(tmp_path / "copy", elsewhere, witness=seen, older=True, reason="the disk is gone")
    assert (first.mended.lost, first.mended.uncounted) == ({}, ("table:late",))
    late(elsewhere, 2)
    backup(elsewhere, tmp_path / "second")
    third = tmp_path / "third"
    third.mkdir()
    for name in ("people.csv", "late.csv"):
        (third / name).write_bytes((elsewhere / name).read_bytes())
    again = restore(tmp_path / "second", third, witness=seen, older=True, reason="and the next one")
    assert ({name: loss.epsilon for name, loss in again.mended.lost.items()}, spent(third)) == ({"table:late": 5}, 3)
    assert office.verify(third).ok


def test_without_a_witness_a_rollback_is_not_excluded_and_it_says_so(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home)
    found = restore(tmp_path / "copy", elsewhere)
    assert (found.is_done, found.verified.rollback) == (True, "not excluded")
    with pytest.raises(dc.AccessError, match="no witness: what was charged since is not in it"):
        ask(elsewhere)


def test_a_ledger_that_is_there_is_never_replaced(home, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home)
    with pytest.raises(dc.LedgerFault, match="2 entries more"):
        restore(tmp_path / "copy", home)
    assert spent(home) == 1
    (home / ".discreet" / "ledger.db").unlink()
    with pytest.raises(dc.LedgerFault, match=r"there is a \.discreet already"):
        restore(tmp_path / "copy", home)


@pytest.mark.parametrize("name", ["ledger/ledger.db", "ledger/key.pem", "witness.json", "people.toml"])
def test_a_copy_that_was_changed_is_refused(home, elsewhere, tmp_path, name):
    backup(home, tmp_path / "copy")
    file = tmp_path / "copy" / name
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    with pytest.raises(dc.ParameterError, match=name):
        restore(tmp_path / "copy", elsewhere)
    file.unlink()
    with pytest.raises(dc.ParameterError, match="not whole"):
        restore(tmp_path / "copy", elsewhere)
    assert not (elsewhere / ".discreet").exists()


def relisted(copy):
    """The list of a copy as somebody would write it who has changed its files."""
    told = json.loads((copy / "backup.json").read_text())
    told["files"] = {name: sha256((copy / name).read_bytes()).hexdigest() for name in told["files"]}
    return told


def test_when_a_copy_was_made_is_what_was_signed_whatever_its_list_says(home, elsewhere, tmp_path):
    made = backup(home, tmp_path / "copy")
    told = relisted(tmp_path / "copy") | {"at": "2031-01-01T00:00:00.000000+00:00", "entries": 900}
    (tmp_path / "copy" / "backup.json").write_text(json.dumps(told))
    found = restore(tmp_path / "copy", elsewhere)
    assert found.at == made.witness["at"]
    (act,) = [each for each in office.entries(elsewhere) if each.kind == "freeze"]
    assert f"{made.verified.entries} entries" in act.body["reason"]
    assert "2031" not in act.body["reason"]


def test_the_witness_inside_a_copy_is_of_that_copy(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    ask(home)
    copy = tmp_path / "copy"
    for other in (office.witness(home), office.witness(home) | {"at": "2031"}, {}):
        (copy / "witness.json").write_text(json.dumps(other))
        (copy / "backup.json").write_text(json.dumps(relisted(copy)))
        with pytest.raises(dc.ParameterError, match="changed"):
            restore(copy, elsewhere)
        assert {each.name for each in elsewhere.iterdir()} == {"people.csv"}


def test_what_is_verified_is_what_is_put_back(home, elsewhere, tmp_path):
    """A log of SQLite's beside the copy would show entries to whoever opens it there, which are not put back."""
    backup(home, tmp_path / "copy")
    later = tmp_path / "later"
    shutil.copytree(tmp_path / "copy" / "ledger", later)
    ledger = open_ledger(later)
    registry.freeze(ledger, "people", "later")
    late = checking.witness(ledger)
    shutil.copyfile(later / "ledger.db-wal", tmp_path / "copy" / "ledger" / "ledger.db-wal")
    ledger.close()
    assert (tmp_path / "copy" / "ledger" / "ledger.db-wal").stat().st_size
    assert not restore(tmp_path / "copy", elsewhere, witness=late).is_done


def test_what_a_killed_backup_left_is_swept_by_the_next(home, tmp_path):
    left = subprocess.run([sys.executable, "-c", LEAVES, str(tmp_path)], check=False, timeout=120, capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": str(SOURCE)}).stdout.strip()  # fmt: skip
    assert Path(left).is_dir()
    backup(home, tmp_path / "copy")
    assert not Path(left).exists()


LEAVES = """
import os, sys
from discreet.curator.backups import _STARTED
from discreet.processes import temporary_folder
print(temporary_folder(_STARTED, sys.argv[1]), flush=True)
os._exit(9)
"""


def test_a_ledger_that_has_not_come_from_the_witness_is_neither_copied_nor_witnessed(home, elsewhere, tmp_path):
    ask(home)
    old = tmp_path / "old"
    shutil.copytree(home / ".discreet", old)
    ask(home)
    kept = office.witness(home)
    shutil.rmtree(home / ".discreet")
    shutil.copytree(old, home / ".discreet")  # a budget from before, by hand
    with pytest.raises(dc.LedgerFault, match="rolled back"):
        office.witness(home, before=kept)
    with pytest.raises(dc.LedgerFault, match="rolled back"):
        backup(home, tmp_path / "copy", witness=kept)
    assert not (tmp_path / "copy").exists()
    ask(home)
    ask(home)
    with pytest.raises(dc.LedgerFault, match="rolled back"):
        office.witness(home, before=kept)


def test_a_witness_of_another_ledger_is_refused(home, elsewhere, tmp_path):
    backup(home, tmp_path / "copy")
    (elsewhere / "people.toml").write_text(FACTS)
    office.register(elsewhere / "people.toml")
    other = office.witness(elsewhere)
    (tmp_path / "third").mkdir()
    with pytest.raises(dc.ParameterError, match="witness"):
        restore(tmp_path / "copy", tmp_path / "third", witness=other)


DIES = """
import os, sys
import discreet as dc
from discreet.curator.desk import Desk
Desk.settled = lambda *a, **k: os._exit(9)                       # after the charge, and perhaps after the draw
dc.open(sys.argv[1]).ask("SELECT COUNT(*) AS n FROM people", epsilon=5)
"""


@pytest.mark.slow
def test_what_was_running_when_the_copy_was_made_is_never_drawn_again(home, elsewhere, tmp_path):
    died = subprocess.run([sys.executable, "-c", DIES, str(home / "people.toml")], check=False, timeout=120,
                          env=os.environ | {"PYTHONPATH": str(SOURCE)})  # fmt: skip
    assert died.returncode == 9
    made = backup(home, tmp_path / "copy")
    with dc.open(home / "people.toml") as table:
        delivered = table.ask(COUNT, epsilon=5)                                    # resumed here, and delivered
        assert table.budget.spent.epsilon == 5
    found = restore(tmp_path / "copy", elsewhere, witness=made.witness)
    assert len(found.mended.written_off) == 1
    office.unfreeze(elsewhere / "people.toml", reason="looked at it")
    with dc.open(elsewhere / "people.toml") as table:
        again = table.ask(COUNT, epsilon=5)
        assert not again.replayed
        assert (again.id == delivered.id, table.budget.spent.epsilon) == (False, 10)  # another charge, not another draw
        assert table.recover() == []
    assert office.verify(elsewhere).ok


@pytest.mark.slow
def test_a_copy_is_one_state_of_a_ledger_that_is_asked_meanwhile(home, elsewhere, tmp_path):
    over = Event()

    def asking():
        while not over.is_set():
            ask(home, epsilon="0.01")

    busy = Thread(target=asking)
    busy.start()
    try:
        made = [backup(home, tmp_path / f"copy{i}") for i in range(4)]
    finally:
        over.set()
        busy.join()
    assert [each.verified.ok for each in made] == [True] * 4
    assert sorted(each.verified.entries for each in made) == [each.verified.entries for each in made]
    assert restore(tmp_path / "copy3", elsewhere, witness=made[3].witness).is_done
    (tmp_path / "third").mkdir()
    assert not restore(tmp_path / "copy0", tmp_path / "third", witness=office.witness(home)).is_done


def test_accounts_come_back_as_they_were(home, elsewhere, tmp_path):
    token = accounts.add(home, "alice")
    backup(home, tmp_path / "copy")
    accounts.revoke(home, "alice")
    restore(tmp_path / "copy", elsewhere)
    assert token
    assert [(each.name, each.state) for each in accounts.listed(elsewhere)] == [("alice", "open")]


def test_the_list_of_a_copy_says_what_it_is(home, tmp_path):
    made = backup(home, tmp_path / "copy")
    told = json.loads((tmp_path / "copy" / "backup.json").read_text())
    assert (told["form"], told["entries"], told["head"]) == ("discreet backup 1", made.verified.entries, made.verified.head)
