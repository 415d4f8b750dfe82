"""Which cells of a partition a question reads: from = and IN in WHERE, and from nothing else."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as dc
from discreet.engines.rules.evaluate import evaluate
from discreet.engines.rules.values import read
from discreet.facts.model import Boolean, Budget, ByColumn, Category, EachRow, Facts, Number, Source, Text
from discreet.planning.partition import OTHER, cells_of_partition, cells_touched
from discreet.privacy.losses import Pure
from discreet.questions.algebra import Aggregate, Apply, Bin, Case, Cast, Column, In, Literal, Output, Question
from discreet.questions.sql import read_sql

FACTS = Facts(
    name="t",
    source="t.csv",
    unit=EachRow(),
    neighbours="add_remove",
    budget=Budget(cap=Pure(epsilon=1), partition="r"),
    columns=(
        Category("r", (1, 2, 3)),
        Category("s", ("other", "2", "a'b"), other=True),
        Category("huge", (2**53, 2**53 + 1, 5)),
        Boolean("b"),
        Number("x", Fraction(0), Fraction(10)),
        Text("note"),
    ),
)


def by(column):
    return replace(FACTS, budget=replace(FACTS.budget, partition=column))


def touched(where, facts=FACTS, select="COUNT(*) AS n"):
    return cells_touched(read_sql(f"SELECT {select} FROM t{f' WHERE {where}' if where else ''}", facts), facts)


def asking(where):
    """A question written by hand, past what the reader of SQL refuses."""
    return Question("t", (Output("n", Aggregate("count_rows")),), where)


@pytest.mark.parametrize(
    ("where", "cells"),
    [
        ("r = 1", ("1",)),
        ("2 = r", ("2",)),
        ("R = 3 AND x > 5", ("3",)),
        ("r IN (3, 1)", ("1", "3")),
        ("r IN (1, 2, 3)", ("1", "2", "3")),
        ("r IN (1, 2) AND r IN (2, 3)", ("2",)),
        ("x > 1 AND (b AND (r = 2 AND note = 'r = 1'))", ("2",)),
        ("r = 2 AND (x > 1 OR r = 1)", ("2",)),
        ("r = 1 OR r = 2", ("1", "2")),                                 # the same question as IN, so the same cells
        ("NOT (r <> 1)", ("1",)),                                       # likewise
        ("r = 1.0", ("1",)),
    ],
)
def test_cells_are_those_that_where_pins_down(where, cells):
    assert touched(where) == cells


@pytest.mark.parametrize(
    "where",
    [
        "",
        "x > 5",
        "r <> 1",
        "NOT (r = 1)",
        "r NOT IN (1, 2)",
        "r = 1 OR x > 5",
        "r = 1 OR b",
        "(r = 1 AND x > 5) OR (r = 2 AND x < 5)",
        "r >= 1 AND r <= 1",
        "r BETWEEN 1 AND 1",
        "r IS NULL",
        "r IS NOT NULL",
        "COALESCE(r, 1) = 1",
        "GREATEST(r, 1) = 1",
        "NULLIF(r, 2) = 1",
        "r = r",
        "r = x",
        "CASE WHEN r = 1 THEN TRUE ELSE FALSE END",
        "CASE WHEN r = 1 THEN 1 ELSE 0 END = 1",
        "CASE r WHEN 1 THEN 1 ELSE 1 END = 1",
        "(r = 1) = TRUE OR b",
        "(r = 1) IS NULL",
    ],
)
def test_anything_else_is_the_whole_table(where):
    assert touched(where) is None


R, ONE = Column("r"), Literal(Fraction(1))


@pytest.mark.parametrize(
    "of",
    [
        Apply("add", (R, Literal(Fraction(0)))),
        Apply("abs", (R,)),
        Apply("round", (R,)),
        Apply("negate", (R,)),
        Bin(R, Fraction(1), Fraction(0)),
        Cast(R, "whole"),
        Case(((Apply("equal", (R, ONE)), ONE),), Literal(Fraction(0))),
        Column("x"),
    ],
)
def test_functions_around_the_column_are_the_whole_table_even_written_by_hand(of):
    assert cells_touched(asking(Apply("equal", (of, ONE))), FACTS) is None
    assert cells_touched(asking(In(of, (ONE, Literal(Fraction(2))))), FACTS) is None
    assert cells_touched(asking(Apply("and", (Apply("equal", (of, ONE)), Apply("equal", (R, ONE))))), FACTS) == ("1",)


@pytest.mark.parametrize("where", ["r + 0 = 1", "ABS(r) = 1", "BIN(r, 1) = 1", "r = 'a'", "r = 9"])
def test_what_makes_no_sense_of_a_category_is_refused_before_it_has_cells(where):
    with pytest.raises(dc.QuestionError):
        touched(where)


@pytest.mark.parametrize(
    "select",
    [
        "COUNT(*) FILTER (WHERE r = 1) AS n",
        "SUM(CASE WHEN r = 1 THEN x ELSE 0 END) AS n",
        "r, COUNT(*) AS n",
    ],
)
def test_filters_cases_and_keys_are_not_looked_at(select):
    end = " GROUP BY r HAVING r = 1" if select.startswith("r") else ""
    question = read_sql(f"SELECT {select} FROM t{end}", FACTS)
    assert cells_touched(question, FACTS) is None
    inside = read_sql(f"SELECT {select} FROM t WHERE r IN (1, 2){end}", FACTS)
    assert cells_touched(inside, FACTS) == ("1", "2")


def test_conditions_that_no_row_meets_touch_the_other_cell():
    assert touched("r = 1 AND r = 2") == (OTHER,)
    for where in (Apply("equal", (Column("r"), Literal(None))), In(Column("r"), (Literal(None),))):
        assert cells_touched(asking(where), FACTS) == (OTHER,)


def test_values_that_are_not_declared_touch_the_other_cell():
    for where, cells in (
        (Apply("equal", (Column("r"), Literal(Fraction(9)))), (OTHER,)),
        (In(Column("r"), (Literal(Fraction(9)), Literal(Fraction(2)))), ("2", OTHER)),
        (Apply("equal", (Column("s"), Literal("zzz"))), (OTHER,)),
    ):
        facts = by("s") if "zzz" in repr(where) else FACTS
        assert cells_touched(asking(where), facts) == cells


def test_labels_of_texts_are_quoted_so_that_none_is_the_other_cell():
    assert cells_of_partition(by("s")) == ("'other'", "'2'", "'a''b'", OTHER)
    assert touched("s = 'other'", by("s")) == ("'other'",)
    assert touched("s IN ('a''b', '2')", by("s")) == ("'2'", "'a''b'")


def test_numbers_that_are_one_in_float64_share_their_cells():
    both = (str(2**53), str(2**53 + 1))
    assert touched(f"huge = {2**53}", by("huge")) == touched(f"huge = {2**53 + 1}", by("huge")) == both
    assert touched("huge = 5", by("huge")) == ("5",)


def test_only_rows_as_units_and_sources_that_stand_still_have_cells():
    assert cells_of_partition(FACTS) == ("1", "2", "3", OTHER)
    for facts in (
        by(None),
        replace(FACTS, unit=ByColumn("note")),
        replace(FACTS, located=Source("postgresql", "postgresql://x", "t")),
    ):
        assert cells_of_partition(facts) == ()
        assert cells_touched(read_sql("SELECT COUNT(*) AS n FROM t WHERE r = 1", FACTS), facts) is None


# ---- the law: two questions without a common cell read no row in common


LEAVES = st.sampled_from(
    ["r = 1", "r = 2", "r IN (1, 3)", "r <> 2", "r IS NULL", "x > 5", "b", "r > 1", "r NOT IN (1, 2)", "COALESCE(r, 2) = 2"]
)
CONDITIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda two: f"({two[0]} AND {two[1]})"),
        st.tuples(inner, inner).map(lambda two: f"({two[0]} OR {two[1]})"),
        inner.map(lambda one: f"(NOT {one})"),
        inner.map(lambda one: f"CASE WHEN {one} THEN TRUE ELSE FALSE END"),
    ),
    max_leaves=6,
)
ROWS = [{"r": r, "x": x, "b": b} for r in (None, 1, 2, 3, 9, "?") for x in (None, 0, 1, 7) for b in (None, True, False)]
READ = [{column.name: read(column, row.get(column.name)) for column in FACTS.columns} for row in ROWS]


@pytest.mark.slow
@given(where=CONDITIONS)
def test_rows_that_a_question_reads_are_in_a_cell_that_it_touches(where):
    question = read_sql(f"SELECT COUNT(*) AS n FROM t WHERE {where}", FACTS)
    cells = cells_touched(question, FACTS)
    if cells is not None:
        for row in READ:
            if question.where is None or evaluate(question.where, row) is True:
                assert (OTHER if row["r"] is None else str(int(row["r"]))) in cells


def test_different_cells_are_different_rows():
    for one, other in combinations(["r = 1", "r = 2 AND x > 5", "r IN (3)"], 2):
        questions = [read_sql(f"SELECT COUNT(*) AS n FROM t WHERE {where}", FACTS) for where in (one, other)]
        assert not set(cells_touched(questions[0], FACTS)) & set(cells_touched(questions[1], FACTS))
        assert not any(all(evaluate(q.where, row) is True for q in questions) for row in READ)
