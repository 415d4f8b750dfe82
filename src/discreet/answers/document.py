"""An answer by itself: what was shown when it was settled. Needs no plan, so that a later version can show it again."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.privacy.losses import Loss
from discreet.views.rows import Table

__all__ = ["Document"]


@dataclass(frozen=True, slots=True)
class Document:
    """The shown table with its intervals, and what was said beside it. All of it follows from what was released."""

    table: Table
    confidence: Fraction
    simultaneous: bool = False
    split: tuple[tuple[str, Loss], ...] = ()
    warnings: tuple[str, ...] = ()
    free: tuple[str, ...] = ()  # parts that were bought before
    left_out: tuple[str, ...] | None = None  # what its intervals do not cover; None in one that was kept before that was said
