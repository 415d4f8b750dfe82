"""Joins: two tables that differ in one unit, beside the same lookups, and nothing but noise may tell them apart."""

import importlib.util
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference import Reference
from discreet.engines.wanted import CountsWanted, KeysWanted
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Caps, Column
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text
from discreet.statistics.ranks import Ranks
from discreet.testing import recorded


def _beside(name):
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


joins = _beside("joins_at_random")
by_row = _beside("test_neighbours")
units, at_random = joins.units, joins.at_random

RELATIONS = ["add_remove", "change_one"]
BY_WHO = 'unit = { column = "who" }'


def observed(facts, rows, lookups, sql, price, caps):
    """All that a question leaves behind on a table: calls of mechanisms, charges, keys, or the refusal."""
    cap = by_row.BUDGETS["delta" if "delta" in price else next(iter(price))]
    facts = replace(facts, budget=type(facts.budget)(cap, accounting="concentrated" if "rho" in price else "basic"))
    curator = curator_in_memory(facts, Reference(facts, rows, lookups))
    with recorded() as calls:
        try:
            answer = curator.ask(sql, **price, **caps)
        except dc.Refused as error:
            return [], (type(error).__name__, str(error), curator.budget.spent)
    keys = [column.name for column in answer.columns if column.kind == "key"]
    cells = [] if "HAVING" in sql else sorted(str([row[key] for key in keys]) for row in answer.rows)
    return calls, (answer.columns, cells, answer.split, answer.warnings, curator.budget.spent)


def compare(facts, tables, lookups, sql, price, caps):
    """Distances and what they may be; asserts that all else is the same. None if the question was refused."""
    (calls, public), (other_calls, other_public) = (observed(facts, rows, lookups, sql, price, caps) for rows in tables)
    assert public == other_public
    calls, other_calls = ([call for call in each if by_row.is_first_level(call)] for each in (calls, other_calls))
    assert [call.mechanism for call in calls] == [call.mechanism for call in other_calls]
    if isinstance(public[0], str):
        return None
    return by_row.judged(facts.neighbours, calls, other_calls)


def priced(price, sql):
    is_ranked = any(f"{name}(" in sql for name in by_row.RANKED)
    return by_row.PRICES[0] if "delta" in price and is_ranked else price  # choices have no delta


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_joined_tables_that_differ_in_one_row_differ_by_no_more_than_the_planned_sensitivity(relation):
    asked = Counter()

    @settings(max_examples=120, suppress_health_check=list(HealthCheck))
    @given(at_random.neighbours(relation), joins.lookups(), joins.joined(at_random.questions()), st.sampled_from(by_row.PRICES))
    def hold(tables, lookups, question, price):
        facts = joins.facts_for(relation, f"rows = {len(tables[0])}" if relation == "change_one" else "")
        found = compare(facts, tables, lookups, question, priced(price, question), {})
        asked[found is not None] += 1
        for moved, allowed in found or ():
            assert moved <= allowed, f"{question}: {moved} > {allowed}"

    hold()
    assert asked[True] >= 0.8 * asked.total(), f"too many generated questions are refused: {asked}"


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_joined_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity(relation):
    asked = Counter()

    @settings(max_examples=120, suppress_health_check=list(HealthCheck))
    @given(
        units.neighbours(relation), joins.lookups(), joins.joined(units.questions()), st.sampled_from(by_row.PRICES), units.CAPS
    )
    def hold(tables, lookups, question, price, caps):
        number = len({units.unit_of(row) for row in tables[0]} - {None})
        facts = joins.facts_for(relation, f"units = {number}" if relation == "change_one" else "", BY_WHO)
        found = compare(facts, tables, lookups, question, priced(price, question), caps)
        asked[found is not None] += 1
        for moved, allowed in found or ():
            assert moved <= allowed, f"{question}: {moved} > {allowed}"

    hold()
    assert asked[True] >= 0.8 * asked.total(), f"too many generated questions are refused: {asked}"


