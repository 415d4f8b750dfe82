"""Columns of Python objects in a frame: texts are handed on at once, others read one by one; it makes no difference."""

import datetime as dt
import re
import sys
from collections import Counter
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discreet.engines import open_engine
from discreet.engines.duckdb import objects
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Bound, ByValue, KeysWanted, Measure, Wanted
from discreet.errors import FactsError
from discreet.facts.model import Boolean, ByColumn, Category, Date, Integer, Number, Text, Timestamp
from discreet.questions.algebra import Column

WORDS = ["", "?", " ", "a", "A", "é", "O'Hara", 'é"%_', "x" * 300, "\x00", "a\x00b", "🙂", "1", "+1.50", " 7 ", "1e400", "-inf",
         "nan", "NaN", "0x10", "1_000", "9007199254740993", "٣", "true", "T", " No", "2020-02-29", "2020-02-30",
         "2020-02-29 12:30:01.5", "1999-12-31T23:59", "0001-01-01", "j", "-7", "1000", "2.0", "9" * 70]  # fmt: skip
ODD = [None, float("nan"), pd.NA, pd.NaT, 1, True, 2.5, -0.0, float("inf"), Decimal("1.50"), Decimal("NaN"), dt.date(2020, 1, 1),
       dt.datetime.fromisoformat("2020-01-01T05:00"), np.float64(3), np.int64(4), np.str_("a"), b"a", (), 10**30]  # fmt: skip


def as_object(cells):
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


def frame_of(columns):
    return pd.DataFrame({name: pd.Series(as_object(cells), dtype=object) for name, cells in columns.items()}, dtype=object)


def values_in(engine):
    """All rows as they were read, without their units, in any order."""
    return Counter(repr(row[:-1]) for row in engine._connection.execute(f"SELECT * FROM {engine._layout.table}").fetchall())


UNITS = Wanted(None, (), (Measure(0, within=(0, 1)), Measure(0, within=(0, 9))), Bound(1))


@pytest.mark.parametrize("missing", [None, float("nan")])
def test_texts_are_read_the_same_at_once_and_one_by_one(facts, monkeypatch, missing):
    known = facts(unit=ByColumn("who"))
    frame = frame_of({name: [*WORDS, missing] for name in (*(column.name for column in known.columns), "who")})
    calls = []
    read = objects._as_text
    monkeypatch.setattr(objects, "_as_text", lambda declared, cell, **how: calls.append(cell) or read(declared, cell, **how))
    at_once = open_engine(known, frame)
    assert not calls
    monkeypatch.setattr(objects, "_as_they_are", lambda cells: None)
    monkeypatch.setattr(objects, "_as_text", lambda declared, cell, **_: calls.append(cell) or objects._written(
        objects.read(declared, objects._raw(cell))))  # fmt: skip
    one_by_one = open_engine(known, frame)
    assert len(calls) == frame.shape[0] * len(known.columns)
    assert values_in(at_once) == values_in(one_by_one)
    for engine in (at_once, one_by_one):
        assert engine.run(UNITS).take().low.tolist() == [[len(WORDS) - 2]] * 2  # '' and '?' are none


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_one_odd_cell_changes_nothing_about_the_others(facts, odd):
    known = facts(unit=ByColumn("who"))
    names = [*(column.name for column in known.columns), "who"]
    plain = open_engine(known, frame_of(dict.fromkeys(names, WORDS)))
    engine = open_engine(known, frame_of({name: [*WORDS, odd] for name in names}))
    assert values_in(plain) <= values_in(engine)
    assert (values_in(engine) - values_in(plain)).total() == 1
    more = engine.run(UNITS).take().low[1, 0] - plain.run(UNITS).take().low[1, 0]
    assert more == (not (odd is None or odd is pd.NA or odd is pd.NaT or repr(odd) == "nan"))


def test_frames_of_texts_in_every_dtype_are_read_as_the_reference_reads_them(facts):
    known = facts(Text("word", 5))
    words = [word for word in WORDS if word not in ("\x00", "a\x00b")]
    expected = Reference(known, [{"word": word} for word in [*words, None]]).keys(KeysWanted(None, Column("word"), 1)).take()
    for dtype in ("object", "str", "string", "category"):
        found = open_engine(known, pd.DataFrame({"word": pd.Series([*words, None], dtype=dtype)})).keys(
            KeysWanted(None, Column("word"), 1)).take()  # fmt: skip
        assert found.values == expected.values
        assert found.units.tolist() == expected.units.tolist()


