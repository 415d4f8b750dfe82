"""DuckDB gives the integers of the reference engine, on random tables and random questions of every kind."""

import math
from datetime import UTC, date, datetime
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import ByStep, ByValue, Grid, Measure, Wanted
from discreet.facts.model import Boolean, Category, Date, Integer, Number, Text, Timestamp
from discreet.questions.algebra import Apply, Bin, Case, Column, DatePart, In, Like, Literal

FEW = settings(max_examples=12, suppress_health_check=list(HealthCheck))
pytestmark = pytest.mark.slow
NUMBERS = ["x", "free", "tenths", "age", "long", "wide", "few", "gaps", "many", "huge"]
TEXTS = ["word", "words", "note", 'select "1";--']
PARTS = ["year", "quarter", "month", "day", "hour", "minute", "weekday"]
LARGEST = 1.7976931348623157e308

# ---- stored values

reals = st.one_of(
    st.sampled_from(
        [
            0.0,
            -0.0,
            0.5,
            -0.5,
            0.49999999999999994,
            1.5,
            2.5,
            1e-320,
            5e-324,
            1e308,
            LARGEST,
            -LARGEST,
            math.inf,
            -math.inf,
            math.nan,
            0.1,
            0.3,
            0.30000000000000004,
            2.0**53,
            2.0**53 + 2,
            -(2.0**63),
            2.0**63,
            1e22,
        ]
    ),
    st.floats(),
    st.floats(-200, 200),
    st.integers(-10, 130).map(float),
)
wholes = st.one_of(
    st.sampled_from([0, 1, 2, 3, -7, 1000, 2**31, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63), 2**62]),
    st.integers(-10, 150),
    st.integers(-(2**63), 2**63 - 1),
    st.sampled_from([n * n for n in range(12)]),
)
words = st.one_of(
    st.sampled_from(
        [
            "",
            "?",
            "a",
            "b",
            "O'Hara",
            'é"%_',
            "Alice",
            "a%",
            "a_c",
            "ab\\c",
            " a",
            "A",
            "NULL",
            "a\tb",
            "👨‍👩‍👧x",
            "e\u0301",
            "[a-z]*",
            "(?i)a",
            ".*",
            "'; DROP TABLE data; --",
            "\x00",
            "aaaaaaaa",
            "1",
            "true",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), max_size=8),
)
days = st.one_of(st.sampled_from([date(1, 1, 1), date(9999, 12, 31), date(2000, 2, 29), date(1969, 12, 31)]), st.dates())
moments = st.one_of(
    st.sampled_from([datetime.combine(date.min, datetime.min.time()), datetime(9999, 12, 31, 23, 59, 59, 999999)]),  # noqa: DTZ001
    st.datetimes(),
)
number_words = st.one_of(
    st.sampled_from(
        [
            "",
            "?",
            " 12 ",
            "12.0",
            "12.5",
            "1e3",
            "1E400",
            "-1e400",
            "1e-400",
            "inf",
            "-Infinity",
            "+INF",
            "nan",
            "NaN",
            "1_000",
            "0x10",
            "1.",
            ".5",
            "+.5e-1",
            "--1",
            "1e",
            "e5",
            "١٢",
            "12\t",
            "\u00a012",
            "1,5",
            "9" * 64,
            "9" * 65,
            "-0",
            "0e99999",
            "1e99999",
            "1e-99999",
            "1e999999",
            "9007199254740993",
            "0.1",
            "true",
            "1 2",
            "infinit",
        ]
    ),
    reals.map(repr),
    wholes.map(str),
)
truth_words = st.sampled_from(
    ["1", "0", "t", "F", "TRUE", "false", "Yes", "no", " yes ", "y", "", "?", "2", "1.0", "tru", "\u017f"]
)
day_words = st.one_of(
    days.map(str),
    st.sampled_from(
        [
            "2020-02-30",
            "0000-01-01",
            "2020-1-1",
            "20200101",
            " 2020-01-01 ",
            "2020-13-01",
            "12020-01-01",
            "2020-01-01T00:00",
            "01.02.2020",
        ]
    ),
)
moment_words = st.one_of(
    moments.map(str),
    moments.map(datetime.isoformat),
    st.sampled_from(
        [
            "2020-01-01",
            "2020-01-01 24:00",
            "2020-01-01 23:59:60",
            "2020-01-01 10:00",
            "2020-01-01T10:00:00.5",
            "2020-02-30 10:00:00",
            "2020-01-01 10:00:00.123456789",
            "2020-01-01 10:00:00.1234567890",
            "2020-01-01 10:00:00Z",
            "2020-01-01 10",
            "0000-01-01 10:00",
        ]
    ),
)


def written(column):
    match column:
        case Number() | Integer():
            return number_words
        case Category(values=values):
            return st.one_of(st.sampled_from(values).map(str), number_words if isinstance(values[0], int) else words)
        case Boolean():
            return truth_words
        case Date():
            return day_words
        case Timestamp():
            return moment_words
        case Text():
            return words


