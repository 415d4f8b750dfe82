"""Sensitivities by name: figures known beforehand, what is refused and how, and laws that hold for every row of the table."""

import itertools
import re
from decimal import Decimal
from fractions import Fraction

import pytest

import discreet.sensitivities
from discreet.errors import ParameterError
from discreet.sensitivities import STATISTICS, Bounds, Mean, NeedsKnownRows, Score, parse_statistic, sensitivity

COLUMN, COLUMNS = {"lower": -1, "upper": 3}, {"lower": (0, 1), "upper": (2, 5)}
WITH = {
    "bernstein": {"lower": 0, "upper": 2, "degree": 2},
    "counts": {"k": 3},
    "covariance": COLUMNS,
    "covariance_numerator": COLUMNS,
    "marginals": {"k": 3},
    "mean": COLUMN,
    "pair": COLUMN,
    "prefix_counts": {"k": 3},
    "quantile_score": {"q": "0.25"},
    "sample_covariance": COLUMNS,
    "sample_variance": COLUMN,
    "sum": COLUMN,
    "tensor": {**COLUMNS, "degree": 1},
    "variance": COLUMN,
    "variance_numerator": COLUMN,
    "vector": COLUMN,
}


def asked(name: str, **scope: object) -> Fraction:
    return sensitivity(name, **WITH.get(name, {}), **scope)


@pytest.mark.parametrize(
    ("expected", "name", "parameters"),
    [
        ("1", "count", {"neighbours": "add_remove"}),
        ("1", "count", {"neighbours": "change_one", "filtered": True}),
        ("0", "count", {"neighbours": "change_one", "rows": 994}),
        ("1/150", "mean", {"neighbours": "change_one", "lower": 0, "upper": 1, "rows": 150}),
        ("1000000/994", "mean", {"neighbours": "change_one", "lower": 0, "upper": 1_000_000, "rows": 994}),
        ("15/25766", "mean", {"neighbours": "change_one", "lower": 1, "upper": 16, "rows": 25_766}),
        ("1/32561", "proportion", {"neighbours": "change_one", "rows": 32_561}),
        ("5132/26347689", "variance", {"neighbours": "change_one", "lower": 0, "upper": 1, "rows": 5133}),
        ("7", "counts", {"neighbours": "add_remove", "k": 7}),
        ("1", "histogram", {"neighbours": "add_remove"}),
        ("2", "histogram", {"neighbours": "change_one", "rows": 5133}),
        ("2", "contingency", {"neighbours": "change_one", "norm": "l2_squared"}),
        ("2", "count", {"neighbours": "change_one", "grouped": True}),
        ("120", "sum", {"neighbours": "add_remove", "lower": 0, "upper": 120}),
        ("16", "sum", {"neighbours": "change_one", "lower": -2, "upper": 2, "grouped": True, "norm": "l2_squared"}),
        ("48", "vector", {"neighbours": "change_one", "lower": -2, "upper": 2, "groups_per_unit": 3, "norm": "l2_squared"}),
        ("12", "vector", {"neighbours": "change_one", "lower": -2, "upper": 2, "groups_per_unit": 3}),
    ],
)
def test_the_table_holds_the_figures_of_the_textbooks(expected, name, parameters):
    if "groups_per_unit" in parameters:
        parameters = {**parameters, "grouped": True, "rows_per_unit": None}
    assert sensitivity(name, **parameters) == Fraction(expected)


@pytest.mark.parametrize("upper", ["0.1", 0.1, Decimal("0.1"), Fraction(1, 10), "1/10"])
def test_bounds_are_the_numbers_that_were_written(upper):
    assert sensitivity("sum", neighbours="add_remove", lower=0, upper=upper) == Fraction(1, 10)


