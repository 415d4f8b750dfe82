"""CSV text to rows: every line that is not empty is one row, whatever stands in it.

Lines end with LF, CR LF or CR, also between quotes, so that no stray quote can swallow the rows after it. A field is quoted if
it begins and ends with a quote, spaces around these left out; a doubled quote inside is one quote. In every other field a quote
is a character like any other. Missing fields are NULL, extra ones are ignored. Bytes that do not decode become U+FFFD.
"""

import codecs
import gzip
import io
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import IO, cast

import numpy as np

from discreet.errors import FactsError
from discreet.facts.model import CsvFormat

__all__ = [
    "begins_empty", "count_lines", "has_spaced_quotes", "is_packed", "is_utf8", "lines_of", "opened", "places_of", "rows_of",
    "split_header", "splitter",
]  # fmt: skip

_BOM = "\ufeff"
_CHUNK = 1 << 24


def is_packed(file: Path) -> bool:
    """Whether a file is packed by gzip, by its name."""
    return file.suffix.lower() == ".gz"


def opened(file: Path) -> IO[bytes]:
    """The bytes of a file, unpacked."""
    return cast(IO[bytes], gzip.open(file)) if is_packed(file) else file.open("rb")


def lines_of(file: Path, encoding: str) -> Generator[str]:
    """The lines of a file that are not empty, without their ends and without a byte order mark."""
    with io.TextIOWrapper(opened(file), encoding=encoding, errors="replace", newline=None) as stream:
        first = stream.readline().removeprefix(_BOM)
        for line in chain([first], stream):
            if bare := line.removesuffix("\n"):
                yield bare


def count_lines(file: Path) -> int:
    """How many lines of a UTF-8 file are not empty: the runs of bytes between line ends, counted without decoding."""
    count, after_end = 0, True
    with opened(file) as stream:
        while chunk := stream.read(_CHUNK):
            code = np.frombuffer(chunk, np.uint8)
            ends = (code == 10) | (code == 13)
            before = np.concatenate(([after_end], ends[:-1]))
            count += int(np.count_nonzero(before & ~ends))
            after_end = bool(ends[-1])
    return count


def has_spaced_quotes(file: Path, quote: str) -> bool:
    """Whether a quote stands beside a space somewhere in a UTF-8 file: then readers differ in what it means."""
    mark, last = quote.encode(), b""
    with opened(file) as stream:
        while chunk := stream.read(_CHUNK):
            if quote and (b" " + mark in last + chunk or mark + b" " in last + chunk):
                return True
            last = chunk[-len(mark) :] if quote else b""
    return False


def begins_empty(file: Path) -> bool:
    """Whether a UTF-8 file begins with an empty line, or with spaces: engines may take that for its header."""
    with opened(file) as stream:
        return stream.read(4).removeprefix(codecs.BOM_UTF8)[:1] in (b"\r", b"\n", b" ", b"\t", b"")


def is_utf8(encoding: str) -> bool:
    """Whether a file of this encoding is read as it is by engines that know UTF-8 only."""
    return codecs.lookup(encoding).name == "utf-8"


def splitter(form: CsvFormat) -> Callable[[str], list[str]]:
    """A function from a line to its fields."""
    delimiter, quote = form.delimiter, form.quote
    if not quote:
        return lambda line: line.split(delimiter)
    d, q = re.escape(delimiter), re.escape(quote)
    space = "" if delimiter == " " else " *"
    quoted = re.compile(rf"{space}{q}((?:[^{q}]|{q}{q})*){q}{space}(?={d}|\Z)")

    def split(line: str) -> list[str]:
        if quote not in line:
            return line.split(delimiter)
        fields, place = [], 0
        while True:
            if found := quoted.match(line, place):
                fields.append(found[1].replace(quote * 2, quote))
                end = found.end()
            else:
                end = line.find(delimiter, place)
                end = len(line) if end < 0 else end
                fields.append(line[place:end])
            if end == len(line):
                return fields
            place = end + len(delimiter)

    return split


def split_header(lines: Iterable[str], form: CsvFormat) -> tuple[list[str], Iterator[str]]:
    """The names of the fields, and the lines of data."""
    rest = iter(lines)
    if not form.header:
        return list(form.names), rest
    return splitter(form)(next(rest, "")), rest


def rows_of(lines: Iterable[str], form: CsvFormat, columns: Iterable[str]) -> Iterator[list[str | None]]:
    """The fields of ``columns``, row by row. Raises FactsError if the header lacks one."""
    names, data = split_header(lines, form)
    places = places_of(columns, names)
    split = splitter(form)
    for line in data:
        fields = split(line)
        yield [fields[place] if place < len(fields) else None for place in places]


def places_of(columns: Iterable[str], names: list[str]) -> list[int]:
    """Where the columns are among the names of a header. Raises FactsError if one is not there exactly once."""
    wanted = list(columns)
    for column in wanted:
        if (times := names.count(column)) != 1:
            raise _not_once(column, times, names)
    return [names.index(column) for column in wanted]


def _not_once(column: str, times: int, names: list[str]) -> FactsError:
    if times:
        return FactsError(f"the source has {times} columns called {column!r}", hint="rename all but one of them")
    near = [name for name in names if name.strip().casefold() == column.strip().casefold()]
    marks = [mark for mark in ";\t|" if len(names) == 1 and mark in names[0]]
    if marks:
        hint = f"its header was read as one column, with {marks[0]!r} inside: write csv = {{ delimiter = {_toml(marks[0])} }}"
        return FactsError(f"the source has no column called {column!r}", hint=hint)
    hint = f"the source spells it {near[0]!r}" if near else "correct the name in the facts, or take the column out"
    return FactsError(f"the source has no column called {column!r}", hint=hint)


def _toml(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'
