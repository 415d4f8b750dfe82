"""`check --rows` and what `register` does about columns that cannot be read: for the data holder's eyes, without a trace."""

import json
import logging

import pytest
from tests.interfaces.people import FACTS

from discreet.curator import office
from discreet.facts.file import read_facts
from discreet.ledger.registry import facts_digest

LOST = FACTS.replace('type = "integer"\nlower = 0\nupper = 120', 'type = "timestamp"')  # ages are no moments
ODD = "Zanzibar-7413"


@pytest.fixture
def lost(folder):
    (folder / "people.toml").write_text(LOST, encoding="utf-8")
    return folder


def test_rows_are_shown_as_they_are_read_and_no_column_is_left_out(discreet):
    shown = discreet("check", "people.toml", "--rows")
    assert shown.code == 0
    assert "for your eyes only" in shown.out
    told = json.loads(discreet("check", "people.toml", "--rows", "--json").out)
    (table,) = told["rows"]
    assert (table["file"], table["rows"], table["without_unit"]) == ("people.toml", 40, 0)
    age, sex, _ = table["columns"]
    assert age == {"name": "Age", "read": 40, "null": 0, "unreadable": 0, "undeclared": 0, "outside": 1, "spellings": []}
    assert (sex["read"], sex["undeclared"]) == (40, 0)
    assert "rows" not in json.loads(discreet("check", "people.toml", "--json").out)


def test_spellings_that_were_not_read_are_shown_and_cannot_move_a_cursor(discreet, folder):
    (folder / "people.csv").write_text("Age,Sex,Note\n1\x1b[2J,3,a\nx,3,b\nx,1,c\n", encoding="utf-8")
    shown = discreet("check", "people.toml", "--rows")
    assert "nothing can be read" in shown.out
    assert "\x1b[2J" not in shown.out
    columns = json.loads(discreet("check", "people.toml", "--rows", "--json").out)["rows"][0]["columns"]
    assert columns[0]["spellings"] == [{"text": "x", "rows": 2}, {"text": "1\x1b[2J", "rows": 1}]
    assert columns[1]["undeclared"] == 2


def test_facts_that_are_wrong_are_told_first_and_no_row_is_read(discreet, folder, monkeypatch):
    (folder / "people.toml").write_text(FACTS.replace('"add_remove"', '"TODO"'), encoding="utf-8")
    monkeypatch.setattr(office, "inspect", None)
    shown = discreet("check", "people.toml", "--rows", "--json")
    assert (shown.code, json.loads(shown.out)["rows"]) == (2, [])


# ---- registering


def test_a_column_of_which_nothing_can_be_read_is_refused_unless_told_otherwise(discreet, lost):
    shown = discreet("register", "people.toml")
    assert shown.code == 2
    assert "none of the values in column 'Age' can be read as declared" in shown.err
    assert "check --rows people.toml" in shown.err
    assert "--anyway" in shown.err
    assert not (lost / ".discreet").exists()
    assert discreet("register", "people.toml", "--anyway").code == 0


@pytest.mark.parametrize("rows", ["Age,Sex,Note\n", "Age,Sex,Note\n,1,a\n?,2,b\n"])
def test_a_column_without_values_is_not_one_that_cannot_be_read(discreet, lost, rows):
    (lost / "people.csv").write_text(rows, encoding="utf-8")
    assert discreet("register", "people.toml").code == 0


def of_units(folder, rows):
    facts = FACTS.replace('unit = "row"', 'unit = { column = "Note", max_rows = 2 }')
    (folder / "people.toml").write_text(facts, encoding="utf-8")
    (folder / "people.csv").write_text("Age,Sex,Note\n" + rows, encoding="utf-8")


def test_units_are_shown_with_what_their_cap_leaves_out(discreet, folder):
    of_units(folder, "1,1,a\n" * 5 + "2,2,b\n3,1,\n")
    shown = discreet("check", "people.toml", "--rows").out
    assert "Note  tells 2 units apart; the largest has 5 rows" in shown
    assert "max_rows leaves out 3 rows of 1 units" in shown
    assert "left out of every answer: 1" in shown
    (told,) = json.loads(discreet("check", "people.toml", "--rows", "--json").out)["rows"]
    assert told["units"] == {"column": "Note", "units": 2, "most_rows": 5, "cut": 1, "rows_cut": 3}


def test_a_table_of_which_no_row_has_a_unit_is_refused_unless_told_otherwise(discreet, folder):
    of_units(folder, "1,1,\n2,2,?\n")
    shown = discreet("register", "people.toml")
    assert (shown.code, "no row has a value in column 'Note'" in shown.err, "--anyway" in shown.err) == (2, True, True)
    assert not (folder / ".discreet").exists()
    of_units(folder, "")
    assert discreet("register", "people.toml").code == 0


def test_a_new_version_is_looked_at_alike(people, folder):
    (folder / "people.toml").write_text(LOST.replace("rows_about", 'version = "2"\nrows_about'), encoding="utf-8")
    shown = people("version", "new", "people.toml")
    assert (shown.code, "can be read as declared" in shown.err) == (2, True)
    assert people("version", "new", "people.toml", "--anyway").code == 0


