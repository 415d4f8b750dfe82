"""Numbers that are rounded to a coarse grid: intervals of sums and means hold what rounding moved, and not only noise."""

from fractions import Fraction

import pytest
from tests.repeated import answers

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.statistics.moments import Moments
from discreet.statistics.total import Total

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1e30
[columns.x]
type = "{kind}"
lower = {lower}
upper = {upper}
null = {lower}
[columns.g]
type = "integer"
lower = 1
upper = {groups}
"""
ROWS = 400


def facts(relation="add_remove", kind="number", lower="0", upper="1000000", unit='"row"', groups=2):
    size = f"rows = {ROWS}" if relation == "change_one" else ""
    text = FACTS.format(unit=unit, neighbours=relation, size=size, kind=kind, lower=lower, upper=upper, groups=groups)
    return parse_facts(text, "t.toml")


def planned(sql, about, epsilon):
    return make_plan(read_sql(sql, about), about, read_price(epsilon=epsilon))


FAR = {"kind": "integer", "lower": str(5 * 10**15), "upper": str(5 * 10**15 + 10**9)}  # too far from 0 for steps of 1
CASES = [
    # what, question, facts, the price at which noise is far below what rounding moves
    ("sum, size known", "SELECT SUM(x) AS v FROM t", facts("change_one"), 10**10),
    ("mean, size known", "SELECT AVG(x) AS v FROM t", facts("change_one"), 10**10),
    ("sum", "SELECT SUM(x) AS v FROM t", facts(), 10**10),
    ("mean", "SELECT AVG(x) AS v FROM t", facts(), 10**10),
    ("sum beside a count", "SELECT SUM(x) AS v, COUNT(*) AS n FROM t", facts(), 10**11),
    ("sum below 0", "SELECT SUM(x) AS v FROM t", facts(lower="-1000000", upper="0"), 10**10),
    ("whole numbers far from 0", "SELECT SUM(x) AS v FROM t", facts(**FAR), 10**13),
    ("mean of them", "SELECT AVG(x) AS v FROM t", facts(**FAR), 10**13),
]  # fmt: skip


def rounded(about, grid, share):
    """Rows whose numbers are all about ``share`` of a step above a place on the grid, on the same side."""
    middle = (grid.low + grid.high) // 2
    values = [grid.step * (middle + place) + grid.step * share for place in range(ROWS)]
    whole = about.column("x").__class__.__name__ == "Integer"
    return [int(value) if whole else float(value) for value in values]


@pytest.mark.slow
@pytest.mark.parametrize("share", [Fraction(1, 4), Fraction(3, 4)])  # rounded down, and up
@pytest.mark.parametrize(("what", "sql", "about", "epsilon"), CASES)
def test_intervals_of_sums_and_means_hold_what_rounding_to_a_coarse_grid_moves(what, sql, about, epsilon, share):
    grid = planned(sql, about, epsilon).vectors[0].statistic.x.grid
    values = rounded(about, grid, share)
    total = sum(Fraction(value) for value in values)
    exact = total / ROWS if "AVG" in sql else total
    moved = grid.step * Fraction(1, 4) / (1 if "AVG" in sql else Fraction(1, ROWS))
    curator = curator_in_memory(about, Reference(about, [{"x": value, "g": 1} for value in values]))
    for answer in answers(curator, sql, 40, epsilon=epsilon):
        low, high = answer.intervals[0]["v"]
        assert low <= exact <= high, what
        away = abs(Fraction(answer.rows[0]["v"]) - exact)
        assert away > moved / 2  # rounding is most of the error, so that an interval of noise alone would miss
        assert high - low < 10 * float(moved) or what == "whole numbers far from 0"  # about as wide as it has to be


def test_a_sum_of_whole_numbers_that_are_rounded_after_all_knows_how_many_there_are():
    near = {"kind": "integer", "lower": "0", "upper": str(10**9)}
    for about, statistic in ((facts(**FAR), Moments), (facts(**near), Total), (facts("change_one", **FAR), Total)):
        vector = planned("SELECT SUM(x) AS v FROM t", about, 1).vectors[0]
        assert (type(vector.statistic), vector.statistic.step > 1) == (statistic, about.column("x").lower > 0)
    many = facts(**near, groups=1000)
    for epsilon, statistic in ((1, Total), ("1e-9", Moments)):
        assert type(planned("SELECT g, SUM(x) AS v FROM t GROUP BY g", many, epsilon).vectors[0].statistic) is statistic


def test_sums_that_units_are_clamped_to_are_never_rounded():
    far = facts(**FAR, unit='{ column = "who", max_rows = 3 }')
    with pytest.raises(dc.QuestionError, match="too large") as refused:
        planned("SELECT SUM(x) AS v FROM t", far, 1)
    assert "subtract a constant" in refused.value.hint
    assert planned(f"SELECT SUM(x - {5 * 10**15}) AS v FROM t", far, 1).vectors[0].statistic.step == 1
    assert isinstance(planned("SELECT SUM(x) AS v, AVG(x) AS m FROM t", far, 1).vectors[0].statistic, Moments)
