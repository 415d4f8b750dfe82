"""Two neighbouring tables, a question that finds bounds: one unit moves its choices, and given what they tell the rest."""

from collections import Counter
from contextlib import ExitStack
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.engines_of_laws import ENGINES, examples, opened
from tests.laws.observing import RELATIONS, budgeted, distance, planned, released

from discreet.curator import curator_in_memory
from discreet.facts import parse_facts
from discreet.mechanisms.quantile import Quantile
from discreet.statistics.bounds import Found
from discreet.testing import recorded, seeded

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 100000
[columns.x]
type = "number"
[columns.k]
type = "integer"
null = 2
[columns.up]
type = "number"
lower = 0
[columns.c]
type = "category"
values = [1, 2]
"""
NUMBER = st.sampled_from([None, 0.0, 1.0, -1.0, 3.0, 100.0, -4.5, 1e12, float("inf"), float("-inf"), float("nan"), 2.0**-70])
ROW = st.fixed_dictionaries({"x": NUMBER, "k": NUMBER, "up": NUMBER, "c": st.sampled_from([1, 2, 3])})
WHAT = st.sampled_from(
    ["AVG(x) AS m", "SUM(k) AS s", "COUNT(*) AS n, VARIANCE(x) AS v", "CORR(x, up) AS r", "SUM(x) AS s, SUM(k) AS t",
     "AVG(up) FILTER (WHERE c = 1) AS m, AVG(up) FILTER (WHERE c = 2) AS n", "AT_UPPER(x) AS a"]
)  # fmt: skip
WHERE = st.sampled_from(["", "WHERE x > 0.5", "WHERE c = 1 AND k < 50"])
KEYS = st.sampled_from(["", "GROUP BY c"])
PRICE = st.sampled_from([{"epsilon": 200}, {"rho": 5000}, {"epsilon": 200, "delta": "1e-6"}])  # so that bounds are often the same


def observed(facts, engine, sql, price):
    """The calls of mechanisms, all else that is public, and the bounds, which are among what is left out."""
    curator = curator_in_memory(facts, engine)
    with recorded() as calls, seeded(5):
        answer = curator.ask(sql, bounds_share="0.5", **price)
    return calls, (answer.columns, answer.split, len(answer.rows), curator.budget.spent), (answer.left_out, answer.warnings)


def straight(facts, engine, sql, price):
    """The same without ledger and answer."""
    plan = planned(facts, sql, price, bounds_share=Fraction(1, 2))
    with seeded(5):
        calls, found = released(plan, engine)
    told = [values.tolist() for each, values in zip(plan.vectors, found, strict=False) if isinstance(each, Found)]
    return calls, [np.shape(each) for each in found], told


def compare(engine, facts, tables, sql, price, *, whole):
    """Asserts what must hold; whether the same bounds were told."""
    facts, asked = budgeted(facts, price), observed if whole else straight
    with ExitStack() as held:  # a choice may read on while distances are looked at
        engines = [held.enter_context(opened(engine, facts, rows)) for rows in tables]
        (calls, public, told), (other_calls, other_public, other_told) = (asked(facts, each, sql, price) for each in engines)
        assert public == other_public
        assert len(calls) == len(other_calls)
        for call, its in zip(calls, other_calls, strict=True):
            if told != other_told and not isinstance(call.mechanism, Quantile):
                break
            assert call.mechanism == its.mechanism
            moved, allowed = distance(call.mechanism, call.exact, its.exact, every=True)
            assert moved <= allowed
        return told == other_told


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("rows_of_unit", [1, 3])
def test_choices_of_bounds_differ_by_one_unit_and_given_the_same_bounds_so_does_all_else(relation, rows_of_unit, engine):
    same = Counter()

    @settings(max_examples=examples(engine, 40, 10), suppress_health_check=list(HealthCheck))
    @given(
        rows=st.lists(st.tuples(ROW, st.integers(0, 4)), min_size=3, max_size=12),
        new=st.lists(ROW, min_size=1, max_size=5), what=WHAT, where=WHERE, keys=KEYS, price=PRICE, digit=st.integers(0, 9),
    )  # fmt: skip
    def hold(rows, new, what, where, keys, price, digit):
        is_row = rows_of_unit == 1
        table = [row | {"who": f"p{place if is_row else who}"} for place, (row, who) in enumerate(rows)]
        others = [row for row in table if row["who"] != table[0]["who"]]
        new = new[:1] if is_row else new
        added = [] if relation == "add_remove" else [row | {"who": "new"} for row in new]
        units = len({row["who"] for row in table})
        size = "" if relation == "add_remove" else f"{'rows' if is_row else 'units'} = {units}"
        unit = '"row"' if is_row else '{ column = "who", max_rows = 3, max_groups = 2 }'
        facts = parse_facts(FACTS.format(unit=unit, neighbours=relation, size=size), "t")
        sql = f"SELECT {what} FROM t {where} {keys}"
        same[compare(engine, facts, (table, [*added, *others]), sql, price, whole=digit == 7)] += 1

    hold()
    assert same[True] >= (0.2 * same.total() if engine == "reference" else 1), f"the same bounds were hardly ever told: {same}"
