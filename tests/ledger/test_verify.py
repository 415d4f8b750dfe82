"""Whatever is edited behind the ledger's back is found and named; rollback is found with a witness, and only then."""

import json
import re
import shutil

import pytest
from tests.ledger.made import count_above, edit, sql, write_table

import discreet as dc
from discreet.curator import office, open_table

URBAN = "SELECT COUNT(*) AS n FROM t WHERE place = 1"


@pytest.fixture(scope="module")
def begun(tmp_path_factory):
    """A table with a past: charges of two analysts, a cell, a fault, a raise, a freeze."""
    found = write_table(tmp_path_factory.mktemp("begun"))
    office.register(found)
    curator = open_table(found)
    curator.ask(count_above(1), epsilon="0.1", analyst="alice", key="k")
    curator.ask(URBAN, epsilon="0.2", analyst="bob")
    (granted,) = curator.desk.ledger.reserve([curator.desk.request(_plan(curator, count_above(2)), "bob", None)])
    curator.desk.ledger.fail(granted, dc.Fault())
    curator.close()
    office.raise_budget(found, 2, reason="more is wanted")
    office.freeze(found, reason="a pause", analyst="alice")
    return found


@pytest.fixture
def file(begun, tmp_path):
    return shutil.copytree(begun.parent, tmp_path / "home") / begun.name


def _plan(curator, question):
    from discreet.planning.build import make_plan
    from discreet.planning.price import read_price
    from discreet.questions.sql import read_sql

    return make_plan(read_sql(question, curator.facts), curator.facts, read_price(epsilon="0.1"))


def problems(file, witness=None):
    found = office.verify(file, witness)
    assert found.ok == (not found.problems)
    return " | ".join(found.problems)


def tampered(folder, statement, *values):
    for trigger in ("entries_are_not_edited", "entries_are_not_deleted"):
        sql(folder, f"DROP TRIGGER IF EXISTS {trigger}")
    sql(folder, statement, *values)


def test_a_ledger_that_nobody_touched_is_sound_and_says_what_it_cannot_know(file):
    found = office.verify(file)
    assert (found.ok, found.rollback, found.entries) == (True, "not excluded", 9)
    assert office.verify(file.parent).to_dict() == found.to_dict()
    assert json.loads(json.dumps(found.to_dict()))["problems"] == []


def test_entries_are_neither_edited_nor_deleted_through_the_front_door(file):
    for statement in ("UPDATE entries SET body = '{}' WHERE number = 2", "DELETE FROM entries WHERE number = 2"):
        with pytest.raises(Exception, match="entries are never"):
            sql(file.parent, statement)
    assert office.verify(file).ok


@pytest.mark.parametrize("number", range(1, 10))
@pytest.mark.parametrize("column", ["at", "kind", "body", "hash"])
def test_an_edited_entry_is_named(file, number, column):
    tampered(file.parent, f"UPDATE entries SET {column} = {column} || ' ' WHERE number = ?", number)
    assert f"entry {number}" in problems(file)


def test_an_entry_that_was_taken_out_is_named(file):
    tampered(file.parent, "DELETE FROM entries WHERE number = 4")
    assert "entry 4" in problems(file)


