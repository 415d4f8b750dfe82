"""What is known of a value in SQL: its type and its range; and what operations make of them, or why they can fail.

Written from the rules of engines, not from the SQL writer. NULL is in every range unless ``null`` says otherwise; NaN is above
infinity.
"""

import math
import sys
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from types import MappingProxyType

from sqlglot import exp

ROWS = 1 << 33  # as many rows as a table may have
LEAST = 5e-324  # no float64 but 0 is nearer to 0
WRITTEN = ("BOOLEAN", "DATE", "DOUBLE", "FLOAT", "VARCHAR", "UUID")  # every value of these types has a text


class NotTotal(Exception):
    """An expression that some row or some public constant can make fail, or that is not on the list."""


@dataclass(frozen=True)
class Value:
    """A type, and of numbers, days and moments the least and the most that a value can be; None: anything.

    Of a truth value, ``told`` has what columns beside it are where it is true: the text of each, and its value. Of a number with
    a point, ``near`` is how near to 0 it comes unless it is 0. Of a text, ``form`` says what it is made of, and ``valid`` has the
    types that it was found to be a value of; of a count of rows, that it is one.
    """

    kind: str
    low: object = None
    high: object = None
    nan: bool = False
    null: bool = True
    literal: bool = False
    told: tuple = ()
    near: float = LEAST
    form: str = ""
    valid: frozenset = frozenset()
    never: bool = False  # whether there is no such value, unless it is NULL
    constant: bool = False  # whether a column of this value is the same on every row

    @property
    def least(self):
        """No value but 0 is nearer to 0 than this; endless if there is none but 0."""
        if self.low == self.high == 0:
            return math.inf
        away = self.low if self.low > 0 else -self.high if self.high < 0 else 0
        return max(away, self.near)


def integers(**bits):
    """The least and the most of types of whole numbers, by their bits beside the sign."""
    return {kind: (-(1 << each), (1 << each) - 1) for kind, each in bits.items()}


