"""What is known of a value in SQL: its type and its range; and what operations make of them, or why they can fail.

Written from DuckDB's rules, not from the SQL writer. NULL is in every range unless ``null`` says otherwise; NaN is above
infinity.
"""

import math
import sys
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

ROWS = 1 << 33  # as many rows as a table may have
WHOLE = {"TINYINT": 7, "SMALLINT": 15, "INTEGER": 31, "BIGINT": 63, "HUGEINT": 127}  # bits beside the sign
WRITTEN = ("BOOLEAN", "DATE", "DOUBLE", "FLOAT", "VARCHAR", "UUID", *WHOLE)  # every value of these types has a text


class NotTotal(Exception):
    """An expression that some row or some public constant can make fail, or that is not on the list."""


@dataclass(frozen=True)
class Value:
    """A type, and of numbers, days and moments the least and the most that a value can be; None: anything.

    Of a truth value, ``told`` has what columns beside it are where it is true: the text of each, and its value.
    """

    kind: str
    low: object = None
    high: object = None
    nan: bool = False
    null: bool = True
    literal: bool = False
    told: tuple = ()


def every(kind):
    """Any value of this type."""
    if kind in WHOLE:
        return Value(kind, -(1 << WHOLE[kind]), (1 << WHOLE[kind]) - 1)
    return Value(kind, -math.inf, math.inf, nan=True) if kind in ("DOUBLE", "FLOAT") else Value(kind)


def fits(low, high, kind):
    """Whether every whole number from low to high is one of this type."""
    return -(1 << WHOLE[kind]) <= low <= high < 1 << WHOLE[kind]


def whole(low, high, kind="BIGINT", **more):
    """A whole number; it must fit into its type."""
    if not fits(low, high, kind):
        raise NotTotal(f"{kind} from {low} to {high}")
    return Value(kind, low, high, **more)


# ---- one type out of several


def merged(values):
    """One of several values, as the one type that they become side by side."""
    some = [each for each in values if each.kind != "NULL"]
    if not some:
        return Value("NULL")
    kind, some = _alike(some)
    lows, highs = [each.low for each in some], [each.high for each in some]
    return Value(
        kind,
        None if None in lows or kind == "VARCHAR" else min(lows),
        None if None in highs or kind == "VARCHAR" else max(highs),
        any(each.nan for each in some),
        any(each.null for each in values),
    )


def _alike(some):
    kinds = {each.kind for each in some}
    if kinds <= set(WHOLE):
        return _wider(some), some
    if kinds <= {*WHOLE, "DOUBLE"}:
        return "DOUBLE", [real(each) for each in some]
    if kinds == {"DATE", "TIMESTAMP"}:
        return "TIMESTAMP", [moment(each) if each.kind == "DATE" else each for each in some]
    if len(kinds) == 1:
        return kinds.pop(), some
    raise NotTotal(f"{' beside '.join(sorted(kinds))}: one of them is cast silently")


def _wider(values):
    """The type of whole numbers side by side: a literal takes that of the others where it fits into it."""
    kinds = list(WHOLE)
    typed = [kinds.index(each.kind) for each in values if not each.literal]
    needed = [
        next(place for place, kind in enumerate(kinds) if fits(each.low, each.high, kind)) for each in values if each.literal
    ]
    return kinds[max(typed + needed) if typed else max(2, *needed)]


def real(of):
    """A number as DOUBLE: rounding keeps the order."""
    return of if of.kind == "DOUBLE" else Value("DOUBLE", float(of.low), float(of.high), null=of.null)


def moment(of):
    """A day as its first moment."""
    if of.low is None or of.high is None:
        raise NotTotal("a day of any year as a moment")
    return Value("TIMESTAMP", of.low, of.high, null=of.null)


EPOCH, MICRO = datetime(1970, 1, 1), timedelta(microseconds=1)  # noqa: DTZ001 - what is stored has no zone


def micros(at):
    """A moment as microseconds since 1970."""
    return (at - EPOCH) // MICRO


