"""init, check, register, version and freeze: from a file of rows to a table that may be asked."""

import gzip
import json
import re
import shlex
import tomllib

import pytest
from tests.interfaces.people import CANARY, FACTS, ODD_AGE

MIXED = """\
id,Age,Income,Town,born,seen,Smokes
1,40,1234.5,{canary},1980-01-02,2020-01-02T10:00:00,yes
2,41,?,Other,1981-01-02,2020-01-03 10:00,no
"""


@pytest.fixture
def drafted(discreet, folder):
    (folder / "mixed.csv").write_text(MIXED.format(canary=CANARY), encoding="utf-8")
    shown = discreet("init", "mixed.csv")
    assert (shown.code, shown.err) == (0, "")
    return (folder / "mixed.toml").read_text(encoding="utf-8")


# ---- init


def test_a_draft_has_names_and_types_and_no_value_of_the_data(drafted):
    columns = tomllib.loads(drafted)["columns"]
    assert {name: column["type"] for name, column in columns.items()} == {
        "id": "integer", "Age": "integer", "Income": "number", "Town": "TODO", "born": "date", "seen": "timestamp",
        "Smokes": "boolean",
    }  # fmt: skip
    assert {key for column in columns.values() for key in column} == {"type", "lower", "upper"}
    assert {column[key] for column in columns.values() for key in ("lower", "upper") if key in column} == {"TODO"}
    for value in (CANARY, "Other", "1234.5", "40", "41", "1980", "2020", "yes"):
        assert value not in drafted


def test_a_draft_is_refused_line_by_line_until_a_person_has_completed_it(discreet, drafted, folder):
    shown = discreet("check", "mixed.toml", "--json")
    assert shown.code == 2
    problems = json.loads(shown.out)["problems"]
    lines = drafted.splitlines()
    assert len(problems) == sum('"TODO"' in line and not line.startswith("#") for line in lines)
    assert all('"TODO"' in lines[problem["line"] - 1] for problem in problems)
    page = discreet("check", "mixed.toml").out                                   # the same thing is said once, with its places
    assert len(re.findall("^mixed.toml:", page, re.MULTILINE)) == len({(one["message"], one["hint"]) for one in problems})
    assert all(one["key"] in page for one in problems)
    assert discreet("register", "mixed.toml").code == 2
    assert not (folder / ".discreet").exists()
    bounds = {"date": "2000-01-01", "timestamp": "2000-01-01T00:00:00"}
    document, kind = drafted, ""
    for line in lines:
        kind = line.split('"')[1] if line.startswith("type") else kind
        value = {"unit": '"row"', "neighbours": '"add_remove"', "epsilon": "1", "type": '"text"', "lower": bounds.get(kind, "0"),
                 "upper": bounds.get(kind, "9").replace("2000", "2001")}.get(line.partition(" ")[0])  # fmt: skip
        if '"TODO"' in line and value:
            document = document.replace(line, line.replace('"TODO"', value), 1)
    (folder / "mixed.toml").write_text(document, encoding="utf-8")
    assert discreet("check", "mixed.toml").code == 0
    assert discreet("register", "mixed.toml").code == 0


def test_a_draft_does_not_overwrite_and_says_what_it_made(discreet, drafted, folder):
    shown = discreet("init", "mixed.csv")
    assert (shown.code, "is there already" in shown.err) == (2, True)
    shown = discreet("init", "mixed.csv", "--out", "other.toml", "--json")
    assert json.loads(shown.out) == {
        "facts": "other.toml", "columns": ["id", "Age", "Income", "Town", "born", "seen", "Smokes"], "left_out": [], "todo": 14,
    }  # fmt: skip
    assert discreet("init", "mixed.csv", "--out", "nowhere/x.toml").code == 2


