"""``backup`` and ``restore`` from the command line."""

import errno
import json
import shutil
from pathlib import Path

import pytest


def test_a_copy_and_the_way_back(people, folder, tmp_path_factory):
    made = people("backup", ".", "copy", "--witness", "witness.json")
    assert made.code == 0, made.err
    assert "copied: 1 entry" in made.out
    assert json.loads((folder / "witness.json").read_text())["entries"] == 1
    there = tmp_path_factory.mktemp("there")
    (there / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    here = people("restore", "copy", ".")
    assert (here.code, "does not replace" in here.err) == (4, True)
    people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1")
    people("ledger", "witness", ".", "--out", "late.json")
    old = people("restore", "copy", str(there), "--witness", "late.json")
    assert (old.code, "not restored" in old.out) == (1, True)
    assert not (there / ".discreet").exists()
    beside = tmp_path_factory.mktemp("beside")
    (beside / "people.csv").write_bytes((folder / "people.csv").read_bytes())
    older = people("restore", "copy", str(beside), "--witness", "late.json", "--older", "--reason", "the disk is gone")
    assert "people: ε 0.1 more than the copy knows of" in older.out
    assert json.loads(people("budget", f"{beside}/people.toml", "--json").out)["spent"] == {"epsilon": "0.1"}
    entries = people("ledger", "show", f"{beside}/people.toml").out
    assert "people: 0.1 counts as spent, which a witness of 3 entries had seen" in entries
    told = json.loads(people("restore", "copy", str(there), "--witness", "witness.json", "--json").out)
    assert (told["restored"], told["rollback"], told["frozen"]) == (True, "excluded", ["people"])
    assert people("ask", f"{there}/people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1").code == 5
    assert people("unfreeze", f"{there}/people.toml", "--reason", "looked").code == 0
    assert people("ask", f"{there}/people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1").code == 0


def test_a_witness_is_renewed_by_a_ledger_that_has_come_from_it_and_by_no_other(people, folder):
    assert people("ledger", "witness", ".", "--out", "witness.json").code == 0
    shutil.copytree(folder / ".discreet", folder / "old")
    people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1")
    assert people("backup", ".", "copy", "--witness", "witness.json").code == 0
    kept = (folder / "witness.json").read_bytes()
    assert json.loads(kept)["entries"] == 3
    shutil.rmtree(folder / ".discreet")
    (folder / "old").rename(folder / ".discreet")
    for words in (["ledger", "witness", ".", "--out", "witness.json"], ["backup", ".", "other", "--witness", "witness.json"]):
        refused = people(*words)
        assert (refused.code, "rolled back" in refused.err) == (4, True)
        assert (folder / "witness.json").read_bytes() == kept
    assert not (folder / "other").exists()
    (folder / "notes.json").write_text("[]")
    assert people("ledger", "witness", ".", "--out", "notes.json").code == 2


def test_a_witness_that_cannot_be_written_leaves_the_one_before(people, folder, monkeypatch):
    assert people("ledger", "witness", ".", "--out", "witness.json").code == 0
    kept = (folder / "witness.json").read_bytes()

    def full(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("discreet.cli.witnesses.os.fsync", full)
    assert people("ledger", "witness", ".", "--out", "witness.json").code == 74
    assert (folder / "witness.json").read_bytes() == kept
    assert not list(folder.glob(".witness.json-*"))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="a folder that nobody can write to is one of Linux's")
def test_a_folder_that_cannot_be_written_to_is_named(people):
    assert people("backup", ".", "copy").code == 0
    for words in (["backup", ".", "/proc/copy"], ["restore", "copy", "/proc"]):
        refused = people(*words)
        assert (refused.code, f"cannot write {words[-1]}" in refused.err) == (2, True)


def test_so_many_days_are_a_number_that_time_has(people):
    assert people("forget", ".", "--older-than", "36500").code == 0
    assert people("forget", ".", "--older-than", "99999999").code == 2


def test_without_a_witness_it_is_said(people, folder, tmp_path_factory):
    people("backup", ".", "copy")
    there = tmp_path_factory.mktemp("there")
    shown = people("restore", "copy", str(there))
    assert shown.code == 0
    assert "not excluded: that takes a witness" in shown.out
    assert "frozen until you have looked: people" in shown.out
    assert people("restore", "nowhere", str(there)).code == 2
