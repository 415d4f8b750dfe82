"""Rows made up from facts: of every type, within what is declared, from the keystream, with no source."""

from datetime import date, datetime
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.engines.reference.made_up import MOST_ROWS, made_up_rows, rehearsal
from discreet.engines.rules.values import day_bounds, moment_bounds, nearest, number_bounds, read
from discreet.facts.model import Boolean, Category, Date, Integer, Number, Source, Text, Timestamp
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.testing import seeded
from discreet.views.rows import answer_table

SIZE = 4000


def test_every_value_is_read_as_what_its_column_declares(facts):
    table = facts()
    for row in made_up_rows(table, 500):
        assert list(row) == [column.name for column in table.columns]
        for column in table.columns:
            raw, value = row[column.name], read(column, row[column.name])
            match column:
                case Number() | Integer():
                    low, high = number_bounds(column)
                    assert raw is None or (value == nearest(Fraction(raw)) and low <= raw <= high)
                case Category(values=values, other=other):
                    assert raw is None or raw in values or (other and value is None)
                case Date():
                    low, high = day_bounds(column)
                    assert raw is None or (value == raw and low <= raw <= high)
                case Timestamp():
                    low, high = moment_bounds(column)
                    assert raw is None or (value == raw and low <= raw <= high)
                case Boolean():
                    assert raw in (None, True, False)
                case Text(max_length=length):
                    assert raw is None or (value == raw and 1 <= len(raw) <= length)


def column_of(facts, column):
    return [row[column.name] for row in made_up_rows(facts(column), SIZE)]


def is_even(counts, expected):
    """Six standard errors either way."""
    return all(abs(each - expected) <= 6 * expected**0.5 for each in counts)


@pytest.mark.parametrize(
    ("column", "parts"),
    [
        (Number("x", Fraction(-5), Fraction(5)), lambda x: int((x + 5) // 2.5)),
        (Number("x", lower=Fraction(7)), lambda x: int((x - 7) // 25)),
        (Number("x", upper=Fraction(7)), lambda x: int((x + 93) // 25)),
        (Number("x"), lambda x: int(x // 25)),
        (Integer("x", 1, 4), lambda x: x - 1),
        (Integer("x", -(2**60), 2**60 - 1), lambda x: (x + 2**60) >> 59),
        (Category("x", (10, 20, 30, 40)), lambda x: x // 10 - 1),
        (Category("x", ("a", "b", "c"), other=True), ("a", "b", "c", "a+").index),
        (Date("x", date(2000, 1, 1), date(2000, 1, 4)), lambda x: x.day - 1),
        (Timestamp("x", datetime(2000, 1, 1), datetime(2000, 1, 4, 23, 59, 59, 999999)), lambda x: x.day - 1),  # noqa: DTZ001
    ],
)
def test_values_are_spread_evenly_and_one_in_twenty_is_null(facts, column, parts):
    values = column_of(facts, column)
    there = [value for value in values if value is not None]
    assert is_even([SIZE - len(there)], SIZE / 20)
    counts = np.bincount([min(3, parts(value)) for value in there], minlength=4)
    assert len(counts) == 4
    assert is_even(counts, SIZE * 0.95 / 4)


@pytest.mark.parametrize("bounds", [{}, {"lower": date(9999, 12, 1)}, {"upper": date(1, 2, 1)}])
def test_days_and_moments_without_bounds_stay_in_the_calendar(facts, bounds):
    days = [value for value in column_of(facts, Date("d", **bounds)) if value is not None]
    at = {name: datetime(day.year, day.month, day.day, 12) for name, day in bounds.items()}  # noqa: DTZ001
    moments = [value for value in column_of(facts, Timestamp("d", **at)) if value is not None]
    assert min(len(set(days)), len(set(moments))) > 20
    if at:
        assert all(at["lower"] <= each if "lower" in at else each <= at["upper"] for each in moments)


def test_rows_come_from_the_keystream_alone(facts):
    with seeded(7):
        first = made_up_rows(facts(), 20)
    with seeded(7):
        assert made_up_rows(facts(), 20) == first
    assert made_up_rows(facts(), 20) != first


@pytest.mark.parametrize(
    ("about", "count", "rows", "meant"),
    [
        ({}, None, 1000, 1000),
        ({"rows_about": 70}, None, 70, 70),
        ({"rows_about": 70}, 5, 5, 5),
        ({"rows": 80, "neighbours": "change_one"}, None, 80, 80),
        ({"rows": 50_000, "neighbours": "change_one"}, None, MOST_ROWS, 50_000),
        ({}, 10**12, MOST_ROWS, 10**12),
    ],
)
def test_there_are_as_many_rows_as_meant_up_to_ten_thousand_and_the_note_says_so(facts, about, count, rows, meant):
    table = facts(Boolean("b"), **about)
    made = rehearsal(table, count)
    assert (made.rows, made.meant, len(made_up_rows(table, count))) == (rows, meant, rows)
    assert "made up" in made.note
    assert (f"{meant:,}" in made.note) == (rows < meant or f"{rows:,}" == f"{meant:,}")
    assert made.facts.rows == (rows if "rows" in about else None)


@pytest.mark.parametrize("count", [0, -1, 1.5, "x", True])
def test_a_count_of_rows_is_a_whole_number_from_one_on(facts, count):
    with pytest.raises(dc.ParameterError):
        rehearsal(facts(), count)


def test_a_rehearsal_needs_no_source_and_answers_as_the_table_would(facts):
    gone = Source("csv", "/nowhere/at/all.csv")
    table = facts(Integer("age", 0, 100, null=50), Category("c", (1, 2)), rows=20_000, neighbours="change_one", located=gone)
    made = rehearsal(table)
    for sql, low, high in (("SELECT AVG(age) AS m FROM t", 45, 55), ("SELECT VAR_POP(age) AS v FROM t", 700, 950)):
        plan = make_plan(read_sql(sql, made.facts), made.facts, read_price(epsilon=10))
        (value,) = answer_table(plan, release(plan, made.engine.run(plan.wanted)), 0.95).columns[0].values
        assert low < value < high                                        # about uniform rows, of which there are ten thousand
    plan = make_plan(read_sql("SELECT c, COUNT(*) AS n FROM t GROUP BY c", made.facts), made.facts, read_price(epsilon=1))
    table = answer_table(plan, release(plan, made.engine.run(plan.wanted)), 0.95)
    assert table.columns[0].values == [1, 2]
