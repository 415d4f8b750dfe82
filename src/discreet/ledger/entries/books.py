"""The running totals of one account: who spent what on which table, in how many cells. Proof: docs/proofs/ledger.md.

Spent = over the tables of the account, the sum of what was charged to the whole table and of the largest cell (the two largest
where a unit can move from one cell to another), part by part. Of the epochs of a table, which have no unit in common until an
ordinary version brings old units back, the dearest counts. Rules 11, 13 and 14. What was lost with the end of a ledger, and is
known from a witness, is of no table: every unit may have borne it. The ledger keeps these rows beside its entries, and
verification fills them anew.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from discreet.ledger.entries.amounts import NOTHING, Amount

__all__ = ["ALL", "Books", "CellKey", "LOST", "Standing", "TotalKey"]

ALL = ""  # everybody together
TotalKey = tuple[str, int, str]  # table, epoch, analyst
CellKey = tuple[str, str, str, str]  # table, version, cell, analyst
LOST: TotalKey = "", 0, ALL  # what a witness has seen spent, and nobody knows on which table, nor by whom


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a table is now. An epoch begins with a version of which the data holder stated that no unit was there before."""

    version: str
    epoch: int
    touched: int  # cells that one unit can be in: 1, or 2 where it can leave one and enter another


@dataclass(slots=True)
class Books:
    """Totals by table, epoch and analyst; cells of the versions that stand now."""

    tables: dict[str, Standing] = field(default_factory=dict)
    totals: dict[TotalKey, Amount] = field(default_factory=dict)
    cells: dict[CellKey, Amount] = field(default_factory=dict)
    changed: set[TotalKey | CellKey] = field(default_factory=set)  # what has to be written down

    def spent(self, analyst: str = ALL, now: str | None = None) -> Amount:
        """What the account has spent. With ``now``, what units of the current epoch of that table have borne."""
        total = self.totals.get(LOST, NOTHING) if analyst == ALL else NOTHING
        for table, standing in self.tables.items():
            epochs = {standing.epoch} | {e for t, e, who in self.totals if (t, who) == (table, analyst)}
            counted = {standing.epoch} if table == now else epochs
            dearest = NOTHING
            for epoch in counted:
                dearest = dearest.or_more(self._spent_in(table, epoch, analyst))
            total = total.plus(dearest)
        return total

    def charge(self, table: str, cells: Iterable[str] | None, amount: Amount, analyst: str = ALL) -> None:
        """Add a charge to the whole table, or to each of the cells it touched."""
        standing = self.tables[table]
        for who in {ALL, analyst}:
            if cells is None:
                self._add_total(table, standing.epoch, who, amount)
                continue
            for cell in cells:
                key = table, standing.version, cell, who
                self.cells[key] = self.cells.get(key, NOTHING).plus(amount)
                self.changed.add(key)

    def lose(self, seen: Amount, *, whole: bool) -> Amount:
        """Count what was ``seen`` spent before the end was lost; what is added. No unit had borne more than that.

        Units may have borne it in any cell and any epoch. So what stands is less what all of them have borne that are there now;
        the ``whole`` of it where not even that is among what was seen.
        """
        kept = NOTHING if whole else self._borne_by_all()
        missing = seen.minus(kept).or_more(NOTHING)
        if missing != NOTHING:
            self._add_total(*LOST, missing)
        return missing

    def _borne_by_all(self) -> Amount:
        borne = self.totals.get(LOST, NOTHING)
        for table, standing in self.tables.items():
            borne = borne.plus(self.totals.get((table, standing.epoch, ALL), NOTHING))
        return borne

    def move(self, table: str, to: Standing) -> None:
        """A new version: what cells of the old one cost is charged to the whole table from now on.

        A version of the same epoch may have units of any version before it: it begins with the dearest epoch so far.
        """
        was = self.tables[table]
        for who in {who for t, _, _, who in self.cells if t == table}:
            self._add_total(table, was.epoch, who, self._largest(table, who))
        self.cells = {key: amount for key, amount in self.cells.items() if key[0] != table}
        self.tables[table] = to
        if to.epoch == was.epoch:
            for t, epoch, who in list(self.totals):
                if t == table and epoch != to.epoch:
                    self._raise_total(table, to.epoch, who, self.totals[t, epoch, who])

    def _spent_in(self, table: str, epoch: int, analyst: str) -> Amount:
        whole = self.totals.get((table, epoch, analyst), NOTHING)
        return whole.plus(self._largest(table, analyst)) if epoch == self.tables[table].epoch else whole

    def _largest(self, table: str, analyst: str) -> Amount:
        """The sum of the largest cells, as many as one unit can touch, part by part."""
        found = [amount for (t, _, _, who), amount in self.cells.items() if (t, who) == (table, analyst)]
        if not found:  # as in every budget without a partition
            return NOTHING
        most = self.tables[table].touched
        firsts = sorted((amount.first for amount in found), reverse=True)[:most]
        deltas = sorted((amount.delta for amount in found), reverse=True)[:most]
        return NOTHING.plus(Amount(sum(firsts, start=NOTHING.first), sum(deltas, start=NOTHING.delta)))

    def _raise_total(self, table: str, epoch: int, who: str, least: Amount) -> None:
        key = table, epoch, who
        self.totals[key] = self.totals.get(key, NOTHING).or_more(least)
        self.changed.add(key)

    def _add_total(self, table: str, epoch: int, who: str, amount: Amount) -> None:
        key = table, epoch, who
        self.totals[key] = self.totals.get(key, NOTHING).plus(amount)
        self.changed.add(key)