# ── refusals ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
@pytest.mark.parametrize("name", [n for n in STATISTICS if isinstance(parse_statistic(n, **WITH.get(n, {})), NeedsKnownRows)])
def test_a_refusal_for_private_rows_names_a_call_that_works(name, neighbours):
    scopes = [{"filtered": True}, {"grouped": True, "rows_per_unit": 3, "groups_per_unit": 2}]
    for scope in scopes:
        with pytest.raises(ParameterError, match="no usable sensitivity") as refused:
            asked(name, neighbours=neighbours, rows=10, **scope)
        call = re.search(r"sensitivity\(.*\)", refused.value.hint)
        assert call
        assert eval(call[0], {"sensitivity": sensitivity}) > 0


def test_a_mean_with_private_rows_is_refused_in_favour_of_the_pair():
    with pytest.raises(ParameterError) as refused:
        sensitivity("mean", neighbours="add_remove", lower="-0.5", upper=1, rows=150)
    assert str(refused.value) == (
        "a mean has no usable sensitivity here, because under add_remove the size of a table is private; "
        "release the pair of sums instead and divide: sensitivity('pair', neighbours='add_remove', lower='-0.5', upper=1)"
    )


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"neighbours": "swap"}, "add_remove"),
        ({"neighbours": None}, "change_one"),
        ({"lower": 1}, "below the upper bound"),
        ({"lower": 2}, "below the upper bound"),
        ({"lower": float("nan")}, "not a number"),
        ({"upper": float("inf")}, "not a number"),
        ({"upper": "ten"}, "not a number"),
        ({"upper": True}, "not a number"),
        ({"upper": None}, "needs the bounds of one column"),
        ({"lower": (0, 0), "upper": (1, 1)}, "needs the bounds of one column"),
        ({"rows": 0}, "1 or more"),
        ({"rows": -3}, "1 or more"),
        ({"rows": "1.5"}, "whole number"),
        ({"rows": float("nan")}, "not a number"),
        ({"units": 0}, "1 or more"),
        ({"filtered": "no"}, "neither True nor False"),
        ({"grouped": 1}, "neither True nor False"),
        ({"rows_per_unit": 0}, "1 or more"),
        ({"groups_per_unit": 0}, "1 or more"),
        ({"groups_per_unit": None}, "not a number"),
        ({"groups_per_unit": 3}, "not grouped"),
        ({"groups_per_unit": 3, "grouped": True}, "cannot be in 3 groups"),
        ({"rows_per_unit": None}, "no usable sensitivity"),
        ({"norm": "l2"}, "l2_squared"),
        ({"k": 2}, "has no k"),
        ({"q": 0.5}, "has no q"),
        ({"degree": 2}, "has no degree"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_a_remedy(wrong, says):
    with pytest.raises(ParameterError, match=re.escape(says)) as refused:
        sensitivity("mean", **{"neighbours": "change_one", "lower": 0, "upper": 1, "rows": 150, **wrong})
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "wrong", "says"),
    [
        ("covariance", {"lower": 0, "upper": 1}, "two columns"),
        ("covariance", {"lower": (0, 0, 0), "upper": (1, 1, 1)}, "two columns"),
        ("bernstein", {"lower": 0, "upper": 1}, "needs degree"),
        ("bernstein", {"lower": 0, "upper": 1, "degree": 0}, "1 or more"),
        ("counts", {}, "needs k"),
        ("marginals", {"k": 0}, "1 or more"),
        ("prefix_counts", {"k": "1/2"}, "whole number"),
        ("quantile_score", {}, "q=0.5"),
        ("quantile_score", {"q": 50}, "not between 0 and 1"),
        ("quantile_score", {"q": "-0.1"}, "not between 0 and 1"),
        ("count", {"rows_per_unit": None}, "nothing limits"),
        ("count", {"lower": 0, "upper": 1}, "has no lower"),
        ("minmax_score", {"norm": "l2_squared"}, "one sensitivity"),
    ],
)
def test_each_statistic_wants_its_own_parameters_and_no_other(name, wrong, says):
    with pytest.raises(ParameterError, match=re.escape(says)) as refused:
        sensitivity(name, **{"neighbours": "add_remove", **wrong})
    assert refused.value.hint


