"""Functions of texts and times that engines have in common: where they are total, and what they give."""

import re
from dataclasses import replace
from datetime import date, datetime, time

from sqlglot import exp
from tests.engines.sql_values import NotTotal, Rules, Value

PARTS = {
    "YEAR": (1, 9999),
    "QUARTER": (1, 4),
    "MONTH": (1, 12),
    "DAY": (1, 31),
    "HOUR": (0, 23),
    "MINUTE": (0, 59),
    "ISODOW": (1, 7),
    "DOW": (0, 6),
    "DAYOFWEEK": (0, 6),
    "WEEK": (1, 53),
    "ISOYEAR": (1, 9999),
    "DOY": (1, 366),
    "DAYOFYEAR": (1, 366),
}
PERIODS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR"}
LONGEST = 1 << 20  # characters of a text that a column holds
TEXT = ("VARCHAR", "NULL")


class Functions(Rules):
    """Rules with the functions that all engines spell alike."""

    length = "BIGINT"  # the type of the length of a text

    def called(self, node, parts):
        """A function of values; None if it is not on the list."""
        if not parts or parts[0].kind not in TEXT:
            return self.timed(node, parts)
        match node:
            case exp.Lower() | exp.Trim() | exp.DPipe() if {part.kind for part in parts} <= set(TEXT):
                return Value("VARCHAR")
            case exp.MD5():
                return Value("VARCHAR", form="hex")
            case exp.Left() | exp.Right() | exp.Substring() if all(0 <= part.low <= 1 << 31 for part in parts[1:]):
                return Value("VARCHAR", form=self._first_digits(node, parts))
            case exp.Replace() if _is_no_longer(node):
                return Value("VARCHAR")  # never longer than the text was
            case exp.Length():
                return self.whole(0, LONGEST, self.length)
            case exp.Translate() if all(part.literal for part in parts[1:]):
                return Value("VARCHAR")
        return None

    @staticmethod
    def _first_digits(node, parts):
        """Fifteen digits of a digest are 60 bits."""
        is_start = isinstance(node, exp.Substring) and [part.low for part in parts[1:]] == [1, 15]
        return "60 bits" if parts[0].form == "hex" and is_start else ""

    def timed(self, node, parts):
        """A function of a moment; None if it is not on the list."""
        match node:
            case exp.Extract():
                return self.part_of_moment(node.name.upper(), parts[0])
            case exp.TimestampTrunc() if node.text("unit").upper() in PERIODS and parts[0].kind == "TIMESTAMP":
                return self.period(parts[0])
        return None

    def part_of_moment(self, name, of, kind="BIGINT"):
        """A part, by its name."""
        self.of_our_years(self.cast(of, "TIMESTAMP"))
        return self.whole(*PARTS[name], kind)

    def period(self, of):
        """The first moment of a period: a year or a week may begin long before the moment."""
        return replace(self.of_our_years(of), low=datetime.combine(date.min, time.min))

    @staticmethod
    def of_our_years(of):
        """Refuses moments that may be of any year."""
        if of.kind != "TIMESTAMP" or None in (of.low, of.high):
            raise NotTotal("something of a moment of any year")
        return of


def is_group(node, pattern, group):
    """Whether a group of a constant pattern is taken, one that it has."""
    if not pattern.is_string or (group is not None and not group.is_int):
        return False
    return (0 if group is None else int(group.name)) <= re.compile(pattern.name).groups


def _is_no_longer(node):
    old, new = node.expression, node.args["replacement"]
    return old.is_string and new.is_string and len(new.name.encode()) <= len(old.name.encode()) > 0
