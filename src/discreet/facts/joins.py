"""Tables that stand beside the one that is asked: read from the facts, checked, and how a question sees their columns.

    [join.zips]
    source = "zips.csv"
    key = "zip"                    # or { zip = "code" }: a column of the table = a column of the lookup
    max_matches = 1

    [join.visits]
    facts = "visits.toml"          # another confidential table about the same people, joined by the unit
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from math import prod
from pathlib import Path
from typing import assert_never

from discreet.errors import ParameterError
from discreet.facts.locations import has_commas, parse_source
from discreet.facts.model import (
    MOST_OF_UNIT,
    Boolean,
    ByColumn,
    Category,
    Column,
    Companion,
    CsvFormat,
    Date,
    Facts,
    Integer,
    Joinable,
    Lookup,
    Number,
    Source,
    Text,
    Timestamp,
)
from discreet.facts.sections import Section
from discreet.facts.values import identifier, name, said, whole
from discreet.facts.vocabulary import COMPANION, JOIN, nearest

__all__ = [
    "LONGEST_TEXT", "check_joins", "join_of", "joined", "key_column", "lacks_values", "multiplicity", "qualified", "read_joins",
    "with_units",
]  # fmt: skip

_KEY = 'write key = "zip", or key = { zip = "code" } where the lookup calls it code'
_SOURCE = 'write source = "…", the .csv or .parquet file of the lookup'
LONGEST_TEXT = 65_536  # letters of a text that is not cut


def qualified(join: str, column: str) -> str:
    """What a column of a joined table is called beside those of the table itself."""
    return f"{join}.{column}"


def join_of(facts: Facts, called: str) -> Joinable | None:
    """The join of this name, in whatever case."""
    return next((join for join in facts.joins if join.name.casefold() == called.casefold()), None)


def joined(facts: Facts, names: Iterable[str]) -> Facts:
    """The facts as a question with these joins sees them: with the columns of the joined tables behind those of the table."""
    wanted, known = set(names), {column.name for column in facts.columns}
    more = [
        replace(column, name=qualified(join.name, column.name), per_unit=_is_per_unit(column, join, facts))
        for join in facts.joins
        if join.name in wanted
        for column in join.columns
        if qualified(join.name, column.name) not in known
    ]
    return replace(facts, columns=(*facts.columns, *more)) if more else facts


def _is_per_unit(column: Column, join: Joinable, facts: Facts) -> bool:
    """Whether all joined rows of a unit have one value of the column. Rule 26, docs/proofs/joins.md.

    Another confidential table says so itself. What a lookup says follows from its key: it is found by what is constant, once.
    """
    if isinstance(join, Companion):
        return column.per_unit
    ours = facts.column(join.column)
    return join.max_matches == 1 and ours is not None and ours.per_unit


def lacks_values(column: Column) -> bool:
    """Whether the column is a category of a lookup whose values are still to be read from it."""
    return isinstance(column, Category) and not column.values


def multiplicity(facts: Facts, names: Iterable[str]) -> int:
    """How many rows one row of the table can become at most, joined with all of these."""
    wanted = set(names)
    return prod(join.max_matches for join in facts.joins if join.name in wanted)


def key_column(join: Lookup, facts: Facts) -> Column:
    """How the lookup's side of the key is read: as it is declared there, else as that of the table, neither clamped nor cut.

    A value beyond the bounds of the table's column then meets no row, as no row can have it.
    """
    for column in join.columns:
        if column.name == join.match:
            return column
    ours = next(column for column in facts.columns if column.name == join.column)
    match ours:
        case Number() | Integer():
            return replace(ours, name=join.match, lower=None, upper=None, null=None, per_unit=False)
        case Date() | Timestamp():
            return replace(ours, name=join.match, lower=None, upper=None, per_unit=False)
        case Text():
            return Text(join.match, LONGEST_TEXT)
        case Category() | Boolean():
            return replace(ours, name=join.match, per_unit=False)
        case _:
            assert_never(ours)


# ---- reading


def read_joins(
    root: Section,
    folder: Path | None,
    columns: Callable[[Section], tuple[Column, ...]],
    csv: Callable[[Section], CsvFormat],
    beside: Callable[[Path], Facts | None],
) -> tuple[Joinable, ...]:
    """The joins that a document declares; ``columns``, ``csv`` and ``beside`` read those parts, as they do for the table."""
    section, found = root.section("join"), list[Joinable | None]()
    for called, inner in section.sections() if section else ():
        try:
            identifier(called, "the joined table's name")
        except ParameterError as error:
            inner.wrong((), error.message, error.hint)
        is_companion = "facts" in inner.entries
        found.append(_companion(called, inner, folder, beside) if is_companion else _read(called, inner, folder, columns, csv))
    return tuple(join for join in found if join is not None)


def _companion(called: str, section: Section, folder: Path | None, beside: Callable[[Path], Facts | None]) -> Companion | None:
    section.only(COMPANION, "a join with the facts of another table")
    written = section.read("facts", name)
    if written is None:
        return None
    if folder is None:
        section.wrong("facts", "a table in memory has no other confidential table beside it", "write facts files for both")
        return None
    try:
        facts = beside(folder / written)
    except (OSError, ValueError):  # ValueError: not UTF-8, not TOML
        section.wrong("facts", f"{said(written)} cannot be read", "write the path of the other table's facts file")
        return None
    if facts is None:
        section.wrong("facts", f"{said(written)} is not sound", f"run discreet check {written}")
        return None
    if not isinstance(facts.unit, ByColumn) or facts.unit.max_rows is None:
        section.wrong("facts", f"the unit of {facts.name} is no column with max_rows",
                      hint=f'write unit = {{ column = "…", max_rows = 10 }} into {written}')  # fmt: skip
        return None
    return Companion(called, written, "", facts.unit.column, facts)


def _read(
    called: str,
    section: Section,
    folder: Path | None,
    columns: Callable[[Section], tuple[Column, ...]],
    csv: Callable[[Section], CsvFormat],
) -> Lookup | None:
    section.only(JOIN, "[join.NAME]")
    located = _located(section, folder)
    source = str(section.entries.get("source", "")) if located else ""
    pair = section.read("key", _pair, needed=_KEY)
    most = section.read("max_matches", whole(1, MOST_OF_UNIT)) or 1
    declared = columns(section) if "columns" in section.entries else ()
    written = section.section("csv")
    form = csv(written) if written else CsvFormat()
    _check_form(section, located, written, source)
    return None if pair is None else Lookup(called, source, *pair, declared, most, form, located)


def _located(section: Section, folder: Path | None) -> Source | None:
    if folder is None:
        return None
    located = section.read("source", lambda value, key: parse_source(value, folder, key), needed=_SOURCE)
    if located is not None and located.kind not in ("csv", "parquet"):
        section.wrong("source", f"a lookup is not read from a source of kind {located.kind}", _SOURCE)
    return located


def _pair(value: object, key: str) -> tuple[str, str]:
    """The column of the table and that of the lookup."""
    if not isinstance(value, Mapping):
        return (called := name(value, key)), called
    if len(value) != 1:
        raise ParameterError(f"{key} has {len(value)} pairs of columns, and a join has one", hint=_KEY)
    ((ours, theirs),) = value.items()
    return name(ours, key), name(theirs, key)


def _check_form(section: Section, located: Source | None, csv: Section | None, source: str) -> None:
    if csv is not None and located is not None and located.kind != "csv":
        section.wrong("csv", f"csv does not go with a source of kind {located.kind}", "take csv out")
    is_plain = has_commas(source) or (csv is not None and "delimiter" in csv.entries)
    if located is not None and located.kind == "csv" and not is_plain:
        section.wrong(("csv", "delimiter"), f"delimiter is missing, and {said(source)} does not tell it",
                      hint='write csv = { delimiter = "\\t" }, or what stands between the fields')  # fmt: skip


# ---- checks that look at the table too


def check_joins(root: Section, facts: Facts) -> None:
    """Note every join that does not go with the table: its name, its key, and columns whose names would be taken for others."""
    taken = {facts.name.casefold(): "the table"}
    for join in facts.joins:
        path = ("join", join.name)
        if (other := taken.setdefault(join.name.casefold(), f"the lookup {join.name}")) != f"the lookup {join.name}":
            root.wrong(path, f"{other} has this name too", "write another name: questions tell tables apart by it")
        _check_companion(root, join, facts) if isinstance(join, Companion) else _check_key(root, join, facts)
        for column in join.columns if isinstance(join, Lookup) else ():
            if column.per_unit:
                root.wrong(("join", join.name, "columns", column.name, "per_unit"),
                           "a lookup has no units", hint="take per_unit out")  # fmt: skip
        for column in facts.columns:
            before, dot, _ = column.name.partition(".")
            if dot and before.casefold() in (join.name.casefold(), facts.name.casefold()):
                root.wrong(("columns", column.name), f"{said(column.name)} looks like a column of {before}",
                           hint="rename the column in the source, or the lookup")  # fmt: skip


def _check_key(root: Section, join: Lookup, facts: Facts) -> None:
    ours = next((column for column in facts.columns if column.name == join.column), None)
    if ours is None:
        names = tuple(column.name for column in facts.columns)
        root.wrong(("join", join.name, "key"), f"key is {said(join.column)}, not a declared column of the table",
                   hint=nearest(join.column, names[:20]))  # fmt: skip
        return
    if lacks_values(key_column(join, facts)):
        root.wrong(("join", join.name, "columns", join.match, "values"), "the key has the values of the table's own column",
                   hint="take the column out: the table's says the same, or write its values")  # fmt: skip
    elif _kind(ours) != _kind(key_column(join, facts)):
        root.wrong(("join", join.name, "columns", join.match, "type"),
                   f"{said(join.match)} is read as another kind of value than {said(join.column)} of the table",
                   hint="declare both as numbers, or both as texts")  # fmt: skip
    if join.csv.names and join.match not in join.csv.names:
        root.wrong(("join", join.name, "key"), f"{said(join.match)} is not in the names of csv",
                   hint=nearest(join.match, join.csv.names[:20]))  # fmt: skip


def _check_companion(root: Section, join: Companion, facts: Facts) -> None:
    """Rule 26: two confidential tables are joined inside one group of people, by the unit, and both have rows of it to cap."""
    theirs, problems = join.facts, list[tuple[str, str]]()
    if theirs.name != join.name:
        problems.append((f"the table in {join.source} is called {theirs.name}", f"write [join.{theirs.name}]"))
    if not isinstance(facts.unit, ByColumn):
        problems.append(("tables are joined by the unit, and here every row is one", 'write unit = { column = "…" }'))
    if facts.people is None or facts.people != theirs.people:
        problems.append((f"{facts.name} and {theirs.name} are not about the same people", 'write the same people = "…" in both'))
    if facts.neighbours != theirs.neighbours:
        problems.append((f"{facts.name} and {theirs.name} have other neighbours", "write the same neighbours in both"))
    for message, hint in problems:
        root.wrong(("join", join.name, "facts"), message, hint)


def with_units(facts: Facts) -> Facts:
    """The facts whose companions know by which column of the table they are met."""
    unit = facts.unit.column if isinstance(facts.unit, ByColumn) else ""
    joins = (replace(join, column=unit) if isinstance(join, Companion) else join for join in facts.joins)
    return replace(facts, joins=tuple(joins))


def _kind(column: Column) -> str:
    match column:
        case Number() | Integer():
            return "number"
        case Category(values=values):
            return "text" if any(isinstance(value, str) for value in values) else "number"
        case Text():
            return "text"
        case Boolean() | Date() | Timestamp():
            return type(column).__name__
        case _:
            assert_never(column)