@pytest.mark.parametrize(
    ("name", "suggested"),
    [
        ("avg", "'mean'"),
        ("Median", "'quantile_score'"),
        ("MAX", "'minmax_score'"),
        ("varience", "'variance'"),
        ("zzz", "one of"),
        (3, "one of"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest_one(name, suggested):
    with pytest.raises(ParameterError, match="there is no statistic called") as refused:
        sensitivity(name, neighbours="add_remove")
    assert suggested in refused.value.hint


def test_the_relation_has_no_default():
    with pytest.raises(TypeError, match="neighbours"):
        sensitivity("count")


# ── laws ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

SUMS = [n for n in STATISTICS if not isinstance(parse_statistic(n, **WITH.get(n, {})), NeedsKnownRows | Score)]
SCOPES = [
    {"filtered": filtered, "grouped": grouped, "rows_per_unit": m}
    for filtered, grouped, m in itertools.product((False, True), (False, True), (1, 2, 5))
]


@pytest.mark.parametrize("name", SUMS)
def test_replacing_a_unit_is_at_most_removing_one_and_adding_another(name):
    for scope in SCOPES:
        add, change = asked(name, neighbours="add_remove", **scope), asked(name, neighbours="change_one", **scope)
        assert change <= 2 * add
        assert asked(name, neighbours="change_one", norm="l2_squared", **scope) <= 4 * asked(
            name, neighbours="add_remove", norm="l2_squared", **scope
        )


@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
@pytest.mark.parametrize("name", SUMS)
def test_more_freedom_never_lowers_a_sensitivity(name, neighbours):
    for norm in ("l1", "l2_squared"):
        whole = asked(name, neighbours=neighbours, norm=norm)
        assert whole <= asked(name, neighbours=neighbours, norm=norm, filtered=True)
        assert whole <= asked(name, neighbours=neighbours, norm=norm, grouped=True)
        assert whole <= asked(name, neighbours=neighbours, norm=norm, rows_per_unit=2)


@pytest.mark.parametrize("neighbours", ["add_remove", "change_one"])
@pytest.mark.parametrize("name", SUMS)
def test_the_l2_distance_is_never_above_the_l1_distance(name, neighbours):
    assert asked(name, neighbours=neighbours, norm="l2_squared") <= asked(name, neighbours=neighbours) ** 2


def test_equal_facts_give_equal_statistics():
    assert parse_statistic("mean", lower="0.50", upper=1) == Mean(Bounds(Fraction(1, 2), 1.0))


def test_every_public_name_is_there_and_in_order():
    assert sorted(discreet.sensitivities.__all__) == discreet.sensitivities.__all__
    assert all(hasattr(discreet.sensitivities, name) for name in discreet.sensitivities.__all__)


# ---- several statistics as one query

MEANS = [("mean", {"lower": 0, "upper": 1_000_000}), ("mean", {"lower": 0, "upper": 500_000})]


def test_several_statistics_are_one_query_whose_sensitivity_is_the_sum():
    assert sensitivity(MEANS, neighbours="change_one", rows=994) == Fraction(1_500_000, 994)
    squared = sensitivity(MEANS, neighbours="change_one", rows=994, norm="l2_squared")
    assert squared == Fraction(1_000_000, 994) ** 2 + Fraction(500_000, 994) ** 2
    assert sensitivity(["count", "sum"], neighbours="add_remove", lower=-1, upper=3) == 1 + 3
    assert sensitivity(["count"] * 3, neighbours="add_remove") == sensitivity("counts", k=3, neighbours="add_remove")


@pytest.mark.parametrize(("several", "why"), [
    ([], "no statistic"), ([("mean",)], "not a statistic with its parameters"), (["mena"], "no statistic called"),
    ([("count", {"lower": 0})], "count has no lower"), ([("mean", {"rows": 3})], "not a statistic with its parameters"),
    (["count", ("quantile_score", {"q": "0.5"})], "is a score"), (["count", "mean"], "needs the bounds")])
def test_what_is_no_list_of_statistics_is_refused(several, why):
    with pytest.raises(ParameterError, match=why):
        sensitivity(several, neighbours="add_remove")
