"""What one unit can put into sums: rows that stay, or clamped totals. Proof: docs/proofs/units.md"""

from dataclasses import dataclass, replace

from discreet.engines.wanted import LOW_BITS, Grid, Measure
from discreet.errors import QuestionError
from discreet.questions.algebra import Expression
from discreet.sensitivities.contribution import Sensitivity
from discreet.sensitivities.scope import Scope
from discreet.sensitivities.statistic import Bounds, UnitTotals
from discreet.sensitivities.table import sensitivity_of

__all__ = ["Reach", "clamp_of", "clamped_sensitivity", "clamped_sums", "spread_over_groups"]


@dataclass(frozen=True, slots=True)
class Reach:
    """The most that one unit can put into the cells of a question; None where nothing limits it.

    ``rows`` in all, ``rows_per_group`` in one cell, ``groups`` cells; ``cells`` is how many cells there are for one unit: a key
    that is constant per unit makes no more of them. ``caps`` are what was written, times what a row may become by joins: rows,
    groups, per group.
    """

    rows: int | None
    rows_per_group: int | None
    groups: int
    cells: int
    caps: tuple[int | None, int | None, int | None]


def clamped_sensitivity(x: Bounds, most: int, scope: Scope) -> Sensitivity:
    """How far one unit moves sums in several cells that are clamped to ``most`` rows' worth per unit and cell."""
    return sensitivity_of(UnitTotals(Bounds(most * x.low, most * x.high)), scope)


def spread_over_groups(sensitivity: Sensitivity, reach: Reach | None, x: Bounds, scope: Scope) -> Sensitivity:
    """The sensitivity of sums over rows that stay, where no group holds all of a unit's rows: squares add up to less.

    A sum of both signs that is replaced is left as it is unless all groups are equally full: see the proof, "Squares".
    """
    if reach is None or reach.rows is None or reach.rows_per_group is None or not scope.grouped:
        return sensitivity
    full = min(reach.groups, reach.rows // reach.rows_per_group)
    rest = reach.rows - full * reach.rows_per_group if full < reach.groups else 0
    if scope.neighbours == "change_one" and x.low < 0 < x.high and rest:
        return sensitivity
    squares = full * reach.rows_per_group**2 + rest**2
    return replace(sensitivity, l2_squared=sensitivity.l2_squared * squares / reach.rows**2)


def clamp_of(grid: Grid, most: int) -> tuple[int, int]:
    """Between what a unit's sum in a cell is clamped, in steps: as far as ``most`` rows could bring it."""
    return most * min(grid.low, 0), most * max(grid.high, 0)


def clamped_sums(of: Expression, grid: Grid, condition: Expression | None, most: int) -> list[Measure]:
    """What the engine adds up: clamped sums, after how many units there are if sums may be below 0."""
    low, high = clamp_of(grid, most)
    if high - low > 1 << LOW_BITS:
        fits = (1 << LOW_BITS) // (max(grid.high, 0) - min(grid.low, 0))
        raise QuestionError(
            f"one unit could add {high - low:,} to a sum, which is too much to be added up exactly",
            hint=f"cap the rows of a unit at {fits:,} or fewer, or subtract a constant so that the numbers are nearer 0",
        )
    sums = Measure(1, of, grid, condition, within=(low, high))
    return [Measure(0, within=(0, 1)), sums] if grid.low < 0 else [sums]