def test_a_first_line_of_data_is_not_taken_for_names(discreet, folder):
    (folder / "raw.csv").write_text(f"17;{CANARY};2.5\n18;b;3\n", encoding="utf-8")
    shown = discreet("init", "raw.csv")
    assert shown.code == 2
    assert "--no-header" in shown.err
    assert not (folder / "raw.toml").exists()
    assert discreet("init", "raw.csv", "--no-header").code == 0
    draft = (folder / "raw.toml").read_text(encoding="utf-8")
    assert CANARY not in draft
    document = tomllib.loads(draft)
    assert document["csv"] == {"delimiter": ";", "header": False, "names": ["column_1", "column_2", "column_3"]}
    assert [column["type"] for column in document["columns"].values()] == ["integer", "TODO", "number"]


def test_odd_and_double_names_are_left_out_and_said(discreet, folder):
    (folder / "odd.csv").write_text("a,b,B,,\u200bz\n1,2,3,4,5\n", encoding="utf-8")
    shown = discreet("init", "odd.csv", "--json")
    told = json.loads(shown.out)
    assert (told["columns"], told["left_out"]) == (["a"], [2, 3, 4, 5])
    assert list(tomllib.loads((folder / "odd.toml").read_text(encoding="utf-8"))["columns"]) == ["a"]


@pytest.mark.parametrize(
    ("name", "encoding", "expected"),
    [("x.csv", "utf-16", {"encoding": "utf-16"}), ("x.csv", "latin-1", {"encoding": "latin-1"}),
     ("x.csv", "windows-1252", {"encoding": "windows-1252"}),
     ("x.tsv", "utf-8", {"delimiter": "\t"})],
)  # fmt: skip
def test_a_draft_says_how_the_file_is_written(discreet, folder, name, encoding, expected):
    mark = "\t" if name.endswith("tsv") else ","
    (folder / name).write_text(f"Größe{mark}n\n1.5{mark}{'€' if encoding.startswith('w') else 2}\n", encoding=encoding)
    assert discreet("init", name).code == 0
    document = tomllib.loads((folder / "x.toml").read_text(encoding="utf-8"))
    assert document["csv"] == expected
    assert list(document["columns"]) == ["Größe", "n"]
    problems = json.loads(discreet("check", "x.toml", "--json").out)["problems"]
    assert {problem["message"].partition(" is ")[2] for problem in problems} == {"still to be written"}


def test_a_parquet_file_is_drafted_by_its_schema(discreet, folder, part):
    arrow, parquet = part("pyarrow"), part("pyarrow.parquet")
    parquet.write_table(arrow.table({"n": [7413], "x": [1.5], "who": [CANARY], "ok": [True]}), folder / "t.parquet")
    assert discreet("init", "t.parquet").code == 0
    draft = (folder / "t.toml").read_text(encoding="utf-8")
    columns = tomllib.loads(draft)["columns"]
    types = {name: column["type"] for name, column in columns.items()}
    assert types == {"n": "integer", "x": "number", "who": "TODO", "ok": "boolean"}
    assert not {CANARY, "7413"} & set(draft.replace('"', " ").split())


@pytest.mark.parametrize("content", [b"", b"\n\n", b"\xff\xfe", b"\x00\x01\x02"])
def test_what_is_no_table_is_refused_or_drafted_but_no_crash(discreet, folder, content):
    (folder / "x.csv").write_bytes(content)
    assert discreet("init", "x.csv").code in (0, 2)
    (folder / "x.parquet").write_bytes(content)
    assert discreet("init", "x.parquet", "--out", "y.toml").code == 4


def test_init_wants_a_file_of_a_known_kind(discreet):
    assert "no such file" in discreet("init", "nothing.csv").err
    assert "no file that can be read" in discreet("init", "people.toml").err


def test_init_says_that_facts_of_a_table_on_spark_are_written_by_hand(discreet):
    shown = discreet("init", "spark:clinic.visits")
    assert shown.code == 2
    assert "on Spark are not drafted" in shown.err
    assert "docs/engines.md" in shown.err