def test_an_act_of_the_data_holder_with_another_signature_is_named(file):
    tampered(file.parent, "UPDATE entries SET signature = (SELECT signature FROM entries WHERE number = 1) WHERE number = 8")
    assert "entry 8 (raise) is not signed" in problems(file)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("UPDATE totals SET amount = '1/20' WHERE who = ''", "total of table t was"),
        ("UPDATE totals SET amount = '1/20' WHERE who = 'alice'", "total of table t, analyst alice"),
        ("DELETE FROM totals WHERE who = 'bob'", "total of table t, analyst bob"),
        ("UPDATE totals SET delta = '1/7'", "total of table t was"),
        ("UPDATE totals SET amount = 'much'", "total of table:t"),
        ("UPDATE cells SET amount = '0' WHERE who = ''", "cell 1 of table t was"),
        ("DELETE FROM cells WHERE who = 'bob'", "cell 1 of table t, analyst bob"),
        ("INSERT INTO cells SELECT account, tbl, version, '2', who, amount, delta FROM cells", "cell 2 of table t"),
        ("UPDATE accounts SET cap = '1000'", "cap of table:t"),
        ("UPDATE accounts SET cap = 'no end'", "cap or a total of table:t"),
        ("DELETE FROM accounts", "cap or a total of table:t"),
        ("UPDATE charges SET price = '9' WHERE number = 2", "charge 2 was changed"),
        ("UPDATE charges SET price_delta = '1/9' WHERE number = 4", "charge 4 was changed"),
        ("UPDATE charges SET fingerprint = 'x' WHERE number = 4", "charge 4 was changed"),
        ("UPDATE charges SET analyst = 'carol' WHERE number = 6", "charge 6 was changed"),
        ("UPDATE charges SET key = 'another' WHERE number = 2", "charge 2 was changed"),
        ("UPDATE charges SET state = 'running' WHERE number = 6", "state of charge 6"),
        ("UPDATE charges SET attempt = 3 WHERE number = 2", "state of charge 2"),
        ("UPDATE releases SET packed = zeroblob(length(packed) + 1)", "stored answer of charge 2"),
        ("UPDATE answers SET released = 'nothing' WHERE charge = 4", "stored answer of charge 4"),
        ("DELETE FROM answers WHERE charge = 4", "stored answer of charge 4"),
        ("UPDATE answers SET id = '000000000000' WHERE charge = 4", "stored answer of charge 4"),
        ("UPDATE answers SET receipt = replace(receipt, '0.2', '0.1') WHERE charge = 4", "receipt of charge 4"),
        ("UPDATE answers SET receipt = '[]' WHERE charge = 4", "receipt of charge 4"),
        ("INSERT INTO answers SELECT 6, 'new', released, receipt FROM answers LIMIT 1", "charge 6, which was not settled"),
        ("INSERT INTO releases SELECT 6, packed FROM releases LIMIT 1", "charge 6, which was not settled"),
        ("INSERT INTO draws SELECT 'mine', 2, 0, 0", "what charge 2 has bought"),
        ("DELETE FROM draws WHERE charge = 2", "what charge 2 has bought"),
        ("UPDATE draws SET place = place + 1 WHERE charge = 2", "what charge 2 has bought"),
        ("INSERT INTO draws SELECT name, 999, place, slot FROM draws LIMIT 1", "charge 999, which was never made"),
        ("INSERT INTO draws SELECT name, 1, place, slot FROM draws LIMIT 1", "charge 1, which was never made"),
        ("UPDATE tables SET frozen = 1", "registered table"),
        ("UPDATE tables SET digest = 'x'", "registered table"),
        ("UPDATE tables SET stamps = '[]'", "registered table"),
        ("UPDATE tables SET budget = '{}'", "registered table"),
        ("UPDATE tables SET version = '0'", "version in table:t"),
        ("UPDATE tables SET epoch = 2", "version in table:t"),
        ("UPDATE tables SET touched = 0", "version in table:t"),
        ("UPDATE analysts SET frozen = 0", "analyst was frozen or unfrozen"),
        ("UPDATE analysts SET faults = 2", "analyst was frozen or unfrozen"),
        ("DELETE FROM analysts", "analyst was frozen or unfrozen"),
    ],
)
def test_a_row_that_was_changed_without_an_entry_is_named(file, statement, named):
    tampered(file.parent, statement)
    assert named in problems(file)


