"""PostgreSQL's rules. Its numbers with a point raise where they overflow or underflow, and its casts where they fail.

It works constants out while it plans, also in branches that no row takes: a condition tells nothing of them but what other
constants do.
"""

import math
import sys
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from fractions import Fraction
from types import MappingProxyType

import sqlglot
from sqlglot import exp
from tests.engines.sql_functions import TEXT, Functions
from tests.engines.sql_values import EPOCH, MICRO, NotTotal, Value, integers, micros

from discreet.engines.postgres.remainders import remainder

LARGEST = sys.float_info.max
LATEST = micros(datetime.combine(date.max, time.max))
SLACK = 1e-15  # a few of the last digits, on which libraries differ
VALID = {"date": "DATE", "timestamp": "TIMESTAMP", "bigint": "BIGINT", "double precision": "DOUBLE"}
STATES = {"FLOAT8_AVG": 3, "FLOAT8_REGR_INTERCEPT": 6}  # plain arithmetic in C on an array of so many, none of them NULL
INTERVALS = {"DAY": timedelta(days=1) // MICRO, "MICROSECOND": 1}


class Postgres(Functions):
    """What is known of PostgreSQL 16 and later."""

    name = "postgres"
    ends = MappingProxyType({**integers(TINYINT=7, SMALLINT=15, INTEGER=31, BIGINT=63), "NUMERIC": (-(1 << 4000), 1 << 4000)})
    types = MappingProxyType({**Functions.types, "DECIMAL": "NUMERIC", "TIMESTAMPTZ": "TIMESTAMP"})
    summed = MappingProxyType({"SMALLINT": "BIGINT", "INTEGER": "BIGINT", "BIGINT": "NUMERIC", "NUMERIC": "NUMERIC"})
    clauses = frozenset({"offset"})
    folds = True
    length = "INTEGER"

    def every(self, kind):
        """Any value of this type; a numeric has no end, and comes as near to 0 as it likes."""
        return Value(kind, -math.inf, math.inf, nan=True, near=0) if kind == "NUMERIC" else super().every(kind)

    def _alike(self, some):
        """A constant in quotes takes the type of what stands beside it."""
        others = {each.kind for each in some} - {"VARCHAR"}
        if len(others) == 1 and all(each.literal for each in some if each.kind == "VARCHAR"):
            some = [self._constant(each.low, *others) if each.kind == "VARCHAR" else each for each in some]
        return super()._alike(some)

    def real(self, of):
        """A number as DOUBLE: a numeric that is too large or too small for it raises."""
        is_small = of.least < Fraction(1, 1 << 1075)  # that itself raises too: a test on the server has it
        if of.kind == "NUMERIC" and (of.nan or max(-of.low, of.high) > LARGEST or is_small):
            raise NotTotal(f"NUMERIC from {of.low} to {of.high} as DOUBLE")
        return super().real(of)

    def type_of(self, kind):
        """A type as we call it: bits by how many there are."""
        found = super().type_of(kind)
        return f"BIT({kind.expressions[0].name})" if found == "BIT" else found

    # ---- casts

    def cast(self, of, to, *, safely=False):
        """The value as another type: it raises where that is not possible."""
        if safely:
            raise NotTotal("PostgreSQL has no TRY_CAST")
        match of.kind, to:
            case "VARCHAR", _ if to in of.valid:
                return self.every(to)
            case "VARCHAR", "BIT(60)" if of.form == "x60":
                return Value(to, null=of.null)
            case "BIT(60)", "BIGINT":
                return self.whole(0, (1 << 60) - 1, null=of.null)
            case "BOOLEAN", "BIGINT":
                raise NotTotal("BOOLEAN as BIGINT")  # only as INTEGER
            case "NUMERIC", "DOUBLE":
                return self.real(of)
            case "NUMERIC", "VARCHAR":
                return Value(to, null=of.null)
        return super().cast(of, to)

    def found_valid(self, node):
        """The type in PG_INPUT_IS_VALID(x, type)."""
        return VALID.get(node.expressions[1].name) if node.name.upper() == "PG_INPUT_IS_VALID" else None

    def _constant(self, text, to):
        match to:
            case "NUMERIC":
                number = Fraction(text) if text != "NaN" else 0
                return Value(to, number, number, nan=text == "NaN", null=False, near=0)
            case "DOUBLE" if math.isinf(found := float(text)) and "inf" not in text.casefold():
                raise NotTotal(f"{text} is {found}")
            case "DOUBLE" if float(text) == 0 and any(digit in "123456789" for digit in text.casefold().partition("e")[0]):
                raise NotTotal(f"{text} is too small")
            case "DOUBLE" if text.casefold() == "nan":
                return Value(to, math.inf, -math.inf, nan=True, null=False)  # no other number is among them
        return super()._constant(text, to)

    # ---- numbers

    def one(self, operation, of):
        """Of a numeric without ends its size has one, and nothing fails."""
        if of.kind == "NUMERIC" and operation in ("abs", "neg") and math.isinf(of.high):
            return replace(of, low=0 if operation == "abs" else -of.high, high=max(-of.low, of.high))
        return super().one(operation, of)

    def two(self, operation, x, y):
        """Quotients of whole numbers are whole; days times a number, and moments that many days later."""
        if "INTERVAL" in (x.kind, y.kind):
            return self._later(operation, x, y)
        both = {x.kind, y.kind}
        if operation == "div" and both <= set(self.ends):
            if "NUMERIC" in both:
                raise NotTotal("a quotient of NUMERIC, which has digits after the point")
            operation = "quotient"
        return super().two(operation, x, y)

    def _two_reals(self, operation, x, y):
        """Raises where a result overflows though no operand is endless, and where it is 0 though none is."""
        found = super()._two_reals(operation, x, y)
        (a, b), (c, d) = ((max(each.low, -LARGEST), min(each.high, LARGEST)) for each in (x, y))
        match operation:
            case "add":
                ends = [a + c, b + d]
            case "sub":
                ends = [a - d, b - c]
            case "mul":
                ends = [one * other for one in (a, b) for other in (c, d)]
                if min(x.least, 1e300) * min(y.least, 1e300) == 0:
                    raise NotTotal(f"a product of {x.low} … {x.high} and {y.low} … {y.high} that underflows")
                found = replace(found, near=max(x.least * y.least, 5e-324))
            case "div":
                if c <= 0 <= d:
                    raise NotTotal(f"a division by {y.low} … {y.high}")
                ends = [one / other for one in (a, b) for other in (c, d)]
                if min(x.least, 1e300) / max(abs(c), abs(d)) == 0:
                    raise NotTotal(f"{x.low} … {x.high} divided by {y.low} … {y.high}, which underflows")
            case _:
                raise NotTotal("DOUBLE has no remainder")
        if any(map(math.isinf, ends)):
            raise NotTotal(f"{operation} of {x.low} … {x.high} and {y.low} … {y.high} overflows")
        return found

    def curve(self, name, least, most, of):
        """EXP of what is far below 0 underflows: the ends that all engines share leave room."""
        return replace(super().curve(name, least, most, of), near=5e-324)

    def power(self, of, exponent):
        """Raises where the result is 0, endless, or has fewer digits."""
        found = super().power(of, exponent)
        for end in {of.low, of.high} - {0.0}:
            if not sys.float_info.min * (1 + SLACK) <= _power(end, exponent.low) <= LARGEST * (1 - SLACK):
                raise NotTotal(f"{end} to the power of {exponent.low}")
        if of.low == 0.0:
            raise NotTotal("powers of what comes near to 0")
        return found

    def remainder_of(self, node):
        """A remainder is written out by ``remainders``, which has tests of its own."""
        if not isinstance(node.args.get("default"), exp.Subquery):
            return None
        lost = node.args["ifs"][0].this
        if not (isinstance(lost, exp.Or) and isinstance(lost.this.this, exp.Abs)):
            return None
        x, y = lost.this.this.this, lost.expression.this
        same = sqlglot.parse_one(remainder(x.sql("postgres"), y.sql("postgres")), read="postgres")
        return (x, y) if same == node else None

    def remainder(self, x, y):
        """NaN where x has no end or y is 0."""
        if (x.kind, y.kind) != ("DOUBLE", "DOUBLE"):
            raise NotTotal(f"a remainder of {x.kind} and {y.kind}")
        most = max(-x.low, x.high)
        return Value("DOUBLE", -most, most, nan=True)

    # ---- days and moments

    def _later(self, operation, x, y):
        match operation, x.kind, y.kind:
            case "mul", "BIGINT" | "INTEGER", "INTERVAL":
                low, high = x.low * y.low, x.high * y.low
                if max(-low, high) > LATEST:
                    raise NotTotal(f"{x.low} … {x.high} times an interval")
                return Value("INTERVAL", low, high, null=x.null)
            case "add", "TIMESTAMP", "INTERVAL" if None not in (x.low, x.high):
                first, last = micros(x.low) + y.low, micros(x.high) + y.high
                return Value("TIMESTAMP", _moment(first), _moment(last), null=x.null or y.null)  # a day beyond our years is one
        raise NotTotal(f"{operation} of {x.kind} and {y.kind}")

    def part_of_moment(self, name, of, kind="BIGINT"):
        """EXTRACT(EPOCH …) is NUMERIC and exact, and DATE_PART is DOUBLE."""
        if name == "EPOCH":
            low, high = (Fraction(micros(end), 10**6) for end in _ends(self.of_our_years(of)))
            return Value("NUMERIC", low, high, null=of.null)
        return self.real(super().part_of_moment(name, of))

    # ---- functions and rows

    def called(self, node, parts):
        """A function of values; None if it is not on the list."""
        match node:
            case exp.Escape(this=exp.Like() as like) if node.expression.name == "" and like.expression.is_string:
                return Value("BOOLEAN")
            case exp.Like() if isinstance(node.parent, exp.Escape) or "\\" not in node.expression.name:
                return Value("BOOLEAN") if parts[0].kind in TEXT and node.expression.is_string else None
            case exp.AtTimeZone() if node.args["zone"].name == "UTC" and parts[0].kind == "TIMESTAMP":
                return parts[0]
            case exp.Nullif():
                return replace(self.merged(parts), null=True)
            case exp.Interval() if node.this.name == "1":
                return Value("INTERVAL", *(INTERVALS[node.text("unit").upper()],) * 2, null=False)
            case exp.Array() if parts and all(part.kind == "DOUBLE" and not part.null for part in parts):
                return Value("STATE", told=tuple(parts))
            case exp.Anonymous():
                return self._by_name(node.name.upper(), parts)
        return self._of_text(node, parts) or super().called(node, parts)

    @staticmethod
    def _of_text(node, parts):
        match node:
            case exp.RegexpLike() if parts[0].kind in TEXT and node.expression.is_string:
                return Value("BOOLEAN")
            case exp.RegexpReplace() if parts[0].kind in TEXT and all(part.literal for part in parts[1:]) and parts[2].low == "":
                return Value("VARCHAR", null=parts[0].null)
            case exp.RegexpSubstr() if parts[0].kind in TEXT and all(part.literal for part in parts[1:]):
                return Value("VARCHAR")
            case exp.Collate() if parts[0].kind in TEXT:
                return replace(parts[0], literal=False)
            case exp.Identifier(this="C"):
                return Value("NULL")
            case exp.DPipe() if parts[0].literal and parts[0].low == "x" and parts[1].form == "60 bits":
                return Value("VARCHAR", form="x60", null=parts[1].null)
            case exp.MD5() if parts[0].kind == "BYTEA":
                return Value("VARCHAR", form="hex", null=parts[0].null)
        return None

    def _by_name(self, name, parts):
        kinds = [part.kind for part in parts]
        if name in STATES and kinds == ["STATE"] and len(parts[0].told) == STATES[name]:
            return replace(self._of_state(name, parts[0].told), nan=True, null=True)
        if name == "PG_INPUT_IS_VALID" and kinds[0] in TEXT and parts[1].literal:
            return Value("BOOLEAN")
        if name == "CONVERT_TO" and kinds[0] in TEXT and parts[1].low == "UTF8":
            return Value("BYTEA")
        return Value("NUMERIC", -math.inf, math.inf, near=0) if name == "TRIM_SCALE" and kinds == ["NUMERIC"] else None

    def _of_state(self, name, state):
        """x / y of (y, x, …), and c - a * d of (1, a, 1, c, …, d), where nothing raises."""
        plain = super()._two_reals
        if name == "FLOAT8_AVG":
            return plain("div", state[1], state[0])
        if any((each.low, each.high) != (1.0, 1.0) for each in (state[0], state[2])):
            raise NotTotal("an intercept that stands for nothing that we know")
        return plain("sub", state[3], plain("mul", state[1], state[5]))

    def rows(self, node):
        """Constants of a lookup: arrays side by side."""
        if not isinstance(node, exp.Unnest):
            return None
        names = [each.name for each in node.args["alias"].columns]
        return {name: self._listed(array) for name, array in zip(names, node.expressions, strict=True)}

    def _listed(self, array):
        kind = self.type_of(array.to.expressions[0])
        if kind not in ("BIGINT", "DOUBLE"):
            return self.every(kind)
        elements = [each for each in array.this.name[1:-1].split(",") if each not in ("", "NULL")]
        numbers = [float(each) if kind == "DOUBLE" else int(each) for each in elements]
        return Value(kind, min(numbers, default=0), max(numbers, default=0))


def _power(x, exponent):
    try:
        return math.pow(x, exponent) if math.isfinite(x) else math.inf
    except OverflowError:
        return math.inf


def _ends(of):
    return (each if isinstance(each, datetime) else datetime.combine(each, time.min) for each in (of.low, of.high))


def _moment(at):
    first, last = micros(datetime.combine(date.min, time.min)), LATEST
    return EPOCH + at * MICRO if first <= at <= last else None


POSTGRES = Postgres()
