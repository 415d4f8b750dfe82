"""Values per unit: tables that differ in one unit differ in one row of what a subquery makes of them, whatever its rows are."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest
from hypothesis import strategies as st
from tests.laws import units_at_random as units
from tests.laws import values_at_random as values
from tests.laws.engines_of_laws import ENGINES, examples
from tests.laws.observing import PRICES, RELATIONS, compare, holds, judged_releases, planned, priced

from discreet.engines.reference.engine import Reference
from discreet.facts.model import ByColumn


def compared(engine, relation, tables, sql, price, per_unit=units.PER_UNIT, *, whole=True):
    """Distances and what they may be, the number of units being public where it stays the same."""
    number = len({units.unit_of(row) for row in tables[0]} - {None})
    facts = values.facts_for(relation, number if relation == "change_one" else None, per_unit)
    return compare(engine, facts, tables, sql, price, whole=whole)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_one_unit_moves_what_is_asked_about_values_of_units_no_further_than_planned(relation, engine):
    def each(tables, sql, price, whole):
        return sql, compared(engine, relation, tables, sql, priced(price, sql), whole=whole)

    holds(examples(engine, 150, 60), each, units.neighbours(relation), values.questions(), st.sampled_from(PRICES))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_one_unit_moves_what_it_comes_to_in_several_groups_no_further_than_planned(relation, engine):
    def each(tables, sql, price, whole):
        return sql, compared(engine, relation, tables, sql, priced(price, sql), ("b",), whole=whole)

    holds(examples(engine, 120, 50), each, units.neighbours(relation), values.questions_by_moving_keys(), st.sampled_from(PRICES))


def of(who, *rows):
    return [{"who": who, **row} for row in rows]


HIGH, LOW, NONE = {"c": 1, "k": 6, "y": 100.0}, {"c": 2, "k": 0, "y": 0.0}, {"c": 3}
PER = "(SELECT who, {} AS s FROM t GROUP BY who)"
BY_C = "(SELECT who, c, {} AS s FROM t GROUP BY who, c)"
ATTAINED = [
    # relation, value, question, the unit that comes (or is replaced by the one after it), how far it goes
    ("add_remove", "SUM(k)", f"SELECT SUM(CLAMP(s, 0, 20)) AS v FROM {PER}", of("a", *[HIGH] * 9), [], 20),
    ("add_remove", "SUM(k)", f"SELECT COUNT(*) AS v FROM {PER}", of("a", *[HIGH] * 9), [], 1),
    ("add_remove", "COUNT(*)", f"SELECT SUM(CLAMP(s, 2, 5)) AS v FROM {PER}", of("a", *[HIGH] * 9), [], 5),
    ("add_remove", "MAX(k)", f"SELECT SUM(s) AS v FROM {PER}", of("a", HIGH, HIGH), [], 6),
    ("add_remove", "SUM(k)", f"SELECT c, SUM(CLAMP(s, 0, 20)) AS v FROM {BY_C} GROUP BY c", of("a", *[HIGH] * 9), [], 20),
    ("change_one", "SUM(k - 3)", f"SELECT SUM(CLAMP(s, -8, 20)) AS v FROM {PER}", of("a", *[HIGH] * 9), of("n", *[LOW] * 9), 28),
    ("change_one", "SUM(k)", f"SELECT c, COUNT(*) AS v FROM {BY_C} GROUP BY c", of("a", *[HIGH] * 9), of("n", LOW), 2),
    ("change_one", "SUM(k)", f"SELECT c, SUM(CLAMP(s, 5, 20)) AS v FROM {BY_C} GROUP BY c", of("a", *[HIGH] * 9),
     of("n", *[{**HIGH, "c": 2}] * 9), 40),
    ("change_one", "SUM(y)", f"SELECT COUNT(s) AS v FROM {PER}", of("a", HIGH), of("n", NONE), 1),  # NULL: n is private
]  # fmt: skip


@pytest.mark.parametrize(("relation", "value", "sql", "one", "other", "moves"), ATTAINED)
def test_the_planned_sensitivity_is_that_of_one_row_in_its_bounds_and_it_is_attained(relation, value, sql, one, other, moves):
    tables = [*of("b", HIGH), *one], [*of("b", HIGH), *other]
    for engine, price in (("both", {"epsilon": 1}), ("reference", {"rho": "0.5"})):
        ((moved, allowed),) = compared(engine, relation, tables, sql.format(value), price)
        assert "rho" in price or allowed == moves
        assert moved == allowed


ROWS_IN = [{**HIGH, "c": c} for c in (1, 2, 3)]
ATTAINED_BY_GROUPS = [
    ("add_remove", "SUM(k)", f"SELECT COUNT(*) AS v FROM {BY_C}", of("a", *ROWS_IN, {"k": 6}), [], 4),  # and the group without c
    ("add_remove", "SUM(k)", f"SELECT COUNT(*) AS v FROM {BY_C} PER UNIT 2 GROUPS", of("a", *ROWS_IN), [], 2),
    ("add_remove", "SUM(k)", f"SELECT SUM(CLAMP(s, 0, 9)) AS v FROM {BY_C} PER UNIT 2 GROUPS", of("a", *ROWS_IN * 2), [], 18),
    ("add_remove", "SUM(k)", f"SELECT c, SUM(CLAMP(s, 0, 9)) AS v FROM {BY_C} GROUP BY c PER UNIT 3 GROUPS",
     of("a", *ROWS_IN * 2), [], 27),
    ("change_one", "SUM(k - 3)", f"SELECT SUM(CLAMP(s, -4, 9)) AS v FROM {BY_C} PER UNIT 2 GROUPS", of("a", *ROWS_IN * 4),
     of("n", *[{"c": c, "k": 0} for c in (1, 2, 3)] * 4), 26),
    ("change_one", "SUM(k)", f"SELECT c, COUNT(*) AS v FROM {BY_C} GROUP BY c PER UNIT 2 GROUPS", of("a", *ROWS_IN[:2]),
     of("n", {"c": 3}, {}), 4),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "value", "sql", "one", "other", "moves"), ATTAINED_BY_GROUPS)
def test_a_unit_that_comes_to_something_in_several_groups_is_as_many_rows_and_that_is_attained(
    relation, value, sql, one, other, moves
):
    tables = [*of("b", HIGH), *one], [*of("b", HIGH), *other]
    ((moved, allowed),) = compared("both", relation, tables, sql.format(value), {"epsilon": 1}, ())
    assert moved == allowed == moves


def test_units_are_told_apart_as_they_are_stored_and_not_as_a_column_is_read():
    sql = f"SELECT SUM(CLAMP(s, 0, 100)) AS v FROM {PER.format('SUM(y)')}"
    rows = [*of("1", HIGH), *of("01", HIGH), *of(" 1", HIGH), *of(1.5, HIGH), *of(None, HIGH), *of("?", HIGH)]
    for gone in ("1", "01", 1.5):
        left = [row for row in rows if row["who"] != gone]
        ((moved, allowed),) = compared("both", "add_remove", (rows, left), sql, {"epsilon": 1})
        assert moved == allowed
    somebody = [row for row in rows if row["who"] not in (None, "?")]
    ((moved, _),) = compared("both", "add_remove", (rows, somebody), sql, {"epsilon": 1})
    assert moved == 0


KINDS = [{"k": 0, "c": 1, "y": 100.0}, {"k": 6, "c": 2, "y": None}, {"k": 5, "c": None, "y": 3.0}]
BRUTE = [  # of each some two of these tables are as far apart as planned
    "SELECT SUM(CLAMP(s, 2, 9)) AS v FROM (SELECT who, SUM(k) AS s FROM t GROUP BY who)",
    "SELECT SUM(CLAMP(s, -4, 3)) AS v FROM (SELECT who, SUM(k - 3) AS s FROM t WHERE k <> 5 GROUP BY who)",
    "SELECT AVG(CLAMP(s, 0, 9)) AS v, COUNT(*) AS n FROM (SELECT who, SUM(k) FILTER (WHERE k < 6) AS s FROM t GROUP BY who)",
    "SELECT c, SUM(CLAMP(n, 0, 1)) AS v FROM (SELECT who, c, COUNT(y) AS n FROM t GROUP BY who, c) WHERE n < 2 GROUP BY c",
    "SELECT VARIANCE(CLAMP(s, 0, 9)) AS v FROM (SELECT who, AVG(k) AS s FROM t GROUP BY who)",
    "SELECT COUNT(s) AS v FROM (SELECT who, MAX(y) AS s FROM t GROUP BY who)",
]


@pytest.mark.parametrize("relation", RELATIONS)
def test_of_all_small_tables_no_two_neighbours_are_further_apart_than_planned(relation):
    facts = units.facts_for(relation, 2 if relation == "change_one" else None, ("c",))
    units_of = [list(rows) for size in (1, 2, 3) for rows in combinations_with_replacement(KINDS, size)]
    pairs = [(one, []) for one in units_of] if relation == "add_remove" else list(product(units_of, units_of[:9]))
    for sql in BRUTE:
        plan = planned(facts, sql, {"epsilon": 1})
        farthest = 0
        for one, other in pairs:
            tables = [*of("b", KINDS[0]), *of("a", *one)], [*of("b", KINDS[0]), *of("n", *other)]
            found = judged_releases(plan, [Reference(facts, rows) for rows in tables])
            assert all(moved <= allowed for moved, allowed in found), (sql, one, other, found)
            farthest = max([farthest, *(Fraction(moved) / allowed for moved, allowed in found)])
        assert farthest == 1, (sql, farthest)


def test_no_cap_on_rows_applies_inside_and_the_plan_is_the_same_whatever_the_facts_say():
    facts = values.facts_for("add_remove")
    sql = f"SELECT AVG(CLAMP(s, 0, 20)) AS v FROM {PER.format('SUM(k)')}"
    capped = replace(facts, unit=ByColumn("who", max_rows=1, max_groups=1))
    one, other = (planned(each, sql, {"epsilon": 1}) for each in (facts, capped))
    assert (one.wanted, one.vectors, one.event) == (other.wanted, other.vectors, other.event)
    assert one.wanted.unit is None


def test_the_number_of_units_is_public_only_where_every_unit_has_a_row_and_a_value():
    facts = values.facts_for("change_one", 7)
    known, other = f"SELECT COUNT(*) AS v FROM {PER.format('SUM(k)')}", f"SELECT COUNT(s) AS v FROM {PER.format('SUM(y)')}"
    assert planned(facts, known, {"epsilon": 1}).vectors == ()
    assert planned(facts, other, {"epsilon": 1}).vectors  # y may be NULL, x and k may not
    for private in (
        "SELECT COUNT(*) AS v FROM (SELECT who, SUM(k) AS s FROM t WHERE k > 1 GROUP BY who)",
        "SELECT COUNT(s) AS v FROM (SELECT who, SUM(k) FILTER (WHERE k > 1) AS s FROM t GROUP BY who)",
        f"SELECT COUNT(*) AS v FROM {PER.format('SUM(k)')} WHERE s > 1",
        f"SELECT c, COUNT(*) AS v FROM {BY_C.format('SUM(k)')} GROUP BY c",
    ):
        assert planned(facts, private, {"epsilon": 1}).vectors
    (mean,) = planned(facts, f"SELECT AVG(CLAMP(s, 0, 70)) AS v FROM {PER.format('SUM(k)')}", {"epsilon": 1}).vectors
    assert mean.mechanism.sensitivity == 70  # one of seven units is replaced
