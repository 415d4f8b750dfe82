"""A table with a column of every type, and ways to store it."""

import csv
import dataclasses
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Engine, Wanted
from discreet.facts.model import Boolean, Budget, Category, Date, EachRow, Facts, Integer, Number, Text, Timestamp
from discreet.privacy import Pure

Rows = Sequence[Mapping[str, object]]

COLUMNS = (
    Number("x", Fraction(-2001, 2), Fraction(10**6)),
    Number("free"),
    Number("tenths", Fraction(1, 10), Fraction(3, 10)),
    Integer("age", -5, 120),
    Integer("long"),
    Integer("wide", -(2**60), 2**60),
    Category("few", (1, 2, 3)),
    Category("gaps", (-7, 2, 1000), other=True),
    Category("many", tuple(n * n for n in range(12))),
    Category("word", ("a", "b", "O'Hara", 'é"%_')),
    Category("words", (*tuple("abcdefghij"), "O'Hara")),
    Category("huge", (2**53, 2**53 + 1, 5)),
    Boolean("truth"),
    Date("day", date(1999, 12, 31), date(2020, 2, 29)),
    Date("any_day"),
    Timestamp("moment", datetime(1970, 1, 1), datetime(2030, 1, 1, 12, 30)),  # noqa: DTZ001
    Timestamp("any_moment"),
    Text("note", 5),
    Text('select "1";--', 200),
)


@pytest.fixture
def facts() -> Callable[..., Facts]:
    """``facts(*columns)`` declares a table of these columns, or of one column of every kind."""

    def make(*columns: object, **others: object) -> Facts:
        made = Facts("t", "", EachRow(), "add_remove", columns or COLUMNS, Budget(Pure(epsilon=1)))
        return dataclasses.replace(made, **others)

    return make


@pytest.fixture
def as_csv(tmp_path: Path) -> Callable[[Facts, Rows], Path]:
    """Writes rows of texts to a CSV file, None as nothing."""

    def write(facts: Facts, rows: Rows) -> Path:
        names = [column.name for column in facts.columns]
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["extra", *names])
        writer.writerows([["1", *(row.get(name) for name in names)] for row in rows])
        file = tmp_path / "rows.csv"
        file.write_text(text.getvalue(), encoding="utf-8", newline="")
        return file

    return write


@pytest.fixture
def same() -> Callable[..., None]:
    """``same(engine, reference, wanted)``: both give the same integers."""

    def check(engine: Engine, reference: Reference, *wanted: Wanted) -> None:
        for one in wanted:
            found, expected = engine.run(one).take(), reference.run(one).take()
            assert found.high.shape == expected.high.shape == (len(one.measures), one.cells)
            assert found.high.dtype == found.low.dtype == np.int64
            assert np.array_equal(found.high, expected.high), one
            assert np.array_equal(found.low, expected.low), one

    return check


@pytest.fixture
def opened() -> Callable[..., object]:
    """``with opened(facts, source) as engine``: closed at the end."""

    @contextmanager
    def use(facts: Facts, source: object) -> Iterator[Engine]:
        engine = open_engine(facts, source)
        try:
            yield engine
        finally:
            engine.close()

    return use
