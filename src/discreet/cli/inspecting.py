"""How the rows of sources are read, on the terminal of whoever holds them, and nowhere else."""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.checking import is_release

if TYPE_CHECKING:
    from discreet.cli.page import Page
    from discreet.engines.inspection import Counted, Inspection

__all__ = ["inspect_all", "show_rows"]


def inspect_all(files: Iterable[Path]) -> "dict[Path, Inspection]":
    """What the rows of every facts file are read as."""
    from discreet.cli.waiting import waiting
    from discreet.curator import office

    found = {}
    for file in files:
        if not is_release(file):
            with waiting(f"reading the rows of {file.name}") as say:
                found[file] = office.inspect(file, say)
    return found


def show_rows(file: Path, found: "Inspection") -> None:
    """One line for every column, and the commonest spellings that were not read."""
    from discreet.cli.page import Page

    page = Page()
    page.head(f"{file.name}: how its {found.rows:,} rows are read")
    page.say("Exact counts of confidential rows: for your eyes only. They are written down nowhere.", style="yellow")
    page.gap()
    names = ("column", "read", "NULL", "unreadable", "undeclared", "outside bounds")
    page.table("lrrrrr", names, [_row(each) for each in found.columns])
    _show_units(page, found)
    for each in found.columns:
        if each.spellings:
            page.gap()
            much = "nothing can be read" if each.is_lost else "not read"
            page.line((each.name, "bold"), f"  {much}:", indent=2)
            for spelling in each.spellings:
                page.line(f"{spelling.rows:>12,}  ", repr(spelling.text), indent=2)


def _show_units(page: "Page", found: "Inspection") -> None:
    """How many there are, and what the cap on their rows leaves out."""
    of = found.units
    if of is None:
        return
    page.gap()
    rows = f"{of.most_rows:,} row{'' if of.most_rows == 1 else 's'}"
    page.line((of.column, "bold"), f"  tells {of.units:,} units apart; the largest has {rows}", indent=2)
    if of.cut:
        page.line(f"max_rows leaves out {of.rows_cut:,} rows of {of.cut:,} units", indent=2)
        page.say("Caps that are chosen by this give it away; ROWS_PER_UNIT(0.95) asks with noise.", style="yellow")
    if found.without_unit:
        page.warn([f"rows without a unit, which are left out of every answer: {found.without_unit:,}"])


def _row(each: "Counted") -> list[str]:
    counts = (each.read, each.null, each.unreadable, each.undeclared, each.outside)
    return [each.name, *(f"{count:,}" if count else "·" for count in counts)]