SPELT = """\
stamp;day;us;either;euro;many;yes;when;zip
2013-01-01T10:00:00Z;31.01.2013;01/31/2013;01/02/2013;1234,50;1.200;J;31/01/13 9:05 PM;01234
2013-07-01T10:00:00+02:00;1.2.2013;2/1/2013;3/4/2013;-7;12.345.678;n;1/2/13 12:00 AM;9
"""


def test_a_draft_proposes_how_values_are_spelt_and_leaves_open_what_two_spellings_read(discreet, folder):
    (folder / "spelt.csv").write_text(SPELT, encoding="utf-8")
    assert discreet("init", "spelt.csv").code == 0
    columns = tomllib.loads((folder / "spelt.toml").read_text(encoding="utf-8"))["columns"]
    assert {name: {key: column[key] for key in column if key not in ("lower", "upper")} for name, column in columns.items()} == {
        "stamp": {"type": "timestamp", "zone": "UTC"},
        "day": {"type": "date", "format": "%d.%m.%Y"},
        "us": {"type": "date", "format": "%m/%d/%Y"},
        "either": {"type": "date", "format": "TODO"},
        "euro": {"type": "number", "decimal": ","},
        "many": {"type": "integer", "thousands": ".", "decimal": ","},
        "yes": {"type": "boolean", "true": ["j"], "false": ["n"]},
        "when": {"type": "timestamp", "format": "%d/%m/%y %I:%M %p"},
        "zip": {"type": "integer"},
    }
    problems = json.loads(discreet("check", "spelt.toml", "--json").out)["problems"]
    assert {"columns.either.format"} <= {problem["key"] for problem in problems}
    assert {problem["message"].partition(" is ")[2] for problem in problems} == {"still to be written"}


def test_packed_files_are_drafted_checked_and_registered(discreet, folder):
    rows = "".join(f"{place},{place % 50}\n" for place in range(300))
    (folder / "old.visits.csv.gz").write_bytes(gzip.compress(b"id,Age\n" + rows.encode()))
    assert discreet("init", "old.visits.csv.gz", "--out", "packed.toml").code == 0
    draft = (folder / "packed.toml").read_text(encoding="utf-8")
    assert tomllib.loads(draft)["table"] | {"unit": 0} == {
        "name": "old_visits", "source": "old.visits.csv.gz", "version": "1", "unit": 0, "neighbours": "TODO",
    }  # fmt: skip
    assert "csv" not in tomllib.loads(draft)
    (folder / "packed.toml").write_text(COMPLETE.format(source="old.visits.csv.gz", column="Age"), encoding="utf-8")
    assert discreet("check", "packed.toml").code == 0
    assert discreet("register", "packed.toml").code == 0
    shown = discreet("ask", "packed.toml", "SELECT COUNT(*) AS n FROM t", "--epsilon", "1", "--json")
    assert abs(json.loads(shown.out)["rows"][0]["n"] - 300) < 40
    (folder / "broken.csv.gz").write_bytes((folder / "old.visits.csv.gz").read_bytes()[:60])
    assert discreet("init", "broken.csv.gz").code == 4


COMPLETE = """\
[table]
name = "t"
source = "{source}"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 3
[columns.{column}]
type = "integer"
lower = 0
upper = 100
"""


