"""Lookups in a facts file and in Python: what is read, and every way to get them wrong."""

from pathlib import Path

import pytest

import discreet as dc
from discreet.errors import FactsError
from discreet.facts import parse_facts
from discreet.facts.file import check_facts
from discreet.facts.joins import joined, key_column, multiplicity
from discreet.facts.make import facts_for_table
from discreet.facts.model import Category, CsvFormat, Integer, Lookup, Source, Text
from discreet.ledger.registry import facts_digest

PEOPLE = """\
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 1
[columns.zip]
type = "text"
max_length = 5
[columns.age]
type = "integer"
lower = 0
upper = 120
[columns.sex]
type = "category"
values = [1, 2]
[join.zips]
source = "geo/zips.tsv"
key = { zip = "code" }
max_matches = 3
csv = { delimiter = "\\t" }
[join.zips.columns.region]
type = "category"
values = ["north", "south"]
[join.ages]
source = "ages.parquet"
key = "age"
"""


def test_a_lookup_is_read_with_its_key_its_columns_and_where_it_is():
    zips, ages = parse_facts(PEOPLE, "/data/people.toml").joins
    assert zips == Lookup(
        "zips", "geo/zips.tsv", "zip", "code", (Category("region", ("north", "south")),), 3, CsvFormat(delimiter="\t"),
        Source("csv", str(Path("/data/geo/zips.tsv").absolute())),
    )  # fmt: skip
    assert (ages.column, ages.match, ages.columns, ages.max_matches) == ("age", "age", (), 1)


def test_a_question_sees_the_columns_of_what_it_joins_behind_those_of_the_table():
    facts = parse_facts(PEOPLE, "people.toml")
    seen = joined(facts, ["zips"])
    assert [column.name for column in seen.columns] == ["zip", "age", "sex", "zips.region"]
    assert joined(seen, ["zips"]) == seen
    assert joined(facts, []) is facts
    assert [multiplicity(facts, names) for names in ([], ["zips"], ["ages"], ["zips", "ages"])] == [1, 3, 1, 3]


def test_a_key_that_the_lookup_does_not_declare_is_read_as_in_the_table_but_neither_cut_nor_clamped():
    facts = parse_facts(PEOPLE, "people.toml")
    zips, ages = facts.joins
    assert key_column(zips, facts) == Text("code", 65_536)
    assert key_column(ages, facts) == Integer("age")
    declared = parse_facts(PEOPLE + '[join.ages.columns.age]\ntype = "integer"\nupper = 50\n', "people.toml")
    assert key_column(declared.joins[1], declared) == Integer("age", upper=50)


