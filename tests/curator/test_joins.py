"""Registered tables with lookups: their files are part of the version, and every verb knows them."""

import os
from contextlib import closing

import pytest

import discreet as dc
from discreet.curator import office, open_table
from discreet.testing import open_unregistered

pytestmark = pytest.mark.slow  # tables are registered for every test

FACTS = """\
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 100
version = "1"
[budget]
epsilon = 10
partition = "sex"
[columns.zip]
type = "text"
[columns.sex]
type = "category"
values = [1, 2]
[columns.age]
type = "integer"
lower = 0
upper = 100
[join.zips]
source = "zips.csv"
key = { zip = "code" }
max_matches = 2
[join.zips.columns.region]
type = "category"
values = ["north", "south"]
[join.zips.columns.people]
type = "number"
lower = 0
upper = 1000
"""
SQL = "SELECT region, COUNT(*) AS n FROM people JOIN zips ON people.zip = zips.code GROUP BY region"


@pytest.fixture
def file(tmp_path):
    (tmp_path / "people.toml").write_text(FACTS, encoding="utf-8")
    (tmp_path / "people.csv").write_text("zip,sex,age\n" + "a,1,30\nb,2,40\nc,1,50\n,2,3\n" * 50, encoding="utf-8")
    (tmp_path / "zips.csv").write_text("code,region,people\na,north,10\na,south,20\nb,south,\n,north,1\n", encoding="utf-8")
    return tmp_path / "people.toml"


@pytest.fixture
def people(file):
    office.register(file)
    curator = open_table(file)
    yield curator
    curator.close()


def test_an_answer_is_about_joined_rows_and_asking_again_is_free(people):
    answer = people.ask(SQL, epsilon=4)
    assert [row["region"] for row in answer.rows] == ["north", "south", None]
    assert abs(answer.rows[0]["n"] - 50) < 25  # scale 1/2: beyond once in 10^21
    assert abs(answer.rows[1]["n"] - 100) < 25
    again = people.ask("SELECT z.region, COUNT(*) FROM people p JOIN zips z ON z.code = p.zip GROUP BY z.region", epsilon=1)
    assert again.replayed
    assert again.rows[0]["region"] == "north"


def test_python_asks_the_same(people):
    built = people.join("zips").group_by("region").count().quote(epsilon=1).question
    assert built == people.quote(SQL, epsilon=1).question.replace(" AS n", " AS count")
    assert people.join("zips", outer=True).where("region IS NULL").count().ask(epsilon=1).rows


def test_a_left_join_keeps_every_row_and_groups_have_those_that_meet_nothing():
    rows = {"zip": ["a"] * 60 + ["b"] * 25 + ["c"] * 10 + ["none"] * 50 + [None] * 7}
    zips = {"zip": ["a", "b", "c"], "region": ["north", "south", None], "size": [5, 50, 7]}
    lookup = dc.lookup(zips, key="zip", columns={"region": dc.category(), "size": dc.integer(0, 99)})
    table = dc.table(rows, columns={"zip": dc.text()}, unit="row", neighbours="add_remove", budget=1000, joins={"z": lookup})
    for join, regions, sizes in [("JOIN", [60, 25, 10], [70, 25, 0]), ("LEFT JOIN", [60, 25, 67], [70, 25, 57])]:
        for key, expected in (("region", regions), ("BIN(size, 50)", sizes)):
            sql = f"SELECT {key} AS k, COUNT(*) AS n FROM t {join} z ON t.zip = z.zip GROUP BY {key}"
            assert [row["n"] for row in table.ask(sql, epsilon=100).rows] == expected  # at this price the noise is 0
    assert table.join("z", outer=True).count().ask(epsilon=100).value == len(rows["zip"])


def test_a_quote_says_how_many_rows_a_row_may_become(people):
    assert any("a row may become 2 rows" in each for each in people.quote(SQL, epsilon=1).warnings)
    assert not any("joined" in each for each in people.quote("SELECT COUNT(*) AS n FROM people", epsilon=1).warnings)
    one = people.quote("SELECT COUNT(*) AS n FROM people WHERE age > 1", epsilon=1).columns[0].plus_minus
    two = people.quote("SELECT COUNT(*) AS n FROM people JOIN zips ON zip = code", epsilon=1).columns[0].plus_minus
    assert 1.8 * one <= two <= 2.2 * one
    noted = people.quote("SELECT SUM(zips.people) AS n FROM people JOIN zips ON zip = code", epsilon=1).warnings
    assert any("AT_BOUNDS(zips.people)" in each for each in noted)


