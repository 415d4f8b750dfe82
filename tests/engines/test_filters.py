"""Conditions on what is stored are those on values: the same rows as the reference engine, whatever is stored and compared."""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from itertools import pairwise
from math import inf, nan, nextafter

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.engines import open_engine
from discreet.engines.dialects import DIALECTS
from discreet.engines.expressions import Expressions
from discreet.engines.layout import Field, Layout
from discreet.engines.reference import Reference
from discreet.engines.sheet import Sheet
from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.facts.model import Boolean, Budget, Category, Date, EachRow, Facts, Integer, Number, Timestamp
from discreet.privacy import Pure
from discreet.questions.algebra import Apply, Case, Column, In, Literal

COMPARED = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]
LARGEST = 1.7976931348623157e308


# ---- columns, and what is stored in them: at, beside and far from their bounds


def around(*ends):
    """Numbers on both sides of the ends."""
    near = [each for end in ends for each in (end, nextafter(end, -inf), nextafter(end, inf), end - 1, end + 1)]
    inside = [ends[0] / 2 + ends[-1] / 2, ends[0] + 0.25]
    return [*near, *inside, 0.0, -0.0, 5e-324, -5e-324, 2.0**53, 2.0**53 + 2, 1e22, LARGEST, -LARGEST]


def wholes(low, high):
    near = [end + step for end in (math.floor(low), math.ceil(high)) for step in (-1, 0, 1)]
    middle = (math.floor(low) + math.ceil(high)) // 2
    all_of_them = [*near, middle, 0, 1, -1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
    return [each for each in all_of_them if -(2**63) <= each < 2**63]


def number_words(low, high):
    odd = ["", "?", " 12 ", "12.5", "1e400", "-1e400", "inf", "-Infinity", "nan", "NaN", "1_000", "--1", ".5", "-0", "true"]
    return [*odd, *map(repr, around(low, high)), *map(str, wholes(low, high))]


def reals(low, high):
    return [*around(low, high), nan, inf, -inf]


@dataclass(frozen=True)
class Stored:
    """A declared column with the type and values that a file has there, and constants to compare it with."""

    column: object
    type: pa.DataType
    values: list
    constants: list


def of_numbers(kind, low, high):
    constants = [*filter(math.isfinite, around(low, high)), low + 20, 10**400, -(10**400), Fraction(1, 3)]
    constants = [Fraction(each) for each in dict.fromkeys(constants)]
    return [
        Stored(kind("real"), pa.float64(), reals(low, high), constants),
        Stored(kind("single"), pa.float32(), [0.0, -1.0, 1.0, 20.0, 20.5, 119.0, 120.0, 121.0, nan, inf, -inf], constants),
        Stored(kind("whole"), pa.int64(), wholes(low, high), constants),
        Stored(kind("tiny"), pa.uint8(), [0, 1, 19, 20, 21, 119, 120, 121, 255], constants),
        Stored(kind("unsigned"), pa.uint64(), [0, 1, 20, 120, 121, 2**53 + 1, 2**64 - 1], constants),
        Stored(kind("word"), pa.string(), number_words(low, high), constants),
    ]


def of_days(kind, low, high):
    one = timedelta(1)
    days = [low, high, low - one, low + one, high - one, high + one, date(1, 1, 1), date(9999, 12, 31)]
    moments = [datetime(day.year, day.month, day.day, hour) for day in days for hour in (0, 12)]  # noqa: DTZ001
    moments += [moment + timedelta(microseconds=step) for moment in moments[:8] for step in (-1, 1)]
    words = [*map(str, days), *map(str, moments), "", "?", "2020-02-30", " 2020-01-01 ", "20200101", "0000-01-01"]
    constants = [*days, *moments]
    return [
        Stored(kind("day"), pa.date32(), days, constants),
        Stored(kind("moment"), pa.timestamp("us"), moments, constants),
        Stored(kind("word"), pa.string(), words, constants),
    ]


def of_categories(kind, values):
    if isinstance(values[0], str):
        words = [*values, "", "?", "c", "A", " a", "5"]
        return [Stored(kind("word"), pa.string(), words, words), Stored(kind("whole"), pa.int64(), [5, 0, -5, 2**63 - 1], words)]
    numbers = [*values, 0, -1, 2**53, 2**53 + 1, 2**63 - 1]
    constants = [Fraction(each) for each in (*values, 0, 2**53 + 1, 0.5)]
    return [
        Stored(kind("whole"), pa.int64(), numbers, constants),
        Stored(kind("real"), pa.float64(), [*map(float, numbers), 0.5, nan, inf], constants),
        Stored(kind("word"), pa.string(), [*map(str, numbers), "1.0", "1e0", "", "?", "nan", "one"], constants),
    ]


DAYS = date(1999, 12, 31), date(2020, 2, 29)
MOMENTS = datetime(1970, 1, 1), datetime(2030, 1, 1, 12, 30)  # noqa: DTZ001


def named(prefix, make):
    return lambda kind: make(f"{prefix}_{kind}")


MADE = [
    *of_numbers(named("number", lambda name: Number(name, Fraction(0), Fraction(120))), 0.0, 120.0),
    *of_numbers(named("between", lambda name: Number(name, Fraction(1, 10), Fraction(241, 2))), 0.1, 120.5),
    *of_numbers(named("one", lambda name: Number(name, Fraction(20), Fraction(20))), 20.0, 20.0),
    *of_numbers(named("free", Number), -1.0, 120.0),
    *of_numbers(named("integer", lambda name: Integer(name, 0, 120)), 0.0, 120.0),
    *of_numbers(named("wide", lambda name: Integer(name, -(2**60), 2**60)), -(2.0**60), 2.0**60),
    *of_numbers(named("half", lambda name: Integer(name, 0, None)), 0.0, LARGEST),
    *of_days(named("date", lambda name: Date(name, *DAYS)), *DAYS),
    *of_days(named("time", lambda name: Timestamp(name, *MOMENTS)), *(moment.date() for moment in MOMENTS)),
    *of_categories(named("few", lambda name: Category(name, (1, 2, 3))), (1, 2, 3)),
    *of_categories(named("gaps", lambda name: Category(name, (-7, 2, 1000), other=True)), (-7, 2, 1000)),
    *of_categories(named("many", lambda name: Category(name, tuple(n * n for n in range(12)))), tuple(n * n for n in range(12))),
    *of_categories(named("huge", lambda name: Category(name, (2**53, 2**53 + 1, 5))), (2**53, 5)),
    *of_categories(named("words", lambda name: Category(name, ("a", "b", "?", "5"))), ("a", "b", "?", "5")),
    *of_categories(named("several", lambda name: Category(name, tuple("abcdefghij5"))), tuple("abcdefghij5")),
]
BY_NAME = {each.column.name: each for each in MADE}
FACTS = Facts("t", "", EachRow(), "add_remove", tuple(each.column for each in MADE), Budget(Pure(epsilon=1)))
ROWS = max(len(each.values) for each in MADE) + 1


def table():
    """Every column goes through its own values, NULL among them."""
    arrays = {}
    for name, each in BY_NAME.items():
        values = [None, *each.values]
        arrays[name] = pa.array([values[at % len(values)] for at in range(ROWS)], each.type, from_pandas=False)
    return pa.table(arrays)


@pytest.fixture(scope="module", params=["parquet", "duckdb"])
def engines(request, tmp_path_factory):
    """An engine that reads the file as it is, and the reference for the same rows."""
    folder, rows = tmp_path_factory.mktemp("filters"), table()
    if request.param == "parquet":
        source = folder / "rows.parquet"
        pq.write_table(rows, source)
    else:
        source = f"{folder / 'rows.duckdb'}#t"
        with duckdb.connect(str(folder / "rows.duckdb")) as connection:
            connection.register("rows", rows)
            connection.execute("CREATE TABLE t AS SELECT * FROM rows")
    engine = open_engine(FACTS, source)
    yield engine, Reference(FACTS, rows.to_pylist())
    engine.close()


# ---- conditions


def compared(name):
    """Every comparison of a column with every one of its constants, one way round or the other, and lists of two."""
    constants = [Literal(each) for each in BY_NAME[name].constants]
    column = Column(name)
    for place, constant in enumerate(constants):
        for number, operation in enumerate(COMPARED):
            yield Apply(operation, (column, constant) if (place + number) % 3 else (constant, column))
    for first, second in pairwise(constants):
        yield In(column, (first, second))
        yield Apply("not", (In(column, (first, second)),))


@pytest.mark.slow
@pytest.mark.parametrize("name", BY_NAME)
def test_every_comparison_with_a_constant_leaves_the_same_rows(name, engines, same):
    listed = list(compared(name))
    for start in range(0, len(listed), 60):
        same(*engines, Wanted(None, (), tuple(Measure(0, None, None, each) for each in listed[start : start + 60])))


@st.composite
def comparison(draw):
    each = draw(st.sampled_from(MADE))
    column, constants = Column(each.column.name), st.sampled_from(each.constants).map(Literal)
    if isinstance(each.column, Number | Integer):
        others = [one.column.name for one in MADE if isinstance(one.column, Number | Integer)]
        constants |= st.fractions(-1, 130, max_denominator=8).map(Literal) | st.just(Literal(None))
        constants |= st.sampled_from(others).map(Column)
        changed = [Apply("add", (column, Literal(Fraction(1)))), Apply("abs", (column,))]
        column = draw(st.sampled_from([column, column, column, *changed]))
    if draw(st.integers(0, 4)) == 0:
        literals = draw(st.lists(st.sampled_from(each.constants).map(Literal), min_size=1, max_size=3))
        return In(column, tuple(literals))
    parts = (column, draw(constants))
    return Apply(draw(st.sampled_from(COMPARED)), parts if draw(st.booleans()) else parts[::-1])


def combined(inner):
    several = st.lists(inner, min_size=2, max_size=3).map(tuple)
    return st.one_of(
        several.map(lambda of: Apply("and", of)),
        several.map(lambda of: Apply("or", of)),
        inner.map(lambda of: Apply("not", (of,))),
        inner.map(lambda of: Apply("is_null", (of,))),
        st.tuples(inner, inner, inner).map(lambda of: Case(((of[0], of[1]),), of[2])),
        st.tuples(inner, inner).map(lambda of: Apply("coalesce", of)),
        st.tuples(inner, inner).map(lambda of: Apply("equal", of)),
    )


conditions = st.recursive(comparison(), combined, max_leaves=6)


@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(st.lists(conditions, min_size=4, max_size=4))
def test_conditions_of_comparisons_leave_the_same_rows(engines, same, some):
    one = Literal(Fraction(1))
    for condition in some:
        chosen = Measure(1, Case(((condition, one),), Literal(Fraction(2))), Grid(Fraction(1), 0, 3))
        same(*engines, Wanted(condition, (), (Measure(0), chosen)), Wanted(None, (), (chosen, Measure(0, None, None, condition))))


# ---- the SQL


KINDS = {"age": "whole", "x": "real", "n": "real", "g": "whole", "b": "truth"}
LAYOUT = Layout("data", {name: Field(name, kind) for name, kind in KINDS.items()})
DECLARED = Facts(
    "t", "", EachRow(), "add_remove",
    (Integer("age", 0, 120), Number("x", Fraction(0), Fraction(100)), Integer("n", 0, 9), Category("g", (1, 2, 3)), Boolean("b")),
    Budget(Pure(epsilon=1)),
)  # fmt: skip


def written(condition):
    sheet = Sheet(LAYOUT, DIALECTS["duckdb"])
    return sheet.text(Expressions(DECLARED, sheet).truth(condition).sql)


def asked(operation, name, *constants):
    return Apply(operation, (Column(name), *(Literal(Fraction(each)) for each in constants)))


@pytest.mark.parametrize(
    ("condition", "sql"),
    [
        (asked("greater_equal", "age", 20), '("age" >= 20)'),
        (asked("greater_equal", "age", 120), '("age" >= 120)'),
        (asked("less", "age", 1), '("age" < 1)'),
        (asked("less_equal", "age", 0), '("age" <= 0)'),
        (asked("not_equal", "age", 20), '("age" <> 20)'),
        (asked("less", "age", Fraction(41, 2)), '(CAST("age" AS DOUBLE) < 20.5e0)'),
        (asked("less", "x", 20), '("x" < 20.0e0)'),
        (asked("greater", "x", 20), "((\"x\" > 20.0e0) AND (\"x\" <= CAST('Infinity' AS DOUBLE)))"),
        (asked("less", "n", 5), '(("n" < 5.0e0) AND ("n" = FLOOR("n")))'),
        (asked("equal", "g", 2), '("g" = 2)'),
        (In(Column("age"), (Literal(Fraction(20)), Literal(Fraction(30)))), '("age" IN (20, 30))'),
        (Apply("and", (asked("greater", "age", 19), asked("less", "age", 65))), '(("age" > 19) AND ("age" < 65))'),
        (Apply("or", (asked("less", "age", 20), Column("b"))), '(("age" < 20) OR "b")'),
    ],
)
def test_a_condition_inside_the_bounds_is_on_the_stored_column(condition, sql):
    assert written(condition) == sql


@pytest.mark.parametrize(
    "condition",
    [
        asked("greater_equal", "age", 0),
        asked("greater_equal", "age", 121),
        asked("greater", "age", 120),
        asked("less", "age", 0),
        asked("less", "age", 121),
        asked("less_equal", "age", 120),
        asked("equal", "age", 0),
        asked("equal", "age", 120),
        asked("not_equal", "age", 500),
        asked("not_equal", "g", 2),
        asked("equal", "g", 4),
        asked("less", "g", 3),
        In(Column("age"), (Literal(Fraction(20)), Literal(Fraction(120)))),
        Apply("less", (Column("age"), Column("x"))),
        Apply("is_null", (asked("less", "x", 20),)),
        Apply("not", (Apply("is_null", (asked("less", "x", 20),)),)),
    ],
    ids=repr,
)
def test_any_other_condition_is_on_the_value(condition):
    assert "CASE" in written(condition)
