"""Units in every source: what tells them apart, which are left out, and the same choice as the reference makes."""

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Bound, ByStep, ByValue, CountsWanted, Grid, KeysWanted, Measure, Wanted
from discreet.errors import FactsError
from discreet.facts.model import Boolean, ByColumn, Category, Date, Integer, Source, Text
from discreet.questions.algebra import Apply, Column, Literal

KEY = ByValue(Column("c"), (Fraction(5), Fraction(1), Fraction(3)), other=True)
WORDS = ByValue(Column("w"), ("b", "a"))
GRID = Grid(Fraction(1), -2, 10)
X = Column("x")
IS_LOW = Apply("less", (X, Literal(Fraction(4))))
ROWS_FORM = (Measure(0), Measure(1, X, GRID), Measure(0, X, distinct=True), Measure(0, None, None, IS_LOW, within=(0, 1)))
CLAMPED = (Measure(0, within=(0, 2)), Measure(1, X, GRID, within=(-4, 20)), Measure(0, X, None, IS_LOW, within=(0, 1)))
BOUNDS = [Bound(7), Bound(7, groups=1), Bound(8, rows=2), Bound(9, rows_per_group=1), Bound(10, 2, 2, 3), Bound(11, groups=70)]
COLUMNS = (Integer("x", -2, 10), Category("c", (5, 1, 3), other=True), Category("w", ("b", "a")))


def made(units, size=120):
    """Rows of these units, a little different each."""
    generator = np.random.default_rng(3)
    draw = lambda values: values[generator.integers(len(values))]  # noqa: E731
    others = {"x": list(range(-2, 11)), "c": [1, 3, 5, 9], "w": ["a", "b", "z"]}
    return [{"who": draw(units), **{name: draw(values) for name, values in others.items()}} for _ in range(size)]


def declared(facts, unit="who", *more):
    return facts(*COLUMNS, *more, unit=ByColumn(unit))


def all_wanted():
    for keys, bound in zip([(KEY,), (WORDS, KEY), (), (KEY,), (WORDS, KEY), (KEY,)], BOUNDS, strict=True):
        yield Wanted(None, keys, ROWS_FORM, bound)
        yield Wanted(IS_LOW, keys, CLAMPED, Bound(bound.key, bound.groups))


def agree(engine, reference):
    for wanted in all_wanted():
        one, other = engine.run(wanted).take(), reference.run(wanted).take()
        assert np.array_equal(one.high, other.high), wanted
        assert np.array_equal(one.low, other.low), wanted
    for bound in BOUNDS[1::3]:
        asked = CountsWanted(None, (KEY,), X, GRID, IS_LOW, unit=bound)
        one, other = engine.counts(asked).take(), reference.counts(asked).take()
        assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("cell", "bin", "rows"))
    engine.close()


TEXTS = ["a", "A", "a ", "", "?", "Zoé", "17", "007", "-5", "0", "-0", "9" * 18, "9" * 19, "'; --", "x" * 1000]
UNITS = {
    "texts": TEXTS,
    "whole numbers": [0, -1, 17, 2**62, -(2**62)],
    "real numbers": [0.0, -0.0, 1.0, 2.5, -3.0, 1e300, float("inf"), 2.0**53],
}


@pytest.mark.parametrize("kind", UNITS)
def test_every_source_chooses_the_same_rows_and_groups_as_the_reference(facts, tmp_path, kind):
    rows, facts = made(UNITS[kind]), declared(facts)
    frame, reference = pd.DataFrame(rows), Reference(facts, rows)
    frame.to_parquet(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    sources = [frame, frame.astype(object), pl.DataFrame(frame.to_dict("list")),
               Source("parquet", str(tmp_path / "t.parquet")), Source("duckdb", str(tmp_path / "t.duckdb"), "rows")]
    if kind != "real numbers":
        frame.to_csv(tmp_path / "t.csv", index=False)
        sources.append(Source("csv", str(tmp_path / "t.csv")))
    for source in sources:
        agree(open_engine(facts, source), reference)


def test_missing_units_are_left_out_and_whole_numbers_are_their_digits(facts):
    rows = [{"who": who, "x": 1} for who in (None, "", "?", float("nan"), 3, "3", 3.0, "3.0", "abc", "ABC", " abc")]
    facts = declared(facts)
    frame = pd.DataFrame(rows, dtype=object).assign(c=1, w="a")
    counted = Wanted(None, (), (Measure(0, within=(0, 1)), Measure(0, within=(0, 99))), Bound(1))
    for engine in (Reference(facts, rows), open_engine(facts, frame)):
        assert engine.run(counted).take().low.tolist() == [[5], [7]]  # 3, 3.0 as text, and three spellings of abc


def test_a_declared_column_may_tell_units_apart_and_its_bounds_do_not_merge_them(facts):
    rows = [{**row, "who": place % 9} for place, row in enumerate(made([0]))]
    for column in (Integer("who", 0, 3), Text("who", 1)):
        known = declared(facts, "who", column)
        agree(open_engine(known, pd.DataFrame(rows)), Reference(known, rows))
        units = Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(1))
        assert open_engine(known, pl.DataFrame(rows)).run(units).take().low.tolist() == [[9]]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (dt.date(2020, 1, 1), dt.date(2020, 1, 2)),
        (dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 1)),  # noqa: DTZ001
        (True, False),
        (Decimal("1.00"), Decimal("2.50")),
        (2**64 - 1, 2**64 - 2),
    ],
)
def test_units_of_other_types_are_told_apart_too(facts, one, other):
    rows = [{"who": who, "x": 1, "c": 1, "w": "a"} for who in (one, other, one)]
    engine = open_engine(declared(facts), pl.DataFrame(rows, schema_overrides={"who": pl.UInt64} if one == 2**64 - 1 else None))
    found = engine.run(Wanted(None, (), (Measure(0, within=(0, 1)), Measure(0, within=(0, 1))), Bound(1))).take()
    assert found.low.tolist() == [[2], [2]]


