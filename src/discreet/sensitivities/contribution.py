"""What one unit can put into a vector of sums, and how far its coming, going or replacement then moves the vector.

One lemma prices every sum in the table (docs/proofs/sensitivities.md, "The lemma").
"""

from dataclasses import dataclass
from fractions import Fraction

from discreet.sensitivities.scope import Neighbours, Norm

__all__ = ["Contribution", "Sensitivity"]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """The largest distance between the statistic of two neighbouring tables, in both norms.

    ``l2_squared`` is the square of the L2 distance, which stays rational. ``tight`` promises that some pair of tables attains
    both, given values and groups enough (over groups, two for every group that a unit may be in); where it is false, every pair
    stays strictly below.
    """

    l1: Fraction
    l2_squared: Fraction
    tight: bool = True

    def in_norm(self, norm: Norm) -> Fraction:
        """The sensitivity in the norm that a mechanism asks for: Laplace noise l1, Gaussian noise l2_squared."""
        return self.l1 if norm == "l1" else self.l2_squared


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one unit can put into a vector of sums: ``parts`` pieces, each worth between ``low`` ≤ 0 and ``high`` ≥ 0 in all.

    A piece that ``moves`` may lie in one cell for one unit and in another cell for the next (or be spread over cells); else all
    units put theirs into the same cell. ``attained`` says that a unit that is present can be worth ``low``, and another ``high``.
    """

    low: Fraction
    high: Fraction
    moves: bool
    parts: int = 1
    attained: bool = True

    @property
    def most(self) -> Fraction:
        """The largest size of one piece."""
        return max(-self.low, self.high)

    def sensitivity(self, neighbours: Neighbours) -> Sensitivity:
        """How far the vector moves when one unit comes, goes (add_remove) or is replaced (change_one)."""
        most, span = self.most, self.high - self.low
        if neighbours == "add_remove":
            l1, l2_squared = most, most**2
        elif self.moves:
            l1, l2_squared = 2 * most, max(2 * most**2, span**2)  # from cell to cell, or from low to high within one
        else:
            l1, l2_squared = span, span**2
        tight = neighbours == "add_remove" or self.moves or self.attained
        return Sensitivity(self.parts * l1, self.parts * l2_squared, tight)