def at_micros(of):
    """Microseconds since 1970 as a moment, of the years 1 to 9999."""
    first, last = micros(datetime.combine(date.min, time.min)), micros(datetime.combine(date.max, time.max))
    if not first <= of.low <= of.high <= last:
        raise NotTotal(f"a moment from {of.low} to {of.high} microseconds")
    return Value("TIMESTAMP", EPOCH + of.low * MICRO, EPOCH + of.high * MICRO, null=of.null)


# ---- casts


def cast(of, to, *, safely=False):
    """The value as another type; ``safely``: NULL where that is not possible."""
    if of.kind == "NULL":
        return Value(to, 0, 0) if to in WHOLE else Value(to, 0.0, 0.0) if to == "DOUBLE" else Value(to)
    if of.kind == to:
        return replace(of, literal=False)
    if of.kind == "VARCHAR" and of.literal:
        return _constant(of.low, to)
    if safely:
        return _cut(of, every(to))
    if to in WHOLE and of.kind in ("BOOLEAN", "DOUBLE", *WHOLE):
        return _whole(of, to)
    match of.kind, to:
        case (("FLOAT" | "DECIMAL"), "DOUBLE"):
            return every(to)
        case _, "DOUBLE" if of.kind in WHOLE:
            return real(of)
        case "DATE", "TIMESTAMP":
            return moment(of)
        case "TIMESTAMP", "DATE":
            return Value(to, of.low, of.high, null=of.null)
        case "TIMESTAMP", "VARCHAR" if None not in (of.low, of.high):
            return Value(to, null=of.null)
        case _, "VARCHAR" if of.kind in WRITTEN:
            return Value(to, null=of.null)
    raise NotTotal(f"{of.kind} as {to}")


def _whole(of, to):
    low, high = (0, 1) if of.kind == "BOOLEAN" else (of.low, of.high)
    if of.nan or math.inf in (-low, high) or not fits(low, high, to):
        raise NotTotal(f"a {of.kind} from {low} to {high}{', or NaN,' * of.nan} as {to}")
    return Value(to, int(low), int(high), null=of.null)


def _cut(of, found):
    """What TRY_CAST leaves of a range."""
    if found.kind not in WHOLE or of.kind not in ("DOUBLE", *WHOLE):
        return found
    low, high = max(of.low, found.low), min(of.high, found.high)
    return replace(found, low=int(low), high=int(high)) if low <= high else replace(found, low=0, high=0)


def _constant(text, to):
    """A constant written as text. If it cannot be read, the statement fails whatever the rows are: that is public."""
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


def numeric(*values):
    """Refuses what is no number."""
    for each in values:
        if each.kind not in ("NULL", "DOUBLE", *WHOLE):
            raise NotTotal(f"{each.kind} where a number is needed")


def one(operation, of):
    """-x, |x|, floor(x) or ceil(x)."""
    numeric(of)
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
    if of.kind in WHOLE:
        return whole(low, high, of.kind, null=of.null, literal=of.literal)
    return replace(of, low=low, high=high)


def two(operation, x, y):
    """x + y, x - y, x * y, x / y, x // y or x % y."""
    numeric(x, y)
    null = x.null or y.null
    if "NULL" in (x.kind, y.kind):
        return Value("NULL")
    if operation == "div" or "DOUBLE" in (x.kind, y.kind):
        return replace(_two_reals(operation, real(x), real(y)), null=True if operation in ("div", "mod") else null)
    kind = _wider([x, y])
    match operation:
        case "add":
            return whole(x.low + y.low, x.high + y.high, kind, null=null)
        case "sub":
            return whole(x.low - y.high, x.high - y.low, kind, null=null)
        case "mul":
            ends = [a * b for a in (x.low, x.high) for b in (y.low, y.high)]
            return whole(min(ends), max(ends), kind, null=null)
    if y.low <= 0 <= y.high:
        raise NotTotal(f"whole numbers divided by {y.low} to {y.high}")
    if y.low <= -1 <= y.high and x.low == -(1 << WHOLE[kind]):
        raise NotTotal(f"the least {kind} divided by -1")
    most = max(abs(x.low), abs(x.high))
    if operation == "mod":
        most = min(most, max(abs(y.low), abs(y.high)) - 1)
    return whole(0 if x.low >= 0 and y.low > 0 else -most, most if x.high > 0 or y.low < 0 else 0, kind, null=null)