def test_a_count_that_was_released_helps_a_quote_of_the_same_joined_rows_only(people):
    people.ask(SQL, epsilon=2)
    mean = SQL.replace("COUNT(*) AS n", "AVG(age) AS m")
    plain = "SELECT AVG(age) AS m FROM people"
    assert [people.quote(sql, epsilon=1).columns[0].basis for sql in (mean, mean.replace("JOIN", "LEFT JOIN"), plain)] == [
        "rows_about", "rows_about", "rows_about",
    ]  # fmt: skip
    people.ask(SQL.replace("COUNT(*)", "COUNT(age)"), epsilon=2)
    assert [people.quote(sql, epsilon=1).columns[0].basis for sql in (mean, mean.replace("JOIN", "LEFT JOIN"), plain)] == [
        "released", "rows_about", "rows_about",
    ]  # fmt: skip


def test_a_join_is_one_charge_of_the_whole_table_unless_where_names_a_cell_of_it(people):
    people.ask(f"{SQL.replace(' GROUP', ' WHERE sex = 1 GROUP')}", epsilon=1)
    people.ask(f"{SQL.replace(' GROUP', ' WHERE sex = 2 GROUP')}", epsilon=1)
    assert people.budget.spent == dc.Pure(epsilon=1)
    people.ask(SQL, epsilon=1)
    assert people.budget.spent == dc.Pure(epsilon=2)


def test_a_table_shows_the_columns_that_may_be_joined(people):
    assert "zips.region" in repr(people)
    assert "zips.region" in people._repr_html_()


def test_a_wish_is_turned_into_a_price_with_a_join_too(people):
    assert people.ask("SELECT COUNT(*) AS n FROM people LEFT JOIN zips ON zip = code", within=20).intervals


def test_a_rehearsal_joins_made_up_rows_with_a_made_up_lookup(people):
    answer = people.ask(SQL, epsilon=10, rehearse=True)
    assert answer.rehearsed
    assert sum(row["n"] for row in answer.rows) > 10  # of a hundred rows most meet one row or two
    assert people.budget.spent == dc.Pure(epsilon=0)


@pytest.mark.slow
@pytest.mark.parametrize("sql", [SQL, SQL.replace("JOIN", "LEFT JOIN"), SQL.replace("COUNT(*)", "AVG(zips.people)")])
def test_an_audit_follows_joins_and_finds_nothing(file, sql):
    assert dc.audit.question(file, sql, epsilon=1, pairs=20).verdict == "no violation found"


def test_an_audit_finds_a_lookup_that_has_a_key_more_often_than_was_paid_for(file):
    from dataclasses import replace

    from discreet.curator import curator_in_memory
    from discreet.engines.reference.engine import Reference
    from discreet.engines.reference.made_up import made_up_lookups
    from discreet.facts import read_facts

    facts = read_facts(file)
    lookups = made_up_lookups(facts)

    def release(about, rows):
        engine = Reference(about, rows, lookups)
        claimed = replace(about, joins=(replace(about.joins[0], max_matches=1),))  # planned as if keys were unique
        return curator_in_memory(claimed, engine).ask(SQL, epsilon=1).rows

    assert dc.audit.question(facts, SQL, epsilon=1, pairs=200, release=release).verdict == "violation"


# ---- the file of a lookup is part of the version


@pytest.mark.parametrize("change", ["text", "gone"])
def test_a_lookup_whose_file_changed_after_registering_stops_asking_and_costs_nothing(file, people, change):
    lookup = file.parent / "zips.csv"
    if change == "text":
        lookup.write_text("code,region,people\na,north,1\n", encoding="utf-8")
    else:
        lookup.unlink()
    kind = dc.AccessError if change == "text" else dc.SourceFault
    with pytest.raises(kind, match=r"the source of zips (has changed|is gone)"):
        people.ask("SELECT COUNT(*) AS n FROM people", epsilon=1)  # another version of what may be joined is another version
    assert people.budget.spent == dc.Pure(epsilon=0)