@pytest.mark.parametrize("collation", ["NOCASE", "NOACCENT.NOCASE", "de"])
def test_texts_in_a_duckdb_file_are_told_apart_by_code_points_whatever_it_says(facts, tmp_path, collation):
    """Units that a collation holds for one would else share their caps, and a key would have the rows of others."""
    file = str(tmp_path / "t.duckdb")
    words = ("b", "B", "a", "A", "á", "Zed", "zed", "Äther", "äther")  # more than are compared one by one
    known = facts(*COLUMNS[:2], Category("w", words), Text("v"), unit=ByColumn("who"))
    units = ["anna", "Anna", "ANNA", "ánna"]
    rows = [{**row, "w": words[place % 9], "v": words[place % 5]} for place, row in enumerate(made(units))]
    with duckdb.connect(file) as connection:
        texts = ", ".join(f"{name} VARCHAR COLLATE {collation}" for name in ("who", "w", "v"))
        connection.execute(f"CREATE TABLE t ({texts}, x INTEGER, c INTEGER)")
        connection.executemany("INSERT INTO t VALUES ($who, $w, $v, $x, $c)", rows)
    engine, reference = open_engine(known, Source("duckdb", file, "t")), Reference(known, rows)
    of_words, is_one = (ByValue(Column("w"), words),), Apply("equal", (Column("v"), Literal("a")))
    for bound in BOUNDS:
        for wanted in (Wanted(None, of_words, ROWS_FORM[:2], bound), Wanted(is_one, (KEY,), ROWS_FORM, bound)):
            assert np.array_equal(engine.run(wanted).take().low, reference.run(wanted).take().low)
    for groups in (None, 2):
        found = [each.keys(KeysWanted(None, Column("v"), 1, groups, 9)).take() for each in (engine, reference)]
        assert np.array_equal(found[0].values, found[1].values)
        assert np.array_equal(found[0].units, found[1].units)


@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("bound", BOUNDS)
def test_a_run_of_some_of_the_declared_values_has_no_place_for_the_others(facts, bound, other):
    """Planning lists all of them; a place that is worked out would else be that of another key."""
    known = facts(Integer("x", -2, 10), Category("c", (1, 3, 5, 4, 2)), Category("w", ("b", "a")), unit=ByColumn("who"))
    rows = made(["anna", "bob", "7"])
    keys = (ByValue(Column("w"), ("b", "a")), ByValue(Column("c"), (Fraction(3), Fraction(4)), other=other))
    wanted = Wanted(None, keys, ROWS_FORM, bound)
    one, two = open_engine(known, pd.DataFrame(rows)).run(wanted).take(), Reference(known, rows).run(wanted).take()
    assert np.array_equal(one.low, two.low)


def test_a_unit_that_is_0_with_nothing_before_the_point_is_one(facts):
    rows = pa.table({"who": pa.array([Decimal("0.0000"), Decimal("-0.2500"), Decimal("0.0000")], pa.decimal128(4, 4)),
                     "x": [1, 1, 1], "c": [1, 1, 1], "w": ["a"] * 3})  # fmt: skip
    found = open_engine(declared(facts), rows).run(Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(1))).take()
    assert found.low.tolist() == [[2]]


def test_truth_values_as_units_choose_the_same_rows_as_in_the_reference(facts):
    rows = [{"who": bool(place % 2), "x": place % 11, "c": (1, 3, 5)[place % 3], "w": "a"} for place in range(40)]
    agree(open_engine(declared(facts), pd.DataFrame(rows)), Reference(declared(facts), rows))