# ---- attained

ALICE = {"name": "Alice", "k": 3, "y": 100.0, "who": "a"}
NOBODY = {"name": "Bob", "k": 5, "who": "b"}
LOOKUPS = {
    "names": [{"name": "Alice", "w": 10.5, "r": "a"}] * 3,
    "codes": [{"code": 3, "v": 100.0, "g": 1}, {"code": "3", "v": 0.0, "g": 2}],
}
NAMES, CODES = " FROM t JOIN names ON t.name = names.name", " FROM t JOIN codes ON t.k = codes.code"
BOTH = f"{NAMES} JOIN codes ON t.k = codes.code"
LEFT = NAMES.replace("JOIN", "LEFT JOIN")
BY_ROW = [
    ("add_remove", f"SELECT COUNT(*) AS n{NAMES}"),
    ("add_remove", f"SELECT COUNT(*) AS n{LEFT}"),
    ("add_remove", f"SELECT r, COUNT(*) AS n{NAMES} GROUP BY r"),
    ("add_remove", f"SELECT r, COUNT(*) AS n{BOTH} GROUP BY r"),
    ("add_remove", f"SELECT g, COUNT(*) AS n{CODES} GROUP BY g"),
    ("add_remove", f"SELECT AVG(y) AS n{BOTH}"),
    ("add_remove", f"SELECT VAR_POP(w) AS n{NAMES}"),
    ("add_remove", f"SELECT COUNT(DISTINCT v) AS n{CODES}"),
    ("add_remove", f"SELECT COUNT(*) FILTER (WHERE g = 1) AS n, COUNT(*) FILTER (WHERE g = 2) AS m{CODES}"),
    ("change_one", f"SELECT COUNT(*) AS n{NAMES}"),
    ("change_one", f"SELECT COUNT(*) AS n{BOTH}"),
]  # fmt: skip


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": "0.5"}])
@pytest.mark.parametrize(("relation", "sql"), BY_ROW)
def test_the_multiplicity_is_attained_where_every_row_is_a_unit(relation, sql, price):
    other = [NOBODY] if relation == "add_remove" else [NOBODY, NOBODY]
    facts = joins.facts_for(relation, "" if relation == "add_remove" else "rows = 2")
    found = compare(facts, ([NOBODY, ALICE], other), LOOKUPS, sql, price, {})
    is_spread = "rho" in price and ("GROUP BY g" in sql or "FILTER" in sql)  # two cells: less in squares than all in one
    assert all(moved <= allowed for moved, allowed in found)
    assert is_spread or any(moved == allowed for moved, allowed in found), found


@pytest.mark.parametrize(("sql", "caps"), [
    (f"SELECT COUNT(*) AS n{NAMES}", {"max_rows": 2}),
    (f"SELECT COUNT(*) AS n{BOTH}", {"max_rows": 2}),
    (f"SELECT AVG(y) AS n{NAMES}", {"max_rows": 2}),
    (f"SELECT r, COUNT(*) AS n{NAMES} GROUP BY r", {"max_rows": 2}),
    (f"SELECT g, COUNT(*) AS n{CODES} GROUP BY g", {"max_groups": 1, "max_rows_per_group": 2}),
    (f"SELECT g, COUNT(DISTINCT who) AS n{CODES} GROUP BY g", {"max_groups": 1}),
])  # fmt: skip
def test_caps_of_the_table_times_the_multiplicity_are_attained_where_a_unit_has_many_rows(sql, caps):
    facts = joins.facts_for("add_remove", "", BY_WHO)
    lookups = LOOKUPS | {"codes": [{"code": 3, "v": 1, "g": 1}, {"code": 3, "v": 2, "g": 2}]}
    found = compare(facts, ([NOBODY, *[ALICE] * 9], [NOBODY]), lookups, sql, {"epsilon": 1}, caps)
    assert all(moved <= allowed for moved, allowed in found)
    assert any(moved == allowed for moved, allowed in found) or "max_rows_per_group" in caps, found