def _two_reals(operation, x, y):
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


def curve(name, least, most, of):
    """SQRT, LN or EXP, which fail on what they are not defined on."""
    of = real(of)
    if of.nan or not least <= of.low <= of.high <= most:
        raise NotTotal(f"{name} of {of.low} to {of.high}{', or NaN,' * of.nan}")
    low, high = (end if math.isinf(end) else getattr(math, name)(end) for end in (of.low, of.high))
    return replace(of, low=low - abs(low) * 1e-12, high=high + abs(high) * 1e-12)  # libraries differ in their last digits


def power(of, exponent):
    """A power that is not whole: of what is below 0 it fails on some engines, and of 0 it may be infinite."""
    of = real(of)
    if of.nan or of.low < (0.0 if exponent > 0 else sys.float_info.min):
        raise NotTotal(f"{of.low} to {of.high} to the power of {exponent}")
    return Value("DOUBLE", 0.0, math.inf, null=of.null)


def bits(operation, x, y):
    """x & y, x | y, x << y or x >> y."""
    if x.kind not in WHOLE or y.kind not in WHOLE:
        raise NotTotal(f"bits of {x.kind} and {y.kind}")
    null, kind = x.null or y.null, _wider([x, y]) if operation in ("and", "or") else x.kind if not x.literal else _wider([x, y])
    match operation:
        case "and":
            some = [each.high for each in (x, y) if each.low >= 0]
            return whole(0, min(some), kind, null=null) if some else replace(every(kind), null=null)
        case "or":
            if min(x.low, y.low) < 0:
                raise NotTotal("bits of a number below 0")
            return whole(max(x.low, y.low), (1 << max(x.high, y.high).bit_length()) - 1, kind, null=null)
    if y.low < 0 or y.high > WHOLE[kind] or (operation == "left" and x.low < 0):
        raise NotTotal(f"a shift of {x.low} … {x.high} by {y.low} … {y.high} in {kind}")
    if operation == "left":
        return whole(x.low << y.low, x.high << y.high, kind, null=null)
    ends = [a >> b for a in (x.low, x.high) for b in (y.low, y.high)]
    return whole(min(ends), max(ends), kind, null=null)


def total(of):
    """SUM over the rows of a table. Numbers with a point are never added up: their sum depends on the order."""
    if of.kind == "NULL" or of.kind not in WHOLE:
        raise NotTotal(f"SUM of {of.kind}")
    return whole(min(0, of.low) * ROWS, max(0, of.high) * ROWS, "HUGEINT")


def choice(operation, values):
    """LEAST, GREATEST or COALESCE, all of which skip NULL."""
    found = merged(values)
    sure = [each for each in values if not each.null and each.kind != "NULL"]
    if operation == "coalesce" or not sure or found.low is None or found.high is None:
        return replace(found, null=not sure)
    if operation == "least":  # NaN is above all others
        return replace(
            found, high=min(found.high, *(each.high for each in sure)), nan=all(each.nan for each in sure), null=False
        )
    return replace(found, low=max(found.low, *(each.low for each in sure)), null=False)


# ---- what a condition tells


def within(of, low=None, high=None, *, nan=None):
    """The value, known to be between two values too. If there is none, nothing happens there, and one stands for all."""
    if of.kind not in ("DOUBLE", "DATE", "TIMESTAMP", *WHOLE):
        return of
    up, down = (math.ceil, math.floor) if of.kind in WHOLE else (_same, _same)
    least = of.low if low is None or _endless(low) else up(low) if of.low is None else max(of.low, up(low))
    most = of.high if high is None or _endless(high) else down(high) if of.high is None else min(of.high, down(high))
    if least is not None and most is not None and least > most:
        most = least
    return replace(of, low=least, high=most, nan=of.nan if nan is None else nan)


def _same(end):
    return end


def _endless(end):
    return isinstance(end, float) and math.isinf(end)