def typed(column):
    """Values of a stored type that can hold the column, and that type."""
    match column:
        case Number() | Integer():
            return st.sampled_from(
                [
                    (reals, pa.float64()),
                    (wholes, pa.int64()),
                    (number_words, pa.string()),
                    (st.integers(-200, 255).map(lambda n: n % 256), pa.uint8()),
                    (
                        st.integers(-1000, 1000).map(lambda n: n / 8) | st.sampled_from([math.nan, math.inf, 2.0**100]),
                        pa.float32(),
                    ),
                    (st.integers(0, 2**64 - 1), pa.uint64()),
                ]
            )
        case Category(values=values) if isinstance(values[0], int):
            declared = st.sampled_from(values)
            return st.sampled_from(
                [
                    (declared | wholes, pa.int64()),
                    (declared.map(float) | reals, pa.float64()),
                    (declared.map(str) | number_words, pa.string()),
                    (st.integers(-128, 127), pa.int8()),
                ]
            )
        case Category(values=values):
            return st.sampled_from([(st.sampled_from(values) | words, pa.string()), (wholes, pa.int64())])
        case Boolean():
            return st.sampled_from(
                [(st.booleans(), pa.bool_()), (truth_words, pa.string()), (wholes, pa.int64()), (reals, pa.float64())]
            )
        case Date():
            return st.sampled_from([(days, pa.date32()), (moments, pa.timestamp("us")), (day_words, pa.string())])
        case Timestamp():
            sure = st.datetimes(datetime(3, 1, 1), datetime(9997, 1, 1))  # noqa: DTZ001 - in any zone between years 1 and 9999
            zoned = sure.map(lambda moment: moment.replace(tzinfo=UTC))
            return st.sampled_from(
                [
                    (days, pa.date32()),
                    (moments, pa.timestamp("us")),
                    (moment_words, pa.string()),
                    (zoned, pa.timestamp("us", tz="Europe/Berlin")),
                ]
            )
        case Text():
            return st.sampled_from([(words, pa.string()), (wholes, pa.int64())])


def tables(data, columns):
    """An Arrow table with values of many types, and the same rows for the reference engine."""
    size = data.draw(st.sampled_from([30, 0, 1, 12]))
    arrays = {}
    for column in columns:
        values, kind = data.draw(typed(column))
        drawn = data.draw(st.lists(st.none() | values, min_size=size, max_size=size))
        arrays[column.name] = pa.array(drawn, kind, from_pandas=False)
    table = pa.table(arrays)
    return table, table.to_pylist()


# ---- questions

fractions = st.one_of(
    st.sampled_from(
        [
            Fraction(0),
            Fraction(1),
            Fraction(1, 2),
            Fraction(-7),
            Fraction(1, 10),
            Fraction(1, 3),
            Fraction(2**53 + 1),
            Fraction(10**400),
            Fraction(1, 10**400),
            Fraction(2**63),
            Fraction(-(10**22)),
        ]
    ),
    st.integers(-130, 130).map(Fraction),
    st.fractions(-1000, 1000, max_denominator=100),
)
TWO = ["add", "subtract", "multiply", "divide", "remainder"]
ONE = ["negate", "abs", "floor", "ceil", "round"]
COMPARED = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]


def leaf(draw, kind):
    """A column twice as often as a constant."""
    match kind:
        case "number":
            names, constants = NUMBERS, fractions | st.none()
        case "text":
            names, constants = TEXTS, words | st.none()
        case "truth":
            names, constants = ["truth"], st.booleans() | st.none()
        case "day":
            names, constants = ["day", "any_day"], days
        case _:
            names, constants = ["moment", "any_moment"], moments
    return Column(draw(st.sampled_from(names))) if draw(st.integers(0, 2)) else Literal(draw(constants))


def value(draw, kind, depth):
    """An expression of this kind; a day may stand for a moment."""
    if depth <= 0 or draw(st.integers(0, 5)) == 0:
        return leaf(draw, kind)
    some = [value(draw, kind, depth - 1) for _ in range(draw(st.integers(1, 3)))]
    shared = st.sampled_from(["least", "greatest", "coalesce", "case"])
    pick = draw(shared) if kind in ("text", "day", "moment") else draw(st.integers(0, 8))
    if kind == "number" and pick != 0:
        return number(draw, depth, pick)
    if kind == "truth" and pick != 0:
        return truth(draw, depth, pick)
    choice = draw(shared) if pick == 0 else pick
    if choice != "case":
        return Apply(choice, tuple(some))
    whens = tuple((value(draw, "truth", depth - 1), one) for one in some)
    return Case(whens, draw(st.just(Literal(None)) if draw(st.booleans()) else st.just(leaf(draw, kind))))


