"""The scores of quantiles and extremes against brute force: every candidate, every small table, the number of rows private."""

import itertools
from fractions import Fraction

import pytest

from discreet.sensitivities import MinMaxScore, QuantileScore, Scope, score_change

VALUES = (0, 1, 2)
RANKS = [Fraction(0), Fraction(1, 4), Fraction(1, 2), Fraction(2, 3), Fraction(9, 10), Fraction(1)]
ABSENT = None  # a row that the question leaves out


def units(m: int, *, filtered: bool) -> list[tuple]:
    rows = (*VALUES, ABSENT) if filtered else VALUES
    return [unit for size in range(1, m + 1) for unit in itertools.combinations_with_replacement(rows, size)]


def distance(target: Fraction, low: int, high: int) -> Fraction:
    return max(low - target, target - high, Fraction(0))


def quantile_scores(rows: tuple, q: Fraction) -> list[Fraction]:
    held = [x for x in rows if x is not ABSENT]
    return [-distance(q * len(held), sum(x < y for x in held), sum(x <= y for x in held)) for y in VALUES]


def maximum_scores(rows: tuple, rank: int) -> list[Fraction]:
    held = [x for x in rows if x is not ABSENT]
    return [-distance(Fraction(rank), sum(x > y for x in held), sum(x >= y for x in held)) for y in VALUES]


def minimum_scores(rows: tuple, rank: int) -> list[Fraction]:
    held = [x for x in rows if x is not ABSENT]
    return [-distance(Fraction(rank), sum(x < y for x in held), sum(x <= y for x in held)) for y in VALUES]


def largest(scores, target, scope: Scope, others: int = 3) -> Fraction:
    """The largest change of any candidate's score, over tables of one unit beside up to ``others`` rows."""
    everyone = units(scope.rows_per_unit, filtered=scope.filtered)
    found = []
    for size in range(others + 1):
        for context in itertools.combinations_with_replacement(VALUES, size):
            tables = list(zip(*(scores(context + unit, target) for unit in everyone), strict=True))
            if scope.neighbours == "add_remove":
                before = scores(context, target)
                found += [max(abs(one - was) for one in candidate) for was, candidate in zip(before, tables, strict=True)]
            else:
                found += [max(candidate) - min(candidate) for candidate in tables]
    return max(found)


SCOPES = [
    Scope(neighbours, filtered=filtered, rows_per_unit=m)
    for neighbours in ("add_remove", "change_one")
    for filtered in (False, True)
    for m in (1, 2, 3)
]
names = [f"{scope.neighbours}-{scope.rows_per_unit}-{'filtered' if scope.filtered else 'whole'}" for scope in SCOPES]


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES, ids=names)
@pytest.mark.parametrize("q", RANKS, ids=str)
def test_a_quantile_score_moves_by_exactly_the_claim_at_most(q, scope):
    assert largest(quantile_scores, q, scope) == score_change(QuantileScore(q), scope)


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES, ids=names)
@pytest.mark.parametrize("scores", [minimum_scores, maximum_scores])
@pytest.mark.parametrize("rank", [0, 1, 2])
def test_an_extreme_score_moves_by_exactly_the_claim_at_most(rank, scores, scope):
    assert largest(scores, rank, scope) == score_change(MinMaxScore(), scope)
