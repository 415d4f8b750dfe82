"""Facts files: one TOML file per table, read into the model. Decimals are exact; a problem names file, line and key.

    read_facts("ce_book.toml")      the facts, or a FactsError with the first problem
    check_facts(text, "x.toml")     all problems at once
"""

import re
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TypeVar

from discreet.errors import FactsError
from discreet.facts.checks import read_document
from discreet.facts.lines import key_text, line_of, line_of_endless_key, lines_of
from discreet.facts.model import Facts
from discreet.facts.sections import Section
from discreet.facts.values import Numeral

__all__ = ["Problem", "check_facts", "examined", "parse_facts", "read_facts", "read_folder", "table_files", "text_of"]

T = TypeVar("T")

_RELEASE = re.compile(r"^\s*\[release\]", re.MULTILINE)  # a release file beside the facts it asks
_HEADER = re.compile(r"\s*\[([^\[\]]+)\]")
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)
_ENDLESS = re.compile(r"[\d_]{1000}")
_KEY = re.compile(r"\s*([\w.\"' -]*\w[\"']?)\s*=")
_REMEDIES = {  # what tomllib says → what to do
    "Cannot overwrite": "the same key is written twice; keep one of the two",
    "twice": "the same table is written twice; put its keys together",
    "Invalid value": 'write text in double quotes, such as name = "ce_book"',
    "Unclosed": "close the brackets that were opened",
    "Unterminated": "close the quotes that were opened",
    "Invalid date": "write a day that exists, such as 2017-01-31",
    "Illegal character": "close the quotes on the same line, and take invisible characters out",
    "Unescaped '\\'": "write \\\\ for a backslash, or put the text in single quotes",
}


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong in a facts file, where it is, and what to write instead."""

    file: str
    line: int
    key: str
    message: str
    hint: str

    def to_error(self) -> FactsError:
        """The same as an exception."""
        return FactsError(self.message, hint=self.hint, file=self.file, line=self.line, key=self.key or None)


def read_facts(path: str | PathLike[str]) -> Facts:
    """The facts in a file. Raises FactsError, and no other error."""
    return parse_facts(text_of(Path(path)), str(path))


def parse_facts(text: str, file_name: str) -> Facts:
    """The facts in the text of a file. A relative source starts in the folder of ``file_name``."""
    facts, problems = _examined(text, file_name)
    if facts is None:
        raise problems[0].to_error()
    return facts


def check_facts(text: str, file_name: str) -> tuple[Problem, ...]:
    """Everything that is wrong in the text of a facts file, from top to bottom."""
    return _examined(text, file_name)[1]


def table_files(folder: Path) -> dict[str, Path]:
    """The facts file of every table in a folder, by the table's name. Files that cannot be read as facts are passed over."""
    found: dict[str, Path] = {}
    for file in sorted(folder.glob("*.toml")):
        with suppress(FactsError):
            if _is_of_a_table(file):
                found.setdefault(read_facts(file).name, file)
    return found


def _is_of_a_table(file: Path) -> bool:
    return not file.name.startswith(".") and not _RELEASE.search(text_of(file))


def read_folder(path: str | PathLike[str]) -> dict[str, Facts]:
    """The facts of every table in a folder by name: each .toml file is one. Raises FactsError, and no other error."""
    folder = Path(path)
    if not folder.is_dir():
        raise FactsError("there is no such folder", hint="write the folder that holds the facts files", file=str(folder))
    files = sorted(file for file in folder.glob("*.toml") if _is_of_a_table(file))
    if not files:
        raise FactsError("there is no facts file in this folder", hint="write one NAME.toml for each table", file=str(folder))
    tables: dict[str, Facts] = {}
    homes: dict[str, Path] = {}
    for file in files:
        facts = read_facts(file)
        if (home := homes.setdefault(facts.name.casefold(), file)) != file:
            raise _in_table(file, "name", f"{home.name} has a table {facts.name!r} too", "write another name in one of them")
        for other in tables.values():
            _check_people(file, facts, other)
        tables[facts.name] = facts
    return tables


def _examined(text: str, file_name: str) -> tuple[Facts | None, tuple[Problem, ...]]:
    return examined(text, file_name, lambda root: read_document(root, Path(file_name).parent))


def examined(text: str, file_name: str, read: Callable[[Section], T]) -> tuple[T | None, tuple[Problem, ...]]:
    """What ``read`` makes of a TOML text (worth nothing if there are problems), and all problems from top to bottom."""
    plain = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if (line := line_of_endless_key(plain)) is not None:
        return None, (Problem(file_name, line, "", "a key has more parts than any key here", "write fewer points in it"),)
    try:
        document = tomllib.loads(plain, parse_float=Numeral)
    except RecursionError:
        return None, (Problem(file_name, 1, "", "lists or tables are nested too deeply", "write them flat"),)
    except ValueError as error:
        return None, (_syntax(plain, file_name, str(error)),)
    root = Section(document)
    made = read(root)
    lines = lines_of(plain) if root.found else {}
    problems = [Problem(file_name, line_of(lines, one.path), key_text(one.path), one.message, one.hint) for one in root.found]
    return made, tuple(sorted(problems, key=lambda problem: problem.line))


def _syntax(text: str, file_name: str, said: str) -> Problem:
    """tomllib's complaint as one of ours."""
    lines = text.split("\n")
    if place := _PLACE.fullmatch(said):
        line, what = int(place[2] or len(lines)), place[1][:1].lower() + place[1][1:]
    else:  # a numeral of thousands of digits
        line, what = next((line for line, written in enumerate(lines, 1) if _ENDLESS.search(written)), 1), "a number without end"
    usual = "write one key = value on each line, and text in double quotes"
    hint = next((remedy for sign, remedy in _REMEDIES.items() if sign in place[1]), usual) if place else "write fewer digits"
    headers = [header[1].strip() for written in lines[:line] if (header := _HEADER.match(written))]
    key = _KEY.match(lines[line - 1])
    return Problem(file_name, line, ".".join([*headers[-1:], *([key[1]] if key else [])]), f"this is not TOML: {what}", hint)


def text_of(path: Path, what: str = "a facts file") -> str:
    """The text of a file, which ought to be ``what``. Raises FactsError, and no other error."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise FactsError("there is no such file", hint=f"write the path of {what}", file=str(path)) from None
    except (OSError, ValueError) as error:  # ValueError: a path with a zero byte
        why = getattr(error, "strerror", None) or "not a path"
        raise FactsError(f"the file cannot be read: {why}", hint=f"write the path of {what}", file=str(path)) from None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FactsError("the file is not UTF-8", hint="save it as UTF-8", file=str(path), line=line) from None


def _check_people(file: Path, one: Facts, other: Facts) -> None:
    """Rule 11: tables about the same people have one cap, one kind of unit and one relation."""
    if one.people is None or one.people != other.people:
        return
    for key, differ in (
        ("neighbours", one.neighbours != other.neighbours),
        ("unit", type(one.unit) is not type(other.unit)),
        ("budget", (one.budget.cap, one.budget.accounting) != (other.budget.cap, other.budget.accounting)),
    ):
        if differ:
            what = f"{key} differs from that of {other.name!r}, which is about the same people"
            raise _in_table(file, key, what, f"write the same {key} in both, or another people")


def _in_table(file: Path, key: str, message: str, hint: str) -> FactsError:
    """An error about a file that reads well on its own."""
    path = ("budget",) if key == "budget" else ("table", key)
    lines = lines_of(text_of(file).removeprefix("\ufeff"))
    return FactsError(message, hint=hint, file=str(file), line=line_of(lines, path), key=key_text(path))