def test_tables_of_a_duckdb_file_are_drafted_by_name(discreet, folder, part):
    duckdb = part("duckdb")
    with duckdb.connect(str(folder / "shop.duckdb")) as made:
        made.execute("CREATE TABLE sales AS SELECT 7 AS n, '31.01.2013' AS day, TIMESTAMPTZ '2013-01-01 10:00:00+00' AS at")
    assert discreet("init", "shop.duckdb").code == 0
    document = tomllib.loads((folder / "sales.toml").read_text(encoding="utf-8"))
    assert (document["table"]["source"], document["table"]["name"]) == ("shop.duckdb#sales", "sales")
    assert document["columns"]["day"]["format"] == "%d.%m.%Y"
    assert document["columns"]["at"] == {"type": "timestamp", "zone": "UTC", "lower": "TODO", "upper": "TODO"}
    with duckdb.connect(str(folder / "shop.duckdb")) as made:
        made.execute("CREATE SCHEMA old; CREATE TABLE old.sales AS SELECT 8 AS m")
    shown = discreet("init", "shop.duckdb")
    assert (shown.code, "has 2 tables" in shown.err, "sales, old.sales" in shown.err) == (2, True, True)
    assert discreet("init", "shop.duckdb#old.sales").code == 0
    assert "m" in tomllib.loads((folder / "old.sales.toml").read_text(encoding="utf-8"))["columns"]
    assert "no table none" in discreet("init", "shop.duckdb#none").err


# ---- check

ROWS = "how the rows are read, for your eyes only: discreet check . --rows\n"


def test_sound_facts_are_said_to_be_sound(discreet):
    assert json.loads(discreet("check", "people.toml", "--json").out) == {"ok": True, "problems": [], "warnings": []}
    shown = discreet("check", ".")
    assert (shown.code, shown.out) == (0, f"sound  people.toml\n{ROWS}")


def test_every_problem_has_file_line_key_message_and_hint(discreet, folder):
    broken = FACTS.replace("upper = 120", "upper = -1").replace('unit = "row"', 'unit = "person"')
    broken = broken.replace("epsilon = 2", "epsilon = 0")
    (folder / "people.toml").write_text(broken, encoding="utf-8")
    shown = discreet("check", "people.toml", "--json")
    told = json.loads(shown.out)
    assert (shown.code, told["ok"]) == (2, False)
    assert [(problem["line"], problem["key"]) for problem in told["problems"]] == [
        (4, "table.unit"), (9, "budget.epsilon"), (14, "columns.Age.upper"),
    ]  # fmt: skip
    assert all(problem["file"] == "people.toml" and problem["message"] and problem["hint"] for problem in told["problems"])
    page = discreet("check", "people.toml").out
    assert "people.toml:4  table.unit" in page
    assert page.endswith("3 problems\n")


def test_a_column_that_the_source_lacks_is_found_by_its_header_alone(discreet, folder):
    (folder / "people.csv").write_text("age,Sex,Note,Sex\n", encoding="utf-8")
    problems = json.loads(discreet("check", "people.toml", "--json").out)["problems"]
    assert [(problem["line"], problem["key"]) for problem in problems] == [(11, "columns.Age"), (16, "columns.Sex")]
    assert problems[0]["hint"] == "the source spells it 'age'"
    (folder / "people.csv").unlink()
    problems = json.loads(discreet("check", "people.toml", "--json").out)["problems"]
    assert [(problem["line"], problem["key"]) for problem in problems] == [(3, "table.source")]


def test_a_stored_type_that_cannot_hold_what_is_declared_is_found(discreet, folder, part):
    arrow, parquet = part("pyarrow"), part("pyarrow.parquet")
    parquet.write_table(arrow.table({"Age": [True], "Sex": [1], "Note": ["x"]}), folder / "people.parquet")
    (folder / "people.toml").write_text(FACTS.replace("people.csv", "people.parquet"), encoding="utf-8")
    problems = json.loads(discreet("check", "people.toml", "--json").out)["problems"]
    assert [problem["key"] for problem in problems] == ["columns.Age"]


def test_two_files_of_a_folder_are_checked_beside_each_other(discreet, folder):
    (folder / "twin.toml").write_text(FACTS, encoding="utf-8")
    shown = discreet("check", ".")
    assert shown.code == 2
    assert "twin.toml:2  table.name" in shown.out
    assert discreet("check", "nowhere").code == 2
    (folder / "empty").mkdir()
    assert discreet("check", "empty").code == 2


