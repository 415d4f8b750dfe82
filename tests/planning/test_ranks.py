"""Quantiles, MIN and MAX from the words of a question to an answer: prices, intervals, ties, empty tables, NULL."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from tests.repeated import answers

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.facts.make import facts_for_table
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.privacy.distribution import loss_distribution
from discreet.privacy.prices import concentrated, pure
from discreet.questions.sql import read_sql
from discreet.statistics.ranks import Ranks
from discreet.testing import seeded

COLUMNS = {
    "x": dc.number(0, 100),
    "k": dc.integer(0, 50),
    "z": dc.integer(0, 50, null=7),
    "g": dc.category("a", "b", "c"),
}
RELATIONS = ["add_remove", "change_one"]


def facts_of(relation="add_remove", budget=None, rows=1000):
    return facts_for_table(
        name="t", columns=COLUMNS, unit="row", neighbours=relation, budget=budget or dc.Pure(epsilon=10**6),
        rows=rows if relation == "change_one" else None, rows_about=None if relation == "change_one" else rows,
    )  # fmt: skip


def curator_of(rows, **others):
    facts = facts_of(**others)
    return curator_in_memory(facts, Reference(facts, rows))


def plan_of(sql, relation="add_remove", **price):
    facts = facts_of(relation)
    return make_plan(read_sql(sql, facts), facts, read_price(**price))


QUESTIONS = [
    "SELECT MEDIAN(x) AS v FROM t",
    "SELECT MAX(x) AS v FROM t WHERE k > 3",
    "SELECT g, MEDIAN(x) AS v FROM t GROUP BY g",
    "SELECT QUANTILE(x, 0.1) AS a, MEDIAN(x) AS b, QUANTILE(x, 0.9) AS c, QUANTILE(x, 1/3) AS d FROM t",
    "SELECT g, QUANTILE(x, 0.1) AS a, MEDIAN(x, INTERVAL) AS b, MIN(k) AS c, COUNT(*) AS n FROM t GROUP BY g",
]


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("sql", QUESTIONS)
def test_the_selections_of_a_plan_cost_its_price(sql, relation):
    assert pure(plan_of(sql, relation, epsilon="0.7").event).epsilon == Fraction(7, 10)
    rho = concentrated(plan_of(sql, relation, rho="0.01").event).rho
    assert Fraction(1, 100) * (1 - Fraction(1, 10**9)) <= rho <= Fraction(1, 100)


@cache
def law(counts, mechanism):
    return np.array(mechanism.pmf(counts))


def moves(cells):
    """Every table with one row of one cell replaced, by a row of the same or of another cell."""
    rows = [(cell, point) for cell, counts in enumerate(cells) for point, n in enumerate(counts) if n]
    ends = list(itertools.product(range(len(cells)), (0, 1, len(cells[0]) - 1)))
    for (gone, at), (to, point) in itertools.product(rows, ends):
        new = [list(cell) for cell in cells]
        new[gone][at] -= 1
        new[to][point] += 1
        yield [tuple(cell) for cell in new]


def family(q, **price):
    """The selection of one cell, as it is planned for a grouped question under change_one."""
    (ranks,) = plan_of(f"SELECT g, QUANTILE(k, {q}) AS v FROM t GROUP BY g", "change_one", **price).vectors
    return ranks.mechanism.mechanisms[0]


@pytest.mark.slow
@pytest.mark.parametrize("q", ["0.5", "0.3", "0.9"])
def test_replacing_a_row_in_one_group_or_between_two_costs_no_more_than_epsilon(q):
    one, lost = family(q, epsilon=1), 0.0
    for cells in ([[0, 2, 0], [1, 0, 1]], [[1, 9, 3], [3, 9, 1]]):
        wide = [(*cell[:2], *(0,) * 48, cell[2]) for cell in cells]
        for other in moves(wide):
            logs = [np.log(law(o, one)) - np.log(law(b, one)) for o, b in zip(other, wide, strict=True)]
            lost = max(lost, sum(float(np.abs(each).max()) for each in logs))
    assert 0.7 < lost <= 1 + 1e-9


def renyi(p, q, alpha):
    return float(np.log((p**alpha * q ** (1 - alpha)).sum()) / (alpha - 1))


@pytest.mark.parametrize("price", [{"rho": "0.001"}, {"epsilon": "0.1"}])
def test_replacing_a_row_inside_one_group_costs_the_rho_charged_whatever_the_price_was_written_in(price):
    plan = plan_of("SELECT g, MEDIAN(k) AS v FROM t GROUP BY g", "change_one", **price)
    one, rho = plan.vectors[0].mechanism.mechanisms[0], float(concentrated(plan.event).rho)
    before, after = (1, *(0,) * 24, 2, *(0,) * 24, 1), (0, *(0,) * 24, 2, *(0,) * 24, 2)  # one side nearer, the other further
    lost = renyi(law(before, one), law(after, one), 1.01) / 1.01
    assert 0.97 * rho < lost <= rho


def test_what_is_reported_of_choices_in_several_groups_is_no_less_than_what_a_replaced_row_loses():
    plan = plan_of("SELECT g, MEDIAN(k) AS v FROM t GROUP BY g", "change_one", epsilon=1)
    one, report = plan.vectors[0].mechanism.mechanisms[0], loss_distribution(plan.event)
    before, after = (1, *(0,) * 24, 2, *(0,) * 24, 1), (0, *(0,) * 24, 2, *(0,) * 24, 2)
    p, q = law(before, one), law(after, one)
    for epsilon in ("0.05", "0.1", "0.25", "0.5"):
        lost = np.maximum(p - np.exp(float(epsilon)) * q, 0).sum()
        assert lost <= float(report.delta(epsilon=epsilon)) <= 1.6 * lost + 0.01


# ---- intervals


def exact_rank_error(values, found, q, offset=0.0):
    values = np.asarray(values)
    t = q * len(values) + offset
    return max((values < found).sum() - t, t - (values <= found).sum(), 0)


DATA = {
    "lognormal": lambda rng: np.clip(rng.lognormal(2, 1, 400), 0, 100),
    "ties": lambda rng: np.where(rng.random(400) < 0.6, 0.0, rng.integers(0, 100, 400).astype(float)),
    "equal": lambda _: np.full(400, 37.0),
    "two": lambda _: np.array([1.0] * 200 + [99.0] * 200),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_rank_intervals_hold_at_least_as_often_as_they_say(name):
    values = DATA[name](np.random.default_rng(1))
    curator = curator_of([{"x": float(v)} for v in values])
    sql, shares = "SELECT QUANTILE(x, 0.1) AS a, MEDIAN(x) AS b, QUANTILE(x, 0.75) AS c FROM t", {"a": 0.1, "b": 0.5, "c": 0.75}
    missed = 0
    with seeded(5):
        for answer in answers(curator, sql, 60, epsilon=1, confidence="0.5"):
            (ranks,), (row,) = answer.rank_intervals, answer.rows
            for column, q in shares.items():
                assert ranks[column][0] == -ranks[column][1]
                missed += exact_rank_error(np.floor(values / 2**-13 + 0.5) * 2**-13, row[column], q) > ranks[column][1]
    assert missed <= 90  # of 180, at 50 %


def test_simultaneous_rank_intervals_are_wider():
    curator = curator_of([{"x": 5.0, "g": "a"}] * 50)
    sql = "SELECT g, MEDIAN(x) AS v, MIN(k) AS w FROM t GROUP BY g"
    alone, together = (curator.ask(sql, epsilon=1, simultaneous=each).rank_intervals[0]["v"][1] for each in (False, True))
    assert together > alone


# ---- what is shown


def test_an_answer_shows_ranks_for_free_and_in_its_own_place():
    answer = curator_of([{"x": float(i)} for i in range(100)]).ask("SELECT MEDIAN(x) AS m, AVG(x) AS a FROM t", epsilon=8)
    shown = answer.to_dict()
    assert list(shown["rank_intervals"][0]) == ["m"]
    assert shown["intervals"][0]["m"] == [None, None]
    assert shown["columns"][0]["kind"] == "median"
    assert f"(rank ± {shown['rank_intervals'][0]['m'][1]})" in repr(answer)
    assert "rank ±" in answer._repr_html_()


def test_min_and_max_say_how_many_rows_are_beyond_them_and_more_at_a_lower_price():
    curator = curator_of([{"k": i % 51} for i in range(5000)])
    cheap, dear = (curator.ask("SELECT MAX(k) AS v FROM t", epsilon=epsilon) for epsilon in ("0.2", 2))
    beyond = [answer.receipt["mechanisms"][0]["rows_beyond"] for answer in (dear, cheap)]
    assert beyond[1] == pytest.approx(10 * beyond[0], abs=10)
    assert f"about {beyond[0]} rows above it" in dear.warnings[0]
    assert dear.value == 50
    assert curator.ask("SELECT MIN(k) AS v FROM t", epsilon=2).value == 0


def test_a_round_value_is_found_at_a_price_at_which_others_are_not_and_the_receipt_says_why():
    facts = facts_for_table(name="t", columns={"k": dc.integer(0, 10_000)}, unit="row", neighbours="add_remove",
                            budget=dc.Pure(epsilon=1000))  # fmt: skip
    plan = make_plan(read_sql("SELECT MEDIAN(k) AS v FROM t", facts), facts, read_price(epsilon="0.1"))
    (one,) = plan.vectors[0].mechanism.mechanisms
    weights = np.diff(one.prior.before(np.arange(10_002)))
    assert [weights[value] for value in (7001, 7010, 7100, 7000)] == [64, 74, 174, 1174]
    chances = []
    for middle in (7000, 7001):
        likely = np.where(np.arange(10_001) == middle, 1, np.exp(-0.1 * 60)) * weights  # 120 rows there, 40 on each side
        chances.append(likely[middle] / likely.sum())
    assert chances[0] > 0.3 > 5 * chances[1]
    answer = curator_in_memory(facts, Reference(facts, [{"k": 7000}] * 9)).ask("SELECT MEDIAN(k) AS v FROM t", epsilon="0.1")
    assert answer.receipt["mechanisms"][0]["round"] == ["10", "100", "1000"]
    assert answer.receipt["mechanisms"][0]["round_weight"] == "1/64"


def test_a_quote_gives_the_error_in_ranks_and_a_wish_for_a_value_is_refused():
    curator = curator_of([])
    (column,) = curator.quote("SELECT MEDIAN(x) AS v FROM t", epsilon=1).columns
    assert (column.basis, column.rows) == ("rank", None)
    assert 15 < column.plus_minus < 20
    assert "in rank" in repr(curator.quote("SELECT MEDIAN(x) AS v FROM t", epsilon=1))
    with pytest.raises(dc.QuestionError, match="rank is what a price buys"):
        curator.ask("SELECT MEDIAN(x) AS v FROM t", within=5)


def test_a_price_with_a_delta_buys_no_choice():
    with pytest.raises(dc.QuestionError, match="without a delta"):
        plan_of("SELECT MEDIAN(x) AS v FROM t", epsilon=1, delta="1e-6")


def test_weights_and_arithmetic_and_having_work_as_for_other_numbers():
    rows = [{"x": 10.0 + i % 7, "g": "abc"[i % 3]} for i in range(3000)]
    curator = curator_of(rows)
    answer = curator.ask(
        "SELECT g, MEDIAN(x) - AVG(x) AS d, MAX(x) AS m FROM t GROUP BY g HAVING MEDIAN(x) > 5 ORDER BY m DESC LIMIT 2",
        epsilon=30, weights={"m": 2},
    )  # fmt: skip
    assert len(answer.rows) == 2
    assert all(abs(row["d"]) < 1 for row in answer.rows)
    split = {what: loss.epsilon for what, loss in answer.split}
    assert split["MAX(x)"] == 2 * split["MEDIAN(x)"]


# ---- rows that are odd


ENDS = ["SELECT QUANTILE(x, 0) AS a, QUANTILE(x, 1) AS b FROM t", "SELECT MAX(x) - MIN(x) AS v FROM t"]


@pytest.mark.slow
@pytest.mark.parametrize("sql", [*QUESTIONS, *ENDS])
@pytest.mark.parametrize("rows", [[], [{}], [{"x": float("nan"), "k": None}] * 3, [{"x": 5.0, "g": "a", "k": 2}]])
def test_an_empty_table_or_one_of_nulls_is_answered_like_any_other(sql, rows):
    answer = curator_of(rows).ask(sql, epsilon=1)
    ranked = [c.name for c in answer.columns if c.kind not in ("key", "derived", "count")]
    numbers = [row[name] for place, row in enumerate(answer.rows) for name in ranked if not answer.is_few(place, name)]
    assert all(0 <= each <= 100 for each in numbers)


def test_nulls_are_dropped_or_replaced_as_the_facts_say():
    rows = [{"k": None, "z": None}] * 300 + [{"k": 40, "z": 40}] * 100
    answer = curator_of(rows).ask("SELECT MEDIAN(k) AS k1, MEDIAN(z) AS z1 FROM t", epsilon=100)
    assert answer.rows[0] == {"k1": 40, "z1": 7}


def test_a_filter_chooses_the_rows_that_are_ranked():
    rows = [{"k": 10, "g": "a"}] * 200 + [{"k": 30, "g": "b"}] * 200
    sql = "SELECT MEDIAN(k) FILTER (WHERE g = 'a') AS a, MEDIAN(k) FILTER (WHERE g = 'b') AS b, MEDIAN(k) AS c FROM t"
    assert curator_of(rows).ask(sql, epsilon=100).rows[0] | {"c": 0} == {"a": 10, "b": 30, "c": 0}


def test_values_that_are_all_equal_are_found_at_any_share():
    curator = curator_of([{"x": 37.0}] * 2000)
    answer = curator.ask("SELECT QUANTILE(x, 0.1) AS a, MEDIAN(x) AS b, QUANTILE(x, 0.95) AS c FROM t", epsilon=10)
    assert set(answer.rows[0].values()) == {37.0}


@pytest.mark.slow
def test_duckdb_and_the_reference_choose_the_same_values_from_the_same_noise():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(3)
    data = {"x": rng.gamma(2, 9, 3000), "k": rng.integers(0, 51, 3000), "z": 1, "g": rng.choice(list("abc"), 3000)}
    frame = pandas.DataFrame(data)
    facts, sql = facts_of(), "SELECT g, QUANTILE(x, 0.2) AS a, MEDIAN(x, INTERVAL) AS b, MAX(k) AS c FROM t GROUP BY g"
    answers = []
    for engine in (open_engine(facts, frame), Reference(facts, frame.to_dict("records"))):
        with seeded(4):
            answers.append(curator_in_memory(facts, engine).ask(sql, epsilon=3))
    assert answers[0].rows == answers[1].rows
    assert answers[0].intervals == answers[1].intervals


def test_the_lattice_has_at_most_a_million_values_and_whole_numbers_are_themselves():
    found = {}
    for column in ("x", "k"):
        (ranks,) = plan_of(f"SELECT MEDIAN({column}) AS v FROM t", epsilon=1).vectors
        assert isinstance(ranks, Ranks)
        found[column] = ranks.points
    assert 2**19 < found["x"] <= 2**20 + 1
    assert found["k"] == 51
