"""The exact answers on the made-up tables, for the demo to show beside the noisy ones. No curator ever shows these."""

from collections.abc import Mapping
from fractions import Fraction

from discreet.lessons.r import R
from discreet.lessons.samples import Sample

__all__ = ["counts_by", "printed_release", "rural", "statistics"]

Row = Mapping[str, float]


def rural(table: Sample) -> int:
    """How many units are rural."""
    return sum(value == 2 for value in table.column("UrbanRural"))


def counts_by(table: Sample, column: str) -> dict[object, int]:
    """How many rows have each value."""
    values = table.column(column)
    return {value: values.count(value) for value in sorted(set(values), key=str)}


def statistics(table: Sample, column: str, *, place: int | None = None) -> tuple[float, float]:
    """Mean and sample variance of a column, of all rows or of those in one place (1 urban, 2 rural)."""
    pairs = zip(table.column(column), table.column("UrbanRural"), strict=True)
    values = [Fraction(str(value)) for value, where in pairs if place in (None, where)]
    mean = sum(values, start=Fraction(0)) / len(values)
    squares = sum((value * value for value in values), start=Fraction(0))
    return float(mean), float((squares - len(values) * mean**2) / (len(values) - 1))


def printed_release(truth: float, scale: Fraction, *, whole: bool) -> str:
    """The release that the texts print: R's noise after ``set.seed(123)``, which anyone can take off again."""
    drawn = float(R(123).rlaplace(1, truth, float(scale))[0])
    return str(round(drawn)) if whole else f"{drawn:.2f}"
