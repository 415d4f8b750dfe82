"""The forms that use a public number of rows, against brute force: every table of n rows on a grid, every replacement."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

import pytest

from discreet.errors import ParameterError
from discreet.sensitivities import (
    Bounds,
    Count,
    Covariance,
    CovarianceNumerator,
    Mean,
    NeedsKnownRows,
    Proportion,
    SampleCovariance,
    SampleVariance,
    Scope,
    Sensitivity,
    Sum,
    Units,
    Variance,
    VarianceNumerator,
    sensitivity_of,
)

SIGNED, OTHER = Bounds("-1/2", 1), Bounds(2, 5)


def grid(x: Bounds, points: int) -> list[Fraction]:
    return [x.lower + x.width * i / (points - 1) for i in range(points)]


def mean(values: Iterable[Fraction]) -> Fraction:
    held = list(values)
    return sum(held, start=Fraction(0)) / len(held)


def squares(rows: Sequence[Fraction]) -> Fraction:
    centre = mean(rows)
    return sum(((x - centre) ** 2 for x in rows), start=Fraction(0))


def products(rows: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    centre_x, centre_y = mean(x for x, _ in rows), mean(y for _, y in rows)
    return sum(((x - centre_x) * (y - centre_y) for x, y in rows), start=Fraction(0))


def largest(statistic: Callable[[Sequence], Fraction], rows: Sequence, n: int) -> Fraction:
    """The largest change of ``statistic`` between two tables of ``n`` rows that differ in one."""
    spans = []
    for others in itertools.combinations_with_replacement(rows, n - 1):
        values = [statistic((*others, row)) for row in rows]
        spans.append(max(values) - min(values))
    return max(spans)


ONE_COLUMN: dict[str, tuple[NeedsKnownRows | Count | Sum, Callable[[Sequence[Fraction]], Fraction]]] = {
    "count": (Count(), lambda rows: Fraction(len(rows))),
    "sum": (Sum(SIGNED), sum),
    "mean": (Mean(SIGNED), mean),
    "proportion": (Proportion(), lambda rows: mean(Fraction(x > 0) for x in rows)),
    "variance": (Variance(SIGNED), lambda rows: squares(rows) / len(rows)),
    "sample variance": (SampleVariance(SIGNED), lambda rows: squares(rows) / (len(rows) - 1)),
    "variance numerator": (VarianceNumerator(SIGNED), lambda rows: len(rows) * sum(x * x for x in rows) - sum(rows) ** 2),
}
TWO_COLUMNS: dict[str, tuple[NeedsKnownRows, Callable[[Sequence[tuple[Fraction, Fraction]]], Fraction]]] = {
    "covariance": (Covariance(SIGNED, OTHER), lambda rows: products(rows) / len(rows)),
    "sample covariance": (SampleCovariance(SIGNED, OTHER), lambda rows: products(rows) / (len(rows) - 1)),
    "covariance numerator": (
        CovarianceNumerator(SIGNED, OTHER),
        lambda rows: len(rows) * sum(x * y for x, y in rows) - sum(x for x, _ in rows) * sum(y for _, y in rows),
    ),
}


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("name", ONE_COLUMN)
def test_replacing_one_of_n_rows_changes_one_column_by_exactly_the_claim_at_most(name, n):
    statistic, evaluate = ONE_COLUMN[name]
    found = largest(evaluate, grid(SIGNED, 5 if n < 5 else 3), n)
    assert sensitivity_of(statistic, Scope("change_one", rows=n)) == Sensitivity(found, found**2, tight=True)


@pytest.mark.parametrize("n", [2, 3, 4])
@pytest.mark.parametrize("name", TWO_COLUMNS)
def test_replacing_one_of_n_rows_changes_two_columns_by_exactly_the_claim_at_most(name, n):
    statistic, evaluate = TWO_COLUMNS[name]
    found = largest(evaluate, list(itertools.product(grid(SIGNED, 3), grid(OTHER, 3))), n)
    assert sensitivity_of(statistic, Scope("change_one", rows=n)) == Sensitivity(found, found**2, tight=True)


@pytest.mark.parametrize("name", ["count", "sum", "mean", "proportion"])
def test_one_row_is_enough_for_what_has_no_spread(name):
    statistic, evaluate = ONE_COLUMN[name]
    assert sensitivity_of(statistic, Scope("change_one", rows=1)).l1 == largest(evaluate, grid(SIGNED, 5), 1)


@pytest.mark.parametrize("name", [*TWO_COLUMNS, "variance", "sample variance", "variance numerator"])
def test_one_declared_row_does_not_buy_a_spread_without_noise(name):
    statistic, _ = {**ONE_COLUMN, **TWO_COLUMNS}[name]
    with pytest.raises(ParameterError, match="2 or more"):
        sensitivity_of(statistic, Scope("change_one", rows=1))


def test_the_variance_of_six_rows_moves_a_lot_although_one_row_was_declared():
    assert (
        largest(ONE_COLUMN["variance"][1], grid(SIGNED, 3), 6) > 0
    )  # so a claim of (n − 1)/n² = 0 at n = 1 would be no noise at all


PRIVATE = {
    "a unit comes or goes": Scope("add_remove", rows=994),
    "no size is public": Scope("change_one"),
    "rows are left out": Scope("change_one", rows=994, filtered=True),
    "there are groups": Scope("change_one", rows=994, grouped=True),
    "a unit has several rows": Scope("change_one", rows=994, rows_per_unit=2),
    "a unit has any number of rows": Scope("change_one", rows=994, rows_per_unit=None),
}


@pytest.mark.parametrize("reason", PRIVATE)
@pytest.mark.parametrize("name", [name for name in [*ONE_COLUMN, *TWO_COLUMNS] if name not in ("count", "sum")])
def test_no_quotient_has_a_sensitivity_where_the_number_of_rows_is_private(name, reason):
    statistic, _ = {**ONE_COLUMN, **TWO_COLUMNS}[name]
    with pytest.raises(ParameterError, match="no usable sensitivity"):
        sensitivity_of(statistic, PRIVATE[reason])


def test_a_mean_over_nulls_that_are_dropped_is_not_priced_by_the_size_of_the_table():
    # 993 NULLs and one value v: the mean is v, and replacing that row moves it by the whole width, not by 1/994 of it
    table, neighbour = [None] * 993 + [Fraction(0)], [None] * 993 + [Fraction(1)]
    moved = mean(x for x in neighbour if x is not None) - mean(x for x in table if x is not None)
    assert moved == 1 > sensitivity_of(Mean(Bounds(0, 1)), Scope("change_one", rows=994)).l1
    with pytest.raises(ParameterError, match="filtering is private"):
        sensitivity_of(Mean(Bounds(0, 1)), Scope("change_one", rows=994, filtered=True))


@pytest.mark.parametrize("reason", [reason for reason in PRIVATE if reason != "a unit has any number of rows"])
def test_a_count_and_a_sum_are_free_of_n_only_where_it_is_public(reason):
    assert sensitivity_of(Count(), Scope("change_one", rows=994)).l1 == 0
    assert sensitivity_of(Count(), PRIVATE[reason]).l1 >= 1
    assert sensitivity_of(Sum(OTHER), Scope("change_one", rows=994)).l1 == OTHER.width
    assert sensitivity_of(Sum(OTHER), PRIVATE[reason]).l1 >= OTHER.upper


def test_the_number_of_units_is_free_only_where_it_is_public():
    assert sensitivity_of(Units(), Scope("change_one", units=70, rows_per_unit=None)).l1 == 0
    assert sensitivity_of(Units(), Scope("change_one", units=70, filtered=True)).l1 == 1
    assert sensitivity_of(Units(), Scope("change_one", units=70, grouped=True)).l1 == 2
    assert sensitivity_of(Units(), Scope("add_remove", units=70)).l1 == 1
