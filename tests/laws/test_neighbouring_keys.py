"""Two neighbouring tables, a question about keys that no list names: as many counts differ, by one, as the charge is for."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.engines_of_laws import ENGINES, examples, opened
from tests.laws.observing import RELATIONS, planned, released

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.facts import parse_facts
from discreet.testing import recorded

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 100000
delta = 0.5
[columns.word]
type = "text"
[columns.code]
type = "number"
[columns.x]
type = "number"
lower = 0
upper = 10
[columns.c]
type = "category"
values = [1, 2]
"""
PRICE = {"epsilon": 400, "delta": "0.001"}  # so much that keys of one unit are candidates, and often told

ROW = st.fixed_dictionaries(
    {
        "word": st.sampled_from([None, "a", "a ", "A", "b", "", "ä"]),
        "code": st.sampled_from([None, 0.0, -0.0, 1.5, float("nan"), float("inf"), 3]),
        "x": st.sampled_from([None, 0.0, 5.0, 99.0]),
        "c": st.sampled_from([1, 2, 3]),
    }
)
KEY = st.sampled_from(["word", "code"])
STATISTICS = ["COUNT(*) AS n", "AVG(x) AS m", "COUNT(*) AS n, SUM(x) AS s", "COVAR(x, x * x) AS r", "COUNT(DISTINCT x) AS d"]
WHAT = st.sampled_from(STATISTICS)
WHERE = st.sampled_from(["", "WHERE x > 1", "WHERE word <> 'a'"])


def units_per_key(call):
    return dict(zip(call.exact.values, call.exact.units.tolist(), strict=True))


def observed(engine, facts, rows, sql):
    """The calls of mechanisms, all else that is public, and the keys."""
    with opened(engine, facts, rows) as held, recorded() as calls:
        curator = curator_in_memory(facts, held)
        answer = curator.ask(sql, **PRICE)
    return calls, (answer.columns, answer.split, answer.warnings, curator.budget.spent), [row["key"] for row in answer.rows]


def straight(engine, facts, rows, sql):
    """The same without ledger and answer."""
    plan = planned(facts, sql, PRICE)
    with opened(engine, facts, rows) as held:
        calls, (keys, *_) = released(plan, held)
    return calls, plan, keys.tolist()


def compare(engine, facts, one, other, sql, touched, *, whole):
    """Asserts what must hold; whether the same keys were told."""
    asked = observed if whole else straight
    (calls, public, told), (other_calls, other_public, other_told) = (
        asked(engine, facts, rows, sql) for rows in (one, other)
    )
    assert public == other_public
    assert calls[0].mechanism == other_calls[0].mechanism
    counts = [Counter(units_per_key(each[0])) for each in (calls, other_calls)]
    moved = [abs(counts[0][key] - counts[1][key]) for key in {*counts[0], *counts[1]}]
    assert max(moved, default=0) <= 1
    assert sum(moved) <= touched
    if told != other_told:
        return False
    for call, its in zip(calls[1:], other_calls[1:], strict=True):
        assert call.mechanism == its.mechanism
        gap = np.asarray(call.exact).astype(object) - np.asarray(its.exact).astype(object)
        assert np.abs(gap).sum() <= call.mechanism.sensitivity
    return True


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
def test_rows_move_one_count_or_two(relation, engine):
    same = Counter()

    @settings(max_examples=examples(engine, 100, 20), suppress_health_check=list(HealthCheck))
    @given(rows=st.lists(ROW, min_size=2, max_size=12), new=ROW, key=KEY, what=WHAT, where=WHERE, digit=st.integers(0, 9))
    def hold(rows, new, key, what, where, digit):
        size = f"rows = {len(rows)}" if relation == "change_one" else ""
        facts = parse_facts(FACTS.format(unit='"row"', neighbours=relation, size=size), "t")
        other = rows[1:] if relation == "add_remove" else [new, *rows[1:]]
        sql = f"SELECT {key} AS key, {what} FROM t {where} GROUP BY {key}"
        same[compare(engine, facts, rows, other, sql, 1 if relation == "add_remove" else 2, whole=digit == 7)] += 1

    hold()
    assert same[True] >= (0.2 * same.total() if engine == "reference" else 1), f"the same keys were hardly ever told: {same}"


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("groups", [1, 2])
def test_all_rows_of_one_unit_move_as_many_counts_as_it_may_have_keys(relation, groups, engine):
    unit = f'{{ column = "who", max_rows = 4, max_groups = {groups} }}'

    @settings(max_examples=examples(engine, 80, 20), suppress_health_check=list(HealthCheck))
    @given(
        rows=st.lists(st.tuples(ROW, st.integers(0, 4)), min_size=3, max_size=14),
        new=st.lists(ROW, min_size=1, max_size=6),
        key=KEY,
        what=st.sampled_from(["COUNT(DISTINCT who) AS n", "COUNT(*) AS n", "SUM(x) AS s"]),
        digit=st.integers(0, 9),
    )
    def hold(rows, new, key, what, digit):
        table = [row | {"who": f"p{who}"} for row, who in rows]
        whose = table[0]["who"]
        others = [row for row in table if row["who"] != whose]
        added = [] if relation == "add_remove" else [row | {"who": "new"} for row in new]
        size = f"units = {len({row['who'] for row in table})}" if relation != "add_remove" else ""
        facts = parse_facts(FACTS.format(unit=unit, neighbours=relation, size=size), "t")
        sql = f"SELECT {key} AS key, {what} FROM t GROUP BY {key}"
        touched = groups if relation == "add_remove" else 2 * groups
        compare(engine, facts, table, [*others, *added], sql, touched, whole=digit == 7)

    hold()


def test_the_most_that_may_move_does():
    facts = parse_facts(FACTS.format(unit='"row"', neighbours="change_one", size="rows = 4"), "t")
    rows = [{"word": "a", "x": 1.0, "c": 1}] * 4
    sql = "SELECT word AS key, COUNT(*) AS n FROM t GROUP BY word"
    calls, _, _ = observed("both", facts, rows, sql)
    others, _, _ = observed("both", facts, [*rows[1:], {"word": "b", "x": 1.0, "c": 1}], sql)
    assert (units_per_key(calls[0]), units_per_key(others[0])) == ({"a": 4}, {"a": 3, "b": 1})
    assert calls[0].mechanism.key_epsilon == calls[0].mechanism.epsilon / 2
    assert isinstance(calls[0].mechanism, dc.NoisyThreshold)
