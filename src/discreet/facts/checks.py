"""The whole document of facts, checked: the one set of checks for facts written in a file and in Python."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import cast

from discreet.errors import ParameterError
from discreet.facts.budgets import read_budget
from discreet.facts.columns import read_column
from discreet.facts.joins import check_joins, read_joins, with_units
from discreet.facts.locations import has_commas, parse_source
from discreet.facts.model import MOST_OF_UNIT, Budget, ByColumn, Category, Column, CsvFormat, EachRow, Facts, Source, Unit
from discreet.facts.sections import Section
from discreet.facts.values import Numeral, character, identifier, name, one_of, said, text, truth, whole
from discreet.facts.vocabulary import CSV, DOCUMENT, ENCODINGS, TABLE, UNIT, nearest
from discreet.privacy.events import Neighbours

__all__ = ["read_document"]

_UNIT = 'write unit = "row" if every row is another unit, or unit = { column = "…", max_rows = 10 }'
_RELATION = 'write neighbours = "add_remove" if the number of rows is private, or "change_one" if it is public'
_SIZE = whole(1)
_CAP = whole(1, MOST_OF_UNIT)


def read_document(root: Section, folder: Path | None) -> Facts | None:
    """The facts that a document declares; None if anything is wrong, which is noted. No ``folder``: a table in memory."""
    root.only(DOCUMENT, "a facts file")
    table = root.section("table", needed="write a [table] with name, source, unit and neighbours")
    budget = _budget(root)
    columns = _columns(root)
    csv = root.section("csv")
    joins = read_joins(root, folder, _columns, _csv, _beside)
    facts = _facts(table, folder, budget, columns, _csv(csv) if csv else CsvFormat()) if table else None
    facts = with_units(replace(facts, joins=joins)) if facts else None
    _check_partition(root, budget, columns, facts)
    if facts:
        _check_csv(root, csv, facts)
        _check_per_unit(root, facts)
        check_joins(root, facts)
    return None if root.found else facts


def _beside(file: Path) -> Facts | None:
    """The facts in another file, without its joins; None if they are not sound. Raises OSError or ValueError if it is no TOML."""
    document = tomllib.loads(file.read_text(encoding="utf-8-sig"), parse_float=Numeral)
    return read_document(Section({key: value for key, value in document.items() if key != "join"}), file.parent)


def _facts(
    table: Section, folder: Path | None, budget: Budget | None, columns: tuple[Column, ...], csv: CsvFormat
) -> Facts | None:
    """All facts in one, as far as they could be read."""
    table.only(TABLE, "[table]")
    called = table.read("name", identifier, needed="write name = \"…\", the table's name in SQL")
    source, located = _source(table, folder)
    unit = _unit(table)
    neighbours = cast(Neighbours | None, table.read("neighbours", one_of("add_remove", "change_one"), needed=_RELATION))
    rows, units, about = (table.read(key, _SIZE) for key in ("rows", "units", "rows_about"))
    _check_sizes(table, unit, neighbours)
    version, people = table.read("version", name) or "1", table.read("people", name)
    description = table.read("description", text) or ""
    if called is None or unit is None or neighbours is None or budget is None:
        return None
    return Facts(
        name=called,
        source=source,
        unit=unit,
        neighbours=neighbours,
        columns=columns,
        budget=budget,
        version=version,
        rows=rows,
        units=units,
        rows_about=about,
        people=people,
        csv=csv,
        description=description,
        located=located,
        null_keys=True,
    )


def _source(table: Section, folder: Path | None) -> tuple[str, Source | None]:
    if folder is None:
        return "", None
    needed = 'write source = "…", the file or database that holds the rows'
    located = table.read("source", lambda value, key: parse_source(value, folder, key), needed=needed)
    return (str(table.entries["source"]), located) if located else ("", None)


def _unit(table: Section) -> Unit | None:
    written = table.entries.get("unit")
    if written == "row":
        return EachRow()
    if written is None or isinstance(written, str):
        found = "unit is missing" if written is None else f"unit is {said(written)}, not row or a column"
        table.wrong("unit", found, _UNIT)
        return None
    section = table.section("unit")
    if section is None:
        return None
    section.only(UNIT, "unit")
    column = section.read("column", name, needed='write unit = { column = "…" }, the column that tells the units apart')
    caps = [section.read(key, _CAP) for key in ("max_rows", "max_groups", "max_rows_per_group")]
    return None if column is None else ByColumn(column, *caps)


def _check_sizes(table: Section, unit: Unit | None, neighbours: Neighbours | None) -> None:
    """Rule 1: a size is public only where a neighbour has the same size; it counts what a neighbour changes."""
    for key, kind, other in (("rows", EachRow, "units"), ("units", ByColumn, "rows")):
        if key not in table.entries:
            continue
        if neighbours == "add_remove":
            table.wrong(key, f"{key} is private where neighbours is add_remove",
                        hint='write rows_about for a rough size, or neighbours = "change_one"')
        if unit is not None and not isinstance(unit, kind):
            says = "a column" if isinstance(unit, ByColumn) else "row"
            table.wrong(key, f"{key} does not go with a unit of {says}", f"write {other}, the number of units")
        if "rows_about" in table.entries and key == "rows":
            table.wrong("rows_about", "rows_about stands beside rows, which is exact", "take rows_about out")


def _budget(root: Section) -> Budget | None:
    section = root.section("budget", needed="write a [budget] with epsilon, the most that may be spent")
    return read_budget(section) if section else None


def _columns(root: Section) -> tuple[Column, ...]:
    hint = "write a [columns.NAME] with its type for every column that may be asked about"
    section = root.section("columns", needed=hint)
    if section is None:
        return ()
    if not section.entries:
        root.wrong("columns", "there are no columns", hint)
    spelt: dict[str, str] = {}
    found = []
    for called, inner in section.sections():
        try:
            name(called, "the column's name")
        except ParameterError as error:
            section.wrong(called, error.message, error.hint)
        if (first := spelt.setdefault(called.casefold(), called)) != called:
            section.wrong(called, f"{said(called)} differs from {said(first)} only in capitals, which SQL does not see",
                          hint="rename one of them in the source, or take one out")
        if (column := read_column(called, inner)) is not None:
            found.append(column)
    return tuple(found)


def _csv(section: Section) -> CsvFormat:
    section.only(CSV, "[csv]")
    usual = CsvFormat()
    header = section.read("header", truth)
    names = section.items("names", name)
    written = CsvFormat(
        delimiter=section.read("delimiter", character) or usual.delimiter,
        quote=section.read("quote", character) or usual.quote,
        header=usual.header if header is None else header,
        encoding=section.read("encoding", one_of(*ENCODINGS)) or usual.encoding,
        names=names or (),
    )
    if written.delimiter == written.quote:
        section.wrong("quote", "quote and delimiter are the same mark", 'write quote = "\\"" and delimiter = ","')
    if written.header and "names" in section.entries:
        section.wrong("names", "names stands beside a header, which has the names", "take names out, or write header = false")
    if not written.header and "names" not in section.entries:
        section.wrong("names", "names is missing, and there is no header", 'write names = ["…", "…"], all columns in order')
    if len({called.casefold() for called in written.names}) < len(written.names):
        section.wrong("names", "names has the same name twice (capitals do not count)", "write another name for one of them")
    return written


def _check_csv(root: Section, csv: Section | None, facts: Facts) -> None:
    """[csv] belongs to a CSV source; without a header every column is in its names."""
    kind = facts.located.kind if facts.located else None
    if "csv" in root.entries and kind not in ("csv", None):
        root.wrong("csv", f"[csv] does not go with a source of kind {kind}", "take [csv] out")
    if kind == "csv" and not has_commas(facts.source) and (csv is None or "delimiter" not in csv.entries):
        root.wrong(("csv", "delimiter"), f"delimiter is missing, and {said(facts.source)} does not tell it",
                   hint='write delimiter = "\\t", or what stands between the fields, under [csv]')
    if facts.csv.names:
        keys: dict[tuple[str, ...], str] = {("columns", column.name): column.name for column in facts.columns}
        if isinstance(facts.unit, ByColumn):
            keys["table", "unit", "column"] = facts.unit.column
        for key, called in keys.items():
            if called not in facts.csv.names:
                root.wrong(key, f"{said(called)} is not in the names of [csv]", nearest(called, facts.csv.names[:20]))


def _check_per_unit(root: Section, facts: Facts) -> None:
    """Only where units have many rows is there something to promise."""
    for column in facts.columns if isinstance(facts.unit, EachRow) else ():
        if column.per_unit:
            root.wrong(("columns", column.name, "per_unit"), "per_unit is for units of many rows, and each row is one here",
                       hint="take per_unit out")


def _check_partition(root: Section, budget: Budget | None, columns: tuple[Column, ...], facts: Facts | None) -> None:
    """Rule 13: cells are the declared values of a category, and need rows that stay as they are."""
    if budget is None or budget.partition is None:
        return
    found = {column.name: column for column in columns}
    key = ("budget", "partition")
    if not isinstance(found.get(budget.partition), Category):
        categories = tuple(called for called, column in found.items() if isinstance(column, Category))
        what = "not a category" if budget.partition in found else "not a declared column"
        hint = nearest(budget.partition, categories[:20]) if categories else "declare it as a category, or take partition out"
        root.wrong(key, f"partition is {said(budget.partition)}, {what}", hint)
    if facts and facts.is_live:
        root.wrong(key, "partition needs a source that can be pinned, and a live database cannot", "take partition out")
