"""SENSITIVITIES: how far one unit can move a statistic, from public facts and the text of the question alone.

``sensitivity("mean", neighbours="change_one", lower=0, upper=1, rows=150)`` looks one number up by name.
``sensitivity_of(Mean(Bounds(0, 1)), Scope("change_one", rows=150))`` is the same row as data: both norms, and if it is tight.
``sampled_sensitivity(target, draw, rows=10, gamma="0.1")`` estimates one that no row knows; it is random DP and no charge.

Proof: docs/proofs/sensitivities.md
"""

from discreet.sensitivities.by_name import STATISTICS, parse_statistic, sensitivity
from discreet.sensitivities.contribution import Contribution, Sensitivity
from discreet.sensitivities.sampled import SampledSensitivity, sampled_sensitivity, sampling_plan
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
    NeedsKnownRows,
    Pair,
    PrefixCounts,
    Proportion,
    QuantileScore,
    SampleCovariance,
    SampleVariance,
    Score,
    Statistic,
    Sum,
    Summed,
    Tensor,
    Units,
    UnitTotals,
    Variance,
    VarianceNumerator,
)
from discreet.sensitivities.table import contribution_to, score_change, sensitivity_of, with_known_rows

__all__ = [
    "Bernstein",
    "Bounds",
    "Contribution",
    "Count",
    "Counts",
    "Covariance",
    "CovarianceNumerator",
    "Distinct",
    "Histogram",
    "Marginals",
    "Mean",
    "MinMaxScore",
    "NeedsKnownRows",
    "Neighbours",
    "Norm",
    "Pair",
    "PrefixCounts",
    "Proportion",
    "QuantileScore",
    "STATISTICS",
    "SampleCovariance",
    "SampleVariance",
    "SampledSensitivity",
    "Scope",
    "Score",
    "Sensitivity",
    "Statistic",
    "Sum",
    "Summed",
    "Tensor",
    "UnitTotals",
    "Units",
    "Variance",
    "VarianceNumerator",
    "contribution_to",
    "parse_statistic",
    "sampled_sensitivity",
    "sampling_plan",
    "score_change",
    "sensitivity",
    "sensitivity_of",
    "with_known_rows",
]
