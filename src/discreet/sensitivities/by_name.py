"""Sensitivities by name: keywords → a statistic and its scope → one exact number."""

from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from fractions import Fraction
from typing import Any, get_args

from discreet.errors import ParameterError
from discreet.exact import Number, exact
from discreet.sensitivities.scope import Neighbours, Norm, Scope
from discreet.sensitivities.statistic import (
    Bernstein,
    Bounds,
    Count,
    Counts,
    Covariance,
    CovarianceNumerator,
    Distinct,
    Histogram,
    Marginals,
    Mean,
    MinMaxScore,
    Pair,
    PrefixCounts,
    Proportion,
    QuantileScore,
    SampleCovariance,
    SampleVariance,
    Score,
    Statistic,
    Sum,
    Tensor,
    Units,
    UnitTotals,
    Variance,
    VarianceNumerator,
)
from discreet.sensitivities.table import score_change, sensitivity_of

__all__ = ["STATISTICS", "parse_statistic", "sensitivity"]

_Bound = Number | tuple[Number, Number]
_Several = Sequence[str | tuple[str, Mapping[str, Any]]]  # names, or names with their own parameters

# what each statistic is asked with, beside its scope
_ALONE: Mapping[str, Callable[[], Statistic]] = {
    "contingency": Histogram,
    "count": Count,
    "distinct": Distinct,
    "histogram": Histogram,
    "minmax_score": MinMaxScore,
    "proportion": Proportion,
    "units": Units,
}
_ONE_COLUMN: Mapping[str, Callable[[Bounds], Statistic]] = {
    "mean": Mean,
    "pair": Pair,
    "sample_variance": SampleVariance,
    "sum": Sum,
    "variance": Variance,
    "variance_numerator": VarianceNumerator,
    "vector": UnitTotals,
}
_TWO_COLUMNS: Mapping[str, Callable[[Bounds, Bounds], Statistic]] = {
    "covariance": Covariance,
    "covariance_numerator": CovarianceNumerator,
    "sample_covariance": SampleCovariance,
}
_SEVERAL: Mapping[str, Callable[[int], Statistic]] = {
    "counts": Counts,
    "marginals": Marginals,
    "prefix_counts": PrefixCounts,
}
_ASKED_WITH: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(_ALONE, ()),
    **dict.fromkeys([*_ONE_COLUMN, *_TWO_COLUMNS], ("lower", "upper")),
    **dict.fromkeys(_SEVERAL, ("k",)),
    "bernstein": ("lower", "upper", "degree"),
    "quantile_score": ("q",),
    "tensor": ("lower", "upper", "degree"),
}
STATISTICS: tuple[str, ...] = tuple(sorted(_ASKED_WITH))

_OTHER_WORDS: Mapping[str, str] = {
    "average": "mean",
    "avg": "mean",
    "cdf": "prefix_counts",
    "max": "minmax_score",
    "median": "quantile_score",
    "min": "minmax_score",
    "quantile": "quantile_score",
    "stddev": "variance",
    "var_pop": "variance",
    "var_samp": "sample_variance",
}


_HOW_SEVERAL = 'write ["count", ("mean", {"lower": 0, "upper": 1})], say'


def sensitivity(
    statistic: str | _Several,
    *,
    neighbours: Neighbours,
    lower: _Bound | None = None,
    upper: _Bound | None = None,
    rows: int | None = None,
    units: int | None = None,
    filtered: bool = False,
    grouped: bool = False,
    rows_per_unit: int | None = 1,
    groups_per_unit: int = 1,
    k: int | None = None,
    degree: int | None = None,
    q: Number | None = None,
    norm: Norm = "l1",
) -> Fraction:
    """The most that one unit can move ``statistic``, over all tables with these public facts; the data held play no part.

    ``norm="l1"`` is for Laplace noise, ``norm="l2_squared"`` (the square, which stays rational) for Gaussian noise; for a single
    number the second is the square of the first. A score has one sensitivity: the most that any candidate's score changes.
    Two columns take their bounds as pairs, ``lower=(0, 10), upper=(1, 20)``.

    Several statistics in a list are one query with several numbers: ``["count", ("mean", {"lower": 0, "upper": 1})]``. What one
    unit moves them together is at most the sum (of the squares, for Gaussian noise) of what it moves each.

    ``rows`` helps only under change_one, on the whole table, ungrouped, one row per unit. ``filtered`` also means that NULLs are
    dropped or rows joined or capped. Refused where no sensitivity is usable, with the statistic to release instead.
    """
    scope = Scope(neighbours, rows, units, filtered, grouped, rows_per_unit, groups_per_unit)
    if norm not in get_args(Norm):
        raise ParameterError(f"norm is {norm!r}", hint="write norm='l1' (Laplace noise) or norm='l2_squared' (Gaussian noise)")
    parameters = {"lower": lower, "upper": upper, "k": k, "degree": degree, "q": q}
    if isinstance(statistic, Sequence) and not isinstance(statistic, str):
        return _together(statistic, parameters, scope, norm)
    asked = parse_statistic(statistic, **parameters)  # type: ignore[arg-type]  # each is what it was
    if not isinstance(asked, Score):
        return sensitivity_of(asked, scope).in_norm(norm)
    if norm != "l1":
        raise ParameterError(f"{statistic} has no {norm} sensitivity", hint="leave norm out: a selection has one sensitivity")
    return score_change(asked, scope)