def number(draw, depth, pick):
    if pick <= 4:
        parts = (value(draw, "number", depth - 1), value(draw, "number", depth - 1))
        return Apply(draw(st.sampled_from(TWO)), parts)
    if pick <= 6:
        return Apply(draw(st.sampled_from(ONE)), (value(draw, "number", depth - 1),))
    if pick == 7:
        return DatePart(draw(st.sampled_from(PARTS)), value(draw, draw(st.sampled_from(["day", "moment"])), depth - 1))
    width = draw(st.sampled_from([Fraction(1), Fraction(10), Fraction(1, 10), Fraction(7, 3), Fraction(10**6)]))
    return Bin(value(draw, "number", depth - 1), width, draw(fractions))


def truth(draw, depth, pick):
    kind = draw(st.sampled_from(["number", "number", "text", "truth", "day", "moment"]))
    if pick <= 3:
        other = "moment" if kind == "day" and draw(st.booleans()) else kind
        parts = (value(draw, kind, depth - 1), value(draw, other, depth - 1))
        return Apply(draw(st.sampled_from(COMPARED)), parts)
    if pick == 4:
        constants = {"number": fractions, "text": words, "truth": st.booleans(), "day": days, "moment": moments}[kind]
        values = draw(st.lists(constants | st.none(), max_size=4))
        return In(value(draw, kind, depth - 1), tuple(map(Literal, values)))
    if pick == 5:
        return Like(value(draw, "text", depth - 1), draw(st.text(st.sampled_from("ab%_.*\\['é\x00"), max_size=6)))
    if pick == 6:
        return Apply("is_null", (value(draw, kind, depth - 1),))
    if pick == 7:
        return Apply("not", (value(draw, "truth", depth - 1),))
    several = tuple(value(draw, "truth", depth - 1) for _ in range(draw(st.integers(1, 3))))
    return Apply(draw(st.sampled_from(["and", "or"])), several)


def grid(draw):
    step = Fraction(2) ** draw(st.integers(-30, 20))
    low = draw(st.sampled_from([0, -5, -(2**30), 2**50, -(2**51), 2**60 + 1]) | st.integers(-(2**40), 2**40))
    return Grid(step, low, low + draw(st.sampled_from([1, 125, 2**20, 2**31])))


def measure(draw):
    filtered = value(draw, "truth", 2) if draw(st.integers(0, 4)) == 0 else None
    power = draw(st.integers(0, 2))
    if power:
        return Measure(power, value(draw, "number", draw(st.integers(0, 3))), grid(draw), filtered)
    kind = draw(st.sampled_from(["number", "text", "truth", "day", "moment"]))
    return Measure(0, value(draw, kind, 3) if draw(st.booleans()) else None, None, filtered)


def key(draw, columns):
    if draw(st.integers(0, 2)) == 0:
        width = draw(st.sampled_from([Fraction(1), Fraction(10), Fraction(1, 10)]))
        of = value(draw, "number", draw(st.integers(0, 2)))
        return ByStep(of, width, draw(fractions), draw(st.integers(-20, 20)), draw(st.integers(1, 40)))
    column = draw(st.sampled_from([one for one in columns if isinstance(one, Category | Boolean)]))
    if draw(st.booleans()):
        declared = column.values if isinstance(column, Category) else (True, False)
        values = tuple(Fraction(one) if type(one) is int else one for one in declared)
        return ByValue(Column(column.name), values, draw(st.booleans()))
    kind = draw(st.sampled_from(["number", "text", "truth"]))
    constants = {"number": fractions, "text": words, "truth": st.booleans()}[kind]
    values = tuple(draw(st.lists(constants, min_size=1, max_size=12)))
    return ByValue(value(draw, kind, 2), values, draw(st.booleans()))


@st.composite
def questions(draw, columns):
    where = value(draw, "truth", 2) if draw(st.integers(0, 3)) == 0 else None
    keys = tuple(key(draw, columns) for _ in range(draw(st.sampled_from([0, 0, 1, 2]))))
    return Wanted(where, keys, tuple(measure(draw) for _ in range(draw(st.integers(1, 4)))))


def several(data, columns):
    return data.draw(st.lists(questions(columns), min_size=12, max_size=12))


# ---- tests


@FEW
@given(data=st.data())
def test_on_csv(data, facts, as_csv, same):
    declared = facts()
    row = st.fixed_dictionaries({column.name: st.none() | written(column) for column in declared.columns})
    rows = data.draw(st.lists(row, min_size=0 if data.draw(st.integers(0, 5)) == 0 else 15, max_size=25))
    engine = open_engine(declared, as_csv(declared, rows))
    same(engine, Reference(declared, rows), *several(data, declared.columns))
    engine.close()


@FEW
@given(data=st.data())
def test_on_typed_parquet(data, facts, same, tmp_path):
    declared = facts()
    table, rows = tables(data, declared.columns)
    pq.write_table(table, tmp_path / "rows.parquet")
    engine = open_engine(declared, tmp_path / "rows.parquet")
    same(engine, Reference(declared, rows), *several(data, declared.columns))
    engine.close()


@FEW
@given(data=st.data())
def test_on_arrow(data, facts, same):
    declared = facts()
    table, rows = tables(data, declared.columns)
    engine = open_engine(declared, table)
    same(engine, Reference(declared, rows), *several(data, declared.columns))
    engine.close()
