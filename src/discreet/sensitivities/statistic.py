"""The statistics that have a sensitivity, as frozen data.

Each class says what is computed from the rows. With ``grouped`` in the scope it is computed once per group, and all groups are
released together as one vector. On the integer grid the bounds are the grid's own integers.
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact, exact_whole, shown

__all__ = [
    "Bernstein",
    "Bounds",
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
    "Pair",
    "PrefixCounts",
    "Proportion",
    "QuantileScore",
    "SampleCovariance",
    "SampleVariance",
    "Score",
    "Statistic",
    "Sum",
    "Summed",
    "Tensor",
    "UnitTotals",
    "Units",
    "Variance",
    "VarianceNumerator",
]


@dataclass(frozen=True, slots=True, init=False)
class Bounds:
    """The public interval [lower, upper] that every value of a column is clamped to, NULL replacements included."""

    lower: Fraction
    upper: Fraction

    def __init__(self, lower: Number, upper: Number) -> None:
        object.__setattr__(self, "lower", exact(lower, "lower"))
        object.__setattr__(self, "upper", exact(upper, "upper"))
        if self.lower >= self.upper:
            raise ParameterError(
                f"lower is {shown(self.lower)} and upper is {shown(self.upper)}", hint="write a lower bound below the upper bound"
            )

    @property
    def width(self) -> Fraction:
        """upper − lower."""
        return self.upper - self.lower

    @property
    def low(self) -> Fraction:
        """The least that one row adds to a sum, where a row that is absent adds 0."""
        return min(self.lower, Fraction(0))

    @property
    def high(self) -> Fraction:
        """The most that one row adds to a sum, where a row that is absent adds 0."""
        return max(self.upper, Fraction(0))


# ── sums over rows, and what behaves like one ────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Count:
    """The number of rows, COUNT(*) or COUNT(x)."""


@dataclass(frozen=True, slots=True)
class Distinct:
    """The number of different values, COUNT(DISTINCT x)."""


@dataclass(frozen=True, slots=True)
class Units:
    """The number of units, COUNT(DISTINCT unit)."""


@dataclass(frozen=True, slots=True)
class Sum:
    """Σ x."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class Pair:
    """(Σ (x − lower), Σ (upper − x)): its total is the number of rows times the width, its first share gives the mean."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class Bernstein:
    """Σ C(d, j)·(x − lower)^j·(upper − x)^(d − j) for j = 0 … d; every row adds width^d in all. Degree 1 is the pair."""

    x: Bounds
    degree: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", exact_whole(self.degree, "degree", at_least=1))


@dataclass(frozen=True, slots=True)
class Tensor:
    """All products of a Bernstein term of x with one of y; every row adds (width of x · width of y)^d in all."""

    x: Bounds
    y: Bounds
    degree: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "degree", exact_whole(self.degree, "degree", at_least=1))


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts of cells, where a row is in one cell at most; a contingency table likewise."""


@dataclass(frozen=True, slots=True)
class Marginals:
    """``k`` histograms of the same rows, such as the margins of a contingency table or the levels of a tree."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", exact_whole(self.k, "k", at_least=1))


@dataclass(frozen=True, slots=True)
class Counts:
    """``k`` counting queries about the same rows, each with a condition of its own."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", exact_whole(self.k, "k", at_least=1))


@dataclass(frozen=True, slots=True)
class PrefixCounts:
    """#{x ≤ t} for ``k`` public thresholds t."""

    k: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", exact_whole(self.k, "k", at_least=1))


@dataclass(frozen=True, slots=True)
class UnitTotals:
    """Per group, the total over units of one number per unit, which is clamped to ``x`` and is 0 where the unit is absent."""

    x: Bounds


# ── quotients and products of sums ───────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Mean:
    """Σ x / n."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class Proportion:
    """The share of the rows that meet a condition."""


@dataclass(frozen=True, slots=True)
class Variance:
    """Σ (x − mean)² / n."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class SampleVariance:
    """Σ (x − mean)² / (n − 1)."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class VarianceNumerator:
    """n·Σ x² − (Σ x)², an integer where the values are: n² times the variance."""

    x: Bounds


@dataclass(frozen=True, slots=True)
class Covariance:
    """Σ (x − mean of x)(y − mean of y) / n."""

    x: Bounds
    y: Bounds


@dataclass(frozen=True, slots=True)
class SampleCovariance:
    """Σ (x − mean of x)(y − mean of y) / (n − 1)."""

    x: Bounds
    y: Bounds


@dataclass(frozen=True, slots=True)
class CovarianceNumerator:
    """n·Σ xy − Σ x·Σ y, an integer where the values are: n² times the covariance."""

    x: Bounds
    y: Bounds


# ── scores of candidates, for selection ──────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class QuantileScore:
    """For every candidate y, minus the distance of q·n to [#{x < y}, #{x ≤ y}]."""

    q: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", exact(self.q, "q"))
        if not 0 <= self.q <= 1:
            raise ParameterError(f"q is {shown(self.q)}, not between 0 and 1", hint="write q=0.5 for the median")


@dataclass(frozen=True, slots=True)
class MinMaxScore:
    """For every candidate y, minus the distance of a public rank to [#{x > y}, #{x ≥ y}], or the same from below."""


Summed = Count | Distinct | Units | Sum | Pair | Bernstein | Tensor | Histogram | Marginals | Counts | PrefixCounts | UnitTotals
NeedsKnownRows = (
    Mean | Proportion | Variance | SampleVariance | VarianceNumerator | Covariance | SampleCovariance | CovarianceNumerator
)
Score = QuantileScore | MinMaxScore
Statistic = Summed | NeedsKnownRows | Score
