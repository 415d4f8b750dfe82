"""Tables that come from afar: facts as text, and a source that was put into the folder. Nothing outside of the folder is read.

Whoever may do this is a data holder with a token; a token that was stolen must not become a way to read the machine's files.
"""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.answers.table_json import table_as_dict
from discreet.curator import brought, office
from discreet.curator.advice import advice_on, past_end
from discreet.curator.buying import bought_by
from discreet.curator.office import Registered
from discreet.curator.same_people import same_people_notes
from discreet.engines.duckdb.lookup_values import wrong_lookups
from discreet.engines.headers import columns_in, lacking
from discreet.errors import FactsError, ParameterError
from discreet.facts.draft import draft_facts, table_name
from discreet.facts.file import check_facts, parse_facts
from discreet.facts.lines import key_text, line_of, lines_of
from discreet.facts.model import Companion, CsvFormat, Facts

__all__ = ["Checked", "UPLOADS", "check", "draft", "new_version", "register", "upload_name"]

UPLOADS = (".csv", ".csv.gz", ".tsv", ".tsv.gz", ".txt", ".txt.gz", ".parquet", ".duckdb")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}")
_Lines = dict[tuple[str | int, ...], int]
_FILES = ("csv", "parquet", "duckdb")  # kinds of sources that may be brought
_TABLE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")


