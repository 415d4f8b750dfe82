"""Every value of every row is counted once, and as what questions read it: the counts for whoever holds the data."""

import dataclasses
from collections import Counter
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.engines.inspection import Units, Unread, inspected
from discreet.engines.rules.values import read
from discreet.errors import EngineFault, FactsError
from discreet.facts.file import parse_facts
from discreet.facts.make import facts_for_table

FACTS = """
[table]
name = "t"
source = "{source}"
unit = {unit}
neighbours = "add_remove"
[budget]
epsilon = 1
[columns.x]
type = "number"
lower = 0
upper = 10
decimal = ","
[columns.i]
type = "integer"
lower = 0
upper = 10
[columns.c]
type = "category"
values = ["a", "b"]
[columns.b]
type = "boolean"
true = ["y"]
false = ["n"]
[columns.d]
type = "timestamp"
lower = 2000-01-01T00:00:00
upper = 2020-01-01T00:00:00
format = "%d/%m/%Y"
[columns.s]
type = "text"
max_length = 3
"""
NAMES = ["x", "i", "c", "b", "d", "s"]
CELLS = {
    "x": ["", "?", "1,5", "-7", "inf", "1.5", "x", "11"],
    "i": ["", "3", "12.5", "-1.0", "99", "1e99", "x"],
    "c": ["", "a", "b", "A", " a"],
    "b": ["", "y", "N", "yes", "1"],
    "d": ["", "01/02/2013", "1/1/1999", "2013-01-01", "31/12/2020"],
    "s": ["", "abc", "abcd", "?", "äöü", "äöüß"],
}


def facts_in(folder, source, unit='"row"'):
    return parse_facts(FACTS.format(source=source, unit=unit), str(folder / "t.toml"))


def expected(column, raws):
    """The same counts by the rules of ``values`` alone."""
    free = {"lower": None, "upper": None} if hasattr(column, "lower") else {}
    wide = dataclasses.replace(column, **(free or ({"max_length": 1000} if hasattr(column, "max_length") else {})))
    null = sum(raw in (None, "", "?") for raw in raws)
    found = [read(column, raw) for raw in raws]
    lost = [raw for raw, value in zip(raws, found, strict=True) if value is None and raw not in (None, "", "?")]
    outside = sum(read(wide, raw) != value for raw, value in zip(raws, found, strict=True))
    return len(raws) - null - len(lost), null, len(lost), outside, Counter(lost)


def check(facts, rows):
    found = inspected(facts)
    assert found.rows == len(rows)
    for column, each in zip(facts.columns, found.columns, strict=True):
        count, null, lost, outside, spellings = expected(column, [row[column.name] for row in rows])
        assert (each.name, each.read, each.null, each.outside) == (column.name, count, null, outside)
        assert each.unreadable + each.undeclared == lost
        assert not (each.undeclared if column.name != "c" else each.unreadable)
        assert {one.text: one.rows for one in each.spellings}.items() <= spellings.items()
        assert len(each.spellings) == min(5, len(spellings))
    return found


@settings(max_examples=8, suppress_health_check=list(HealthCheck))
@given(rows=st.lists(st.fixed_dictionaries({name: st.sampled_from(cells) for name, cells in CELLS.items()}), max_size=12))
def test_counts_are_those_of_the_rules_for_csv_and_parquet(rows, tmp_path):
    text = "\n".join([";".join(NAMES), *(";".join(row[name] for name in NAMES) for row in rows), ""])
    (tmp_path / "t.csv").write_text(text, encoding="utf-8")
    csv = parse_facts(FACTS.format(source="t.csv", unit='"row"') + '[csv]\ndelimiter = ";"\n', str(tmp_path / "t.toml"))
    check(csv, rows)
    pq.write_table(pa.table({name: pa.array([row[name] for row in rows], pa.string()) for name in NAMES}), tmp_path / "t.parquet")
    check(facts_in(tmp_path, "t.parquet"), rows)


