"""Laws that hold for every expression, on every row: a small evaluator of the algebra is the judge."""

import math
import operator
import re
from datetime import date, datetime
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from discreet.questions.algebra import Apply, Bin, Case, Column, DatePart, In, Like, Literal, Output, Question
from discreet.questions.bounds import bounds_of, is_whole, may_be_null, unbounded_operand
from discreet.questions.canonical import Texts
from discreet.questions.check import checked
from discreet.questions.disjoint import are_disjoint, pinned_values
from discreet.questions.normal import fingerprint, normal_expression
from discreet.questions.sql import read_condition, read_sql, read_value
from discreet.questions.text import to_text
from discreet.questions.types import type_of

A_LAW = settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])  # a busy machine is slow to draw rows

# ---- a row expression on one row, as the algebra defines it

ARITHMETIC = {"add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
              "remainder": math.fmod}
COMPARISONS = {"equal": operator.eq, "not_equal": operator.ne, "less": operator.lt, "less_equal": operator.le,
               "greater": operator.gt, "greater_equal": operator.ge}
STEPS = {"negate": operator.neg, "abs": abs, "floor": math.floor, "ceil": math.ceil,
         "round": lambda x: math.copysign(math.floor(abs(x) + 0.5), x)}
PARTS = {"quarter": lambda day: (day.month + 2) // 3, "weekday": lambda day: day.isoweekday()}


def constant(value):
    return float(value) if isinstance(value, Fraction) else value


def value_of(expression, row):
    match expression:
        case Column(name):
            return row[name]
        case Literal(value):
            return constant(value)
        case Apply(operation, of):
            return applied(operation, [value_of(part, row) for part in of])
        case In(of, values):
            value = value_of(of, row)
            return None if value is None else value in [constant(one.value) for one in values]
        case Like(of, pattern):
            value = value_of(of, row)
            shape = "".join({"%": ".*", "_": "."}.get(letter, re.escape(letter)) for letter in pattern)
            return None if value is None else re.fullmatch(shape, value, flags=re.DOTALL) is not None
        case Case(whens, otherwise):
            chosen = [result for condition, result in whens if value_of(condition, row)]
            return value_of([*chosen, otherwise][0], row)
        case DatePart(part, of):
            value = value_of(of, row)
            return None if value is None else float(PARTS[part](value) if part in PARTS else getattr(value, part))
        case Bin(of, width, origin):
            value = value_of(of, row)
            return None if value is None else float(origin) + math.floor((value - float(origin)) / float(width)) * float(width)


def applied(operation, values):
    if operation == "is_null":
        return values[0] is None
    if operation in ("and", "or"):
        decides = operation == "or"
        return decides if decides in values else None if None in values else not decides
    if operation in ("least", "greatest", "coalesce"):
        known = [value for value in values if value is not None]
        choose = {"least": min, "greatest": max, "coalesce": lambda found: found[0]}[operation]
        return choose(known) if known else None
    if None in values:
        return None
    if operation == "not":
        return not values[0]
    if operation in COMPARISONS:
        return COMPARISONS[operation](*values)
    if operation in STEPS:
        return float(STEPS[operation](*values))
    return None if operation in ("divide", "remainder") and values[1] == 0 else ARITHMETIC[operation](*values)


# ---- rows, and expressions of each type

MOMENTS = st.datetimes(*map(datetime.fromisoformat, ("2020-01-01", "2020-12-31 23:59")))
ROWS = st.fixed_dictionaries({name: st.none() | values for name, values in {
    "Age": st.sampled_from([0.0, 120.0]) | st.integers(0, 120).map(float),
    "Children": st.integers(-(2**60), 2**60).map(float),
    "Income": st.sampled_from([0.0, 1e6]) | st.floats(0, 1e6),
    "Debt": st.floats(allow_nan=False),
    "Gain": st.floats(min_value=-5),
    "Rate": st.sampled_from([0.1, 0.9]) | st.floats(0.1, 0.9),
    "Race": st.integers(1, 6).map(float),
    "Sex": st.sampled_from(["male", "female"]),
    "Married": st.booleans(),
    "Born": st.dates(date(1900, 1, 1), date(2020, 12, 31)),
    "Moved": st.dates(),
    "Seen": MOMENTS,
    "Name": st.sampled_from(["", "Ann", "Bob", "it's", "A%", "ann"]),
}.items()})

SPECIAL = [Fraction(1, 10), Fraction(-7, 2), Fraction(10**15), Fraction(1, 10**9)]
number_literals = (st.integers(-20, 130).map(Fraction) | st.sampled_from(SPECIAL)).map(Literal)
NUMBERED, DAYS = ["Age", "Children", "Income", "Debt", "Gain", "Rate"], ["Born", "Moved"]
codes = st.lists(st.integers(1, 6).map(Fraction).map(Literal), min_size=1, max_size=4).map(tuple)


def combined(operation, of, least=2, most=2):
    return st.lists(of, min_size=least, max_size=most).map(lambda parts: Apply(operation, tuple(parts)))


def numbers(inner):
    number, truth = inner
    return st.one_of(
        *(combined(operation, number) for operation in ARITHMETIC),
        *(combined(operation, number, 1, 1) for operation in STEPS),
        *(combined(operation, number, 1, 3) for operation in ("least", "greatest", "coalesce")),
        st.builds(lambda condition, one, other: Case(((condition, one),), other), truth, number, number | st.just(Literal(None))),
        st.builds(lambda of: Apply("greatest", (Apply("least", (of, Literal(Fraction(10)))), Literal(Fraction(-3)))), number),
        st.builds(lambda of, width: Apply("multiply", (Literal(width), Apply("floor", (Apply("divide", (of, Literal(width))),)))),
                  number, st.sampled_from([Fraction(10), Fraction(1, 10), Fraction(-2)])),
        st.builds(Bin, number, st.sampled_from([Fraction(10), Fraction(1, 10)]), st.sampled_from([Fraction(0), Fraction(3, 10)])),
    )


def truths(inner):
    number, truth = inner
    return st.one_of(
        *(combined(operation, number) for operation in COMPARISONS),
        *(combined(operation, truth, 2, 4) for operation in ("and", "or")),
        combined("equal", truth),
        combined("not", truth, 1, 1),
        combined("is_null", number | truth, 1, 1),
        st.builds(In, number, st.lists(number_literals, min_size=1, max_size=4).map(tuple)),
        st.builds(lambda of, literal: Apply("not_equal", (of, literal)), number, number_literals),
        st.builds(lambda one, other: Case(((one, other),), Literal(True)), truth, truth),
    )


leaf_numbers = st.one_of(
    st.sampled_from(NUMBERED).map(Column),
    number_literals,
    st.builds(DatePart, st.sampled_from(["year", "quarter", "month", "day", "weekday"]), st.sampled_from(DAYS).map(Column)),
    st.builds(DatePart, st.sampled_from(["hour", "minute"]), st.just(Column("Seen"))),
)
leaf_truths = st.one_of(
    st.just(Column("Married")),
    st.booleans().map(Literal),
    st.builds(In, st.just(Column("Race")), codes),
    st.builds(lambda value: Apply("equal", (Column("Race"), Literal(Fraction(value)))), st.integers(1, 6)),
    st.builds(lambda value: Apply("not_equal", (Literal(value), Column("Sex"))), st.sampled_from(["male", "female"])),
    st.builds(Like, st.just(Column("Name")), st.sampled_from(["A%", "%n_", "ann", "it's", "%"])),
    st.builds(lambda day: Apply("greater", (Column("Born"), Literal(day))), st.dates(date(1950, 1, 1), date(1960, 1, 1))),
    st.builds(lambda moment: Apply("less", (Column("Seen"), Literal(moment))), MOMENTS),
    st.builds(lambda value: Apply("greater_equal", (Column("Age"), value)), number_literals),
)


def grown(depth):
    pair = leaf_numbers, leaf_truths
    for _ in range(depth):
        pair = leaf_numbers | numbers(pair), leaf_truths | truths(pair)
    return pair


NUMBERS, TRUTHS = grown(3)


def accepted(expression, people):
    return unbounded_operand(expression, people) is None


# ---- the laws


@pytest.mark.slow
@A_LAW
@given(expression=NUMBERS, rows=st.lists(ROWS, min_size=1, max_size=3))
def test_no_computed_number_leaves_its_bounds(people, expression, rows):
    if not accepted(expression, people):
        return
    bounds, null, whole = bounds_of(expression, people), may_be_null(expression, people), is_whole(expression, people)
    for row in rows:
        value = value_of(expression, row)
        assert value is not None or null
        if value is not None and bounds is not None:
            assert bounds[0] <= Fraction(value) <= bounds[1]
        if value is not None and whole and math.isfinite(value):
            assert value.is_integer()


@pytest.mark.slow
@A_LAW
@given(expression=TRUTHS, rows=st.lists(ROWS, min_size=1, max_size=3))
def test_the_normal_form_of_a_condition_decides_every_row_alike(people, expression, rows):
    if not accepted(expression, people):
        return
    form = normal_expression(expression)
    for row in rows:
        assert value_of(form, row) is value_of(expression, row)
        assert value_of(expression, row) is not None or may_be_null(expression, people)


@pytest.mark.slow
@A_LAW
@given(expression=NUMBERS, rows=st.lists(ROWS, min_size=1, max_size=3))
def test_the_normal_form_of_a_number_is_the_same_number_to_the_last_bit(people, expression, rows):
    if not accepted(expression, people):
        return
    form = normal_expression(expression)
    assert type_of(form, people) == type_of(expression, people)
    for row in rows:
        assert value_of(form, row) == value_of(expression, row)


@A_LAW
@given(expression=NUMBERS | TRUTHS)
def test_the_normal_form_is_normal(expression):
    form = normal_expression(expression)
    assert Texts().of(normal_expression(form)) == Texts().of(form)


@pytest.mark.slow
@A_LAW
@given(expression=TRUTHS)
def test_a_condition_is_read_back_from_its_text(people, expression):
    if accepted(expression, people):
        assert read_condition(to_text(expression), people) == normal_expression(expression)


@A_LAW
@given(expression=NUMBERS)
def test_a_number_is_read_back_from_its_text(people, expression):
    assert read_value(to_text(expression), people) == normal_expression(expression)


@pytest.mark.slow
@A_LAW
@given(condition=TRUTHS)
def test_a_question_is_read_back_from_its_text(people, condition):
    if accepted(condition, people):
        counted = read_sql(f"SELECT Race, COUNT(*) FILTER (WHERE {to_text(condition)}) AS n FROM people GROUP BY Race", people)
        assert read_sql(to_text(counted), people) == counted
        assert checked(counted, people) == counted


@pytest.mark.slow
@A_LAW
@given(filters=st.lists(TRUTHS, min_size=2, max_size=3), rows=st.lists(ROWS, min_size=1, max_size=2), data=st.data())
def test_no_row_meets_two_conditions_that_were_proven_disjoint(people, filters, rows, data):
    on_one = [Apply("and", (one, data.draw(leaf_truths))) for one in filters if accepted(one, people)]
    if are_disjoint(on_one, people):
        for row in rows:
            assert [value_of(one, row) for one in on_one].count(True) <= 1


@pytest.mark.slow
@A_LAW
@given(conditions=st.lists(TRUTHS, min_size=1, max_size=3), rows=st.lists(ROWS, min_size=1, max_size=2))
def test_rows_that_meet_a_condition_have_one_of_its_pinned_values(people, conditions, rows):
    one_or_two = In(Column("Race"), (Literal(Fraction(1)), Literal(Fraction(2))))
    for where in (Apply("and", (one, one_or_two)) for one in conditions if accepted(one, people)):
        pinned = pinned_values(where, "Race")
        for row in rows:
            if value_of(where, row):
                assert pinned is not None
                assert row["Race"] in pinned


def test_the_names_of_outputs_do_not_count_and_all_else_does(people):
    asked = read_sql("SELECT Race, COUNT(*) AS n FROM people GROUP BY Race", people)
    renamed = Question(asked.table, tuple(Output("x", output.value) for output in asked.outputs), keys=asked.keys)
    assert fingerprint(renamed) == fingerprint(asked)
    assert re.fullmatch(r"q1:[0-9a-f]{64}", fingerprint(asked))


@pytest.mark.slow
@settings(A_LAW, max_examples=800)
@given(number=NUMBERS, truth=TRUTHS, row=ROWS)
def test_bounds_and_normal_forms_hold_on_many_more_expressions(people, number, truth, row):
    for expression in (number, truth):
        if accepted(expression, people):
            value, bounds = value_of(expression, row), bounds_of(expression, people)
            assert value_of(normal_expression(expression), row) == value
            assert value is not None or may_be_null(expression, people)
            assert value is None or bounds is None or bounds[0] <= Fraction(value) <= bounds[1]