@dataclass(frozen=True, slots=True)
class Checked:
    """What is wrong with facts, at its place in the text; and if nothing is, advice, and what analysts will see."""

    problems: tuple[dict[str, Any], ...]
    warnings: tuple[str, ...] = ()
    table: dict[str, Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {"ok": not self.problems, "problems": list(self.problems), "warnings": list(self.warnings)}
        return told if self.table is None else told | {"table": self.table}


def upload_name(name: str) -> str:
    """The name of a file that may be put into the folder."""
    if not _NAME.fullmatch(name) or not name.casefold().endswith(UPLOADS):
        hint = f"write letters, digits, _ . - and one of the endings {', '.join(UPLOADS)}"
        raise ParameterError("this is not the name of a file that is taken", hint=hint)
    return name


def draft(folder: Path, name: str) -> str:
    """Facts to be written on: names and types of the columns of an uploaded file, and nothing else of it."""
    file = folder / upload_name(name)
    if not _is_plain(file):
        raise ParameterError("there is no such file", hint="upload it first")
    stem = name.partition(".")[0]
    columns, form = columns_in(file, header=True, table=None)
    return draft_facts(table_name(stem), name, columns, check=f"{stem}.toml", csv=None if form in (None, CsvFormat()) else form)


def check(folder: Path, text: str) -> Checked:
    """Everything that is wrong with facts. Of a source its header is read, and no row."""
    file = str(folder / "facts.toml")  # a relative source is seen from here
    if problems := check_facts(text, file):
        return Checked(tuple({"line": p.line, "key": p.key, "message": p.message, "hint": p.hint} for p in problems))
    facts = parse_facts(text, file)
    lines = lines_of(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    outside = _outside(folder, facts)
    if outside is None:
        lacks = [(("table", "source") if lack.column is None else ("columns", lack.column), lack.message, lack.hint)
                 for lack in lacking(facts)]  # fmt: skip
        wrong = [(tuple((error.key or "").split(".")), error.message, error.hint) for error in wrong_lookups(facts)]
        found = _placed(lines, [*lacks, *wrong])
    else:
        found = _placed(lines, [(("table", "source"), outside.message, outside.hint)])
    if found:
        return Checked(found)
    warnings = (*advice_on(facts.budget.cap, facts), *past_end(facts.budget), *same_people_notes(facts, folder))
    return Checked((), warnings, table_as_dict(facts, facts.budget.cap) | {"buys": bought_by(facts)})


def register(folder: Path, text: str, *, separate: bool = False, reason: str = "", anyway: bool = False) -> Registered:
    """Write the facts file of a new table and register it; of what fails nothing is left."""
    facts = _read(folder, text)
    file = folder / f"{facts.name}.toml"
    _write(file, text)
    try:
        done = office.register(file, separate=separate, reason=reason, anyway=anyway)
    except BaseException:
        file.unlink(missing_ok=True)
        raise
    brought.used(folder, text)
    return done


def new_version(
    folder: Path, file: Path, text: str, *, reason: str = "", no_unit_in_both: bool = False, separate: bool = False,
    anyway: bool = False, after: str | None = None,
) -> str:  # fmt: skip
    """Put new facts in the place of a table's, and begin their version; if that fails the old ones stand again.

    ``after`` is the version that whoever wrote them has seen: refused if another stands by now.
    """
    before, facts = file.read_text(encoding="utf-8"), _read(folder, text)
    if parse_facts(before, str(file)).name != facts.name:
        raise FactsError("these are the facts of another table", hint="a table keeps its name", key="table.name")
    with _alone(file) as beside:
        if after is not None and (now := parse_facts(file.read_text(encoding="utf-8"), str(file)).version) != after:
            hint = "look at the facts that stand now, and begin from them"
            raise ParameterError(f"version {now} has been begun meanwhile, by somebody else", hint=hint)
        _replace(file, beside, text)
        try:
            label = office.new_version(file, reason=reason, no_unit_in_both=no_unit_in_both, separate=separate, anyway=anyway)
        except BaseException:
            _replace(file, beside, before)
            raise
    brought.used(folder, text)
    return label


def _read(folder: Path, text: str) -> Facts:
    facts = parse_facts(text, str(folder / "facts.toml"))
    if not _TABLE.fullmatch(facts.name):
        hint = "write up to 64 letters of a to z, digits, _ and -"
        raise FactsError("the table cannot have this name here", hint=hint, key="table.name")
    if (outside := _outside(folder, facts)) is not None:
        raise outside
    return facts


def _outside(folder: Path, facts: Facts) -> FactsError | None:
    """Why the sources of facts are not all of them files in the folder; None if they are."""
    sources = [facts.located, *(each.facts.located if isinstance(each, Companion) else each.located for each in facts.joins)]
    places = [folder / join.source for join in facts.joins if isinstance(join, Companion)]
    places += [Path(each.place) for each in sources if each is not None and each.kind in _FILES]
    is_ours = all(each is None or (each.kind in _FILES and not each.glob) for each in sources)
    home = folder.resolve()
    if is_ours and all(place.parent.resolve() == home and not place.name.startswith(".") for place in places):
        if all(_is_plain(place) for place in places):
            return None
        return FactsError("there is no such file here", hint="upload it first", key="table.source")
    if any(each is not None and each.kind not in _FILES for each in sources):
        hint = "on the machine of the ledger: discreet register FILE; for a new version, discreet version new FILE"
        return FactsError("the source is not a file, and is not looked at from afar", hint=hint, key="table.source")
    return FactsError("the source is not a file of this folder", hint="upload it, and write its name alone", key="table.source")


def _is_plain(file: Path) -> bool:
    return file.is_file() and not file.is_symlink()


def _placed(lines: _Lines, found: Sequence[tuple[tuple[str, ...], str, str]]) -> tuple[dict[str, Any], ...]:
    return tuple({"line": line_of(lines, path), "key": key_text(path), "message": said, "hint": hint}
                 for path, said, hint in found)  # fmt: skip


def _write(file: Path, text: str) -> None:
    try:
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8", newline="\n") as opened:
            opened.write(text)
    except FileExistsError:
        hint = "a table is registered once; new rows are a new version"
        raise ParameterError(f"there is a facts file {file.name} already", hint=hint) from None


@contextmanager
def _alone(file: Path) -> Iterator[Path]:
    """A file beside it that only one of those has who want to change it."""
    beside = file.with_name(f".{file.name}.new")
    try:
        os.close(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    except FileExistsError:
        raise ParameterError("somebody else is changing these facts", hint="look at them again in a while") from None
    try:
        yield beside
    finally:
        beside.unlink(missing_ok=True)


def _replace(file: Path, beside: Path, text: str) -> None:
    beside.write_text(text, encoding="utf-8", newline="\n")
    beside.replace(file)
