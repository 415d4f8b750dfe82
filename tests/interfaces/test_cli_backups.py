"""``backup`` and ``restore`` from the command line."""

import json


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
    told = json.loads(people("restore", "copy", str(there), "--witness", "witness.json", "--json").out)
    assert (told["restored"], told["rollback"], told["frozen"]) == (True, "excluded", ["people"])
    assert people("ask", f"{there}/people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1").code == 5
    assert people("unfreeze", f"{there}/people.toml", "--reason", "looked").code == 0
    assert people("ask", f"{there}/people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.1").code == 0


def test_without_a_witness_it_is_said(people, folder, tmp_path_factory):
    people("backup", ".", "copy")
    there = tmp_path_factory.mktemp("there")
    shown = people("restore", "copy", str(there))
    assert shown.code == 0
    assert "not excluded: that takes a witness" in shown.out
    assert "frozen until you have looked: people" in shown.out
    assert people("restore", "nowhere", str(there)).code == 2