def test_stored_numbers_and_moments_are_counted_as_they_are(tmp_path):
    inf, nan = float("inf"), float("nan")
    columns = {
        "x": dc.number(0, 10), "i": dc.integer(0, 10), "w": dc.integer(0, 10), "b": dc.boolean(),
        "at": dc.timestamp(datetime(2000, 1, 1), datetime(2020, 1, 1), zone="Asia/Tokyo"),  # noqa: DTZ001
    }  # fmt: skip
    rows = {
        "x": pa.array([1.0, nan, inf, -1.0, None]), "i": pa.array([1.0, 2.5, inf, nan, None]),
        "w": pa.array([1, 2, 30, -1, None]), "b": pa.array([1, 0, 2, 3, None]),
        "at": pa.array([datetime(2019, 12, 31, 14, 59, tzinfo=UTC), datetime(2019, 12, 31, 15, 1, tzinfo=UTC), None, None, None]),
    }  # fmt: skip
    pq.write_table(pa.table(rows), tmp_path / "t.parquet")
    about = facts_for_table(name="t", columns=columns, unit="row", neighbours="add_remove", budget=1)
    found = inspected(dataclasses.replace(about, located=facts_in(tmp_path, "t.parquet").located))
    assert [(each.name, each.read, each.null, each.unreadable, each.outside) for each in found.columns] == [
        ("x", 3, 2, 0, 2), ("i", 2, 2, 1, 1), ("w", 4, 1, 0, 2), ("b", 2, 1, 2, 0), ("at", 2, 3, 0, 1),
    ]  # fmt: skip
    assert found.columns[3].spellings == (Unread("2", 1), Unread("3", 1))


def test_rows_without_a_unit_are_counted_and_what_is_said_is_said(tmp_path):
    (tmp_path / "t.csv").write_text("who,x,i,c,b,d,s\n1,1,1,a,y,01/01/2001,a\n,1,1,a,y,01/01/2001,a\n?,,,,,,\n", encoding="utf-8")
    said = []
    found = inspected(facts_in(tmp_path, "t.csv", '{ column = "who", max_rows = 2 }'), said.append)
    assert (found.rows, found.without_unit) == (3, 2)
    assert found.units == Units("who", units=1, most_rows=1, cut=0, rows_cut=0)
    assert said[0].startswith("reading 0.0 MB")
    assert "s, column 6 of 6, in 3 rows" in said[-1]


@pytest.mark.parametrize("kind", ["csv", "parquet", "numbers"])
def test_units_are_counted_with_what_the_cap_on_their_rows_leaves_out(tmp_path, kind):
    whose = [1] * 5 + [2] * 3 + [3] + [None]
    cells = {name: ["" for _ in whose] for name in NAMES}
    if kind == "csv":
        lines = [",".join(["who", *NAMES]), *(",".join(["" if who is None else str(who), *[""] * 6]) for who in whose), ""]
        (tmp_path / "t.csv").write_text("\n".join(lines), encoding="utf-8")
    else:
        stored = whose if kind == "numbers" else [None if who is None else str(who) for who in whose]
        pq.write_table(pa.table({"who": stored, **cells}), tmp_path / "t.parquet")
    source = "t.csv" if kind == "csv" else "t.parquet"
    assert inspected(facts_in(tmp_path, source, '{ column = "who", max_rows = 2 }')).units == Units("who", 3, 5, 2, 4)
    assert inspected(facts_in(tmp_path, source, '{ column = "who" }')).units == Units("who", 3, 5, None, None)
    assert inspected(facts_in(tmp_path, source)).units is None


def test_what_is_no_file_is_refused_and_what_cannot_be_read_is_a_fault_with_its_reason(tmp_path):
    with pytest.raises(FactsError, match="cannot be looked at"):
        inspected(facts_for_table(name="t", columns={"x": dc.number()}, unit="row", neighbours="add_remove", budget=1))
    (tmp_path / "t.parquet").write_bytes(b"no such thing")
    with pytest.raises(EngineFault) as caught:
        inspected(facts_in(tmp_path, "t.parquet"))
    assert caught.value.told
