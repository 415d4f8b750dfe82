"""Tables beside the one that is asked. Of public ones: their keys, read by the rules of ``values``, none there too often. Of
confidential ones: the rows that stay of each unit.

Plain Python, and no SQL: this is what ``Reference`` joins with, and what ``joining`` writes for databases.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from discreet.engines.faults import words_of
from discreet.engines.rules.choice import Placed, columns_read, kept, key_for, settled, unit_of
from discreet.engines.rules.values import Raw, Value, read
from discreet.engines.stamps import files_of, is_missing
from discreet.engines.wanted import Bound, CountsWanted, KeysWanted, Wanted
from discreet.errors import FactsError
from discreet.facts.joins import join_of, joined, key_column, multiplicity, qualified
from discreet.facts.model import Companion, EachRow, Facts, Joinable, Lookup, Source
from discreet.questions.algebra import Join

__all__ = [
    "Lookups",
    "check_matches",
    "companions_by_unit",
    "facts_of",
    "joined_rows",
    "lookup_files",
    "read_before",
    "read_companions",
    "read_lookups",
    "rows_before",
    "source_of",
    "unreadable",
    "with_joins",
]

Row = Mapping[str, Value]
Lookups = Mapping[str, Mapping[Value, Sequence[Row]]]  # by name of the join and by key: what is put beside a row

_MOST_MET = 1000  # rows of a unit that meet those of another confidential table, where its rows are not capped
_SHOWN = 40  # letters of a key in a message


def with_joins(facts: Facts, joins: Sequence[Join]) -> Facts:
    """The facts with the columns of what is joined."""
    return joined(facts, (join.table for join in joins))


def facts_of(join: Lookup, facts: Facts) -> Facts:
    """A lookup as a table of its own: its declared columns, and its key last where it is none of them."""
    key = key_column(join, facts)
    columns = join.columns if key in join.columns else (*join.columns, key)
    return Facts(join.name, join.source, EachRow(), "add_remove", columns, facts.budget, csv=join.csv, located=join.located)


def lookup_files(facts: Facts, given: Mapping[str, object]) -> dict[str, list[Path]]:
    """The files of all that is joined and is in files. Raises FactsError if one is missing: lookups are public."""
    found = {}
    for join in facts.joins:
        source = given.get(join.name, source_of(join))
        if isinstance(source, Source) and source.is_live:
            if not facts.is_live:  # else whoever reads the table looks whether both are in one place
                hint = "keep both in files, or both in one database"
                raise FactsError(f"{join.name} is in a database, and the table is not", hint=hint, key=f"join.{join.name}")
        elif isinstance(source, Source):
            try:
                found[join.name] = files_of(source)
            except OSError as error:  # lookups are public, and so is why one cannot be found
                raise unreadable(join, "there is no such file" if is_missing(source) else words_of(error)) from None
    return found


def source_of(join: Joinable) -> Source | None:
    """Where the rows of a joined table are kept."""
    return join.facts.located if isinstance(join, Companion) else join.located


def unreadable(join: Joinable, why: str) -> FactsError:
    """What to say of a lookup that cannot be read."""
    hint = "write the path of a sound file, seen from the facts file; for a table in memory, give its rows"
    return FactsError(f"the lookup {join.name}: {why}", hint=hint, key=f"join.{join.name}.source")


def read_lookups(facts: Facts, rows: Mapping[str, Sequence[Mapping[str, Raw]]]) -> Lookups:
    """All lookups of the facts by their keys. Raises FactsError if one is missing, or has a key too often."""
    return {join.name: _by_key(join, facts, _rows_of(join, rows)) for join in facts.joins if isinstance(join, Lookup)}


def read_companions(facts: Facts, rows: Mapping[str, Sequence[Mapping[str, Raw]]]) -> dict[str, list[Placed]]:
    """The rows of all other confidential tables, each with its unit, constant columns settled; rows without one are left out."""
    return {join.name: _with_units(join, _rows_of(join, rows)) for join in facts.joins if isinstance(join, Companion)}


def _with_units(join: Companion, rows: Sequence[Mapping[str, Raw]]) -> list[Placed]:
    columns = [(qualified(join.name, column.name), column) for column in join.columns]
    placed = [(unit, row) for row in rows if (unit := unit_of(row.get(join.match))) is not None]
    found: list[Row] = [{name: read(column, row.get(column.name)) for name, column in columns} for _, row in placed]
    units = [unit for unit, _ in placed]
    constant = settled(found, units, [name for name, column in columns if column.per_unit])
    return [(unit, 0, row) for unit, row in zip(units, constant, strict=True)]


def companions_by_unit(
    companions: Mapping[str, Sequence[Placed]], joins: Sequence[Join], facts: Facts, read_names: Collection[str]
) -> dict[str, dict[Value, list[Row]]]:
    """Of every joined companion the rows that stay, by unit: a function of the unit's own rows there, and of nothing else."""
    found: dict[str, dict[Value, list[Row]]] = {}
    for join in joins:
        companion = join_of(facts, join.table)
        if isinstance(companion, Companion):
            columns = [qualified(join.table, column.name) for column in companion.columns]
            bound = Bound(key_for(companion.name), rows=companion.max_matches)
            by_unit = found.setdefault(join.table, {})
            for unit, _, row in kept(companions[join.table], bound, [name for name in columns if name in read_names], 1):
                by_unit.setdefault(unit, []).append(row)
    return found