@pytest.mark.parametrize("content", [b"\xff", b"[table", b""])
def test_what_is_no_facts_file_is_a_problem_and_no_crash(discreet, folder, content):
    (folder / "people.toml").write_bytes(content)
    shown = discreet("check", "people.toml", "--json")
    assert shown.code == 2
    assert json.loads(shown.out)["problems"]


def test_a_release_file_is_no_facts_file_and_is_checked_as_what_it_is(discreet, folder):
    question = '[[question]]\nname = "n"\nsql = "SELECT COUNT(*) AS n FROM people"\nepsilon = 1\n'
    (folder / "out.toml").write_text(f'[release]\ntitle = "x"\ntable = "people.toml"\n{question}', encoding="utf-8")
    assert discreet("check", ".").out == f"sound  out.toml\nsound  people.toml\n{ROWS}"
    (folder / "out.toml").write_text(f"[release]\n{question}", encoding="utf-8")
    assert [problem["key"] for problem in json.loads(discreet("check", ".", "--json").out)["problems"]] == ["release.title"]


# ---- register, version, freeze


def test_registering_opens_the_budget_and_again_changes_nothing(discreet, folder):
    told = json.loads(discreet("register", "people.toml", "--json").out)
    assert told == {
        "table": "people", "version": "1", "folder": str(folder / ".discreet"), "already": False, "warnings": [],
        "budget": {"cap": {"epsilon": "2"}, "spent": {"epsilon": "0"}, "remaining": {"epsilon": "2"}},
    }  # fmt: skip
    assert json.loads(discreet("register", "people.toml", "--json").out)["already"]
    assert "ε 2 of 2 left" in discreet("register", "people.toml").out


@pytest.mark.parametrize("command", ["check", "register"])
def test_a_source_that_is_not_there_is_named_as_it_was_written(discreet, folder, command):
    (folder / "people.toml").write_text(FACTS.replace('"people.csv"', '"data/poeple.csv"'), encoding="utf-8")
    shown = discreet(command, "people.toml")
    assert shown.code == 2
    assert "there is no such file: data/poeple.csv" in shown.out + shown.err
    assert "table.source" in shown.out + shown.err
    assert not (folder / ".discreet").exists()


@pytest.mark.parametrize(
    "unit", ['"row"', '{ column = "Note" }', '{ column = "Note", max_rows = 3 }', '{ column = "Note", max_groups = 3 }',
             '{ column = "Home Town" }'],
)  # fmt: skip
def test_the_question_that_registering_recommends_is_answered(discreet, folder, unit):
    if "Home Town" in unit:
        data = (folder / "people.csv").read_text(encoding="utf-8")
        (folder / "people.csv").write_text(data.replace("Note", "Home Town"), encoding="utf-8")
    facts = FACTS.replace('unit = "row"', f"unit = {unit}")
    facts = facts.replace("[columns.Note]", '[columns."Home Town"]') if "Home Town" in unit else facts
    (folder / "people.toml").write_text(facts, encoding="utf-8")
    shown = discreet("register", "people.toml")
    assert shown.code == 0
    (command,) = [line for line in shown.out.splitlines() if "discreet quote" in line]
    name, *words = shlex.split(command)
    assert name == "discreet"
    assert discreet(*words).code == 0
    assert discreet("ask", *words[1:]).code == 0


def test_a_declared_size_that_is_not_the_data_s_is_refused(discreet, folder):
    wrong = FACTS.replace("add_remove", "change_one").replace("rows_about = 40", "rows = 41")
    (folder / "people.toml").write_text(wrong, encoding="utf-8")
    shown = discreet("register", "people.toml")
    assert shown.code == 2
    assert "40" not in shown.err.replace("rows = 41", "")


