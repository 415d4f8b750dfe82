"""Types of columns and constructors of values, as PEP 249 has them."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

__all__ = [
    "BINARY", "Binary", "DATETIME", "Date", "DateFromTicks", "NUMBER", "ROWID", "STRING", "Time", "TimeFromTicks", "Timestamp",
    "TimestampFromTicks", "type_of",
]  # fmt: skip


class TypeObject:
    """A type of columns: equal to itself alone."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return self.name


STRING, BINARY, NUMBER, DATETIME, ROWID = (TypeObject(each) for each in ("STRING", "BINARY", "NUMBER", "DATETIME", "ROWID"))

Date, Time, Timestamp, Binary = dt.date, dt.time, dt.datetime, bytes


def DateFromTicks(ticks: float) -> dt.date:  # noqa: N802 - as the standard calls it
    """The day of a moment, by the clock of this machine."""
    return dt.datetime.fromtimestamp(ticks).date()  # noqa: DTZ006 - so the standard wants it


def TimeFromTicks(ticks: float) -> dt.time:  # noqa: N802
    """The time of day of a moment."""
    return dt.datetime.fromtimestamp(ticks).time()  # noqa: DTZ006


def TimestampFromTicks(ticks: float) -> dt.datetime:  # noqa: N802
    """A moment."""
    return dt.datetime.fromtimestamp(ticks)  # noqa: DTZ006


def type_of(values: Sequence[Any]) -> TypeObject:
    """The type of a column, by the first value that is there; numbers where none is."""
    value = next((each for each in values if each is not None), None)
    if isinstance(value, dt.date):
        return DATETIME
    return STRING if isinstance(value, str) else NUMBER