def test_a_unit_with_as_many_rows_as_its_cap_loses_none_by_a_join():
    facts = joins.facts_for("add_remove", "", BY_WHO)
    with recorded() as calls:
        curator = curator_in_memory(facts, Reference(facts, [ALICE, ALICE], LOOKUPS))
        curator.ask(f"SELECT COUNT(*) AS n{BOTH}", epsilon=1, max_rows=2)
    assert int(np.ravel(calls[0].exact)[0]) == 2 * 3 * 2


# ---- two engines


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['unit = "row"', BY_WHO])
def test_duckdb_and_the_reference_agree_on_generated_questions_with_joins(unit):
    import pandas as pd

    @settings(max_examples=60, suppress_health_check=list(HealthCheck))
    @given(units.TABLES, joins.lookups(), joins.joined(at_random.questions()), units.CAPS)
    def agree(rows, lookups, question, caps):
        facts = joins.facts_for("add_remove", "", unit)
        said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group")) if unit == BY_WHO else Caps()
        plan = make_plan(checked(with_caps(read_sql(question, facts), said), facts), facts, read_price(epsilon=1))
        assert read_sql(to_text(plan.question), facts) == plan.question
        columns = {"names": ["name", "w", "r"], "codes": ["code", "v", "g"]}
        frames = {name: pd.DataFrame(some, columns=columns[name], dtype=object) for name, some in lookups.items()}
        engine, reference = open_engine(facts, pd.DataFrame(rows, dtype=object), frames), Reference(facts, rows, lookups)
        if plan.wanted.measures:
            one, other = engine.run(plan.wanted).take(), reference.run(plan.wanted).take()
            assert np.array_equal(one.high, other.high), question
            assert np.array_equal(one.low, other.low), question
        for ranks in (each for each in plan.vectors if isinstance(each, Ranks)):
            wanted = plan.wanted
            asked = CountsWanted(
                wanted.where, wanted.keys, ranks.of, ranks.grid, ranks.filter, unit=wanted.unit, joins=wanted.joins
            )
            one, other = engine.counts(asked).take(), reference.counts(asked).take()
            assert all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ("cell", "bin", "rows")), question
        engine.close()

    agree()


# ---- keys that no list names


@pytest.mark.slow
def test_a_unit_that_comes_or_goes_changes_as_many_candidates_as_it_may_have_and_each_by_one():
    import pandas as pd

    changed = Counter()

    @settings(max_examples=80, suppress_health_check=list(HealthCheck))
    @given(units.neighbours("add_remove"), joins.lookups(), st.booleans(), st.integers(1, 3))
    def hold(tables, lookups, outer, groups):
        facts = joins.facts_for("add_remove", "", BY_WHO)
        sql = "SELECT name, COUNT(DISTINCT who) AS n FROM t JOIN codes ON k = code GROUP BY name"
        (join,) = read_sql(sql, replace(facts, budget=type(facts.budget)(by_row.BUDGETS["delta"]))).joins
        wanted = KeysWanted(None, Column("name"), 1, groups, "ab", joins=(replace(join, outer=outer),))
        one, other = (_candidates(Reference(facts, rows, lookups), wanted) for rows in tables)
        apart = {key: abs(one.get(key, 0) - other.get(key, 0)) for key in one.keys() | other.keys()}
        assert sum(apart.values()) <= groups
        assert max(apart.values(), default=0) <= 1
        changed[sum(apart.values())] += 1
        columns = {"names": ["name", "w", "r"], "codes": ["code", "v", "g"]}
        frames = {name: pd.DataFrame(some, columns=columns[name], dtype=object) for name, some in lookups.items()}
        engine = open_engine(facts, pd.DataFrame(tables[0], dtype=object), frames)
        assert _candidates(engine, wanted) == one
        engine.close()

    hold()
    assert changed[1], changed


def _candidates(engine, wanted):
    found = engine.keys(wanted).take()
    return dict(zip(found.values, found.units.tolist(), strict=True))
