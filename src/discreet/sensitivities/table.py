"""The sensitivity table: one row per statistic, for both relations, with n public and with n private.

Where the number of rows is public and the same for all neighbours (``Scope.known_rows``), ``with_known_rows`` is the table;
everywhere else ``contribution_to`` is. Scores of candidates have ``score_change``.

Proof: docs/proofs/sensitivities.md
"""

from fractions import Fraction
from typing import assert_never

from discreet.errors import ParameterError
from discreet.exact import exact_whole, shown
from discreet.sensitivities.contribution import Contribution, Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import (
    Bernstein,
    Count,
    Counts,
    Covariance,
    CovarianceNumerator,
    Distinct,
    Histogram,
    Marginals,
    Mean,
    MinMaxScore,
    NeedsKnownRows,
    Pair,
    PrefixCounts,
    Proportion,
    QuantileScore,
    SampleCovariance,
    SampleVariance,
    Score,
    Sum,
    Summed,
    Tensor,
    Units,
    UnitTotals,
    Variance,
    VarianceNumerator,
)

__all__ = ["contribution_to", "score_change", "sensitivity_of", "with_known_rows"]

_ZERO, _ONE = Fraction(0), Fraction(1)


def sensitivity_of(statistic: Summed | NeedsKnownRows, scope: Scope) -> Sensitivity:
    """The sensitivity of ``statistic`` over all tables that agree with ``scope``; refused where none is usable."""
    n = scope.known_rows
    if isinstance(statistic, NeedsKnownRows):
        if n is None:
            raise _private_rows(statistic, scope)
        return _one_number(with_known_rows(statistic, n))
    if isinstance(statistic, Count | Sum) and n is not None:
        return _one_number(with_known_rows(statistic, n))
    if isinstance(statistic, Units) and scope.known_units is not None:
        return _one_number(_ZERO)
    return contribution_to(statistic, scope).sensitivity(scope.neighbours)


def with_known_rows(statistic: NeedsKnownRows | Count | Sum, n: int) -> Fraction:
    """The largest change when one of ``n`` rows is replaced: change_one, n public, no row left out, no groups."""
    exact_whole(n, "rows", at_least=1)
    if n == 1 and not isinstance(statistic, Count | Sum | Mean | Proportion):
        raise ParameterError(f"a {_words(statistic)} of one row says nothing", hint="write the true number of rows, 2 or more")
    match statistic:
        case Count():
            return _ZERO
        case Sum(x):
            return x.width
        case Mean(x):
            return x.width / n
        case Proportion():
            return _ONE / n
        case Variance(x):
            return x.width**2 * (n - 1) / n**2
        case SampleVariance(x):
            return x.width**2 / n
        case VarianceNumerator(x):
            return x.width**2 * (n - 1)
        case Covariance(x, y):
            return x.width * y.width * (n - 1) / n**2
        case SampleCovariance(x, y):
            return x.width * y.width / n
        case CovarianceNumerator(x, y):
            return x.width * y.width * (n - 1)
        case _:
            assert_never(statistic)


def contribution_to(statistic: Summed, scope: Scope) -> Contribution:
    """All that one unit can put into ``statistic`` when the number of rows is private."""
    groups, filtered = scope.grouped, scope.filtered
    match statistic:
        case Count():
            return Contribution(_ZERO, scope.row_cap, moves=groups, attained=filtered)
        case Distinct():
            return Contribution(_ZERO, scope.row_cap, moves=groups)
        case Units():
            return Contribution(_ZERO, _ONE, moves=groups, parts=scope.groups_per_unit, attained=filtered)
        case Sum(x):
            m, crosses_zero = scope.row_cap, x.lower <= 0 <= x.upper
            return Contribution(m * x.low, m * x.high, moves=groups, attained=filtered or crosses_zero)
        case Pair(x):
            return Contribution(_ZERO, scope.row_cap * x.width, moves=True)
        case Bernstein(x, degree):
            return Contribution(_ZERO, scope.row_cap * x.width**degree, moves=True)
        case Tensor(x, y, degree):
            return Contribution(_ZERO, scope.row_cap * (x.width * y.width) ** degree, moves=True)
        case Histogram():
            return Contribution(_ZERO, scope.row_cap, moves=True)
        case Marginals(k):
            return Contribution(_ZERO, scope.row_cap, moves=True, parts=k)
        case Counts(k) | PrefixCounts(k):
            return Contribution(_ZERO, scope.row_cap, moves=groups, parts=k)
        case UnitTotals(x):
            return Contribution(x.low, x.high, moves=True, parts=scope.groups_per_unit)
        case _:
            assert_never(statistic)


def score_change(statistic: Score, scope: Scope) -> Fraction:
    """The largest change of any one candidate's score, n private or not; in a grouped question, of any group's candidates."""
    match statistic:
        case QuantileScore(q):
            return scope.row_cap * max(q, 1 - q) if scope.neighbours == "add_remove" else scope.row_cap
        case MinMaxScore():
            return scope.row_cap
        case _:
            assert_never(statistic)


def _one_number(change: Fraction) -> Sensitivity:
    return Sensitivity(change, change**2)


def _private_rows(statistic: NeedsKnownRows, scope: Scope) -> ParameterError:
    match statistic:
        case Mean(x):
            instead = "release the pair of sums instead and divide: " + _call("pair", scope, x.lower, x.upper)
        case Proportion():
            instead = "release the two counts, yes and no, instead and divide: " + _call("histogram", scope)
        case Variance(x) | SampleVariance(x) | VarianceNumerator(x):
            instead = "release three Bernstein sums instead: " + _call("bernstein", scope, x.lower, x.upper, degree=2)
        case Covariance(x, y) | SampleCovariance(x, y) | CovarianceNumerator(x, y):
            bounds = (x.lower, y.lower), (x.upper, y.upper)
            instead = "release four tensor sums instead: " + _call("tensor", scope, *bounds, degree=1)
        case _:
            assert_never(statistic)
    what = f"a {_words(statistic)} has no usable sensitivity here, because {scope.why_rows_are_private}"
    return ParameterError(what, hint=instead)


def _words(statistic: NeedsKnownRows) -> str:
    """SampleVariance() → 'sample variance'."""
    return "".join(" " + letter.lower() if letter.isupper() else letter for letter in type(statistic).__name__).strip()


_Bound = Fraction | tuple[Fraction, Fraction]


def _call(name: str, scope: Scope, lower: _Bound | None = None, upper: _Bound | None = None, degree: int | None = None) -> str:
    """The call to write for ``name`` in the same scope."""
    parts = [repr(name), f"neighbours={scope.neighbours!r}"]
    if lower is not None and upper is not None:
        parts += [f"lower={_written(lower)}", f"upper={_written(upper)}"]
    if degree is not None:
        parts.append(f"degree={degree}")
    parts += [f"{flag}=True" for flag in ("filtered", "grouped") if getattr(scope, flag)]
    parts += [f"{cap}={getattr(scope, cap)}" for cap in ("rows_per_unit", "groups_per_unit") if getattr(scope, cap) != 1]
    return f"sensitivity({', '.join(parts)})"


def _written(bound: _Bound) -> str:
    if isinstance(bound, tuple):
        return f"({', '.join(map(_written, bound))})"
    return shown(bound) if bound.denominator == 1 else repr(shown(bound))
