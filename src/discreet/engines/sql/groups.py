"""The groups of each unit that stay, as SQL, by the rules of ``choice``. Rows have their unit in w_u and their cell in w_cell.

Of few groups they are found by windows, or, where an engine is quick with them, by sets: the cells of each unit as bits of a
number, beside which rows of other groups are left out before anything is added up. Of many groups they have an order.
"""

from dataclasses import dataclass

from discreet.engines.rules.choice import FEW, GROUP_SHIFT
from discreet.engines.sql.layout import Stored
from discreet.engines.sql.mixing import added, mixed, ordered
from discreet.engines.sql.sheet import Sheet

__all__ = ["Choice"]

_WHOLE = " ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"


@dataclass(frozen=True, slots=True)
class Choice:
    """Which groups stay of units that are stored in this way, with this key, of a question with so many cells."""

    stored: Stored
    key: int
    cells: int
    sheet: Sheet

    @property
    def is_of_few(self) -> bool:
        """Whether groups are thinned, and have no order."""
        return self.cells <= FEW

    @property
    def has_sets(self) -> bool:
        """Whether a unit's cells are the bits of a number here."""
        return self.is_of_few and self.sheet.dialect.has_sets

    def hashed(self, rows: str) -> str:
        """The rows with w_hash."""
        return added(rows, f"{mixed(self.stored, self.key, self.sheet)} AS w_hash")

    def ordered(self, rows: str) -> str:
        """The rows with w_order, by which the groups of a unit come."""
        return ordered(rows, self.stored, self.key, self.sheet)

    def numbered(self, rows: str, place: str, groups: int) -> str:
        """Of many groups those that come first; ``rows`` have w_order, by which ``place`` numbers them."""
        rows = added(rows, f"{place} OVER (PARTITION BY w_u ORDER BY w_order, w_cell) AS w_place")
        return f"(SELECT * FROM {rows} WHERE w_place <= {groups}) AS s"

    def thinned_pairs(self, pairs: str, groups: int) -> str:
        """Of few groups those that stay, where each is one row: one window tells its place and how many there are."""
        window = "PARTITION BY w_u ORDER BY w_cell"
        place = f"ROW_NUMBER() OVER ({window}{_WHOLE if self.sheet.dialect.frames_places else ''}) AS w_place"
        pairs = added(self.hashed(pairs), place, f"COUNT(*) OVER ({window}{_WHOLE}) AS w_size")
        return f"(SELECT * FROM {pairs} WHERE {_stays('(w_place - 1)', groups)}) AS s"

    def thinned_rows(self, rows: str, groups: int) -> str:
        """The rows, with w_hash, of the groups that stay of few."""
        rows = added(self.hashed(rows), "DENSE_RANK() OVER (PARTITION BY w_u ORDER BY w_cell) AS w_place")
        rows = added(rows, "MAX(w_place) OVER (PARTITION BY w_u) AS w_size")
        return f"(SELECT * FROM {rows} WHERE {_stays('(w_place - 1)', groups)}) AS s"

    def in_sets(self, rows: str, groups: int) -> str:
        """The same by the set of each unit's cells, whose last cell is the lowest bit.

        Bits are shifted to the right, which no amount makes fail: an engine may work them out for rows that WHERE leaves out.
        """
        bit = f"({1 << (FEW - 1)} >> w_cell)"
        sets = f"(SELECT w_u, BIT_OR({bit}) AS w_set FROM {rows} GROUP BY w_u) AS s"  # one row per unit
        sets = added(self.hashed(sets), f"GREATEST({_bits('w_set')}, 1) AS w_size")
        sets = f"(SELECT w_u AS w_whose, w_set, w_hash, w_size FROM {sets}) AS k"
        test = _stays(f"(w_size - 1 - {_bits(f'w_set & ({bit} - 1)')})", groups)
        return f"(SELECT s.*, w_hash FROM {rows} JOIN {sets} ON w_u = w_whose WHERE {test}) AS s"


def _stays(before: str, most: int) -> str:
    """Whether the group of w_size that has so many before it is one of the ``most`` that stay: what ``stays`` says, with one
    remainder. There are FEW at most, so that nothing is above 2^17."""
    most = min(most, FEW)
    return f"({before} * {most} + (w_hash >> {GROUP_SHIFT})) % w_size >= w_size - {most}"


def _bits(whole: str) -> str:
    return f"CAST(BIT_COUNT({whole}) AS BIGINT)"  # it is a TINYINT by itself
