"""The same rows do not get two budgets without a word."""

import os
import shutil

import duckdb
import pytest
from tests.ledger.made import ROWS, count_above, edit, write_table

import discreet as dc
from discreet.curator import intake, office, open_table

pytestmark = pytest.mark.slow  # tables are registered, and again


@pytest.fixture
def folder(tmp_path):
    office.register(write_table(tmp_path))
    return tmp_path


def second(folder, source, **changes):
    """Facts of another table with a source of its own choice."""
    file = write_table(folder, name="u", **changes)
    (folder / "u.csv").unlink()
    edit(file, 'source = "u.csv"', f'source = "{source}"')
    return file


def linked(folder):
    (folder / "parts").mkdir()
    (folder / "parts" / "one.csv").symlink_to(folder / "t.csv")
    return "parts/*.csv"


def copied(folder):
    shutil.copyfile(folder / "t.csv", folder / "copy.csv")
    os.utime(folder / "copy.csv", ns=(1, 1))
    return "copy.csv"


def beside_others(folder):
    (folder / "many").mkdir()
    shutil.copyfile(folder / "t.csv", folder / "many" / "a.csv")
    (folder / "many" / "b.csv").write_text(ROWS.replace("someone", "another"), encoding="utf-8")
    return "many/*.csv"


def test_tables_with_the_same_unit_column_and_no_group_are_warned_of(tmp_path):
    rows = "who,x\n" + "".join(f"{number},{number % 9}\n" for number in range(60))
    for name, more in (("visits", ""), ("people", ""), ("staff", 'people = "staff"\n'), ("ward", 'people = "patients"\n')):
        (tmp_path / f"{name}.csv").write_text(rows.replace("who,x", f"who,{name}"), encoding="utf-8")
        (tmp_path / f"{name}.toml").write_text(f'''[table]
name = "{name}"
source = "{name}.csv"
unit = {{ column = "who", max_rows = 10 }}
neighbours = "add_remove"
{more}
[budget]
epsilon = 1

[columns.who]
type = "integer"
''', encoding="utf-8")
    told = office.register(tmp_path / "visits.toml").warnings
    assert [each for each in told if "people, staff, ward have the unit column 'who' too" in each]
    told = office.register(tmp_path / "ward.toml").warnings
    assert [each for each in told if "people, visits have the unit column" in each]                    # another group is meant
    assert 'people = "…"' in told[-1]
    checked = intake.check(tmp_path, (tmp_path / "people.toml").read_text(encoding="utf-8"))
    assert [each for each in checked.warnings if "staff, visits, ward have" in each]
    (tmp_path / "visits.toml").unlink()
    (tmp_path / "people.toml").unlink()
    assert not office.register(tmp_path / "staff.toml").warnings


WAYS = {"a second name": lambda folder: "t.csv", "a folder of links": linked, "a copy": copied, "beside others": beside_others}


@pytest.mark.parametrize("way", WAYS)
def test_a_source_that_is_registered_already_is_refused_under_another_name(folder, way):
    file = second(folder, WAYS[way](folder))
    with pytest.raises(dc.FactsError, match="t has the same rows") as caught:
        office.register(file)
    assert "people" in caught.value.hint
    assert "--separate" in caught.value.hint
    assert [entry.body["table"] for entry in office.entries(folder) if entry.kind == "register"] == ["t"]


def test_what_was_registered_in_an_earlier_version_counts_too(folder):
    (folder / "old.csv").write_text(ROWS, encoding="utf-8")
    (folder / "t.csv").write_text(ROWS + "1,1,new\n", encoding="utf-8")
    edit(folder / "t.toml", 'version = "1"', 'version = "2"')
    office.new_version(folder / "t.toml", reason="new rows")
    with pytest.raises(dc.FactsError, match="t has the same rows"):
        office.register(second(folder, "old.csv"))


def test_a_new_version_cannot_bring_the_rows_of_another_table_either(folder):
    file = write_table(folder, name="u", rows=ROWS.replace("someone", "another"))
    office.register(file)
    (folder / "u.csv").write_text(ROWS, encoding="utf-8")
    edit(file, 'version = "1"', 'version = "2"')
    with pytest.raises(dc.FactsError, match="t has the same rows"):
        office.new_version(file, reason="new rows")
    office.new_version(file, reason="made-up rows", separate=True)


def test_tables_of_one_people_group_may_have_the_same_rows(tmp_path):
    for name in ("t", "u"):
        office.register(write_table(tmp_path, name=name, more='people = "all"'))


def test_the_data_holder_may_state_for_a_reason_that_they_are_separate_and_it_is_signed(folder):
    file = second(folder, "t.csv")
    with pytest.raises(dc.ParameterError, match="reason"):
        office.register(file, separate=True)
    office.register(file, separate=True, reason="made-up rows, for a class")
    (entry,) = [entry for entry in office.entries(folder) if entry.body.get("table") == "u"]
    assert (entry.body["separate"], entry.body["why_separate"]) == (["t"], "made-up rows, for a class")
    assert entry.signature
    assert office.verify(folder).ok
    t = open_table(file)
    assert t.ask(count_above(1).replace("FROM t", "FROM u"), epsilon="0.1").rows
    t.close()


def test_two_tables_of_one_database_file_are_two_tables(tmp_path):
    file = write_table(tmp_path)
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        for name in ("a", "b"):
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM read_csv('{tmp_path / 't.csv'}')")
    edit(file, 'source = "t.csv"', 'source = "t.duckdb#a"')
    office.register(file)
    office.register(second(tmp_path, "t.duckdb#b"))
    third = write_table(tmp_path, name="v")
    edit(third, 'source = "v.csv"', 'source = "t.duckdb#main.a"')
    with pytest.raises(dc.FactsError, match="t has the same rows"):
        office.register(third)
