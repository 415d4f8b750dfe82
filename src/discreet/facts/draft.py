"""The draft of a facts file: names and types, and a "TODO" wherever a person has to decide.

A facts file is public, so a draft holds nothing that was learnt from rows but the type of each column and how its values are
spelt, which a person checks: no bound, no value of a category, no number of rows. A "TODO" is refused by the checks like any
wrong value, with its line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from discreet.errors import ParameterError
from discreet.facts.lines import key_text
from discreet.facts.model import CsvFormat
from discreet.facts.values import name as as_name

__all__ = ["Drafted", "Spelling", "draft_facts", "table_name", "unusable"]

_BOUNDED = ("number", "integer", "date", "timestamp")
_COMMENT_AT = 26  # columns before a comment


@dataclass(frozen=True, slots=True)
class Spelling:
    """An entry that says how values are written, as TOML, and what to say beside it."""

    key: str
    value: str
    comment: str = ""


@dataclass(frozen=True, slots=True)
class Drafted:
    """A column of the source, by its name there, the type that its values seem to have, and how they seem to be written."""

    name: str
    guess: str
    spelt: tuple[Spelling, ...] = ()


def table_name(stem: str) -> str:
    """A plain name for SQL, from the name of a file."""
    plain = re.sub(r"\W+", "_", stem, flags=re.ASCII).strip("_").lower()[:63]
    return plain if plain.isidentifier() else f"t_{plain}"[:63].rstrip("_")


def unusable(columns: Sequence[Drafted]) -> list[int]:
    """The places, from 0, of columns that facts cannot name: an odd name, or one that another column has too."""
    spelt = [column.name.casefold() for column in columns]
    return [place for place, column in enumerate(columns) if not _is_name(column.name) or spelt.count(spelt[place]) > 1]


def draft_facts(name: str, source: str, columns: Sequence[Drafted], *, check: str, csv: CsvFormat | None = None) -> str:
    """The text of a facts file that declares ``columns``, to be completed by a person; ``check`` is its own path."""
    skipped = unusable(columns)
    parts = [_opening(source, check), _table(name, source), _budget(), *([_csv(csv)] if csv else [])]
    said: set[str] = set()  # a comment is given once
    for place, column in enumerate(columns):
        if place in skipped:
            parts.append([f"# column {place + 1} is left out: its name is odd, or another column has it too; rename it there"])
        else:
            parts.append(_column(column, said))
    return "\n\n".join("\n".join(part) for part in parts) + "\n"


def _opening(source: str, check: str) -> list[str]:
    return [
        f"# Facts about the table in {_comment(source)}: a draft. All of this file is public. Only the names of the columns (the",
        "# first line of the source) and their types and spelling (a guess) were taken from the source; look over both.",
        "# Replace every \"TODO\" by what you know about the subject, never by what you find in the rows. Take out the columns",
        f"# that nobody should ask about: a column that is not listed does not exist. Then: discreet check {_comment(check)}",
    ]


def _table(name: str, source: str) -> list[str]:
    return [
        "[table]",
        _line("name", _text(name), "the table's name in SQL"),
        _line("source", _text(source)),
        _line("version", '"1"', "changed by hand when the rows change, with: discreet version new"),
        _line("unit", '"TODO"', 'who is protected: "row" if everyone has one row, or else'),
        _more('{ column = "…", max_rows = 10 }, the column that tells people apart'),
        _line("neighbours", '"TODO"', '"add_remove" if the number of rows is private,'),
        _more('"change_one" if it is public; then write rows = … too'),
    ]


def _budget() -> list[str]:
    return [
        "[budget]",
        _line("epsilon", '"TODO"', "all that may ever be spent, by everyone together: 1 protects well,"),
        _more("above 10 hardly at all"),
    ]


def _csv(form: CsvFormat) -> list[str]:
    usual = CsvFormat()
    lines = ["[csv]"]
    if form.delimiter != usual.delimiter:
        lines.append(_line("delimiter", _text(form.delimiter)))
    if form.encoding != usual.encoding:
        lines.append(_line("encoding", _text(form.encoding)))
    if not form.header:
        names = ", ".join(map(_text, form.names))
        lines += [_line("header", "false"), f"names = [{names}]  # better names are welcome: here, and below"]
    return lines


def _column(column: Drafted, said: set[str]) -> list[str]:
    lines = [f"[{key_text(('columns', column.name))}]"]
    for entry in _entries(column):
        code, _, comment = entry.partition("# ")
        if not comment or comment not in said:
            said.add(comment)
            lines.append(entry)
        elif code.strip():
            lines.append(code.rstrip())
    return lines


def _entries(column: Drafted) -> Iterator[str]:
    match column.guess:
        case "text":
            yield _line("type", '"TODO"', '"category" with values = ["…", "…"], all that there can be, if that is public;')
            yield _more('"text" if it is not')
        case "integer" | "number":
            yield _line("type", _text(column.guess), 'or "category" with values = [1, 2], if it is a code')
        case other:
            yield _line("type", _text(other))
    yield _more('rows without a value are a group of their own when asked by it; with null = "drop" they are in none')
    for each in column.spelt:
        yield _line(each.key, each.value, each.comment)
    if column.guess in _BOUNDED:
        yield _line("lower", '"TODO"', "the least and the most that a value can be in any such table, known without")
        yield _line("upper", '"TODO"', "looking; what lies outside counts as the bound. Without bounds: no sums, no means")


def _line(key: str, value: str, comment: str = "") -> str:
    entry = f"{key} = {value}"
    return f"{entry:<{_COMMENT_AT - 2}}  # {comment}" if comment else entry


def _more(comment: str) -> str:
    return f"{'':<{_COMMENT_AT}}# {comment}"


def _text(value: str) -> str:
    """A text in TOML."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(_escape(letter) for letter in escaped) + '"'


def _escape(letter: str) -> str:
    if letter == "\t":
        return "\\t"
    return letter if letter.isprintable() else f"\\U{ord(letter):08x}"


def _comment(text: str) -> str:
    return text if text.isprintable() else "the source"


def _is_name(written: str) -> bool:
    try:
        as_name(written, "name")
    except ParameterError:
        return False
    return True
