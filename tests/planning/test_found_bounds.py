"""Bounds that nothing public says: where values are put, how ends are chosen, and what that costs."""

from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import inf, nan

import numpy as np
import pandas as pd
import pytest
from tests.planning.loose import COLUMNS, PRICES, RELATIONS, facts, of_kind, planned

import discreet as dc
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.evaluate import evaluate
from discreet.engines.wanted import CountsWanted, Grid
from discreet.ledger.entries.codec import released_from as stored_from
from discreet.ledger.entries.codec import released_to as stored_to
from discreet.planning.build import plan_at_bounds
from discreet.planning.found_bounds import MISSED
from discreet.questions.sql import read_sql
from discreet.statistics.bounds import Found, bounds_as_integers, bounds_at, bounds_told, edges_of, place_of

# ---- buckets


@pytest.mark.parametrize("column", COLUMNS)
def test_every_number_is_in_the_bucket_between_whose_edges_it_lies(column):
    edges = edges_of(column)
    assert list(edges) == sorted(set(edges))
    of = place_of(column)
    tried = [0.0, *(float(edge) * factor for edge in edges for factor in (1, 1.0001, 0.9999, 3))]
    low, high = (-inf if column.lower is None else float(column.lower)), (inf if column.upper is None else float(column.upper))
    for x in (min(max(each, low), high) for each in tried):  # as engines read them
        place = int(evaluate(of, {column.name: x}))
        below, above = float(edges[place]), float(edges[place + 1])
        is_first, is_last = place == 0 and column.lower is None, place == len(edges) - 2 and column.upper is None
        assert is_first or below <= x
        assert is_last or x <= above
        if 0 < x == above:
            assert evaluate(of, {column.name: float(np.nextafter(x, inf))}) > place or place == len(edges) - 2
    assert evaluate(of, {column.name: None}) is None
    assert evaluate(of, {column.name: 1.7e308}) == len(edges) - 2
    assert evaluate(of, {column.name: -1.7e308}) == 0


@pytest.mark.slow
@pytest.mark.parametrize("column", COLUMNS)
def test_whatever_is_chosen_the_bounds_are_apart_and_hold_the_chosen_buckets(column):
    edges = edges_of(column)
    places = range(len(edges) - 1)
    firsts, lasts = ([None] if end is not None else places for end in (column.lower, column.upper))
    for first, last in product(firsts, lasts[::7] if len(firsts) > 1 else lasts):
        low, high = bounds_at(column, first, last)
        assert 4 * (high - low) >= max(abs(low), abs(high)) > 0
        chosen = sorted(each for each in (first, last) if each is not None)
        assert low <= edges[chosen[0]]
        assert high >= edges[chosen[-1] + 1]
        assert column.lower in (None, low)
        assert column.upper in (None, high)
        assert high - low <= 4 * max(abs(edges[chosen[0]]), abs(edges[chosen[-1] + 1]), abs(low), abs(high))
        assert bounds_told(stored_from(stored_to([bounds_as_integers((low, high))]))[0]) == (low, high)


ODD = [None, 0.0, -0.0, 1.0, -1.0, 2.0**-61, -(2.0**-61), 1e300, -1e300, inf, -inf, nan, 3.0, 4.0, 4.000001, -4.0, 262144.0, 0.3]


@pytest.mark.parametrize("name", ["x", "k", "up", "down"])
def test_both_engines_count_the_same_rows_in_every_bucket(name):
    about = facts()
    rows = [{name: value, "y": place % 11} for place, value in enumerate(ODD * 3)]
    column = about.column(name)
    wanted = CountsWanted(read_sql("SELECT COUNT(*) AS n FROM t WHERE y < 9", about).where, (), place_of(column),
                          Grid(Fraction(1), 0, len(edges_of(column)) - 2))  # fmt: skip
    about = replace(about, columns=(column, about.column("y")))
    duckdb = open_engine(about, pd.DataFrame(rows).astype(float))
    one, other = duckdb.counts(wanted).take(), Reference(about, rows).counts(wanted).take()
    duckdb.close()
    assert one.bin.tolist() == other.bin.tolist()
    assert one.rows.tolist() == other.rows.tolist()
    assert other.rows.sum() == sum(row["y"] < 9 and row[name] is not None and row[name] == row[name]
                                   and (name in ("x", "up") or row[name] in (inf, -inf) or row[name] == int(row[name]))
                                   for row in rows)  # fmt: skip


# ---- the price


