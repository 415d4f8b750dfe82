import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.answers.made import answer, counts, one, two_keys

from discreet.answers import AnswerColumn
from discreet.answers.consistent import consistent_counts
from discreet.errors import ParameterError
from discreet.privacy.losses import Pure

cells = st.lists(st.integers(-500, 500), min_size=1, max_size=30)
totals = st.integers(0, 2000)


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def whole_points(cells: int, total: int):
    """Every way to put ``total`` into so many cells."""
    for bars in itertools.combinations(range(total + cells - 1), cells - 1):
        edges = [-1, *bars, total + cells - 1]
        yield [after - before - 1 for before, after in itertools.pairwise(edges)]


# ---- the projection


@given(cells, totals)
def test_counts_are_whole_not_negative_and_keep_the_total(found, total):
    fixed = consistent_counts(found, total)
    assert sum(fixed) == total
    assert all(isinstance(count, int) and count >= 0 for count in fixed)


@given(cells, totals)
def test_doing_it_twice_changes_nothing(found, total):
    once = consistent_counts(found, total)
    assert consistent_counts(once, total) == once


@given(st.lists(st.integers(-8, 12), min_size=1, max_size=4), st.integers(0, 9))
def test_no_other_whole_table_is_nearer(found, total):
    fixed = consistent_counts(found, total)
    assert distance(found, fixed) == min(distance(found, point) for point in whole_points(len(found), total))


@pytest.mark.slow
@given(cells, totals)
def test_it_is_within_one_of_the_nearest_point_in_real_numbers(found, total):
    fixed = consistent_counts(found, total)
    low, high = Fraction(min(found) - total - 1), Fraction(max(found))         # bisection for the level that the cells lose
    for _ in range(80):
        level = (low + high) / 2
        low, high = (level, high) if sum(max(Fraction(0), x - level) for x in found) > total else (low, level)
    assert all(abs(count - max(Fraction(0), x - high)) <= 1 for count, x in zip(fixed, found, strict=True))


@given(cells, totals)
def test_order_is_kept(found, total):
    fixed = consistent_counts(found, total)
    for a, b in itertools.combinations(range(len(found)), 2):
        if found[a] >= found[b]:                                               # ties go to the first
            assert fixed[a] >= fixed[b]


def test_ties_are_broken_by_order():
    assert consistent_counts([5, 5, 5], 16) == [6, 5, 5]
    assert consistent_counts([0, 0, 0], 2) == [1, 1, 0]


def test_huge_counts_are_exact():
    assert consistent_counts([2**61, -(2**61), 1], 2**61) == [2**61, 0, 0]


# ---- answers


def test_an_answer_is_made_consistent_beside_its_raw_rows():
    made = counts([945, -5])
    assert made.consistent().rows == ({"UrbanRural": 1, "n": 940}, {"UrbanRural": 2, "n": 0})
    assert made.consistent(total=1000).rows == ({"UrbanRural": 1, "n": 975}, {"UrbanRural": 2, "n": 25})
    assert made.rows[1] == {"UrbanRural": 2, "n": -5}
    assert made.intervals[1] == {"n": (-35, 25)}


def test_all_keys_stay():
    fixed = two_keys().consistent(994).rows
    assert [set(row) for row in fixed] == [{"UrbanRural", "Race", "n"}] * 12
    assert sum(row["n"] for row in fixed) == 994


def test_a_negative_sum_becomes_a_table_of_zeros():
    assert [row["n"] for row in counts([-9, 2]).consistent().rows] == [0, 0]


def two_counts():
    columns = [AnswerColumn("k", "key"), AnswerColumn("n", "count"), AnswerColumn("old", "count"), AnswerColumn("m", "mean")]
    return answer(columns, [{"k": 1, "n": 5, "old": -1, "m": 2.5}], [{"n": (0, 9), "old": (-5, 5), "m": (1.0, 4.0)}])


def test_several_counts_need_a_choice():
    with pytest.raises(ParameterError, match="2 count columns; choose one by column=: n, old"):
        two_counts().consistent()
    assert two_counts().consistent(column="old").rows == ({"k": 1, "old": 0},)
    with pytest.raises(ParameterError, match="no count column 'm'; name one of: n, old"):
        two_counts().consistent(column="m")


@pytest.mark.parametrize("total", [-1, 0.5, "many", True])
def test_a_total_that_no_table_has_is_refused(total):
    with pytest.raises(ParameterError, match="total"):
        counts([1, 2]).consistent(total)


def test_means_have_no_counts():
    with pytest.raises(ParameterError, match="no count columns"):
        one().consistent()


def test_an_empty_answer():
    empty = counts([], labels={})
    assert empty.consistent().rows == ()
    with pytest.raises(ParameterError, match="no cell"):
        empty.consistent(5)


def test_it_says_that_it_costs_nothing():
    found = counts([945, -5]).consistent(total=1000)
    assert found.cost == Pure(epsilon=0)
    assert found.to_dict()["cost"] == {"epsilon": "0"}
    assert found.to_dict()["total"] == 1000
    lines = [" ".join(line.split()) for line in repr(found).splitlines()]
    assert lines[:3] == ["UrbanRural n", "1 Urban 975", "2 Rural 25"]
    assert "costs nothing" in repr(found)
