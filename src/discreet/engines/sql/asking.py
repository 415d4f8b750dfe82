"""What is wanted of a table that an SQL engine holds: the statement, what it found, and where that belongs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from discreet.engines.rules.choice import columns_read
from discreet.engines.rules.lookups import with_joins
from discreet.engines.sql.bounding import to_bounded_counts, to_bounded_sql, to_cut_counts, to_unit_counts
from discreet.engines.sql.cells import gather, gather_counts, gather_sizes
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.joining import Stored, with_joined
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.per_unit import with_unit_rows
from discreet.engines.sql.unknown_keys import gather_candidates, to_keys_sql
from discreet.engines.sql.writer import to_counts, to_sql
from discreet.engines.wanted import Candidates, Counts, CountsWanted, CutWanted, KeysWanted, Sums, UnitsWanted, Wanted
from discreet.facts.model import Facts

__all__ = ["Asking"]


@dataclass(frozen=True, slots=True)
class Asking:
    """One table with what stands beside it; ``fetched`` runs a statement and gives its columns by their names."""

    facts: Facts
    layout: Layout
    beside: Mapping[str, Stored]
    dialect: Dialect
    fetched: Callable[[str], Mapping[str, NDArray[Any]]]

    def sums(self, wanted: Wanted) -> Sums:
        """The exact integers."""
        write = to_sql if wanted.unit is None else to_bounded_sql
        return gather(wanted, self.fetched(write(wanted, *self._seen(wanted), self.dialect)))

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Counts:
        """How many rows lie where, how many units have how many, or too many."""
        if isinstance(wanted, CutWanted):
            cut = to_cut_counts(wanted, *self._seen(wanted.all_rows), self.dialect)
            return gather_counts(wanted.all_rows, self.fetched(cut))
        if isinstance(wanted, UnitsWanted):
            return gather_sizes(self.fetched(to_unit_counts(wanted, *self._seen(wanted.all_rows), self.dialect)))
        write = to_counts if wanted.unit is None else to_bounded_counts
        return gather_counts(wanted, self.fetched(write(wanted, *self._seen(wanted), self.dialect)))

    def candidates(self, wanted: KeysWanted) -> Candidates:
        """The values that enough units have."""
        return gather_candidates(self.fetched(to_keys_sql(wanted, *self._seen(wanted), self.dialect)))

    def _seen(self, wanted: Wanted | CountsWanted | KeysWanted) -> tuple[Facts, Layout]:
        """The table as a question sees it: beside what it is joined with, columns constant per unit settled if it reads one.

        Or the table that has one row for each of its units.
        """
        if wanted.per_unit is not None:
            return with_unit_rows(wanted.per_unit, *self._seen(wanted.per_unit.inside), self.dialect)
        layout = self.layout
        read = columns_read(wanted) | {join.column for join in wanted.joins}
        if layout.settled is not None and any(column.per_unit and column.name in read for column in self.facts.columns):
            layout = layout.settled
        return with_joins(self.facts, wanted.joins), with_joined(layout, self.facts, wanted, self.beside, self.dialect)
