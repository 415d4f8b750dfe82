"""Running counts and totals of ranges out of a tree: the least squares, their variances, and what they are worth."""

import re

import numpy as np
import pandas as pd
import pytest
from tests.repeated import answers

import discreet as dc
from discreet.mechanisms import Gaussian, Laplace
from discreet.statistics.trees import (
    Tree,
    consistent,
    leaf_variances,
    node_sums,
    prefix_variances,
    range_variance,
    tail_reach,
    tree_for,
)

TREES = [Tree(1, (1,)), Tree(7, (1,)), Tree(12, (4, 1)), Tree(13, (4, 1)), Tree(30, (9, 3, 1)), Tree(17, (16, 4, 1)),
         Tree(100, (16, 4, 1))]  # fmt: skip


def least_squares(tree):
    """The matrix of sums, and the covariance of the best guesses, by textbook."""
    sums = np.array(node_sums(tree, np.eye(tree.leaves)))
    return sums, np.linalg.inv(sums.T @ sums)


@pytest.mark.parametrize("tree", TREES)
def test_two_passes_are_the_least_squares(tree):
    sums, covariance = least_squares(tree)
    nodes = np.random.default_rng(5).normal(size=(tree.nodes, 3))
    assert np.allclose(consistent(tree, nodes), covariance @ sums.T @ nodes)


@pytest.mark.slow
@pytest.mark.parametrize("tree", TREES)
def test_variances_are_those_of_the_least_squares_and_no_weight_is_above_one(tree):
    sums, covariance = least_squares(tree)
    running = np.tril(np.ones((tree.leaves, tree.leaves)))
    assert np.allclose(prefix_variances(tree), np.diag(running @ covariance @ running.T))
    assert np.allclose(leaf_variances(tree), np.diag(covariance))
    for first in range(0, tree.leaves, 3):
        for last in range(first + 1, tree.leaves + 1, 2):
            asked = np.zeros(tree.leaves)
            asked[first:last] = 1
            assert range_variance(tree, first, last) == pytest.approx(asked @ covariance @ asked)
            assert np.abs(sums @ covariance @ asked).max() <= 1 + 1e-9


@pytest.mark.parametrize("tree", TREES[2:])
def test_a_bin_has_its_variance_as_the_weight_of_its_own_node(tree):
    sums, covariance = least_squares(tree)
    own = (sums @ covariance)[-tree.leaves :]
    assert np.allclose(np.diag(own), leaf_variances(tree))


@pytest.mark.parametrize("law", [Laplace(epsilon=1, sensitivity=3).law, Laplace(epsilon=5, sensitivity=1).law,
                                 Gaussian(rho="0.1", sensitivity_squared=1).law])  # fmt: skip
@pytest.mark.parametrize("terms", [1, 4, 40])
def test_the_reach_of_many_terms_is_not_too_short(law, terms):
    from discreet.noise.draws import draw
    from discreet.noise.keystream import fresh

    runs = 40_000
    noise = draw(law, terms * runs, fresh()).reshape(terms, runs)
    weights = np.linspace(0.2, 1, terms)
    far = tail_reach(law, np.array([(weights**2).sum()]), 0.1)[0]
    beyond = (np.abs(weights @ noise) > far).mean()
    assert beyond <= 0.1
    if terms == 40:
        assert beyond > 0.005  # and not far too long: about 1.4 times what is needed


def test_few_bins_are_a_histogram_and_many_a_tree():
    assert tree_for(10, is_gaussian=False).runs == (1,)
    assert len(tree_for(64, is_gaussian=False).runs) == 2
    assert len(tree_for(4096, is_gaussian=True).runs) > len(tree_for(4096, is_gaussian=False).runs)
    assert tree_for(10**6, is_gaussian=False).sizes[-1] == 10**6


@pytest.mark.parametrize(("leaves", "gain"), [(64, 1.8), (256, 3.5), (1000, 8), (4096, 20)])
def test_running_counts_have_far_less_variance_than_sums_of_a_histogram_at_the_same_epsilon(leaves, gain):
    tree = tree_for(leaves, is_gaussian=False)
    of_tree = prefix_variances(tree).mean() * len(tree.runs) ** 2
    assert (leaves + 1) / 2 > gain * of_tree


def test_a_single_bin_pays_for_the_tree():
    """When it is not worth it: bins by themselves get worse, by the square of the levels under Laplace noise."""
    tree = tree_for(1000, is_gaussian=False)
    assert leaf_variances(tree).mean() * len(tree.runs) ** 2 > 0.9 * len(tree.runs) ** 2 > 3


AGES = np.random.default_rng(9).integers(0, 100, 5000)


def table(**facts):
    frame = pd.DataFrame({"age": AGES, "sex": np.where(np.arange(AGES.size) % 3, "f", "m")})
    columns = {"age": dc.integer(0, 99, null="drop"), "sex": dc.category("f", "m", null="drop")}
    given = {"unit": "row", "neighbours": "add_remove", "budget": dc.Pure(epsilon=10**9)} | facts
    return dc.table(frame, columns=columns, **given)


def test_bins_add_up_to_running_counts_and_to_totals():
    answer = table().ask("SELECT age, COUNT(*) AS n, RUNNING_COUNT(*) AS upto FROM t GROUP BY age", epsilon=1)
    assert len(answer.split) == 1
    bins, running = ([row[name] for row in answer.rows] for name in ("n", "upto"))
    assert running == pytest.approx(list(np.cumsum(bins)))
    assert answer.total(20, 65).value == pytest.approx(sum(bins[20:65]))
    assert answer.total(0, 100).value == pytest.approx(running[-1])
    assert re.fullmatch(r"[\d ]+ ± \d+ \(95 %\)", repr(answer.total(0, 100)))


