"""Two confidential tables about the same people: databases that differ in one unit, and nothing but noise tells them apart."""

import re
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws import joins_at_random as joins
from tests.laws import questions_at_random as at_random
from tests.laws import units_at_random as units
from tests.laws.engines_of_laws import ENGINES, examples
from tests.laws.observing import PRICES, RELATIONS, compare, holds, priced

from discreet.curator import curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.facts.model import Companion
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.algebra import Caps
from discreet.questions.caps import with_caps
from discreet.questions.check import checked
from discreet.questions.sql import read_sql
from discreet.questions.text import to_text

VISITS = """
[table]
name = "visits"
source = "visits.csv"
unit = {{ column = "whom", max_rows = {most} }}
neighbours = "{neighbours}"
people = "p"
[budget]
epsilon = 1000
[columns.w]
type = "number"
lower = -5
upper = 10.5
null = 0
[columns.r]
type = "category"
values = ["a", "b'", "c d"]
other = true
"""
NEW = units.NEW
OF_VISITS = st.fixed_dictionaries(
    {"whom": units.UNITS, "w": at_random.NUMBERS, "r": st.sampled_from([None, "a", "b'", "c d", "zzz"])}
)  # fmt: skip
ON = "JOIN visits ON t.who = visits.whom"


@cache
def facts_for(relation, most=2, size=""):
    """The facts of the table t with a unit of many rows, beside a lookup and the table of visits."""
    theirs = parse_facts(VISITS.format(neighbours=relation, most=most), "visits.toml")
    ours = joins.facts_for(relation, f'people = "p"\n{size}', 'unit = { column = "who" }')
    return replace(ours, joins=(*ours.joins, Companion("visits", "visits.toml", "who", "whom", theirs)))


@cache
def facts_with_constants(relation, size=""):
    """The same, where what questions look at is constant per unit: in the table, in the visits, and in a lookup by such a key."""
    ours, plain = units.facts_for(relation, per_unit=units.PER_UNIT), facts_for(relation, size=size)
    _, codes, visits = plain.joins
    constant = tuple(replace(each, per_unit=each.name == "r") for each in visits.columns)
    theirs = replace(visits, facts=replace(visits.facts, columns=constant))
    return replace(plain, columns=ours.columns, joins=(replace(codes, max_matches=1), theirs))


def whom(row):
    return units.unit_of({"who": row["whom"]})


@st.composite
def databases(draw, relation):
    """Two neighbouring databases: one unit is gone from both tables, or replaced by another that is in neither."""
    table = draw(units.TABLES)
    about = st.one_of(units.UNITS, st.sampled_from([row["who"] for row in table]))  # few units: some have several visits
    whose = st.builds(lambda row, who: {**row, "whom": who}, OF_VISITS, about)
    visits = draw(st.lists(whose, min_size=draw(st.sampled_from([0, 6])), max_size=9))
    gone = draw(st.sampled_from(sorted({unit for row in table if (unit := units.unit_of(row)) is not None})))
    kept, left = [row for row in table if units.unit_of(row) != gone], [row for row in visits if whom(row) != gone]
    if relation == "add_remove":
        return (table, visits), (kept, left)
    others, theirs = draw(st.lists(units.ROWS, min_size=1, max_size=5)), draw(st.lists(OF_VISITS, max_size=5))
    other = [*kept, *({**row, "who": NEW} for row in others)], [*left, *({**row, "whom": NEW} for row in theirs)]
    return (table, visits), other


@st.composite
def questions(draw):
    """SQL over both tables; sometimes with a lookup as well."""
    sql = draw(units.questions())
    for ours, theirs in (("x", "visits.w"), ("s", "visits.r")):
        if draw(st.booleans()):
            sql = re.sub(rf"(?<!')\b{ours}\b", theirs, sql)
    clause = f"{draw(st.sampled_from(['', '', 'LEFT ']))}{ON}{draw(st.sampled_from(['', ' ' + joins.ON['codes']]))}"
    return sql.replace(" FROM t", f" FROM t {clause}", 1)


def compared(engine, facts, two, lookups, sql, price, caps, *, whole=True):
    """Distances and what they may be, of two databases."""
    tables, beside = [rows for rows, _ in two], [lookups | {"visits": visits} for _, visits in two]
    return compare(engine, facts, tables, sql, price, caps, beside, whole=whole)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_two_joined_tables_that_differ_in_one_unit_differ_by_no_more_than_the_planned_sensitivity(relation, engine):
    def each(two, lookups, sql, price, caps, whole):
        number = len({units.unit_of(row) for row in two[0][0]} - {None})
        facts = facts_for(relation, size=f"units = {number}" if relation == "change_one" else "")
        return sql, compared(engine, facts, two, lookups, sql, priced(price, sql), caps, whole=whole)

    of_each = databases(relation), joins.lookups(), questions(), st.sampled_from(PRICES), units.CAPS
    holds(examples(engine, 70, 30), each, *of_each)


