"""SUM(x) PER UNIT BETWEEN a AND b: what it is, how far one unit moves it, what is stored under its name. Rule 39."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import pandas as pd
import pytest
from tests.laws import units_at_random as units
from tests.laws.observing import RELATIONS, judged_releases, planned

import discreet as dc
from discreet.engines.reference.engine import Reference
from discreet.private import Private
from discreet.statistics.vector import Vector

KINDS = [{"y": 0.0, "c": 1}, {"y": 6.0, "c": 2}, {"y": 5.0, "c": None}, {"y": None, "c": 1}]
KEPT = {"": lambda row: True, " FILTER (WHERE y <> 5)": lambda row: row["y"] != 5}
NUMBERS = {"ROUND(y)": lambda y: y, "ROUND(y) - 3": lambda y: y - 3, "-ROUND(y)": lambda y: -y}
ENDS = [(0, 9), (2, 7), (-4, 3), (-11, -5)]


def of(who, rows):
    return [{"who": who, **row} for row in rows]


def total(table, number, only, low, high):
    """The definition: per unit and group, the clamped sum of its contributing rows, if there are any."""
    found = {}
    for row in table:
        if row["y"] is not None and KEPT[only](row):
            found.setdefault((row["who"], row["c"]), []).append(NUMBERS[number](row["y"]))
    return sum(min(max(sum(rows), low), high) for rows in found.values())


def exact_total(plan, engine):
    (vector,) = plan.vectors
    assert isinstance(vector, Vector)
    return sum(vector.statistic.exact(engine.run(plan.wanted).take().whole(), None)[0])


@pytest.mark.slow
@pytest.mark.parametrize("relation", RELATIONS)
def test_of_all_small_tables_none_is_further_from_its_neighbours_than_planned_and_totals_are_those_of_the_definition(relation):
    facts = units.facts_for(relation, 2 if relation == "change_one" else None)
    ones = [list(rows) for size in (1, 2, 3) for rows in combinations_with_replacement(KINDS, size)]
    pairs = [(one, []) for one in ones] if relation == "add_remove" else list(product(ones[::4], ones[:6]))
    for number, only, ends in product(NUMBERS, KEPT, ENDS):
        statistic = f"SUM({number}){only} PER UNIT BETWEEN {ends[0]} AND {ends[1]} AS v"
        plans = [planned(facts, f"SELECT {statistic} FROM t{by}", {"epsilon": 1}) for by in ("", " GROUP BY c")]
        for one, other in pairs:
            tables = [of("b", KINDS[:1]) + of("a", one), of("b", KINDS[:1]) + of("n", other)]
            engines = [Reference(facts, rows) for rows in tables]
            for plan in plans:
                assert all(moved <= allowed for moved, allowed in judged_releases(plan, engines)), (statistic, one, other)
        assert exact_total(plans[1], engines[0]) == total(tables[0], number, only, *ends)


def test_private_values_stay_wrapped_until_they_are_released():
    facts = units.facts_for("add_remove")
    plan = planned(facts, "SELECT SUM(k) PER UNIT BETWEEN 2 AND 7 AS v FROM t", {"epsilon": 1})
    assert isinstance(Reference(facts, of("a", KINDS)).run(plan.wanted), Private)


ROWS = pd.DataFrame({"home": [n % 40 for n in range(2000)], "seg": ["ab"[n % 2] for n in range(2000)],
                     "paid": [n % 90 / 4 for n in range(2000)], "open": [n % 90 / 4 for n in range(2000)],
                     "far": [n % 7 * 1e9 for n in range(2000)]})  # fmt: skip


@pytest.fixture
def sales():
    columns = {"seg": dc.category("a", "b", per_unit=True, null="drop"), "paid": dc.number(0, 100), "open": dc.number(0),
               "far": dc.number(-1e10, 1e10)}  # fmt: skip
    unit = {"column": "home", "max_rows": 3}
    return dc.table(ROWS, name="sales", columns=columns, unit=unit, neighbours="add_remove", budget=10**9)


def test_a_total_needs_no_upper_bound_of_its_values_and_is_exact_but_for_noise(sales):
    answer = sales.ask("SELECT seg, SUM(open) PER UNIT BETWEEN 0 AND 500.5 AS s FROM sales GROUP BY seg", epsilon=10**7)
    wanted = ROWS.groupby(["seg", "home"]).paid.sum().clip(0, 500.5).groupby("seg").sum()
    assert [row["s"] for row in answer.rows] == pytest.approx(list(wanted), abs=0.01)
    assert wanted.sum() < ROWS.paid.sum() - 100, "some units are above the bound"


def test_what_is_stored_serves_the_same_total_in_any_words_and_nothing_else(sales):
    first = "SELECT SUM(paid) PER UNIT BETWEEN 0 AND 560 AS s, COUNT(DISTINCT home) AS n FROM sales"
    bought = sales.ask(first, epsilon=1)
    assert bought.cost == dc.Pure(epsilon=1)
    again = sales.ask("SELECT SUM(paid) PER UNIT BETWEEN 0.0 AND 5.6e2 / COUNT(DISTINCT home) AS m FROM sales", epsilon=1)
    assert again.replayed
    assert again.rows[0]["m"] == pytest.approx(bought.rows[0]["s"] / bought.rows[0]["n"])
    assert sales.sum("paid", per_unit=(0, 560)).ask(epsilon="1/2").rows[0] == {"sum_paid": bought.rows[0]["s"]}
    for other in ("BETWEEN 0 AND 561", "BETWEEN -1 AND 560", "FILTER (WHERE seg = 'a') PER UNIT BETWEEN 0 AND 560"):
        sql = f"SELECT SUM(paid) {'' if 'FILTER' in other else 'PER UNIT '}{other} AS s FROM sales"
        assert sales.quote(sql, epsilon=1).to_dict()["cost"] != {"epsilon": "0"}, other


def test_both_orders_of_filter_are_one_question_and_its_text_reads_back(sales):
    only, ends = "FILTER (WHERE seg = 'a')", "PER UNIT BETWEEN 0 AND 9"
    ways = [f"SUM(paid) {ends} {only}", f"SUM(paid) {only} {ends}"]
    texts = {sales.quote(f"SELECT {way} AS s FROM sales", epsilon=1).question for way in ways}
    assert len(texts) == 1
    assert sales.quote(texts.pop(), epsilon=1)


REFUSED = [
    ("SELECT SUM(paid) PER UNIT BETWEEN 9 AND 1 AS s FROM sales", "the lower one first", "BETWEEN 0 AND 100"),
    ("SELECT SUM(paid) PER UNIT BETWEEN 'a' AND 1 AS s FROM sales", "expected a number", "BETWEEN 0 AND 100"),
    ("SELECT AVG(paid) PER UNIT BETWEEN 0 AND 1 AS s FROM sales", "only what a unit adds to a sum", "SUM(x) PER UNIT"),
    ("SELECT COUNT(*) PER UNIT BETWEEN 0 AND 1 AS s FROM sales", "only what a unit adds to a sum", "PER UNIT 5 ROWS"),
    ("SELECT SUM(paid) AS s FROM sales PER UNIT BETWEEN 0 AND 1", "about one sum", "behind the sum"),
    ("SELECT SUM(seg = 'a') PER UNIT BETWEEN 0 AND 1.5 AS s FROM sales", "whole numbers", "whole numbers as bounds"),
    ("SELECT SUM(far) PER UNIT BETWEEN 0 AND 0.001 AS s FROM sales", "too large for bounds as narrow", "clamp each of them"),
    ("SELECT SUM(paid) PER UNIT BETWEEN 0 AND 1 AS s, AVG(far) AS m FROM sales", "reads all rows of a unit", "of its own"),
    ("SELECT SUM(paid) PER UNIT BETWEEN 0 AND 1 AS s, MEDIAN(far) AS m FROM sales", "reads all rows of a unit", "of its own"),
    ("SELECT SUM(open) PER UNIT BETWEEN 0 AND 1 AS s FROM sales BOUNDS SHARE 0.2", "no bounds", "leave out BOUNDS SHARE"),
    ("SELECT AVG(s) AS m FROM (SELECT home, SUM(far) PER UNIT BETWEEN 0 AND 1 AS s FROM sales GROUP BY home)", "inside", "CLAMP"),
]


def test_what_cannot_be_bounded_is_refused_with_what_to_write_instead(sales):
    for sql, message, hint in REFUSED:
        with pytest.raises(dc.QuestionError) as refused:
            sales.quote(sql, epsilon=1)
        assert message in str(refused.value), sql
        assert hint in refused.value.hint, sql
    by_row = dc.table(ROWS, columns={"far": dc.number(0, 1)}, unit="row", neighbours="add_remove", budget=1)
    with pytest.raises(dc.QuestionError, match="a unit of its own"):
        by_row.sum("far", per_unit=(0, 1)).quote(epsilon=1)
    with pytest.raises(dc.QuestionError, match="no pair of numbers"):
        dc.sum("far", per_unit=5)


def test_quotes_say_what_a_unit_may_add_and_how_to_ask_for_the_share_beyond(sales):
    quote = sales.quote("SELECT SUM(paid) PER UNIT BETWEEN 0 AND 560 AS s FROM sales", epsilon=1)
    assert "each home adds between 0 and 560 to SUM(paid); the ± does not cover what is beyond" in quote.left_out
    (how,) = (each for each in quote.warnings if each.startswith("SELECT AVG"))
    share = sales.ask(how.split(" asks for")[0].replace(" FROM (", " AS share FROM (", 1), epsilon=10**5).rows[0]["share"]
    assert share == pytest.approx((ROWS.groupby("home").paid.sum() > 560).mean(), abs=0.01)


def test_the_share_of_a_price_decides_the_noise_as_one_number_in_its_range():
    facts = units.facts_for("add_remove")
    ones = planned(facts, "SELECT SUM(x) PER UNIT BETWEEN -2 AND 30.5 AS v FROM t", {"epsilon": "1/4"}).vectors[0]
    assert ones.mechanism.sensitivity * ones.statistic.x.grid.step == pytest.approx(Fraction(61, 2), rel=1e-8)