@pytest.mark.parametrize("price", [{"epsilon": 10**6}])
def test_totals_are_those_of_the_table_and_of_each_group(price):
    curator = table()
    answer = curator.ask("SELECT sex, age, RUNNING_COUNT(*) AS upto FROM t GROUP BY sex, age", **price)
    is_f = np.arange(AGES.size) % 3 != 0
    for low, high in ((0, 100), (17, 18), (30, 61)):
        within = (low <= AGES) & (high > AGES)
        assert answer.total(low, high, sex="f").value == pytest.approx((within & is_f).sum(), abs=0.01)
        assert answer.total(low, high, sex="m").value == pytest.approx((within & ~is_f).sum(), abs=0.01)
    women = curator.ask("SELECT age, RUNNING_COUNT(*) FILTER (WHERE sex = 'f') AS upto FROM t GROUP BY age", **price)
    assert women.rows[-1]["upto"] == pytest.approx(is_f.sum(), abs=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("price", [{"epsilon": 1}, {"epsilon": 1, "delta": "1e-6"}])
def test_intervals_of_bins_running_counts_and_totals_hold(price):
    curator = table(budget=dc.Approximate(epsilon=10**6, delta="0.1"))
    exact = np.bincount(AGES, minlength=100)
    held = {"n": 0, "upto": 0, "total": 0}
    runs = 150
    sql = "SELECT age, COUNT(*) AS n, RUNNING_COUNT(*) AS upto FROM t GROUP BY age"
    for answer in answers(curator, sql, runs, confidence="0.9", **price):
        for place, ends in enumerate(answer.intervals):
            held["n"] += ends["n"][0] <= exact[place] <= ends["n"][1]
            held["upto"] += ends["upto"][0] <= exact[: place + 1].sum() <= ends["upto"][1]
        low, high = answer.total(10, 50).interval
        held["total"] += 100 * (low <= exact[10:50].sum() <= high)
    assert all(found >= 0.88 * 100 * runs for found in held.values()), held


@pytest.mark.parametrize("ask", ["SELECT sex, RUNNING_COUNT(*) AS n FROM t GROUP BY sex", "SELECT RUNNING_COUNT(*) AS n FROM t",
                                 "SELECT age, sex, RUNNING_COUNT(*) AS n FROM t GROUP BY age, sex"])  # fmt: skip
def test_running_counts_need_a_last_key_in_order(ask):
    with pytest.raises(dc.QuestionError, match="last key"):
        table().ask(ask, epsilon=1)


def test_ranges_without_bins_and_answers_without_trees_are_refused():
    curator = table()
    answer = curator.ask("SELECT sex, age, RUNNING_COUNT(*) AS upto FROM t GROUP BY sex, age", epsilon=1)
    for low, high, group in ((200, 300, {"sex": "f"}), (0, 10, {}), (0, 10, {"sex": "x"}), (0, 10, {"age": 1})):
        with pytest.raises(dc.QuestionError):
            answer.total(low, high, **group)
    with pytest.raises(dc.QuestionError, match="running count"):
        curator.ask("SELECT age, COUNT(*) AS n FROM t GROUP BY age", epsilon=1).total(0, 10)


def test_a_range_ends_at_edges_of_bins_or_is_refused_with_the_nearest():
    answer = table().ask("SELECT BIN(age, 25) AS a, RUNNING_COUNT(*) AS upto FROM t GROUP BY a", epsilon=10**6)
    assert answer.total(25, 100).value == pytest.approx((AGES >= 25).sum(), abs=0.01)
    assert answer.total(25, 75).value == pytest.approx(((AGES >= 25) & (AGES < 75)).sum(), abs=0.01)
    for low, high, hint in ((20, 75, "low=0 or 25:"), (25, 64, "high=50 or 75:"), (-3, 25, "low=0:"), (0, "1e900", "high=100:")):
        with pytest.raises(dc.QuestionError, match="is no edge of a bin") as refused:
            answer.total(low, high)
        assert hint in refused.value.hint
    for low, high in ((50, 50), (75, 25)):
        with pytest.raises(dc.QuestionError, match="the range has no bin"):
            answer.total(low, high)


def test_edges_of_narrow_bins_are_found_as_they_are_written():
    curator = dc.table(pd.DataFrame({"x": [0.05, 0.15, 0.25, 0.35]}), unit="row", neighbours="add_remove",
                       budget=dc.Pure(epsilon=10**9), columns={"x": dc.number(0, 1)})  # fmt: skip
    answer = curator.ask("SELECT BIN(x, 0.1) AS a, RUNNING_COUNT(*) AS upto FROM t GROUP BY a", epsilon=10**6)
    assert [answer.total(row["a"], "1.1").value for row in answer.rows[:4]] == pytest.approx([4, 3, 2, 1], abs=0.01)
    assert answer.total(0.1, 0.3).value == answer.total("0.1", "3/10").value == pytest.approx(2, abs=0.01)


def test_a_replay_has_the_same_totals():
    curator, sql = table(), "SELECT age, RUNNING_COUNT(*) AS upto FROM t GROUP BY age"
    one, other = curator.ask(sql, epsilon=1), curator.ask(sql, epsilon="0.5")
    assert other.replayed
    assert one.total(10, 30) == other.total(10, 30)