def left_behind(folder):
    """All that analysts may be shown of a registered table, without times and what the ledger's own key makes of it."""
    secret = ("at", "hash", "before", "stamps", "signature", "key", "ledger")
    file = folder / "people.toml"
    entries = [
        {name: value for name, value in each.items() if name not in secret}
        | {"body": {name: value for name, value in each["body"].items() if name not in secret}}
        for each in office.export(file)
    ]
    return json.dumps(entries, sort_keys=True), facts_digest(read_facts(file)), office.verify(file).ok


def test_neither_the_refusal_nor_its_override_leaves_a_trace(discreet, lost, tmp_path_factory, monkeypatch, caplog):
    caplog.set_level(logging.DEBUG)
    assert discreet("register", "people.toml").code == 2
    assert discreet("check", "people.toml", "--rows").code == 0
    assert discreet("register", "people.toml", "--anyway").code == 0
    with_lost = left_behind(lost)
    files = {file.name for file in (lost / ".discreet").iterdir()}
    for name, rows in (("readable", "Age,Sex,Note\n2020-01-01,1,a\n"), ("empty", "Age,Sex,Note\n")):
        other = tmp_path_factory.mktemp(name)
        (other / "people.toml").write_text(LOST, encoding="utf-8")
        (other / "people.csv").write_text(rows, encoding="utf-8")
        monkeypatch.chdir(other)
        assert discreet("register", "people.toml").code == 0
        assert left_behind(other) == with_lost
        assert {file.name for file in (other / ".discreet").iterdir()} == files
    assert caplog.text == ""
    kept = b"".join(file.read_bytes() for file in (lost / ".discreet").iterdir() if file.is_file())
    assert ODD.encode() not in kept
    assert b"anyway" not in kept


def test_what_analysts_get_for_a_column_that_cannot_be_read_is_what_they_get_for_one_without_values(discreet, lost, monkeypatch):
    assert discreet("register", "people.toml", "--anyway").code == 0
    question = "SELECT COUNT(Age) AS n, COUNT(*) FILTER (WHERE Age IS NULL) AS missing FROM people"
    quoted = discreet("quote", "people.toml", question, "--epsilon", "1", "--json").out
    (lost / "other").mkdir()
    (lost / "other" / "people.toml").write_text(LOST, encoding="utf-8")
    text = (lost / "people.csv").read_text(encoding="utf-8").splitlines()
    blank = "\n".join([text[0], *(line[line.index(",") :] for line in text[1:])])
    (lost / "other" / "people.csv").write_text(blank, encoding="utf-8")
    monkeypatch.chdir(lost / "other")
    assert discreet("register", "people.toml").code == 0
    assert discreet("quote", "people.toml", question, "--epsilon", "1", "--json").out == quoted


# ---- tables as people have them

AS_THEY_COME = "time_hour;left;arrived;day;cost;miles;late;town\n" + (
    "2013-01-01T10:00:00Z;2013-07-01 10:00:00+02:00;07/31/2013;2013-07-01 00:00:00;1234,50;1,200;Y;Köln\n"
    "2013-02-01T10:00:00Z;2013-07-02 10:00:00-05;08/01/2013;2013-07-02T10:00:00Z;7,5;12,345;N;Zürich\n"
) * 100


def completed(draft):
    """A draft with what a person writes into it."""
    kind, lines = "", []
    bounds = {"date": ("2013-01-01", "2014-01-01"), "timestamp": ("2013-01-01T00:00:00", "2014-01-01T00:00:00")}
    for line in draft.splitlines():
        key = line.partition(" ")[0]
        kind = line.split('"')[1] if key == "type" else kind
        low, high = bounds.get(kind, ("0", "100000"))
        said = {"unit": '"row"', "neighbours": '"add_remove"', "epsilon": "100", "lower": low, "upper": high,
                "type": '"category"\nvalues = ["Köln", "Zürich"]'}  # fmt: skip
        lines.append(line.replace('"TODO"', said[key], 1) if '= "TODO"' in line else line)
    return "\n".join(lines)


def test_stamps_dates_numbers_words_and_letters_as_people_have_them_are_read_without_a_loss(discreet, folder):
    (folder / "flights.csv").write_text(AS_THEY_COME, encoding="latin-1")
    assert discreet("init", "flights.csv").code == 0
    draft = folder / "flights.toml"
    draft.write_text(completed(draft.read_text(encoding="utf-8")), encoding="utf-8")
    shown = discreet("check", "flights.toml", "--rows", "--json")
    assert shown.code == 0, shown.out
    columns = json.loads(shown.out)["rows"][0]["columns"]
    assert {each["name"]: (each["read"], each["outside"]) for each in columns} == dict.fromkeys(
        AS_THEY_COME.splitlines()[0].split(";"), (200, 0)
    )
    assert discreet("register", "flights.toml").code == 0
    asked = "SELECT EXTRACT(MONTH FROM time_hour) AS m, COUNT(*) AS n FROM flights GROUP BY m"
    rows = json.loads(discreet("ask", "flights.toml", asked, "--epsilon", "50", "--json").out)["rows"]
    assert [row["n"] for row in rows[:2]] == [pytest.approx(100, abs=5)] * 2
