"""Every operation on every pair of awkward values, row by row: DuckDB computes what ``evaluate`` says, to the last bit."""

import math
from datetime import date, datetime, time
from fractions import Fraction
from itertools import product

import pyarrow as pa
import pytest

from discreet.engines.reference.engine import Reference
from discreet.engines.rules import evaluate
from discreet.engines.rules.values import read
from discreet.engines.wanted import ByStep, ByValue, Grid, Measure, Wanted
from discreet.facts.model import Boolean, Date, Integer, Number, Text, Timestamp
from discreet.questions.algebra import (
    Apply,
    Bin,
    Case,
    Cast,
    Column,
    DatePart,
    DateTrunc,
    In,
    Like,
    Literal,
    Power,
    Substring,
)  # fmt: skip

LARGEST = 1.7976931348623157e308
NUMBERS = [
    None,
    math.nan,
    math.inf,
    -math.inf,
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -2.5,
    0.49999999999999994,
    0.1,
    0.3,
    3.0,
    1e-320,
    5e-324,
    -5e-324,
    1e-200,
    1e200,
    -1e200,
    LARGEST,
    -LARGEST,
    2.0**52 + 1,
    2.0**53 - 1,
    2.0**53 + 2,
    1e22,
    7.0,
    -7.0,
]
TRUTHS = [None, True, False]
TEXTS = [
    None,
    "",
    "?",
    "a",
    "A",
    "b",
    "ab",
    "a%b",
    "a_b",
    "é",
    "e\u0301",
    "👨‍👩‍👧",
    "a\nb",
    "\x00",
    "zz",
    "O'Hara",
    "[a-z]+",
    "x" * 300,
    " -12.5 ",
    "1e3",
    "1e400",
    "nan",
    "2020-02-30",
    "2020-02-29",
    "0001-01-01 00:00:00",
    "2020-12-31T23:59:59.9999999Z",
    "İıßK",
]
DAYS = [None, date(1, 1, 1), date(1969, 12, 31), date(1970, 1, 1), date(2000, 2, 29), date(2021, 1, 3), date(9999, 12, 31)]
MOMENTS = [
    None,
    datetime(1, 1, 1),  # noqa: DTZ001
    datetime(1969, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
    datetime(1970, 1, 1),  # noqa: DTZ001
    datetime(2000, 2, 29, 12, 30),  # noqa: DTZ001
    datetime(9999, 12, 31, 23, 59, 59, 999999),  # noqa: DTZ001
]
KINDS = {
    "number": (Number, NUMBERS, pa.float64()),
    "truth": (Boolean, TRUTHS, pa.bool_()),
    "text": (Text, TEXTS, pa.string()),
    "day": (Date, DAYS, pa.date32()),
    "moment": (Timestamp, MOMENTS, pa.timestamp("us")),
}
A, B = Column("a"), Column("b")


def check(expressions, left, right, facts, opened):
    """Every expression of a and b has the same value on every row, in the engine and in plain Python."""
    make_a, values_a, type_a = KINDS[left]
    make_b, values_b, type_b = KINDS[right]
    pairs = list(product(values_a, values_b))
    declared = facts(Integer("row", 0, len(pairs)), make_a("a"), make_b("b"))
    table = pa.table(
        {
            "row": range(len(pairs)),
            "a": pa.array([a for a, _ in pairs], type_a, from_pandas=False),
            "b": pa.array([b for _, b in pairs], type_b, from_pandas=False),
        }
    )
    rows = [
        {column.name: read(column, value) for column, value in zip(declared.columns, (n, *pair), strict=True)}
        for n, pair in enumerate(pairs)
    ]
    with opened(declared, table) as engine:
        for expression in expressions:
            expected = [evaluate.evaluate(expression, row) for row in rows]
            found = (
                engine.run(
                    Wanted(
                        None, (ByStep(Column("row"), Fraction(1), Fraction(0), 0, len(pairs)),), measures(expression, expected)
                    )
                )
                .take()
                .low
            )
            for measure, counts in zip(measures(expression, expected), found, strict=True):
                wanted = [evaluate.evaluate(measure.filter, row) is True for row in rows]
                assert counts.tolist() == wanted, (expression, measure.filter)


def measures(expression, expected):
    """Counts that together tell the value of each row: whether it is NULL, and which of a handful it is at most or equal to."""
    known = [value for value in expected if value is not None]
    if not known or isinstance(known[0], bool):
        tests = [Apply("is_null", (expression,)), *([expression] if known else [])]
        return tuple(Measure(0, None, None, test) for test in tests)
    if any(isinstance(value, datetime) for value in known):
        known = [value if isinstance(value, datetime) else datetime.combine(value, time()) for value in known]
    ends = sorted(set(known))
    some = [literal(value) for value in ends[:: max(1, len(ends) // 12)]]
    return (
        Measure(0, None, None, Apply("is_null", (expression,))),
        Measure(0, None, None, In(expression, tuple(literal(value) for value in ends[:: max(1, len(ends) // 60)]))),
        *(Measure(0, None, None, Apply("less_equal", (expression, value))) for value in some),
    )


def literal(value):
    if not isinstance(value, float):
        return Literal(value)
    return Literal(Fraction(min(max(value, -LARGEST), LARGEST)))


@pytest.mark.slow
@pytest.mark.parametrize("operation", ["add", "subtract", "multiply", "divide", "remainder"])
def test_arithmetic(operation, facts, opened):
    inner = Apply(operation, (A, B))
    check([inner, Apply("subtract", (inner, inner)), Apply("divide", (A, inner))], "number", "number", facts, opened)


@pytest.mark.slow
def test_one_number(facts, opened):
    steps = [
        Bin(A, Fraction(width), Fraction(origin))
        for width, origin in (("1", "0"), ("0.1", "0.3"), ("1e300", "-7"), ("10", "1e200"))
    ]
    ones = [Apply(operation, (A,)) for operation in ("negate", "abs", "floor", "ceil", "round")]
    check([*ones, *steps, Apply("round", (Apply("round", (Apply("divide", (A, B)),)),))], "number", "number", facts, opened)


@pytest.mark.parametrize("kind", KINDS)
def test_comparisons_and_choices(kind, facts, opened):
    operations = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal", "least", "greatest", "coalesce")
    case = Case(((Apply("less", (A, B)), A), (Apply("is_null", (A,)), Literal(None))), B)
    check([*(Apply(operation, (A, B)) for operation in operations), case], kind, kind, facts, opened)


def test_days_beside_moments_are_midnights(facts, opened):
    operations = ("equal", "less", "least", "greatest", "coalesce")
    check([Apply(operation, (A, B)) for operation in operations], "day", "moment", facts, opened)


def test_logic_has_three_values(facts, opened):
    negated = Apply("not", (A,))
    check(
        [negated, *(Apply(operation, (negated, B, Apply("is_null", (A,)))) for operation in ("and", "or")), Apply("and", (A,))],
        "truth",
        "truth",
        facts,
        opened,
    )


@pytest.mark.parametrize("kind", ["day", "moment"])
def test_date_parts(kind, facts, opened):
    parts = ("year", "isoyear", "quarter", "month", "week", "doy", "day", "hour", "minute", "weekday", "dow")
    periods = [DateTrunc(period, A) for period in ("year", "quarter", "month", "week", "day", *(["hour"] * (kind == "moment")))]
    casts = [Cast(A, "moment"), Cast(A, "text")] if kind == "day" else [Cast(A, "day"), Cast(Cast(A, "day"), "moment")]
    check([*(DatePart(part, A) for part in parts), *periods, *casts], kind, "truth", facts, opened)


def test_curves_and_powers_of_every_number(facts, opened):
    curves = [Apply(name, (A,)) for name in ("sqrt", "ln", "exp")]
    powers = [Power(A, Fraction(exponent)) for exponent in ("1", "2", "3", "7", "-1", "-3", "1/2", "-3/10", "2.5")]
    within = Apply("greatest", (Apply("least", (A, Literal(Fraction(50)))), Literal(Fraction(1, 8))))
    held = [Apply("ln", (within,)), Apply("exp", (within,)), Power(within, Fraction(-7, 3)), Power(within, Fraction(32))]
    check([*curves, *powers, *held, Apply("sqrt", (Apply("negate", (A,)),))], "number", "truth", facts, opened)


def test_characters_and_casts_of_every_text(facts, opened):
    cut = [Substring(A, start, count) for start, count in ((1, None), (2, 1), (1, 0), (300, 5), (10**6, 10**6), (3, None))]
    cases = [Apply(name, (A,)) for name in ("lower", "upper", "length")]
    casts = [Cast(A, to) for to in ("number", "whole", "day", "moment")]
    inner = Apply("length", (Substring(Apply("upper", (A,)), 2, 3),))
    within = [inner, Like(Apply("lower", (A,)), "a%"), Cast(Cast(A, "day"), "text")]
    check([*cut, *cases, *casts, *within], "text", "truth", facts, opened)


def test_casts_of_truth_values_and_whole_numbers(facts, opened):
    casts = [*(Cast(A, to) for to in ("number", "whole", "text")), Cast(Apply("not", (A,)), "number")]
    check(casts, "truth", "truth", facts, opened)
    whole = Apply("least", (Apply("greatest", (Apply("floor", (A,)), Literal(Fraction(-(2**53))))), Literal(Fraction(2**53))))
    check([Cast(whole, "text")], "number", "truth", facts, opened)


def test_like(facts, opened):
    patterns = [
        "",
        "%",
        "_",
        "a",
        "a%",
        "%b",
        "a%b",
        "a_b",
        "__",
        "%%",
        "%_%",
        "_____",
        "[a-z]+",
        "a\\%b",
        "%\\",
        "%é%",
        "\x00",
        "%'%",
        "%x%x%x%x%x%x%x%x%x%x%x%x%y",
        ".*",
        "_\u0301",
    ]
    check([Like(A, pattern) for pattern in patterns], "text", "truth", facts, opened)


def test_in(facts, opened):
    check(
        [In(A, ()), In(A, (Literal(None),)), In(A, (Literal(Fraction(1)), Literal(Fraction(1, 10)), Literal(None)))],
        "number",
        "truth",
        facts,
        opened,
    )
    check([In(A, (Literal("a"), Literal("O'Hara"), Literal("'; --"), Literal("\ud800")))], "text", "truth", facts, opened)


def test_nothing_but_null(facts, opened):
    null = Literal(None)
    operations = [
        *(Apply(operation, (null, A)) for operation in ("add", "divide", "remainder", "equal", "least", "coalesce")),
        Apply("coalesce", (null, null)),
        Apply("round", (null,)),
        Apply("and", (null, Apply("not", (null,)))),
        Like(null, "%"),
        DatePart("year", null),
        Bin(null, Fraction(1), Fraction(0)),
        Case(((null, A),), null),
        In(null, (Literal(Fraction(1)),)),
        Apply("is_null", (null,)),
    ]
    check(operations, "number", "truth", facts, opened)


@pytest.mark.parametrize("exponent", [-30, -1, 0, 1, 20])
@pytest.mark.parametrize(
    ("low", "high"), [(0, 2**31), (-3, 4), (2**53 - 1, 2**53 + 1), (-(2**60) - 1, -(2**60) + 1), (2**60 + 1, 2**60 + 3)]
)
def test_every_number_is_on_the_grid(exponent, low, high, facts, opened, same):
    rows = [{"row": n, "a": a} for n, a in enumerate(NUMBERS)]
    declared = facts(Integer("row", 0, len(rows)), Number("a"))
    table = pa.table({"row": range(len(rows)), "a": pa.array(NUMBERS, pa.float64(), from_pandas=False)})
    grid = Grid(Fraction(2) ** exponent, low, high)
    by_row = ByStep(Column("row"), Fraction(1), Fraction(0), 0, len(rows))
    with opened(declared, table) as engine:
        same(
            engine, Reference(declared, rows), Wanted(None, (by_row,), (Measure(0, A), Measure(1, A, grid), Measure(2, A, grid)))
        )


def test_cells_by_step_and_by_value(facts, opened, same):
    rows = [{"a": a} for a in NUMBERS] * 2
    declared = facts(Number("a"))
    table = pa.table({"a": pa.array([row["a"] for row in rows], pa.float64(), from_pandas=False)})
    count = (Measure(0),)
    steps = [
        ByStep(A, Fraction(width), Fraction(origin), first, 10)
        for width, origin, first in (
            ("1", "0", -3),
            ("0.1", "0", 0),
            ("0.1", "1e22", -5),
            ("1e-300", "0", -5),
            ("1e-400", "0", 0),
            ("1", "0", 2**53 - 4),
            ("1", "1/3", -8),
        )
    ]
    values = [
        tuple(map(Fraction, declared))
        for declared in (
            [0],
            ["1/10", 3],
            [1, 2, 3],
            range(-7, 8),
            [2**53 + 1, 2**53],
            range(0, 60, 3),
            [10**400],
            [Fraction(n, 10) for n in range(12)],
        )
    ]
    with opened(declared, table) as engine:
        same(
            engine,
            Reference(declared, rows),
            *(Wanted(None, (step,), count) for step in steps),
            *(Wanted(None, (ByValue(A, some, other),), count) for some in values for other in (True, False)),
        )
