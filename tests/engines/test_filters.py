"""Conditions on what is stored are those on values: the same rows as the reference engine, whatever is stored and compared."""

from fractions import Fraction
from itertools import pairwise

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.engines.nasty import BY_NAME, FACTS, MADE, table

from discreet.engines import open_engine
from discreet.engines.duckdb.dialect import DUCKDB
from discreet.engines.reference.engine import Reference
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.layout import Field, Layout
from discreet.engines.sql.sheet import Sheet
from discreet.engines.wanted import Grid, Measure, Wanted
from discreet.facts.model import Boolean, Budget, Category, EachRow, Facts, Integer, Number
from discreet.privacy import Pure
from discreet.questions.algebra import Apply, Case, Column, In, Literal

COMPARED = ["equal", "not_equal", "less", "less_equal", "greater", "greater_equal"]

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
    sheet = Sheet(LAYOUT, DUCKDB)
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