EPOCH, MICRO = datetime(1970, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 - what is stored has no zone


def micros(at):
    """A moment as microseconds since 1970."""
    return (at - EPOCH) // MICRO


def _cut_off(x, y):
    """The quotient without what is right of the point."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)


def _same(end):
    return end


def _endless(end):
    return isinstance(end, float) and math.isinf(end)


class Rules:
    """What most engines agree on."""

    name = ""  # as sqlglot has it
    ends = integers(TINYINT=7, SMALLINT=15, INTEGER=31, BIGINT=63)  # the narrower ones first
    types = MappingProxyType({"INT": "INTEGER", "TEXT": "VARCHAR", "TIMESTAMPNTZ": "TIMESTAMP"})  # by sqlglot's names
    summed = MappingProxyType({})  # of which type a SUM is
    clauses = frozenset()  # of a SELECT, beside those that all engines have
    folds = False  # whether it works constants out wherever they stand

    def type_of(self, kind):
        """A type as we call it."""
        written = getattr(kind.this, "value", str(kind.this))
        return self.types.get(written, written)

    def is_tried(self, cast):
        """Whether a cast gives NULL where it is not possible."""
        return isinstance(cast, exp.TryCast)

    def literal(self, node):
        """A constant."""
        match node:
            case exp.Null():
                return Value("NULL")
            case exp.Boolean():
                return Value("BOOLEAN", null=False)
            case exp.Literal(is_string=True):
                return Value("VARCHAR", node.name, node.name, null=False, literal=True)
        digits = node.name
        if digits.isdecimal():
            kinds = list(self.ends)[list(self.ends).index("INTEGER") :]
            kind = next(kind for kind in kinds if int(digits) <= self.ends[kind][1])
            return self.whole(int(digits), int(digits), kind, null=False, literal=True)
        if "e" not in digits.casefold():
            raise NotTotal(f"the decimal number {digits}")  # its type depends on its digits
        return Value("DOUBLE", float(digits), float(digits), null=False)

    def rows(self, node):
        """What stands after FROM and is neither a table nor a SELECT; None if that is nothing that we know."""
        return

    def called(self, node, parts):
        """A function of values; None if it is not on the list."""
        return

    def found_valid(self, node):
        """The type that a condition finds its argument to be a value of; None for all other conditions."""
        return

    def remainder_of(self, node):
        """The operands of a remainder that is written in another way than by an operator; None for all else."""
        return

    def every(self, kind):
        """Any value of this type."""
        if kind in self.ends:
            return Value(kind, *self.ends[kind])
        return Value(kind, -math.inf, math.inf, nan=True) if kind in ("DOUBLE", "FLOAT") else Value(kind)

    def fits(self, low, high, kind):
        """Whether every whole number from low to high is one of this type."""
        return self.ends[kind][0] <= low <= high <= self.ends[kind][1]

    def whole(self, low, high, kind="BIGINT", **more):
        """A whole number; it must fit into its type."""
        if not self.fits(low, high, kind):
            raise NotTotal(f"{kind} from {low} to {high}")
        return Value(kind, low, high, **more)

    # ---- one type out of several

    def merged(self, values):
        """One of several values, as the one type that they become side by side."""
        some = [each for each in values if each.kind != "NULL"]
        if not some:
            return Value("NULL")
        kind, some = self._alike(some)
        lows, highs = [each.low for each in some], [each.high for each in some]
        return Value(
            kind,
            None if None in lows or kind == "VARCHAR" else min(lows),
            None if None in highs or kind == "VARCHAR" else max(highs),
            any(each.nan for each in some),
            any(each.null for each in values),
            near=min((each.least for each in some), default=LEAST) if kind in ("DOUBLE", "NUMERIC") else LEAST,
            form=some[0].form if len({each.form for each in some}) == 1 else "",
        )

    def _alike(self, some):
        kinds = {each.kind for each in some}
        if kinds <= set(self.ends):
            return self._wider(some), some
        if kinds <= {*self.ends, "DOUBLE"}:
            return "DOUBLE", [self.real(each) for each in some]
        if kinds == {"DATE", "TIMESTAMP"}:
            return "TIMESTAMP", [self.moment(each) if each.kind == "DATE" else each for each in some]
        if len(kinds) == 1:
            return kinds.pop(), some
        raise NotTotal(f"{' beside '.join(sorted(kinds))}: one of them is cast silently")

    def _wider(self, values):
        """The type of whole numbers side by side: a literal takes that of the others where it fits into it."""
        kinds = list(self.ends)
        typed = [kinds.index(each.kind) for each in values if not each.literal]
        needed = [
            next(place for place, kind in enumerate(kinds) if self.fits(each.low, each.high, kind))
            for each in values
            if each.literal
        ]
        return kinds[max(typed + needed) if typed else max(2, *needed)]

    def real(self, of):
        """A number as DOUBLE: rounding keeps the order."""
        return of if of.kind == "DOUBLE" else Value("DOUBLE", float(of.low), float(of.high), null=of.null, near=1.0)

    def moment(self, of):
        """A day as its first moment."""
        if of.low is None or of.high is None:
            raise NotTotal("a day of any year as a moment")
        return Value("TIMESTAMP", of.low, of.high, null=of.null)

    def at_micros(self, of):
        """Microseconds since 1970 as a moment, of the years 1 to 9999."""
        first, last = micros(datetime.combine(date.min, time.min)), micros(datetime.combine(date.max, time.max))
        if not first <= of.low <= of.high <= last:
            raise NotTotal(f"a moment from {of.low} to {of.high} microseconds")
        return Value("TIMESTAMP", EPOCH + of.low * MICRO, EPOCH + of.high * MICRO, null=of.null)

    # ---- casts

    def cast(self, of, to, *, safely=False):
        """The value as another type; ``safely``: NULL where that is not possible."""
        if of.kind == "NULL":
            return Value(to, 0, 0) if to in self.ends else Value(to, 0.0, 0.0) if to == "DOUBLE" else Value(to)
        if of.kind == to:
            return replace(of, literal=False)
        if of.kind == "VARCHAR" and of.literal:
            return self._read(of.low, to)
        if safely:
            return self._cut(of, self.every(to))
        if to in self.ends and of.kind in ("BOOLEAN", "DOUBLE", *self.ends):
            return self._whole(of, to)
        match of.kind, to:
            case (("FLOAT" | "DECIMAL"), "DOUBLE"):
                return self.every(to)
            case _, "DOUBLE" if of.kind in self.ends:
                return self.real(of)
            case "DATE", "TIMESTAMP":
                return self.moment(of)
            case "TIMESTAMP", "DATE":
                return Value(to, of.low, of.high, null=of.null)
            case "TIMESTAMP", "VARCHAR" if None not in (of.low, of.high):
                return Value(to, null=of.null)
            case _, "VARCHAR" if of.kind in (*WRITTEN, *self.ends):
                return Value(to, null=of.null)
        raise NotTotal(f"{of.kind} as {to}")

    def _read(self, text, to):
        try:
            return self._constant(text, to)
        except ValueError:
            raise NotTotal(f"{text} as {to}") from None

    def _whole(self, of, to):
        low, high = (0, 1) if of.kind == "BOOLEAN" else (of.low, of.high)
        if of.nan or math.inf in (-low, high) or not self.fits(low, high, to):
            raise NotTotal(f"a {of.kind} from {low} to {high}{', or NaN,' * of.nan} as {to}")
        return Value(to, int(low), int(high), null=of.null)

    def _cut(self, of, found):
        """What TRY_CAST leaves of a range."""
        if found.kind not in self.ends or of.kind not in ("DOUBLE", *self.ends):
            return found
        low, high = max(of.low, found.low), min(of.high, found.high)
        return replace(found, low=int(low), high=int(high)) if low <= high else replace(found, low=0, high=0)

    def _constant(self, text, to):
        """A constant written as text. Raises ValueError if it cannot be read."""
        match to:
            case "DOUBLE":
                return Value(to, float(text), float(text), null=False)
            case "DATE":
                at = datetime.combine(date.fromisoformat(text), time.min)
                return Value(to, at, at, null=False)
            case "TIMESTAMP":
                return Value(to, datetime.fromisoformat(text), datetime.fromisoformat(text), null=False)
        raise NotTotal(f"a text as {to}")

    # ---- numbers

    def numeric(self, *values):
        """Refuses what is no number."""
        for each in values:
            if each.kind not in ("NULL", "DOUBLE", *self.ends):
                raise NotTotal(f"{each.kind} where a number is needed")

    def one(self, operation, of):
        """-x, |x|, floor(x) or ceil(x)."""
        self.numeric(of)
        if of.kind == "NULL":
            return of
        if operation == "neg":
            low, high = -of.high, -of.low
        elif operation == "abs":
            low, high = (0 * of.low if of.low <= 0 <= of.high else min(abs(of.low), abs(of.high))), max(abs(of.low), abs(of.high))
        elif of.kind == "DOUBLE":
            low, high = (end if math.isinf(end) else float(getattr(math, operation)(end)) for end in (of.low, of.high))
        else:
            low, high = of.low, of.high
        if of.kind in self.ends:
            return self.whole(low, high, of.kind, null=of.null, literal=of.literal)
        return replace(of, low=low, high=high, near=1.0 if operation in ("floor", "ceil") else of.near)

    def two(self, operation, x, y):
        """x + y, x - y, x * y, x / y, x // y or x % y."""
        self.numeric(x, y)
        null = x.null or y.null
        if "NULL" in (x.kind, y.kind):
            return Value("NULL")
        if operation == "div" or "DOUBLE" in (x.kind, y.kind):
            found = self._two_reals(operation, self.real(x), self.real(y))
            return replace(found, null=True if operation in ("div", "mod") else null)
        kind = self._wider([x, y])
        match operation:
            case "add":
                return self.whole(x.low + y.low, x.high + y.high, kind, null=null)
            case "sub":
                return self.whole(x.low - y.high, x.high - y.low, kind, null=null)
            case "mul":
                ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
                return self.whole(min(ends), max(ends), kind, null=null)
        if y.low <= 0 <= y.high:
            raise NotTotal(f"whole numbers divided by {y.low} to {y.high}")
        if y.low <= -1 <= y.high and x.low == self.ends[kind][0]:
            raise NotTotal(f"the least {kind} divided by -1")
        if operation == "quotient":
            ends = [_cut_off(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
            return self.whole(min(ends), max(ends), kind, null=null)
        most = min(max(abs(x.low), abs(x.high)), max(abs(y.low), abs(y.high)) - 1)
        return self.whole(0 if x.low >= 0 and y.low > 0 else -most, most if x.high > 0 or y.low < 0 else 0, kind, null=null)

    def _two_reals(self, operation, x, y):
        """In IEEE arithmetic, where nothing fails. Rounding is monotone, so that ends are rounded as values are."""
        pairs = [(a, b) for a in (x.low, x.high) for b in (y.low, y.high)]
        endless, zero = any(math.isinf(end) for end in (x.low, x.high, y.low, y.high)), y.low <= 0 <= y.high
        anything = Value("DOUBLE", -math.inf, math.inf, nan=True)
        match operation:
            case "add":
                ends = [a + b for a, b in pairs]
            case "sub":
                ends = [a - b for a, b in pairs]
            case "mul":
                ends = [a * b for a, b in pairs]
            case "div" if not zero:
                ends = [a / b for a, b in pairs]
            case "mod":
                most = max(abs(x.low), abs(x.high))
                return Value("DOUBLE", -most, most, nan=x.nan or y.nan or zero or math.isinf(most))
            case _:
                return anything
        if any(map(math.isnan, ends)):
            return anything
        return Value("DOUBLE", min(ends), max(ends), nan=x.nan or y.nan or endless)

    def curve(self, name, least, most, of):
        """SQRT, LN or EXP, which fail on what they are not defined on."""
        of = self.real(of)
        if of.nan or not least <= of.low <= of.high <= most:
            raise NotTotal(f"{name} of {of.low} to {of.high}{', or NaN,' * of.nan}")
        low, high = (end if math.isinf(end) else getattr(math, name)(end) for end in (of.low, of.high))
        return replace(of, low=low - abs(low) * 1e-12, high=high + abs(high) * 1e-12)  # libraries differ in their last digits

    def power(self, of, exponent):
        """A power that is not whole: of what is below 0 it fails on some engines, and of 0 it may be infinite."""
        of = self.real(of)
        if exponent.low != exponent.high or of.nan or of.low < (0.0 if exponent.low > 0 else sys.float_info.min):
            raise NotTotal(f"{of.low} to {of.high} to the power of {exponent.low}")
        return Value("DOUBLE", 0.0, math.inf, null=of.null)

    def bits(self, operation, x, y):
        """x & y, x | y, x << y or x >> y."""
        if x.kind not in self.ends or y.kind not in self.ends:
            raise NotTotal(f"bits of {x.kind} and {y.kind}")
        null = x.null or y.null
        kind = self._wider([x, y]) if operation in ("and", "or") or x.literal else x.kind
        match operation:
            case "and":
                some = [each.high for each in (x, y) if each.low >= 0]
                return self.whole(0, min(some), kind, null=null) if some else replace(self.every(kind), null=null)
            case "or":
                if min(x.low, y.low) < 0:
                    raise NotTotal("bits of a number below 0")
                return self.whole(max(x.low, y.low), (1 << max(x.high, y.high).bit_length()) - 1, kind, null=null)
        if y.low < 0 or y.high > self.ends[kind][1].bit_length() or (operation == "left" and x.low < 0):
            raise NotTotal(f"a shift of {x.low} … {x.high} by {y.low} … {y.high} in {kind}")
        if operation == "left":
            return self.whole(x.low << y.low, x.high << y.high, kind, null=null)
        ends = [a >> b for a in (x.low, x.high) for b in (y.low, y.high)]
        return self.whole(min(ends), max(ends), kind, null=null)

    def any_bit(self, of):
        """BIT_OR over rows: the bits that some of them have. NULL where there are none."""
        if of.kind not in self.ends or of.low < 0:
            raise NotTotal(f"bits of {of.kind} from {of.low} on")
        return self.whole(0, (1 << of.high.bit_length()) - 1, of.kind, null=True)

    def total(self, of):
        """SUM over the rows of a table. Numbers with a point are never added up: their sum depends on the order."""
        if of.kind == "NULL" or of.kind not in self.ends:
            raise NotTotal(f"SUM of {of.kind}")
        if of.form == "rows":  # of groups: all of them together are no more than the rows of the table
            return self.whole(0, ROWS, self.summed[of.kind], form="rows")
        return self.whole(min(0, of.low) * ROWS, max(0, of.high) * ROWS, self.summed[of.kind])

    def choice(self, operation, values):
        """LEAST, GREATEST or COALESCE, all of which skip NULL."""
        if operation == "coalesce":  # what comes after a value that is never NULL is never met
            first = next((place for place, each in enumerate(values) if not each.null and each.kind != "NULL"), len(values))
            met = values[: first + 1]
            values = met if self.merged(met).kind == self.merged(values).kind else values
        found = self.merged(values)
        sure = [each for each in values if not each.null and each.kind != "NULL"]
        if operation == "coalesce" or not sure or found.low is None or found.high is None:
            return replace(found, null=not sure)
        if operation == "least":  # NaN is above all others
            return replace(
                found, high=min(found.high, *(each.high for each in sure)), nan=all(each.nan for each in sure), null=False
            )
        return replace(found, low=max(found.low, *(each.low for each in sure)), null=False)

    # ---- what a condition tells

    def within(self, of, low=None, high=None, *, nan=None):
        """The value, known to be between two values too. If there is none, nothing happens there, and one stands for all."""
        if of.kind not in ("DOUBLE", "DATE", "TIMESTAMP", *self.ends):
            return of
        up, down = (math.ceil, math.floor) if of.kind in self.ends and of.kind != "NUMERIC" else (_same, _same)
        least = of.low if low is None or _endless(low) else up(low) if of.low is None else max(of.low, up(low))
        most = of.high if high is None or _endless(high) else down(high) if of.high is None else min(of.high, down(high))
        nan = of.nan if nan is None else nan
        never = least is not None and most is not None and least > most
        if never:
            least = most = up(low) if low is not None and not _endless(low) else down(high)
        return replace(of, low=least, high=most, nan=nan, never=never and not nan)