WRONG = [
    ('key = "age"\n', "", "join.ages.key", "key is missing", 'write key = "zip"'),
    ('key = "age"', "key = 3", "join.ages.key", "not a text", "in quotes"),
    ('key = "age"', 'key = { age = "a", zip = "b" }', "join.ages.key", "2 pairs of columns", "write key"),
    ('key = "age"', 'key = "agee"', "join.ages.key", "'agee', not a declared column", "write age"),
    ('source = "ages.parquet"\n', "", "join.ages.source", "source is missing", ".parquet"),
    ("ages.parquet", "ages.duckdb#t", "join.ages.source", "kind duckdb", ".parquet"),
    ("ages.parquet", "postgresql://h/d#t", "join.ages.source", "kind postgresql", ".parquet"),
    ("ages.parquet", "ages.xlsx", "join.ages.source", "kind is not known", ".csv"),
    ("max_matches = 3", "max_matches = 0", "join.zips.max_matches", "max_matches is 0", "between 1 and"),
    ("max_matches = 3", "max_matches = 1.5", "join.zips.max_matches", "not a whole number", "whole"),
    ("max_matches = 3", "max_match = 3", "join.zips.max_match", "not known in [join.NAME]", "write max_matches"),
    ("max_matches = 3", "unit = 3", "join.zips.unit", "not known in [join.NAME]", "[table]"),
    ('csv = { delimiter = "\\t" }\n', "", "join.zips.csv.delimiter", "delimiter is missing", "write csv"),
    ('csv = { delimiter = "\\t" }', "csv = { delimiter = 3 }", "join.zips.csv.delimiter", "delimiter is 3", "quotes"),
    ('key = "age"', 'key = "age"\ncsv = { quote = "x" }', "join.ages.csv", "kind parquet", "take csv out"),
    ("[join.zips.columns.region]", "[join.zips.columns]\n[join.zips.columns.region]\nlower = 1", "join.zips.columns.region.lower",
     "not known", "columns"),
    ('key = "age"', 'key = "age"\n[join.ages.columns.age]\ntype = "category"', "join.ages.columns.age.values",
     "the values of the table's own", "take the column out"),
    ('values = ["north", "south"]', 'labels = ["a", "b"]', "join.zips.columns.region.labels", "without values", "values = ["),
    ("values = [1, 2]", "", "columns.sex.values", "values is missing", "write values"),
    ("[join.ages]", "[join.people]", "join.people", "the table has this name too", "another name"),
    ("[join.ages]", "[join.Zips]", "join.Zips", "the lookup zips has this name too", "another name"),
    ("[join.ages]", '[join."a b"]', 'join."a b"', "not a plain name", "letters"),
    ("[columns.sex]", '[columns."zips.sex"]', 'columns."zips.sex"', "looks like a column of zips", "rename"),
    ("[columns.sex]", '[columns."PEOPLE.sex"]', 'columns."PEOPLE.sex"', "looks like a column of PEOPLE", "rename"),
    ('key = "age"', 'key = "age"\n[join.ages.columns.age]\ntype = "text"', "join.ages.columns.age.type", "another kind of value",
     "both as numbers"),
    ('csv = { delimiter = "\\t" }', 'csv = { delimiter = "\\t", header = false, names = ["zip"] }', "join.zips.key",
     "'code' is not in the names", "write zip"),
]  # fmt: skip


@pytest.mark.parametrize(("old", "new", "key", "message", "hint"), WRONG)
def test_a_wrong_join_is_named_with_its_key_and_its_fix(old, new, key, message, hint):
    assert old in PEOPLE
    problems = {problem.key: problem for problem in check_facts(PEOPLE.replace(old, new, 1), "people.toml")}
    assert key in problems, problems
    assert message in problems[key].message
    assert hint in problems[key].hint


def test_what_a_lookup_promises_is_part_of_what_is_registered_and_where_it_is_kept_is_not():
    here, there = parse_facts(PEOPLE, "/a/people.toml"), parse_facts(PEOPLE, "/b/people.toml")
    assert facts_digest(here) == facts_digest(there)
    for old, new in [("max_matches = 3", "max_matches = 4"), ("zips.tsv", "zip.tsv"), ('"south"]', '"south", "west"]')]:
        assert facts_digest(parse_facts(PEOPLE.replace(old, new), "/a/people.toml")) != facts_digest(here)
    described = PEOPLE.replace('values = ["north", "south"]', 'values = ["north", "south"]\ndescription = "where"')
    assert facts_digest(parse_facts(described, "/a/people.toml")) == facts_digest(here)


def made(**joins):
    columns = {"zip": dc.text(), "age": dc.integer(0, 120)}
    return facts_for_table("t", columns, unit="row", neighbours="add_remove", budget=1, joins=joins)


def test_lookups_of_a_table_in_memory_are_checked_like_those_of_a_file():
    region = dc.category("north", "south")
    found = made(zips=dc.lookup(None, key={"zip": "code"}, columns={"region": region}, max_matches=2)).joins
    assert found == (Lookup("zips", "", "zip", "code", (Category("region", ("north", "south")),), 2),)
    with pytest.raises(FactsError, match="not a declared column") as refused:
        made(zips=dc.lookup(None, key="zap"))
    assert refused.value.key == "join.zips.key"
    with pytest.raises(FactsError, match="is not a lookup"):
        made(zips={"key": "zip"})
    with pytest.raises(FactsError, match="max_matches is 0"):
        made(zips=dc.lookup(None, key="zip", max_matches=0))