def test_whoever_works_the_chain_out_anew_is_found_by_signatures_and_receipts(file):
    from discreet.ledger.entries.chain import START, hash_of

    rows = sql(file.parent, "SELECT number, at, kind, body FROM entries ORDER BY number")
    before = START
    for number, at, kind, body in rows:
        told = body.replace('"amount":["1/10"', '"amount":["1/100"') if number == 2 else body
        before = hash_of(before, number, at, kind, told)
        tampered(file.parent, "UPDATE entries SET body = ?, hash = ? WHERE number = ?", told, before, number)
    assert re.search(r"entry 8 \(raise\) is not signed", problems(file))


def test_nothing_edited_makes_asking_say_anything_but_a_clear_error(file):
    for statement in ("UPDATE totals SET amount = 'much'", "UPDATE accounts SET cap = ''", "UPDATE tables SET budget = '{'"):
        tampered(file.parent, statement)
        with pytest.raises(dc.LedgerFault, match="verify"):
            open_table(file).ask(count_above(7), epsilon="0.1")


def test_a_rolled_back_ledger_is_found_with_the_witness_and_not_without(file, tmp_path):
    kept = tmp_path / "kept"
    shutil.copytree(file.parent / ".discreet", kept)
    old = office.witness(file)
    curator = open_table(file)
    curator.ask(count_above(50), epsilon="0.1")
    curator.close()
    new = office.witness(file)
    assert office.verify(file, old).rollback == office.verify(file, new).rollback == "excluded"
    shutil.rmtree(file.parent / ".discreet")
    shutil.copytree(kept, file.parent / ".discreet")
    without = office.verify(file)
    assert (without.ok, without.rollback) == (True, "not excluded")
    assert office.verify(file, old).rollback == "excluded"
    found = office.verify(file, new)
    assert (found.ok, found.rollback) == (False, "not excluded")
    assert "rolled back: the witness has seen entry 11" in problems(file, new)


def test_an_end_that_was_cut_off_and_lived_on_is_found_with_the_witness(file):
    new = office.witness(file)
    tampered(file.parent, "DELETE FROM entries WHERE number = 9")
    sql(file.parent, "DELETE FROM analysts WHERE name = 'alice'")
    assert office.verify(file).ok                                           # nothing inside can know
    office.freeze(file, reason="another one", analyst="alice")
    assert office.verify(file).ok
    assert "rolled back" in problems(file, new)


def test_a_witness_that_was_edited_or_is_of_another_ledger_is_refused(file, tmp_path):
    note = office.witness(file)
    other = tmp_path / "other"
    other.mkdir()
    elsewhere = write_table(other)
    office.register(elsewhere)
    for wrong in (note | {"entries": 3}, note | {"signature": "x"}, {}, office.witness(elsewhere)):
        with pytest.raises(dc.ParameterError, match="witness"):
            office.verify(file, wrong)


@pytest.mark.slow
def test_a_ledger_with_versions_groups_and_epochs_is_sound(tmp_path):
    first = write_table(tmp_path, name="t", more='people = "us"', neighbours="add_remove")
    second = write_table(tmp_path, name="u", more='people = "us"', neighbours="add_remove")
    office.register(first)
    office.register(second)
    for number, apart in enumerate([False, True, False, True, True], start=2):
        for file in (first, second):
            curator = open_table(file)
            curator.ask(count_above(number).replace(" t ", f" {file.stem} "), epsilon="1/100", analyst="alice")
            curator.ask(URBAN.replace(" t ", f" {file.stem} "), epsilon="1/50")
            curator.close()
        edit(first, f'version = "{number - 1}"', f'version = "{number}"')
        office.new_version(first, reason="a test", no_unit_in_both=apart)
        assert office.verify(tmp_path).ok
    stated = [body["no_unit_in"] for _, body in _bodies(tmp_path) if "no_unit_in" in body]
    assert stated == [["1", "2"], ["1", "2", "3", "4"], ["1", "2", "3", "4", "5"]]


def _bodies(folder):
    return [(kind, json.loads(body)) for kind, body in sql(folder, "SELECT kind, body FROM entries ORDER BY number")]