def test_a_lookup_whose_file_was_touched_is_the_same(file, people):
    os.utime(file.parent / "zips.csv", ns=(1, 1))
    assert people.ask("SELECT COUNT(*) AS n FROM people", epsilon=1).rows


def test_a_new_version_of_a_lookup_is_a_new_version_of_the_table(file, people):
    people.ask(SQL, epsilon=1)
    people.close()
    (file.parent / "zips.csv").write_text("code,region,people\na,north,1\n", encoding="utf-8")
    file.write_text(FACTS.replace('version = "1"', 'version = "2"'), encoding="utf-8")
    office.new_version(file, reason="new borders")
    after = open_table(file)
    assert not after.ask(SQL, epsilon=1).replayed
    assert after.budget.spent == dc.Pure(epsilon=2)
    after.close()


def test_facts_whose_lookup_promises_something_else_are_not_those_that_were_registered(file, people):
    people.close()
    file.write_text(FACTS.replace("max_matches = 2", "max_matches = 3"), encoding="utf-8")
    with pytest.raises(dc.FactsError, match="have changed since they were registered"):
        open_table(file)


def test_values_that_the_facts_leave_out_are_those_of_the_lookup_as_it_was_registered(file):
    lookup, written = file.parent / "zips.csv", 'type = "category"\nvalues = ["north", "south"]'
    listed = open_unregistered(file).quote(SQL, epsilon=1)
    file.write_text(FACTS.replace(written, 'type = "category"'), encoding="utf-8")
    assert open_unregistered(file).quote(SQL, epsilon=1) == listed
    office.register(file)
    with closing(open_table(file)) as people:
        assert [row["region"] for row in people.ask(SQL, epsilon=1).rows] == ["north", "south", None]
    before = lookup.read_text(encoding="utf-8")
    lookup.write_text(before + "c,west,5\n", encoding="utf-8")
    with pytest.raises(dc.FactsError, match=r"the lookup zips has other values than when people was registered; put it back, or"):
        open_table(file)
    lookup.write_text(before, encoding="utf-8")
    with closing(open_table(file)) as people:
        assert people.ask(SQL, epsilon=1).replayed
    lookup.write_text(before + "c,west,5\n", encoding="utf-8")
    file.write_text(file.read_text(encoding="utf-8").replace('version = "1"', 'version = "2"'), encoding="utf-8")
    office.new_version(file, reason="new borders")
    with closing(open_table(file)) as people:
        assert [row["region"] for row in people.ask(SQL, epsilon=1).rows] == ["north", "south", "west", None]


WRONG = [
    ("code,region,people\na,north,1\na,south,1\na,south,2\n", "3 rows with code = 'a'"),
    ("zip,region,people\na,north,1\n", "no column called 'code'"),
    (None, "there is no such file"),
]


@pytest.mark.parametrize(("text", "message"), WRONG)
def test_a_lookup_that_is_not_as_declared_is_refused_at_registering(file, text, message):
    lookup = file.parent / "zips.csv"
    lookup.unlink() if text is None else lookup.write_text(text, encoding="utf-8")
    with pytest.raises(dc.FactsError, match=message):
        office.register(file)
    assert not (file.parent / ".discreet").exists()


def test_a_table_in_memory_is_joined_with_frames():
    import pandas as pd

    zips = dc.lookup(pd.DataFrame({"zip": ["a", "b"], "region": ["north", "south"]}), key="zip",
                     columns={"region": dc.category("north", "south")})  # fmt: skip
    t = dc.table(
        pd.DataFrame({"zip": ["a"] * 60 + ["b"] * 40 + [None]}), columns={"zip": dc.text()}, unit="row", neighbours="add_remove",
        budget=10, joins={"zips": zips},
    )  # fmt: skip
    found = t.join("zips").group_by("region").count().ask(epsilon=4).rows
    assert [abs(row["count"] - size) < 12 for row, size in zip(found, (60, 40, 0), strict=True)] == [True] * 3