def test_a_new_version_is_a_public_act_and_brings_no_budget(people, folder):
    assert people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "1").code == 0
    (folder / "people.csv").write_text("Age,Sex,Note\n1,1,x\n", encoding="utf-8")
    assert people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people WHERE Age > 1", "-e", "0.5").code == 5
    (folder / "people.toml").write_text(FACTS.replace('unit = "row"', 'unit = "row"\nversion = "2"'), encoding="utf-8")
    assert people("ask", "people.toml", "SELECT COUNT(*) AS n FROM people WHERE Age > 1", "-e", "0.5").code == 2
    assert json.loads(people("version", "new", "people.toml", "--reason", "more rows", "--json").out) == {"version": "2"}
    assert json.loads(people("budget", "people.toml", "--json").out)["remaining"] == {"epsilon": "1"}


def test_frozen_is_no_access_until_unfrozen(people):
    question = ("ask", "people.toml", "SELECT COUNT(*) AS n FROM people", "-e", "0.5")
    assert people("freeze", "people.toml").code == 2  # a reason is needed
    told = json.loads(people("freeze", "people.toml", "--reason", "look first", "--json").out)
    assert told == {"facts": "people.toml", "analyst": None, "frozen": True}
    assert people(*question).code == 5
    assert people("unfreeze", "people.toml", "--reason", "looked").code == 0
    assert people("freeze", "people.toml", "--analyst", "bob", "--reason", "three faults").code == 0
    assert people(*question, "--as", "bob").code == 5
    assert people(*question, "--as", "alice").code == 0


def test_after_a_fault_analysts_see_frozen_and_the_data_holder_sees_the_fault_and_its_charge(people, monkeypatch):
    from discreet.engines.sql import asking as sent

    asking = ("ask", "people.toml", "SELECT COUNT(*) AS n FROM people WHERE Age > 40", "-e", "0.5", "--json")
    with monkeypatch.context() as patch:
        patch.setattr(sent, "to_sql", lambda *words: "SELECT CAST('" + CANARY + "' AS BIGINT) AS s")
        failed = people(*asking)
    assert failed.code == 4
    refused = people(*asking)
    told = json.loads(refused.err)
    assert (refused.code, told["error"], told["reference"]) == (5, "access", json.loads(failed.err)["reference"])
    assert "frozen" in told["message"]
    looked = people("unfreeze", "people.toml", "--json")
    (alarm,) = json.loads(looked.out)["alarms"]
    assert (alarm["charge"], alarm["analyst"], alarm["reference"]) == (2, "anonymous", told["reference"])
    assert "Age > 40" in alarm["question"]
    assert "Exception" in alarm["cause"]
    assert people(*asking).code == 5                                                # looking changes nothing
    done = people("unfreeze", "people.toml", "--reason", "a bug, mended")
    assert done.code == 0
    assert "charge 2" in done.out
    assert told["reference"] in done.out
    entries = people("ledger", "show", "people.toml").out
    assert "froze anonymous" in entries
    for shown in (failed, refused, looked, done):
        assert CANARY not in shown.out + shown.err
    assert people(*asking).code == 0
    assert json.loads(people("ledger", "verify", ".", "--json").out)["ok"]


def test_acts_on_a_table_that_is_kept_elsewhere_say_where_they_are_done(discreet):
    for words in (("check",), ("register",), ("freeze", "--reason", "x")):
        refused = discreet(*words, "https://data.example/people")
        assert (refused.code, "this is done where the table is kept" in refused.err) == (2, True)
        assert "https:/data" not in refused.err
    refused = discreet("receipt", "show", "https://data.example/people", "9f2c41d0a7be")
    assert (refused.code, "/api/answers/{id}/receipt" in refused.err, "answer.receipt" in refused.err) == (2, True, True)


def test_nothing_odd_in_the_rows_shows(discreet):
    for words in (("check", "people.toml"), ("register", "people.toml")):
        shown = discreet(*words)
        assert CANARY not in shown.out + shown.err
        assert str(ODD_AGE) not in shown.out + shown.err
