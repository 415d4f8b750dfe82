"""Spark's rules in ANSI mode: what overflows raises, a division by 0 does too, FLOOR is BIGINT, and so is SUM of BIGINT."""

from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp
from tests.engines.sql_functions import TEXT, Functions, is_group
from tests.engines.sql_values import NotTotal, Value, integers, micros

MOST = 10**38 - 1  # of DECIMAL(38, 0)
PARTS = {
    exp.Year: "YEAR", exp.Quarter: "QUARTER", exp.Month: "MONTH", exp.Day: "DAY", exp.Hour: "HOUR", exp.Minute: "MINUTE",
    exp.WeekOfYear: "WEEK", exp.DayOfYear: "DOY",
}  # fmt: skip


class Spark(Functions):
    """What is known of Spark 4 with ANSI mode on and UTC for its clocks."""

    name = "spark"
    ends = MappingProxyType({**integers(TINYINT=7, SMALLINT=15, INTEGER=31, BIGINT=63), "DECIMAL": (-MOST, MOST)})
    types = MappingProxyType({**Functions.types, "TIMESTAMPTZ": "TIMESTAMP", "TIMESTAMPLTZ": "TIMESTAMP"})
    summed = MappingProxyType({**dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT"), "BIGINT"), "DECIMAL": "DECIMAL"})
    length = "INTEGER"

    def is_tried(self, cast):
        """sqlglot takes every cast of Spark for one that is tried, as it was before ANSI mode."""
        return bool(cast.args.get("safe"))

    def type_of(self, kind):
        """A type as we call it."""
        found = super().type_of(kind)
        if found == "DECIMAL" and [each.name for each in kind.expressions] != ["38", "0"]:
            raise NotTotal(f"{kind.sql()}, which is not DECIMAL(38, 0)")
        return found

    def cast(self, of, to, *, safely=False):
        """The bytes of a text are BINARY."""
        return Value(to, null=of.null) if (of.kind, to) == ("VARCHAR", "BINARY") else super().cast(of, to, safely=safely)

    # ---- numbers

    def one(self, operation, of):
        """FLOOR and CEIL of a DOUBLE are BIGINT."""
        if operation in ("floor", "ceil") and of.kind == "DOUBLE":
            return self.cast(super().one(operation, of), "BIGINT")
        return super().one(operation, of)

    def two(self, operation, x, y):
        """DIV of DECIMAL is BIGINT; / of two has six digits after the point, and 32 before it."""
        if operation == "div" and "DECIMAL" in (x.kind, y.kind) and "DOUBLE" not in (x.kind, y.kind):
            found = super().two("quotient", x, y)
            if not -(10**32) < found.low <= found.high < 10**32:
                raise NotTotal(f"a quotient of DECIMAL from {found.low} to {found.high}")
            return found
        found = super().two(operation, x, y)
        return self.cast(found, "BIGINT") if operation == "quotient" else found

    def _two_reals(self, operation, x, y):
        if operation in ("div", "mod") and y.low <= 0 <= y.high:
            raise NotTotal(f"a division by {y.low} … {y.high}, which may be 0")
        return super()._two_reals(operation, x, y)

    def bits(self, operation, x, y):
        """DECIMAL has none."""
        if "DECIMAL" in (x.kind, y.kind):
            raise NotTotal("bits of DECIMAL")
        return super().bits(operation, x, y)

    # ---- functions

    def called(self, node, parts):
        """A function of values; None if it is not on the list."""
        match node:
            case exp.Like() if node.expression.is_string and parts[0].kind in TEXT:
                return Value("BOOLEAN") if _escapes(node.expression.name) else None
            case exp.RegexpLike() if node.expression.is_string and parts[0].kind in TEXT:
                return Value("BOOLEAN")
            case exp.RegexpExtract() if is_group(node, node.expression, node.args.get("group")) and parts[0].kind in TEXT:
                return Value("VARCHAR")
            case exp.RegexpReplace() if parts[0].kind in TEXT and all(part.literal for part in parts[1:]) and parts[2].low == "":
                return Value("VARCHAR")
            case exp.StartsWith() if parts[0].kind in TEXT and parts[1].literal:
                return Value("BOOLEAN")
            case exp.Hex() if parts[0].kind == "BINARY":
                return Value("VARCHAR")
            case exp.Collate() if parts[0].kind in TEXT:
                return replace(parts[0], literal=False)
            case exp.SafeDivide():
                return self._tried("div", *parts)
            case exp.ArraySort() | exp.ArraySlice():
                return parts[0]
            case exp.Anonymous():
                return self._by_name(node.name.upper(), parts)
        return super().called(node, parts)

    def timed(self, node, parts):
        """A function of a moment; None if it is not on the list."""
        match node:
            case exp.TsOrDsToDate() if parts[0].kind == "TIMESTAMP":
                return parts[0]  # what sqlglot adds
            case exp.DayOfWeek():
                self.of_our_years(parts[0])
                return self.whole(1, 7, "INTEGER")
            case exp.UnixMicros() if parts[0].kind == "TIMESTAMP":
                return self.every("BIGINT") if None in (parts[0].low, parts[0].high) else self._micros(parts[0])
        if type(node) in PARTS:
            return self.part_of_moment(PARTS[type(node)], parts[0], "INTEGER")
        return super().timed(node, parts)

    def _micros(self, of):
        return self.whole(micros(of.low), micros(of.high))

    def _tried(self, operation, x, y):
        """TRY_DIVIDE or TRY_MOD of DOUBLE: NULL where the second is 0."""
        if {x.kind, y.kind} != {"DOUBLE"}:
            raise NotTotal(f"{operation} of {x.kind} and {y.kind}, which is tried")
        return replace(super()._two_reals(operation, x, y), null=True)

    def _by_name(self, name, parts):
        kinds = [part.kind for part in parts]
        match name:
            case "TRY_MOD":
                return self._tried("mod", *parts)
            case "CONV" if parts[0].form == "60 bits" and [part.low for part in parts[1:]] == [16, 10]:
                return Value("VARCHAR")
            case "TIMESTAMP_MICROS" if kinds == ["BIGINT"]:
                return self.at_micros(parts[0])
            case "WEEKDAY":
                self.of_our_years(parts[0])
                return self.whole(0, 6, "INTEGER")
            case "DATE_PART" if parts[0].low == "YEAROFWEEK":
                return self.part_of_moment("ISOYEAR", parts[1], "INTEGER")
            case "IS_VALID_UTF8" if kinds[0] in TEXT:
                return Value("BOOLEAN")
            case "OCTET_LENGTH" if kinds[0] in TEXT:
                return self.whole(0, (1 << 31) - 1, "INTEGER")
            case "MAKE_VALID_UTF8" if kinds[0] in TEXT:
                return parts[0]
        return None


def _escapes(pattern):
    """Whether every backslash of a pattern stands before what it may stand before."""
    plain = pattern.replace("\\\\", "").replace("\\%", "").replace("\\_", "")
    return "\\" not in plain


SPARK = Spark()
