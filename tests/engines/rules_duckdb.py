"""DuckDB's rules: which of its functions are total; and how DuckDB itself reads a text."""

import json
from collections import Counter
from types import MappingProxyType

import sqlglot
from sqlglot import exp
from tests.engines.sql_functions import TEXT, Functions, is_group
from tests.engines.sql_values import NotTotal, Value, integers, micros
from tests.engines.total import TWO


class DuckDB(Functions):
    """Sums have 128 bits, numbers with a point never fail."""

    name = "duckdb"
    ends = integers(TINYINT=7, SMALLINT=15, INTEGER=31, BIGINT=63, HUGEINT=127)
    types = MappingProxyType({**Functions.types, "INT128": "HUGEINT"})
    summed = dict.fromkeys(ends, "HUGEINT")

    def called(self, node, parts):
        """A function of values; None if it is not on the list."""
        match node:
            case exp.Like() | exp.RegexpFullMatch() if node.expression.is_string and {part.kind for part in parts} <= set(TEXT):
                return Value("BOOLEAN")
            case exp.RegexpExtract() if is_group(node, node.expression, node.args.get("group")) and parts[0].kind in TEXT:
                return Value("VARCHAR")  # '' where nothing matches; the pattern is compiled whatever the rows are
            case exp.Anonymous(this="EPOCH_US") if parts[0].kind == "TIMESTAMP" and None not in (parts[0].low, parts[0].high):
                return self.whole(micros(parts[0].low), micros(parts[0].high))  # an infinite one has none
            case exp.UnixToTime() if parts[0].kind == "BIGINT":
                return self.at_micros(parts[0])
            case exp.Anonymous(this="BIT_COUNT") if parts[0].kind in self.ends:
                return self.whole(0, self.ends[parts[0].kind][1].bit_length() + 1, "TINYINT", null=parts[0].null)
        return super().called(node, parts)

    def bits(self, operation, x, y):
        """A shift to the right by what is below 0, or above the bits that there are, is 0."""
        if operation == "right" and x.kind in self.ends and y.kind in self.ends and x.low >= 0:
            kind = self._wider([x, y]) if x.literal else x.kind
            least, most = max(0, y.low), self.ends[kind][1].bit_length()
            low = 0 if y.low < 0 or y.high > most else x.low >> y.high
            return self.whole(low, x.high >> least if least <= most else 0, kind, null=x.null or y.null)
        return super().bits(operation, x, y)


DUCKDB = DuckDB()

# What DuckDB's own parser calls the same. Whether their arguments fit is decided above.
LISTED = frozenset(
    [
        "+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>", "||", "~~", "abs", "floor", "ceil", "count", "count_star",
        "sum", "min", "max", "least", "greatest", "lower", "trim", "left", "substring", "md5", "regexp_full_match",
        "date_part", "datepart", "unnest", "row_number", "dense_rank", "regexp_extract", "replace", "right", "epoch_us",
        "make_timestamp", "translate", "length", "date_trunc", "sqrt", "ln", "exp", "power", "bit_or", "bit_count",
    ]
)  # fmt: skip
SIGNS = {"+": "add", "*": "mul", "/": "div", "//": "quotient", "%": "mod"}


def census(sql):
    """How often sqlglot reads which cast and which operator on whole numbers."""
    found = Counter()
    for node in sqlglot.parse_one(sql, read="duckdb").walk():
        if isinstance(node, exp.Cast):
            found["TRY_CAST" if isinstance(node, exp.TryCast) else "CAST", DUCKDB.type_of(node.to)] += 1
        elif type(node) in TWO:
            found[TWO[type(node)]] += 1
    return found


def duckdb_census(tree):
    """The same as DuckDB reads it, from its json_serialize_sql. Raises NotTotal for a function that is not on the list."""
    found, stack = Counter(), [json.loads(tree)]
    if stack[0]["error"]:
        raise NotTotal(f"DuckDB cannot read it: {stack[0]}")
    while stack:
        node = stack.pop()
        stack += node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
        match node:
            case {"class": "CAST", "try_cast": safely, "type_expr": {"type_name": name}} | {
                "class": "CAST",
                "try_cast": safely,
                "cast_type": {"id": name},
            }:
                found["TRY_CAST" if safely else "CAST", DUCKDB.types.get(name.upper(), name.upper())] += 1
            case {"class": "FUNCTION" | "WINDOW", "function_name": name}:
                if name.casefold() not in LISTED:
                    raise NotTotal(f"DuckDB reads a function {name}, which is not on the list")
                sign = (
                    "neg"
                    if name == "-" and len(node.get("arguments", node.get("children", ()))) == 1
                    else {"-": "sub", **SIGNS}.get(name)
                )
                if sign not in (None, "neg"):
                    found[sign] += 1
    return found