def _together(several: _Several, shared: Mapping[str, Any], scope: Scope, norm: Norm) -> Fraction:
    """The sensitivity of a query of several statistics; parameters beside the list are for those without their own."""
    if not len(several):
        raise ParameterError("there is no statistic", hint=_HOW_SEVERAL)
    found = []
    for each in several:
        name, own = (each, _of(each, shared)) if isinstance(each, str) else _with_its_own(each)
        asked = parse_statistic(name, **own)
        if isinstance(asked, Score):
            raise ParameterError(f"{name} is a score, and no part of a query", hint="leave it out: a choice has its own price")
        found.append(sensitivity_of(asked, scope).in_norm(norm))
    return sum(found, start=Fraction(0))


def _of(name: str, shared: Mapping[str, Any]) -> Mapping[str, Any]:
    return {key: shared[key] for key in _ASKED_WITH.get(name, ())}


def _with_its_own(each: tuple[str, Mapping[str, Any]]) -> tuple[str, Mapping[str, Any]]:
    match each:
        case (str() as name, Mapping() as own) if set(own) <= {"lower", "upper", "k", "degree", "q"}:
            return name, own
        case _:
            raise ParameterError(f"{str(each)[:60]} is not a statistic with its parameters", hint=_HOW_SEVERAL)


def parse_statistic(
    name: str,
    *,
    lower: _Bound | None = None,
    upper: _Bound | None = None,
    k: int | None = None,
    degree: int | None = None,
    q: Number | None = None,
) -> Statistic:
    """The statistic of that name with these parameters; refused if one is missing, superfluous or out of range."""
    if not isinstance(name, str) or name not in _ASKED_WITH:
        raise ParameterError(f"there is no statistic called {str(name)[:40]!r}", hint=_nearest(str(name)))
    given = {"lower": lower, "upper": upper, "k": k, "degree": degree, "q": q}
    for parameter, value in given.items():
        if value is not None and parameter not in _ASKED_WITH[name]:
            raise ParameterError(f"{name} has no {parameter}", hint=f"leave {parameter} out")
    if name in _ALONE:
        return _ALONE[name]()
    if name in _ONE_COLUMN:
        return _ONE_COLUMN[name](_column(lower, upper, name))
    if name in _TWO_COLUMNS:
        return _TWO_COLUMNS[name](*_columns(lower, upper, name))
    if name == "quantile_score":
        if q is None:
            raise ParameterError("quantile_score needs q", hint="write q=0.5 for the median")
        return QuantileScore(exact(q, "q"))
    if name == "bernstein":
        return Bernstein(_column(lower, upper, name), _required(degree, "degree", name))
    if name == "tensor":
        return Tensor(*_columns(lower, upper, name), _required(degree, "degree", name))
    return _SEVERAL[name](_required(k, "k", name))


def _required(number: int | None, parameter: str, name: str) -> int:
    if number is None:
        raise ParameterError(f"{name} needs {parameter}", hint=f"write {parameter}=2, say")
    return number


def _column(lower: _Bound | None, upper: _Bound | None, name: str) -> Bounds:
    if lower is None or upper is None or isinstance(lower, tuple) or isinstance(upper, tuple):
        raise ParameterError(f"{name} needs the bounds of one column", hint="write lower=0, upper=1, say")
    return Bounds(lower, upper)


def _columns(lower: _Bound | None, upper: _Bound | None, name: str) -> tuple[Bounds, Bounds]:
    if not (isinstance(lower, tuple) and isinstance(upper, tuple) and len(lower) == len(upper) == 2):
        raise ParameterError(f"{name} needs the bounds of two columns", hint="write lower=(0, 10), upper=(1, 20), say")
    return Bounds(lower[0], upper[0]), Bounds(lower[1], upper[1])


def _nearest(name: str) -> str:
    word = name.strip().lower()
    found = [_OTHER_WORDS[word]] if word in _OTHER_WORDS else get_close_matches(word, STATISTICS, n=2, cutoff=0.5)
    return "write " + " or ".join(map(repr, found)) if found else "write one of " + ", ".join(STATISTICS)
