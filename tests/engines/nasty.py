"""A table whose columns are of every type that a file stores, full of values at, beside and far from their bounds."""

import math
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import inf, nan, nextafter

import pyarrow as pa

from discreet.facts.model import Budget, Category, Date, EachRow, Facts, Integer, Number, Timestamp
from discreet.privacy import Pure

LARGEST = 1.7976931348623157e308


def around(*ends):
    """Numbers on both sides of the ends."""
    near = [each for end in ends for each in (end, nextafter(end, -inf), nextafter(end, inf), end - 1, end + 1)]
    inside = [ends[0] / 2 + ends[-1] / 2, ends[0] + 0.25]
    return [*near, *inside, 0.0, -0.0, 5e-324, -5e-324, 2.0**53, 2.0**53 + 2, 1e22, LARGEST, -LARGEST]


def wholes(low, high):
    near = [end + step for end in (math.floor(low), math.ceil(high)) for step in (-1, 0, 1)]
    middle = (math.floor(low) + math.ceil(high)) // 2
    all_of_them = [*near, middle, 0, 1, -1, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1, -(2**63)]
    return [each for each in all_of_them if -(2**63) <= each < 2**63]


def number_words(low, high):
    odd = ["", "?", " 12 ", "12.5", "1e400", "-1e400", "inf", "-Infinity", "nan", "NaN", "1_000", "--1", ".5", "-0", "true"]
    return [*odd, *map(repr, around(low, high)), *map(str, wholes(low, high))]


def reals(low, high):
    return [*around(low, high), nan, inf, -inf]


@dataclass(frozen=True)
class Stored:
    """A declared column with the type and values that a file has there, and constants to compare it with."""

    column: object
    type: pa.DataType
    values: list
    constants: list


def of_numbers(kind, low, high):
    constants = [*filter(math.isfinite, around(low, high)), low + 20, 10**400, -(10**400), Fraction(1, 3)]
    constants = [Fraction(each) for each in dict.fromkeys(constants)]
    return [
        Stored(kind("real"), pa.float64(), reals(low, high), constants),
        Stored(kind("single"), pa.float32(), [0.0, -1.0, 1.0, 20.0, 20.5, 119.0, 120.0, 121.0, nan, inf, -inf], constants),
        Stored(kind("whole"), pa.int64(), wholes(low, high), constants),
        Stored(kind("tiny"), pa.uint8(), [0, 1, 19, 20, 21, 119, 120, 121, 255], constants),
        Stored(kind("unsigned"), pa.uint64(), [0, 1, 20, 120, 121, 2**53 + 1, 2**64 - 1], constants),
        Stored(kind("word"), pa.string(), number_words(low, high), constants),
    ]


def of_days(kind, low, high):
    one = timedelta(1)
    days = [low, high, low - one, low + one, high - one, high + one, date(1, 1, 1), date(9999, 12, 31)]
    moments = [datetime(day.year, day.month, day.day, hour) for day in days for hour in (0, 12)]  # noqa: DTZ001
    moments += [moment + timedelta(microseconds=step) for moment in moments[:8] for step in (-1, 1)]
    words = [*map(str, days), *map(str, moments), "", "?", "2020-02-30", " 2020-01-01 ", "20200101", "0000-01-01"]
    constants = [*days, *moments]
    return [
        Stored(kind("day"), pa.date32(), days, constants),
        Stored(kind("moment"), pa.timestamp("us"), moments, constants),
        Stored(kind("word"), pa.string(), words, constants),
    ]


def of_categories(kind, values):
    if isinstance(values[0], str):
        words = [*values, "", "?", "c", "A", " a", "5"]
        return [Stored(kind("word"), pa.string(), words, words), Stored(kind("whole"), pa.int64(), [5, 0, -5, 2**63 - 1], words)]
    numbers = [*values, 0, -1, 2**53, 2**53 + 1, 2**63 - 1]
    constants = [Fraction(each) for each in (*values, 0, 2**53 + 1, 0.5)]
    return [
        Stored(kind("whole"), pa.int64(), numbers, constants),
        Stored(kind("real"), pa.float64(), [*map(float, numbers), 0.5, nan, inf], constants),
        Stored(kind("word"), pa.string(), [*map(str, numbers), "1.0", "1e0", "", "?", "nan", "one"], constants),
    ]


DAYS = date(1999, 12, 31), date(2020, 2, 29)
MOMENTS = datetime(1970, 1, 1), datetime(2030, 1, 1, 12, 30)  # noqa: DTZ001


def named(prefix, make):
    return lambda kind: make(f"{prefix}_{kind}")


MADE = [
    *of_numbers(named("number", lambda name: Number(name, Fraction(0), Fraction(120))), 0.0, 120.0),
    *of_numbers(named("between", lambda name: Number(name, Fraction(1, 10), Fraction(241, 2))), 0.1, 120.5),
    *of_numbers(named("one", lambda name: Number(name, Fraction(20), Fraction(20))), 20.0, 20.0),
    *of_numbers(named("free", Number), -1.0, 120.0),
    *of_numbers(named("integer", lambda name: Integer(name, 0, 120)), 0.0, 120.0),
    *of_numbers(named("wide", lambda name: Integer(name, -(2**60), 2**60)), -(2.0**60), 2.0**60),
    *of_numbers(named("half", lambda name: Integer(name, 0, None)), 0.0, LARGEST),
    *of_days(named("date", lambda name: Date(name, *DAYS)), *DAYS),
    *of_days(named("time", lambda name: Timestamp(name, *MOMENTS)), *(moment.date() for moment in MOMENTS)),
    *of_categories(named("few", lambda name: Category(name, (1, 2, 3))), (1, 2, 3)),
    *of_categories(named("gaps", lambda name: Category(name, (-7, 2, 1000), other=True)), (-7, 2, 1000)),
    *of_categories(named("many", lambda name: Category(name, tuple(n * n for n in range(12)))), tuple(n * n for n in range(12))),
    *of_categories(named("huge", lambda name: Category(name, (2**53, 2**53 + 1, 5))), (2**53, 5)),
    *of_categories(named("words", lambda name: Category(name, ("a", "b", "?", "5"))), ("a", "b", "?", "5")),
    *of_categories(named("several", lambda name: Category(name, tuple("abcdefghij5"))), tuple("abcdefghij5")),
]
BY_NAME = {each.column.name: each for each in MADE}
FACTS = Facts("t", "", EachRow(), "add_remove", tuple(each.column for each in MADE), Budget(Pure(epsilon=1)))
ROWS = max(len(each.values) for each in MADE) + 1


def table():
    """Every column goes through its own values, NULL among them."""
    arrays = {}
    for name, each in BY_NAME.items():
        values = [None, *each.values]
        arrays[name] = pa.array([values[at % len(values)] for at in range(ROWS)], each.type, from_pandas=False)
    return pa.table(arrays)