@pytest.mark.slow
@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize("share", ["0.2", "1/3", "0.999"])
@pytest.mark.parametrize(("relation", "size"), RELATIONS)
@pytest.mark.parametrize("what", ["AVG(x) AS m", "SUM(k) AS s, AVG(up) AS m, COUNT(*) AS n", "VARIANCE(down) AS v, AVG(x) AS m"])
def test_bounds_and_the_rest_together_cost_the_price_and_bounds_their_share(price, share, relation, size, what):
    plan = planned(f"SELECT {what} FROM t BOUNDS SHARE {share}", facts(relation, size=size), **price)
    told = of_kind(price)(plan.event)
    assert told == plan.price if "rho" not in price else plan.price.rho * (1 - Fraction(1, 10**9)) <= told.rho <= plan.price.rho
    selections = plan.event.parts[:-1]
    assert len(selections) == sum(len(each.ends) for each in plan.vectors if isinstance(each, Found))
    spent = sum(part.epsilon if "rho" not in price else part.epsilon**2 / 8 for part in selections)
    paid = Fraction(share) * (plan.price.rho if "rho" in price else plan.price.epsilon)
    assert paid * (1 - Fraction(1, 10**9)) <= spent <= paid
    shares = [each.share for each in plan.vectors if isinstance(each, Found)]
    assert shares == [Fraction(share) / len(shares)] * len(shares)
    assert sum(each.share for each in plan.vectors) == 1


@pytest.mark.slow
@pytest.mark.parametrize("price", PRICES)
@pytest.mark.parametrize(("relation", "size"), RELATIONS)
@pytest.mark.parametrize(
    "what",
    ["SUM(k) AS s", "SUM(x) AS s", "VARIANCE(x) AS v, SUM(k) AS s", "CORR(x, k) AS r", "SUM(score) AS f", "SUM(down) AS d",
     "AT_BOUNDS(up) AS a, AVG(up) AS m", "SUM(k) FILTER (WHERE y > 1) AS s, SUM(k) FILTER (WHERE y < 0) AS t", "MEDIAN(x) AS q"],
)  # fmt: skip
@pytest.mark.parametrize("keys", ["", "c", "BIN(y, 0.01)"])
def test_the_event_and_the_shares_are_the_same_whatever_bounds_are_found_and_nothing_is_refused_then(
    price, relation, size, what, keys
):
    if "MEDIAN" in what and "delta" in price:
        return  # refused like every choice at such a price
    about = facts(relation, size=size)
    by = f"GROUP BY {keys}" if keys else ""
    plan = planned(f"SELECT {what} FROM t {by} BOUNDS SHARE 0.25", about, **price)
    found = [about.column(each.column) for each in plan.vectors if isinstance(each, Found)]
    for turn in range(6):
        bounds = {column.name: some_bounds(column, 37 * turn * (1 + place), 11 * turn) for place, column in enumerate(found)}
        later = plan_at_bounds(plan, bounds)
        assert later.event == plan.event
        assert [(each.what, each.share) for each in later.vectors] == [(each.what, each.share) for each in plan.vectors]
        assert later.sources == plan.sources
        assert plan_at_bounds(later, bounds) == later
        for name, (low, high) in bounds.items():
            assert (later.facts.column(name).lower, later.facts.column(name).upper) == (low, high)


UNIT = '{ column = "who", max_rows = 3 }'


@pytest.mark.parametrize("caps", ["PER UNIT 3 ROWS", "PER UNIT 2 GROUPS, 1 ROWS PER GROUP"])
@pytest.mark.parametrize("what", ["SUM(k) FILTER (WHERE c = 1) AS a, SUM(k) FILTER (WHERE c = 2) AS b", "SUM(k), COUNT(*) AS n"])
def test_the_form_of_sums_of_units_is_the_same_whatever_bounds_are_found(what, caps):
    about = facts("add_remove", unit=UNIT)
    plan = planned(f"SELECT {what} FROM t {caps} BOUNDS SHARE 0.5", about, epsilon=1)
    for high in (8, 2**20, 2**30, 2**33, 2**50):
        later = plan_at_bounds(plan, {"k": (Fraction(0), Fraction(high))})
        assert later.event == plan.event
        assert [each.what for each in later.vectors] == [each.what for each in plan.vectors]


def some_bounds(column, first, last):
    """What is found when these buckets are chosen, counted around."""
    count = len(edges_of(column)) - 1
    places = sorted((first % count, last % count))
    return bounds_at(column, *(None if end is not None else place
                                for end, place in zip((column.lower, column.upper), places, strict=True)))  # fmt: skip


def is_refused(sql, price):
    try:
        planned(sql, **price)
    except dc.QuestionError as refused:
        assert "out of reach" in str(refused)  # noqa: PT017 - whether it is refused is what is asked
        return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["epsilon", "rho"])