@st.composite
def questions_about_constants(draw):
    """SQL whose keys and filters look at what is constant per unit, in one of three tables."""
    keys = draw(st.sampled_from([["visits.r"], ["g"], ["visits.r", "BIN(y, 50)"], ["c", "g"], []]))
    counted = draw(st.sampled_from(["COUNT(DISTINCT who)", "COUNT(*)", "SUM(k - 3)", "MEDIAN(y)", "MEDIAN(y, INTERVAL)"]))
    filters = draw(st.sampled_from([("",), ("visits.r = 'a'", "visits.r <> 'a'"), ("g = 1", "g = 2")]))
    named = [f"{key} AS g{i}" for i, key in enumerate(keys)]
    named += [f"{counted}{f' FILTER (WHERE {one})' if one else ''} AS v{i}" for i, one in enumerate(filters)]
    group = f" GROUP BY {', '.join(keys)}" if keys else ""
    on = f"{draw(st.sampled_from(['', 'LEFT ']))}{ON} {draw(st.sampled_from(['LEFT ', 'LEFT ', '']))}{joins.ON['codes']}"
    return f"SELECT {', '.join(named)} FROM t {on}{group}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_what_is_constant_per_unit_stays_so_behind_joins_whatever_the_rows_say(relation, engine):
    def each(two, lookups, sql, price, caps, whole):
        number = len({units.unit_of(row) for row in two[0][0]} - {None})
        facts = facts_with_constants(relation, size=f"units = {number}" if relation == "change_one" else "")
        once = {"codes": joins.within(lookups["codes"], facts.joins[0], facts)}
        return sql, compared(engine, facts, two, once, sql, priced(price, sql), caps, whole=whole)

    of_each = databases(relation), joins.lookups(), questions_about_constants(), st.sampled_from(PRICES), units.CAPS
    holds(examples(engine, 100, 20), each, *of_each)


@pytest.mark.parametrize(("relation", "moves"), [("add_remove", 1), ("change_one", 2)])
@pytest.mark.parametrize("key", ["visits.r", "g", "c"])
def test_a_unit_counts_in_one_group_by_what_is_constant_behind_joins_and_no_less(key, relation, moves):
    sql = f"SELECT {key} AS k, COUNT(DISTINCT who) AS n FROM t LEFT {ON} LEFT {joins.ON['codes']} GROUP BY {key}"
    codes = {"codes": [{"code": 3, "g": 1}, {"code": 4, "g": 2}]}
    rows, visits = [{**ROW, "c": 1}, {**ROW, "k": 4, "c": 2}, {**ROW, "k": None, "c": 3}], [VISIT, {**VISIT, "r": "b'"}]
    another = [{**ROW, "who": NEW, "k": 4, "c": 2}], [{**VISIT, "whom": NEW, "r": "c d"}]
    other = ([SOMEBODY], []) if relation == "add_remove" else ([SOMEBODY, *another[0]], another[1])
    facts = facts_with_constants(relation, "units = 2" if relation == "change_one" else "")
    two = ([SOMEBODY, *rows], visits), other
    assert compared("both", facts, two, codes, sql, {"epsilon": 1}, {"max_groups": 3}) == [(moves, moves)]


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(questions(), units.CAPS)
def test_a_question_about_two_confidential_tables_is_written_so_that_it_is_read_as_the_same(sql, caps):
    facts = facts_for("add_remove")
    said = Caps(caps.get("max_rows", 3), caps.get("max_groups"), caps.get("max_rows_per_group"))
    question = checked(with_caps(read_sql(sql, facts), said), facts)
    assert read_sql(to_text(question), facts) == question


ROW, VISIT, SOMEBODY = {"who": "a", "y": 100.0, "k": 3}, {"whom": "a", "w": 10.5, "r": "a"}, {"who": "b", "k": 3}
ATTAINED = [
    ("add_remove", f"SELECT COUNT(*) AS n FROM t {ON}", 6),
    ("add_remove", f"SELECT COUNT(*) AS n FROM t LEFT {ON}", 6),
    ("add_remove", f"SELECT r, COUNT(*) AS n FROM t {ON} GROUP BY r", 6),
    ("add_remove", f"SELECT AVG(w) AS n FROM t {ON}", 6),
    ("add_remove", f"SELECT COUNT(*) AS n FROM t {ON} {joins.ON['codes']}", 12),
    ("change_one", f"SELECT COUNT(*) AS n FROM t {ON}", 6),
    ("change_one", f"SELECT r, COUNT(*) AS n FROM t {ON} GROUP BY r", 12),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "sql", "times"), ATTAINED)
def test_the_product_of_both_caps_is_attained(relation, sql, times):
    codes = {"names": [], "codes": [{"code": 3, "v": 1, "g": 1}] * 2}
    one = ([SOMEBODY, *[ROW] * 9], [VISIT] * 7)
    other = ([SOMEBODY], []) if relation == "add_remove" else (
        [SOMEBODY, *[{**ROW, "who": NEW}] * 9], [{"whom": NEW, "r": "b'"}] * 7 if "GROUP" in sql else [])  # fmt: skip
    facts = facts_for(relation, 2, "units = 2" if relation == "change_one" else "")
    (found,) = compared("both", facts, (one, other), codes, sql, {"epsilon": 1}, {"max_rows": 3})
    assert found[0] == found[1]
    statistic = make_plan(read_sql(f"{sql} PER UNIT 3 ROWS", facts), facts, read_price(epsilon=1)).vectors[0].statistic
    assert found[1] == times * (statistic.x.grid.width if hasattr(statistic, "x") else 1)


@pytest.mark.parametrize("sql", ["SELECT COUNT(*) AS n", "SELECT s, COUNT(DISTINCT who) AS n", "SELECT ROWS_PER_UNIT(0.5) AS n"])
def test_a_unit_with_very_many_rows_is_cut_before_it_meets_the_other_table(sql, monkeypatch):
    monkeypatch.setattr("discreet.engines.rules.lookups._MOST_MET", 5)
    facts, tables = facts_for("add_remove"), []
    monkeypatch.setattr("discreet.engines.reference.engine.joined_rows", lambda row, *_: tables.append(row) or [row])
    engine = Reference(facts, [ROW] * 500, {"names": [], "codes": [], "visits": [VISIT] * 7})
    by = " GROUP BY s" if " s," in sql else ""
    curator_in_memory(facts, engine).ask(f"{sql} FROM t {ON}{by} PER UNIT 2 GROUPS, 3 ROWS PER GROUP", epsilon=1)
    assert len(tables) == 5
