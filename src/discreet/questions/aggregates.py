"""What there is to know about each aggregate beside what it releases: how it is written, named, shown and how it grows."""

from dataclasses import dataclass
from typing import Literal as OneOfThese

from discreet.questions.algebra import AggregateKind

__all__ = ["AGGREGATES", "BOUNDED", "FORMS", "Form", "Kind", "PAIRS"]

Kind = OneOfThese[
    "key", "count", "sum", "mean", "variance", "stddev", "covariance", "correlation", "slope", "intercept", "r2",
    "median", "quantile", "min", "max", "mode", "derived",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Form:
    """``sql`` writes it, ``word`` names its column, ``kind`` is what people and charts are told that it is.

    ``grows`` says what becomes of it where its numbers are twice as large: "no" nothing, "linearly" it is too. ``has_order``: of
    two numbers, the first is another thing than the second, and stays first.
    """

    sql: str
    word: str
    kind: Kind
    numbers: int = 1
    grows: OneOfThese["no", "linearly", "otherwise"] = "linearly"
    has_order: bool = False


FORMS: dict[AggregateKind, Form] = {
    "count_rows": Form("COUNT", "count", "count", 0, "no"),
    "count_units": Form("COUNT_UNITS", "units", "count", 0, "no"),
    "count": Form("COUNT", "count", "count", grows="no"),
    "count_distinct": Form("COUNT", "distinct", "count", grows="no"),
    "running_rows": Form("RUNNING_COUNT", "running_count", "count", 0, "no"),
    "at_bounds": Form("AT_BOUNDS", "at_bounds", "mean", grows="no"),
    "at_lower": Form("AT_LOWER", "at_lower", "mean", grows="no"),
    "at_upper": Form("AT_UPPER", "at_upper", "mean", grows="no"),
    "at_caps": Form("AT_CAPS", "at_caps", "mean", grows="no"),
    "sum": Form("SUM", "sum", "sum"),
    "mean": Form("AVG", "mean", "mean"),
    "variance_pop": Form("VAR_POP", "variance", "variance", grows="otherwise"),
    "variance_samp": Form("VAR_SAMP", "variance", "variance", grows="otherwise"),
    "stddev_pop": Form("STDDEV_POP", "stddev", "stddev"),
    "stddev_samp": Form("STDDEV_SAMP", "stddev", "stddev"),
    "covariance_pop": Form("COVAR_POP", "covariance", "covariance", 2, "otherwise"),
    "covariance_samp": Form("COVAR_SAMP", "covariance", "covariance", 2, "otherwise"),
    "correlation": Form("CORR", "correlation", "correlation", 2, "no"),
    "regr_slope": Form("REGR_SLOPE", "slope", "slope", 2, "otherwise", has_order=True),
    "regr_intercept": Form("REGR_INTERCEPT", "intercept", "intercept", 2, "otherwise", has_order=True),
    "regr_r2": Form("REGR_R2", "r2", "r2", 2, "no", has_order=True),
    "quantile": Form("QUANTILE", "quantile", "quantile", grows="otherwise"),
    "min": Form("MIN", "min", "min", grows="otherwise"),
    "max": Form("MAX", "max", "max", grows="otherwise"),
    "mode": Form("MODE", "mode", "mode", grows="no"),
    "rows_per_unit": Form("ROWS_PER_UNIT", "rows_per_unit", "quantile", 0, "no"),
    "groups_per_unit": Form("GROUPS_PER_UNIT", "groups_per_unit", "quantile", grows="no"),
}

BOUNDED: tuple[AggregateKind, ...] = ("at_bounds", "at_lower", "at_upper")  # shares of values at a declared bound or beyond
PAIRS: tuple[AggregateKind, ...] = tuple(kind for kind, form in FORMS.items() if form.numbers == 2)

_APART = ("count_rows", "count_distinct", "quantile", "min", "max", "rows_per_unit", "groups_per_unit")  # read by other rules
AGGREGATES: dict[str, AggregateKind] = {form.sql: kind for kind, form in FORMS.items() if kind not in _APART} | {
    "MEAN": "mean",
    "VARIANCE": "variance_samp",
    "STDDEV": "stddev_samp",
    "COVAR": "covariance_pop",
}