@pytest.mark.parametrize("what", ["SUM(x) AS s", "SUM(k) AS s", "VARIANCE(x) AS v", "COVAR(k, y) AS r", "CORR(x, k) AS r"])
def test_at_the_least_price_that_is_accepted_no_bounds_make_the_noise_too_wide(kind, what):
    sql, price = f"SELECT {what} FROM t GROUP BY BIN(y, 0.01) BOUNDS SHARE 0.25", Fraction(1)
    while not is_refused(sql, {kind: price / 4}):
        price /= 4
    plan = planned(sql, **{kind: price})
    found = [plan.facts.column(each.column) for each in plan.vectors if isinstance(each, Found)]
    for first, last in product(range(0, 242, 23), range(3, 242, 29)):
        bounds = {column.name: some_bounds(column, first + place, last - place) for place, column in enumerate(found)}
        assert plan_at_bounds(plan, bounds).event == plan.event


SMALL = [Fraction(0), Fraction(1), Fraction(3), Fraction(-2)]


def ends_on(table, plan, about):
    """The exact law of the two choices on a table of numbers."""
    column = about.column("k")
    counts = np.zeros(len(edges_of(column)) - 1, int)
    for value in table:
        counts[int(evaluate(place_of(column), {"k": float(value)}))] += 1
    found = plan.vectors[0]
    return [end.mechanism.mechanisms[0].pmf(counts.tolist()) for end in found.ends]


@pytest.mark.slow
@pytest.mark.parametrize(("relation", "size"), RELATIONS)
def test_the_two_choices_on_all_small_neighbouring_tables_differ_by_their_share_of_epsilon_at_most(relation, size):
    about = facts(relation, size=size)
    plan = planned("SELECT SUM(k) AS s FROM t BOUNDS SHARE 0.4", about, epsilon=20)
    epsilon = 8.0
    tables = [table for n in range(3) for table in product(SMALL, repeat=n)]
    worst, farthest = 0.0, Fraction(0)
    for table in tables:
        if relation == "add_remove":
            others = [table[:-1]] if table else []
        else:
            others = [(*table[:-1], new) for new in SMALL] if table else []
        for other in others:
            one, two = ends_on(table, plan, about), ends_on(other, plan, about)
            losses = [max(abs(np.log(p) - np.log(q)) for p, q in zip(a, b, strict=True)) for a, b in zip(one, two, strict=True)]
            worst = max(worst, sum(losses))
            farthest = max(farthest, *losses)
    assert worst <= epsilon * (1 + 1e-9)
    assert farthest <= epsilon / 2 * (1 + 1e-9)
    assert farthest > 0.45 * epsilon / 2  # a distance moves by all of its sensitivity: by half of that it would be below


@pytest.mark.parametrize(("relation", "size"), RELATIONS)
@pytest.mark.parametrize("unit", ['"row"', '{ column = "who", max_rows = 3 }'])
def test_the_sensitivity_of_the_choices_is_attained_and_is_that_of_all_rows_of_a_unit(relation, size, unit):
    size = size if unit == '"row"' or not size else "units = 6"
    about = facts(relation, unit, size)
    plan = planned("SELECT SUM(k) AS s FROM t BOUNDS SHARE 0.4", about, epsilon=20)
    most = 1 if unit == '"row"' else 3
    for end in plan.vectors[0].ends:
        (one,) = end.mechanism.mechanisms
        assert one.sensitivity == most
        assert one.epsilon == 4
        assert end.rows_beyond == -(-int(2 * most / 4 * np.log(122 / float(MISSED)) * 10**9) // 10**9)
        counts, fewer = [50 * most] + [0] * 121, [49 * most] + [0] * 121
        a, b = (np.log(one.pmf(each)) for each in (counts, fewer))
        gap = (a - b) - (a - b)[0]  # the law without its norm: each place moves by epsilon / (2 sensitivity) times its distance
        assert np.abs(gap).max() in (pytest.approx(0, abs=1e-9), pytest.approx(2, rel=1e-9))


def test_an_empty_bucket_is_chosen_at_most_once_in_a_thousand_times_and_hardly_less_at_the_worst():
    plan = planned("SELECT AVG(x) AS m FROM t BOUNDS SHARE 0.2")
    for end in plan.vectors[0].ends:
        (one,) = end.mechanism.mechanisms
        points = end.points
        full = 0 if end.kind == "max" else points - 1
        counts = [0] * points
        counts[full] = 2 * end.rows_beyond
        missed = 1 - one.pmf(counts)[full]
        assert 0.93 * float(MISSED) <= missed <= float(MISSED)