def test_half_a_surrogate_pair_is_no_character_and_no_fault(facts):
    known = facts(Text("word"), unit=ByColumn("who"))
    broken = as_object(["a", "\ud800", "b\udfff", "\ud801", "a"])
    engine = open_engine(known, frame_of({"word": broken, "who": broken}))
    key = ByValue(Column("word"), ("a", "b?"))
    found = engine.run(Wanted(None, (key,), (Measure(0, within=(0, 9)),), Bound(1))).take()
    assert found.low.tolist() == [[2, 1]]
    units = engine.run(Wanted(None, (), (Measure(0, within=(0, 1)),), Bound(1))).take()
    assert units.low.tolist() == [[4]]  # the two halves are two units


def test_dicts_and_lists_are_read_as_frames_are_and_copied(facts):
    known = facts(unit=ByColumn("who"))
    names = [*(column.name for column in known.columns), "who"]
    cells = [*WORDS, *ODD[:-3], None]
    columns = {"unread": "whatever", **{name: list(cells) for name in reversed(names)}}
    rows = [{name: cell for name in names if cell is not None} for cell in cells]
    expected = open_engine(known, frame_of(dict.fromkeys(names, cells)))
    for given in (columns, rows):
        engine = open_engine(known, given)
        assert values_in(engine) == values_in(expected)
        assert engine.run(UNITS).take().low.tolist() == expected.run(UNITS).take().low.tolist()
        if given is columns:
            columns["who"].clear()
            assert engine.run(UNITS).take().low.tolist() == expected.run(UNITS).take().low.tolist()


def test_arrays_of_days_moments_and_numbers_are_read_as_pandas_reads_them(facts):
    known = facts(Timestamp("seen"), Date("day"), Number("x", Fraction(-5), Fraction(5)), Integer("i", -9, 9), Boolean("b"))
    moments = np.array(["2020-01-01T05:00", "NaT", "2021-12-31T23:59:59.5"], dtype="datetime64[ns]")
    arrays = {"seen": moments, "day": moments.astype("datetime64[D]"), "x": np.array([1.5, np.nan, 7], dtype=np.float32),
              "i": np.array([1, 2, 300]), "b": np.array([True, False, True])}  # fmt: skip
    assert values_in(open_engine(known, arrays)) == values_in(open_engine(known, pd.DataFrame(arrays)))


def test_columns_of_numbers_are_read_at_once_as_they_are_one_by_one(facts, monkeypatch):
    columns = {"x": [1.5, float("nan"), 7.0, -0.0], "i": [2**53 + 1, -3, 7, 0], "c": [2, 9, -7, 0], "who": [7, 7, 8, -(2**63)]}
    known = facts(Number("x", Fraction(-5), Fraction(5)), Integer("i"), Category("c", (-7, 2), other=True), unit=ByColumn("who"))
    at_once = open_engine(known, columns)
    monkeypatch.setattr("discreet.engines.duckdb.frames._numbers", lambda *_: None)
    one_by_one = open_engine(known, columns)
    assert values_in(at_once) == values_in(one_by_one)
    assert at_once.run(UNITS).take().low.tolist() == one_by_one.run(UNITS).take().low.tolist() == [[3], [4]]
    assert values_in(open_engine(known, {name: [] for name in columns})) == {}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"word": "abc", "who": []}, "column 'word' is a str, not a list of values; write [30, 41, 52]"),
        ({"word": (word for word in "abc"), "who": []}, "column 'word' is a generator, not a list"),
        ({"word": ["a"], "who": []}, "column 'who' has 0 values, and 'word' has 1"),
        ({"Word": ["a"], "who": ["b"]}, "no column called 'word'; the source spells it 'Word'"),
        ([{"who": 1}], "no column called 'word'"),
        ([], "no column called 'word'"),
        ([("a", "b")], "a row of the table is a tuple, not a dict"),
        (7, "a table can not be read from a int; give a pandas, polars or Arrow table, a dict of columns"),
    ],
)
def test_what_is_no_table_is_refused_and_told_what_to_give(facts, given, said):
    with pytest.raises(FactsError, match=re.escape(said)):
        open_engine(facts(Text("word", 5), unit=ByColumn("who")), given)


def test_a_polars_frame_without_pyarrow_says_what_to_install(facts, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for frame in (pl.DataFrame({"word": ["a"]}), pl.LazyFrame({"word": ["a"]})):
        with pytest.raises(FactsError, match="pip install pyarrow"):
            open_engine(facts(Text("word", 5)), frame)
