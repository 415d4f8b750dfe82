"""How a recursion shares its price among its levels: so that the errors of all its quantiles together are least. Public.

An error is proportional to what one unit moves, over epsilon; and a quantile inherits part of the errors of the cuts around it.
So upper levels, which many inherit, and levels with many quantiles get more. Proof: docs/proofs/quantiles.md, "Levels".
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from discreet.mechanisms.quantiles import Turn

__all__ = ["groups_of_levels", "parts_of"]

_PARTS = 1000  # a level's part is a whole number of these


def groups_of_levels(order: Sequence[Turn], cells: int) -> list[int]:
    """How many disjoint groups of rows each level has."""
    counts = Counter(turn.level for turn in order)
    return [counts[level] * cells for level in range(len(counts))]


def parts_of(
    order: Sequence[Turn], moves: Sequence[Fraction], touched: Sequence[int], *, is_concentrated: bool
) -> tuple[Fraction, ...]:
    """Each level's part of a price; all add up to 1. ``moves`` are those of the turns, ``touched`` groups those of the levels."""
    errors = _errors(order, moves, len(touched))
    power = (0.5, 2 / 3)[is_concentrated]  # what makes the sum of error / part, or of error / root(part), least
    wished = [(error * groups) ** power for error, groups in zip(errors, touched, strict=True)]
    parts = [max(1, int(_PARTS * each / sum(wished))) for each in wished]
    parts[parts.index(max(parts))] += _PARTS - sum(parts)
    return tuple(Fraction(part, _PARTS) for part in parts)


def _errors(order: Sequence[Turn], moves: Sequence[Fraction], levels: int) -> list[float]:
    """Per level: the errors of its selections as all quantiles have or inherit them, at the same epsilon for all."""
    known: dict[int | None, list[float]] = {None: [0.0] * levels}
    for turn, moved in zip(order, moves, strict=True):
        q, around = float(turn.q), zip(known[turn.low], known[turn.high], strict=True)
        known[turn.target] = [(1 - q) * low + q * high for low, high in around]
        known[turn.target][turn.level] += float(moved)
    return [sum(column) for column in zip(*known.values(), strict=True)]