def test_a_source_without_the_units_is_refused(facts):
    with pytest.raises(FactsError, match="no column called 'who'"):
        open_engine(declared(facts), pd.DataFrame({"x": [1], "c": [1], "w": ["a"]}))


def test_sums_that_do_not_fit_into_one_integer_are_packed_into_several(facts):
    rows = [{"who": place % 5, "x": 10, "c": (1, 3, 5)[place % 3], "w": "a"} for place in range(60)]
    facts = declared(facts)
    fine = Grid(Fraction(1, 2**27), -(2**28), 10 * 2**27)
    most = 2**31 - 1
    wide = tuple(Measure(1, X, fine, within=(-(2**28) * most, 10 * 2**27 * most)) for _ in range(3))
    many = ByStep(X, Fraction(1), Fraction(0), 0, 20)  # with the other key 80 cells: few are not packed
    wanted = Wanted(None, (KEY, many), (*wide, Measure(0, within=(0, most))), Bound(3, groups=2))
    one, other = open_engine(facts, pd.DataFrame(rows)).run(wanted).take(), Reference(facts, rows).run(wanted).take()
    assert np.array_equal(one.high, other.high)
    assert np.array_equal(one.low, other.low)
    assert one.whole().max() > 2**52


# ---- columns that are declared constant per unit


CONSTANT = (*(replace(each, per_unit=True) for each in COLUMNS), Boolean("b", per_unit=True), Date("d", per_unit=True),
            Text("name", 3, per_unit=True), Category("many", tuple(f"v{i}" for i in range(20)), per_unit=True))  # fmt: skip
DAY = {"a": "2020-02-29", "b": "1999-01-01", "z": "x"}


def inconstant(units):
    """Rows that break the promise: a unit has several values of every column, missing and undeclared ones too."""
    rows = made(units, 90)
    return [{**row, "b": (None, True, False)[place % 3], "d": DAY[row["w"]], "name": ("", "Zoé", "abcd", "abce")[place % 4],
             "many": f"v{place % 23}"} for place, row in enumerate(rows)]  # fmt: skip


def constant_wanted():
    keys = [KEY, WORDS, ByValue(Column("b"), (False, True)), ByStep(X, Fraction(3), Fraction(0), -1, 5),
            ByValue(Column("many"), tuple(f"v{i}" for i in range(20)))]  # fmt: skip
    for key in keys:
        yield Wanted(None, (key,), (Measure(0), Measure(1, X, GRID)), Bound(7, rows=2))
        yield Wanted(IS_LOW, (key,), CLAMPED, Bound(7))
    yield Wanted(Apply("less", (Column("d"), Literal(dt.date(2010, 1, 1)))), (), CLAMPED, Bound(7))


@pytest.mark.parametrize("kind", UNITS)
def test_every_source_gives_a_unit_the_least_of_its_values_where_a_column_is_declared_constant(facts, tmp_path, kind):
    rows, known = inconstant(UNITS[kind]), facts(*CONSTANT, unit=ByColumn("who"))
    frame, reference = pd.DataFrame(rows), Reference(known, rows)
    frame.to_parquet(tmp_path / "t.parquet")
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute("CREATE TABLE rows AS SELECT * FROM frame")
    sources = [frame, pl.DataFrame(frame.to_dict("list")), Source("parquet", str(tmp_path / "t.parquet")),
               Source("duckdb", str(tmp_path / "t.duckdb"), "rows")]  # fmt: skip
    if kind != "real numbers":
        frame.to_csv(tmp_path / "t.csv", index=False)
        sources.append(Source("csv", str(tmp_path / "t.csv")))
    for source in sources:
        engine = open_engine(known, source)
        for wanted in constant_wanted():
            one, other = engine.run(wanted).take(), reference.run(wanted).take()
            assert np.array_equal(one.high, other.high), wanted
            assert np.array_equal(one.low, other.low), wanted
        for of in (Column("name"), Column("x")):
            one, other = (each.keys(KeysWanted(None, of, 1, 1, 7)).take() for each in (engine, reference))
            assert (one.values, one.units.tolist()) == (other.values, other.units.tolist())
        engine.close()


def test_what_is_constant_is_the_least_that_is_declared_and_missing_only_if_all_of_it_is(facts):
    rows = [{"who": who, "c": c} for who, c in [(1, 9), (1, 5), (1, 3), (2, None), (2, 5), (3, None), (3, 9), (None, 1)]]
    known = facts(Category("c", (5, 1, 3), other=True, per_unit=True), unit=ByColumn("who"))
    wanted = Wanted(None, (KEY,), (Measure(0, within=(0, 9)), Measure(0, within=(0, 1))), Bound(7))
    for engine in (Reference(known, rows), open_engine(known, pl.DataFrame(rows))):
        assert engine.run(wanted).take().low.tolist() == [[2, 0, 3, 2], [1, 0, 1, 1]]  # of 5, 1, 3 and all others