def rows_before(wanted: Wanted | CountsWanted | KeysWanted, facts: Facts) -> int | None:
    """How many rows of a unit stay in the table before it meets another confidential one; None if it meets none."""
    joins = [join_of(facts, join.table) for join in wanted.joins]
    if not any(isinstance(join, Companion) for join in joins):
        return None
    if isinstance(wanted, KeysWanted) or wanted.unit is None or wanted.unit.rows is None:
        return _MOST_MET  # no cap in rows: else one unit with very many could make the joined rows more than any machine holds
    times = multiplicity(facts, (join.table for join in wanted.joins))  # by which the table's cap was multiplied
    return wanted.unit.rows // times


def read_before(wanted: Wanted | CountsWanted | KeysWanted, facts: Facts) -> list[str]:
    """The table's own columns that a question reads or joins by, in their order."""
    names = columns_read(wanted) | {join.column for join in wanted.joins}
    return [column.name for column in facts.columns if column.name in names]


def _rows_of(join: Joinable, rows: Mapping[str, Sequence[Mapping[str, Raw]]]) -> Sequence[Mapping[str, Raw]]:
    if join.name not in rows:
        raise unreadable(join, "its rows are missing")
    return rows[join.name]


def _by_key(join: Lookup, facts: Facts, rows: Sequence[Mapping[str, Raw]]) -> dict[Value, list[Row]]:
    key = key_column(join, facts)
    found: dict[Value, list[Row]] = {}
    for row in rows:
        if (value := read(key, row.get(key.name))) is None:
            continue  # NULL equals nothing
        beside = {qualified(join.name, column.name): read(column, row.get(column.name)) for column in join.columns}
        found.setdefault(value, []).append(beside)
    check_matches(join, Counter({value: len(some) for value, some in found.items()}).most_common(1))
    return found


def check_matches(join: Lookup, most: Sequence[tuple[object, int]]) -> None:
    """Raises FactsError if the commonest key is there more often than declared. Lookups are public: the message shows it."""
    for value, count in most:
        if count > join.max_matches:
            raise _too_many(join, value, count)


def _too_many(join: Lookup, value: object, count: int) -> FactsError:
    """What to say of a key that is there too often."""
    written = repr(int(value) if isinstance(value, float) and value.is_integer() else value)
    shown = written if len(written) <= _SHOWN else f"{written[:_SHOWN]}…"
    return FactsError(
        f"the lookup {join.name} has {count} rows with {join.match} = {shown}, and max_matches is {join.max_matches}",
        hint=f"leave all but {join.max_matches} out, or write max_matches = {count}", key=f"join.{join.name}.max_matches",
    )  # fmt: skip


def joined_rows(row: Row, unit: str | None, joins: Sequence[Join], facts: Facts, lookups: Lookups) -> list[Row]:
    """What one row of a unit becomes: itself beside every combination of the rows that it meets."""
    found = [row]
    for join in joins:
        key = unit if isinstance(join_of(facts, join.table), Companion) else row[join.column]
        beside = lookups[join.table].get(key, ()) if key is not None else ()
        if not beside and join.outer:
            beside = [_nothing(join, facts)]
        found = [{**one, **more} for one in found for more in beside]
    return found


def _nothing(join: Join, facts: Facts) -> Row:
    lookup = join_of(facts, join.table)
    return {} if lookup is None else {qualified(lookup.name, column.name): None for column in lookup.columns}
