"""Whether a statement can fail: a reading of its text that knows which functions, operators and casts are total, and on what.

Nothing here knows the SQL writer. A stored column has every value of its type; literals, CASE, LEAST, GREATEST and arithmetic
give ranges. WHERE and FILTER do not, since an engine may work a value out before it tests the row; the branches of a CASE do.
"""

import importlib.util
import json
import math
import re
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from pathlib import Path

import sqlglot
from sqlglot import exp

_spec = importlib.util.spec_from_file_location("sql_values", Path(__file__).with_name("sql_values.py"))
values = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(values)
NotTotal, Value = values.NotTotal, values.Value

Columns = Mapping[str, Value]

CLAUSES = {"expressions", "from_", "joins", "where", "group", "having", "distinct", "kind"}
NAMES = {"INT": "INTEGER", "TEXT": "VARCHAR", "INT128": "HUGEINT", "TIMESTAMPNTZ": "TIMESTAMP"}
COMPARED = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
ONE = {exp.Neg: "neg", exp.Abs: "abs", exp.Floor: "floor", exp.Ceil: "ceil"}
TWO = {exp.Add: "add", exp.Sub: "sub", exp.Mul: "mul", exp.Div: "div", exp.IntDiv: "quotient", exp.Mod: "mod"}
BITS = {exp.BitwiseAnd: "and", exp.BitwiseOr: "or", exp.BitwiseLeftShift: "left", exp.BitwiseRightShift: "right"}
CHOICES = {exp.Least: "least", exp.Greatest: "greatest", exp.Coalesce: "coalesce"}
NUMBERED = (exp.RowNumber, exp.DenseRank)
PARTS = {
    "YEAR": (1, 9999),
    "QUARTER": (1, 4),
    "MONTH": (1, 12),
    "DAY": (1, 31),
    "HOUR": (0, 23),
    "MINUTE": (0, 59),
    "ISODOW": (1, 7),
    "DAYOFWEEK": (0, 6),
    "WEEK": (1, 53),
    "ISOYEAR": (1, 9999),
    "DAYOFYEAR": (1, 366),
}
PERIODS = {"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "HOUR"}
LONGEST = 1 << 20  # characters of a text that a column holds
CURVES = {exp.Sqrt: ("sqrt", 0.0, math.inf), exp.Ln: ("log", sys.float_info.min, math.inf), exp.Exp: ("exp", -700.0, 700.0)}

# What DuckDB's own parser calls the same. Whether their arguments fit is decided above.
DUCKDB = frozenset(
    [
        "+", "-", "*", "/", "//", "%", "&", "|", "<<", ">>", "||", "~~", "abs", "floor", "ceil", "count", "count_star",
        "sum", "min", "max", "least", "greatest", "lower", "trim", "left", "substring", "md5", "regexp_full_match",
        "date_part", "datepart", "unnest", "row_number", "dense_rank", "regexp_extract", "replace", "right", "epoch_us",
        "make_timestamp", "translate", "length", "date_trunc", "sqrt", "ln", "exp", "power",
    ]
)  # fmt: skip


@dataclass
class Scope:
    """The columns that a SELECT can name, and what the branch of a CASE knows beside that."""

    tables: dict[str, Columns] = field(default_factory=dict)
    narrowed: dict[str, Value] = field(default_factory=dict)

    def column(self, name, table):
        """The value of a column."""
        for alias, columns in self.tables.items():
            if name in columns and table in ("", alias):
                return columns[name]
        raise NotTotal(f"there is no column {name}")

    def known(self, name):
        """The value of a column, if there is one of this name."""
        return next((columns[name] for columns in self.tables.values() if name in columns), None)

    def knowing(self, more):
        """The same in a branch."""
        return Scope(self.tables, {**self.narrowed, **more})


def check(sql, tables, dialect="duckdb"):
    """The columns that a statement gives. Raises NotTotal if it can fail."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 20_000))
    try:
        parsed = sqlglot.parse_one(sql, read=dialect)
        return _select(parsed.expression if isinstance(parsed, exp.Create) else parsed, tables)
    finally:
        sys.setrecursionlimit(before)  # other tests rely on it


# ---- rows


def _select(node, tables):
    if isinstance(node, exp.Subquery | exp.Paren):
        return _select(node.this, tables)
    if not isinstance(node, exp.Select):
        raise NotTotal(f"{type(node).__name__} is no SELECT")
    if unlisted := {name for name, part in node.args.items() if part} - CLAUSES:
        raise NotTotal(f"clauses that are not on the list: {unlisted}")
    joins = node.args.get("joins") or []
    sources = [*([node.args["from_"].this] if node.args.get("from_") else []), *(join.this for join in joins)]
    scope = Scope({part.alias_or_name: _rows(part, tables) for part in sources})
    outputs = {}
    for each in node.expressions:
        outputs |= _columns(each, scope)
    outputs = {name: _still_told(value, outputs, scope) for name, value in outputs.items()}
    conditions = [join.args["on"] for join in joins]
    conditions += [node.args[name].this for name in ("where", "having") if node.args.get(name)]
    for condition in conditions:
        truth_of(condition, scope)
    for key in node.args["group"].expressions if node.args.get("group") else []:
        if not isinstance(key, exp.Literal):
            value_of(key, Scope({"outputs": outputs, **scope.tables}))
    return outputs


def _columns(node, scope):
    if not node.is_star:
        found = value_of(node.unalias(), scope)
        if found.kind == "BOOLEAN":
            found = replace(found, told=tuple(_told(node.unalias(), scope, is_true=True).items()))
        return {node.alias_or_name: found}
    table = node.table if isinstance(node, exp.Column) else ""
    return {name: value for alias, columns in scope.tables.items() if table in ("", alias) for name, value in columns.items()}


def _still_told(value, outputs, scope):
    """A truth value that tells of nothing but columns which leave the SELECT as they came in."""
    if not value.told:
        return value
    same = [name for name, each in outputs.items() if each is scope.known(name)]
    texts = {exp.column(name, quoted=quoted).sql() for name in same for quoted in (False, True)}
    return replace(value, told=tuple((text, told) for text, told in value.told if text in texts))


def _rows(node, tables):
    match node:
        case exp.Table(this=exp.Identifier()) if node.name in tables:
            return tables[node.name]
        case exp.Subquery():
            return _select(node.this, tables)
        case exp.Values():
            names = [each.name for each in node.args["alias"].columns]
            rows = [[value_of(part, Scope()) for part in row.expressions] for row in node.expressions]
            found = [replace(values.merged(list(column)), null=True) for column in zip(*rows, strict=True)]
            return dict(zip(names, found, strict=True))
    raise NotTotal(f"rows of {node.sql()[:60]}")


# ---- values


def truth_of(node, scope):
    """Refuses what is no truth value, or can fail."""
    if (found := value_of(node, scope)).kind not in ("BOOLEAN", "NULL"):
        raise NotTotal(f"{found.kind} as a condition")


def value_of(node, scope):
    """What is known of an expression. Raises NotTotal if it can fail."""
    if scope.narrowed and (known := scope.narrowed.get(_text(node))) is not None:
        return known
    try:
        found = _operation(node, scope)
    except NotTotal as error:
        raise error if " in: " in str(error) else NotTotal(f"{error} in: {node.sql(dialect='duckdb')[:200]}") from None
    if found is not None:
        return found
    match node:
        case exp.Column():
            return scope.column(node.name, node.table)
        case exp.Literal() | exp.Boolean() | exp.Null():
            return _literal(node)
        case exp.Case():
            return _case(node, scope)
        case exp.Paren():
            return value_of(node.this, scope)
        case exp.Sum() | exp.Count() | exp.Min() | exp.Max() | exp.Explode() | exp.Distinct() | exp.Filter() | exp.Window():
            return _aggregate(node, scope)
        case _:
            return _truth_or_text(node, scope)


def _operation(node, scope):
    """The value of an operation on numbers, a choice or a cast; None for all else."""
    kind = type(node)
    if kind in ONE:
        return values.one(ONE[kind], value_of(node.this, scope))
    if kind in TWO:
        return values.two(TWO[kind], value_of(node.this, scope), value_of(node.expression, scope))
    if kind in BITS:
        return values.bits(BITS[kind], value_of(node.this, scope), value_of(node.expression, scope))
    if kind in CHOICES:
        return values.choice(CHOICES[kind], [value_of(part, scope) for part in (node.this, *node.expressions)])
    if kind in CURVES:
        return values.curve(*CURVES[kind], value_of(node.this, scope))
    if kind is exp.Pow:
        return values.power(value_of(node.this, scope), float(node.expression.name))
    if kind in NUMBERED:
        return values.whole(1, values.ROWS, null=False)
    if isinstance(node, exp.Cast):
        return values.cast(value_of(node.this, scope), _type(node.to), safely=kind is exp.TryCast)
    return None


def _literal(node):
    match node:
        case exp.Null():
            return Value("NULL")
        case exp.Boolean():
            return Value("BOOLEAN", null=False)
        case exp.Literal(is_string=True):
            return Value("VARCHAR", node.name, node.name, null=False, literal=True)
    digits = node.name
    if digits.isdecimal():
        kind = next((kind for kind in ("INTEGER", "BIGINT") if int(digits) < 1 << values.WHOLE[kind]), "HUGEINT")
        return values.whole(int(digits), int(digits), kind, null=False, literal=True)
    if "e" not in digits.casefold():
        raise NotTotal(f"the decimal number {digits}")  # its type depends on its digits
    return Value("DOUBLE", float(digits), float(digits), null=False)


def _case(node, scope):
    found = []
    for branch in node.args["ifs"]:
        truth_of(branch.this, scope)
        found.append(value_of(branch.args["true"], scope.knowing(_told(branch.this, scope, is_true=True))))
        scope = scope.knowing(_told(branch.this, scope, is_true=False))  # of a value that is not NULL
    found.append(value_of(node.args["default"], scope) if node.args.get("default") else Value("NULL"))
    return values.merged(found)


def _aggregate(node, scope):
    match node:
        case exp.Sum():
            return values.total(value_of(node.this, scope))
        case exp.Count():
            if not isinstance(node.this, exp.Star):
                value_of(node.this, scope)
            return values.whole(0, values.ROWS, null=False)
        case exp.Min() | exp.Max():
            if any(not isinstance(most, exp.Literal) or not 1 <= int(most.name) <= 10**6 for most in node.expressions):
                raise NotTotal("a list of the least values that is not short")
            return replace(value_of(node.this, scope), null=True, literal=False)
        case exp.Explode():  # UNNEST of a list
            return value_of(node.this, scope)
        case exp.Distinct():
            (inner,) = node.expressions
            return value_of(inner, scope)
        case exp.Filter():
            truth_of(node.expression.this, scope)
            found = value_of(node.this, scope)
            return found if isinstance(node.this, exp.Count) else replace(found, null=True)
    for part in [
        *(node.args.get("partition_by") or []),
        *(each.this for each in getattr(node.args.get("order"), "expressions", [])),
    ]:
        value_of(part, scope)
    found = value_of(node.this, scope)
    return replace(found, low=1) if isinstance(node.this, exp.Count) else found  # the row itself is there


def _truth_or_text(node, scope):
    parts = [value_of(part, scope) for part in node.iter_expressions() if not isinstance(part, exp.Var | exp.DataType)]
    match node:
        case exp.And() | exp.Or() | exp.Not():
            if {part.kind for part in parts} <= {"BOOLEAN", "NULL"}:
                return Value("BOOLEAN")
        case exp.EQ() | exp.NEQ() | exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.Between() | exp.In():
            values.merged(parts)
            return Value("BOOLEAN")
        case exp.Is(expression=exp.Null()):
            return Value("BOOLEAN", null=False)
        case exp.Extract():
            low, high = PARTS[node.name.upper()]
            at = values.cast(parts[0], "TIMESTAMP")
            if None in (at.low, at.high):
                raise NotTotal("a part of a moment of any year")
            return values.whole(low, high)
        case exp.Like() | exp.RegexpFullMatch() if node.expression.is_string and {part.kind for part in parts} <= {
            "VARCHAR",
            "NULL",
        }:
            return Value("BOOLEAN")
        case exp.Lower() | exp.Trim() | exp.MD5() | exp.DPipe() if {part.kind for part in parts} <= {"VARCHAR", "NULL"}:
            return Value("VARCHAR")
        case exp.Left() | exp.Right() | exp.Substring() if parts[0].kind in ("VARCHAR", "NULL") and all(
            0 <= part.low <= 1 << 31 for part in parts[1:]
        ):
            return Value("VARCHAR")
    if (found := _spelt(node, parts)) is not None:
        return found
    raise NotTotal(
        f"not on the list: {type(node).__name__} of {[part.kind for part in parts]}: {node.sql(dialect='duckdb')[:200]}"
    )


def _spelt(node, parts):
    """Pieces of texts, periods, and moments as numbers; None for all else."""
    match node:
        case exp.RegexpExtract() if _is_part(node) and parts[0].kind in ("VARCHAR", "NULL"):
            return Value("VARCHAR")  # '' where nothing matches; the pattern is compiled whatever the rows are
        case exp.Replace() if parts[0].kind in ("VARCHAR", "NULL") and _is_no_longer(node):
            return Value("VARCHAR")  # never longer than the text was
        case exp.Anonymous(this="EPOCH_US") if parts[0].kind == "TIMESTAMP" and None not in (parts[0].low, parts[0].high):
            return values.whole(values.micros(parts[0].low), values.micros(parts[0].high))  # an infinite one has none
        case exp.UnixToTime() if parts[0].kind == "BIGINT":
            return values.at_micros(parts[0])
        case exp.TimestampTrunc() if node.text("unit").upper() in PERIODS and parts[0].kind == "TIMESTAMP":
            if None in (parts[0].low, parts[0].high):
                raise NotTotal("a period of any year")
            return replace(parts[0], low=datetime.combine(date.min, time.min))
        case exp.Length() if parts[0].kind in ("VARCHAR", "NULL"):
            return values.whole(0, LONGEST)
        case exp.Translate() if parts[0].kind in ("VARCHAR", "NULL") and all(part.literal for part in parts[1:]):
            return Value("VARCHAR")
    return None


def _is_part(node):
    """Whether a group of a constant pattern is taken, one that it has."""
    group = node.args.get("group")
    if not node.expression.is_string or (group is not None and not group.is_int):
        return False
    return (0 if group is None else int(group.name)) <= re.compile(node.expression.name).groups


def _is_no_longer(node):
    old, new = node.expression, node.args["replacement"]
    return old.is_string and new.is_string and len(new.name.encode()) <= len(old.name.encode()) > 0


# ---- what a condition tells of the values in it


def _told(node, scope, *, is_true):
    match node:
        case exp.Paren():
            return _told(node.this, scope, is_true=is_true)
        case exp.Not():
            return _told(node.this, scope, is_true=not is_true)
        case exp.Between() if is_true:
            low, high = value_of(node.args["low"], scope), value_of(node.args["high"], scope)
            return _known(node.this, scope, low.low, high.high, nan=False if not high.nan else None)
        case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.EQ() | exp.NEQ():
            return _compared(node, scope, is_true=is_true)
        case exp.Column() if is_true:
            return dict(value_of(node, scope).told)
    if (isinstance(node, exp.And) and is_true) or (isinstance(node, exp.Or) and not is_true):
        left = _told(node.this, scope, is_true=is_true)
        return {**left, **_told(node.expression, scope.knowing(left), is_true=is_true)}
    return {}


def _compared(node, scope, *, is_true):
    other, kind = value_of(node.expression, scope), type(node)
    if kind in (exp.EQ, exp.NEQ):
        equal = (kind is exp.EQ) == is_true
        return _known(node.this, scope, other.low, other.high, nan=None if other.nan else False) if equal else {}
    if (kind in (exp.LT, exp.LTE)) == is_true:  # below: so is no NaN
        return _known(node.this, scope, None, other.high, nan=None if other.nan else False)
    return _known(node.this, scope, other.low, None)


def _known(node, scope, low, high, nan=None):
    while isinstance(node, exp.Paren):
        node = node.this
    return {_text(node): values.within(value_of(node, scope), low, high, nan=nan)}


def _text(node):
    return node.sql() if not isinstance(node, exp.Paren) else _text(node.this)


def _type(kind):
    written = getattr(kind.this, "value", str(kind.this))
    return NAMES.get(written, written)


# ---- how DuckDB itself reads the text


def census(sql, dialect="duckdb"):
    """How often sqlglot reads which cast and which operator on whole numbers."""
    found = Counter()
    for node in sqlglot.parse_one(sql, read=dialect).walk():
        if isinstance(node, exp.Cast):
            found["TRY_CAST" if isinstance(node, exp.TryCast) else "CAST", _type(node.to)] += 1
        elif type(node) in TWO:
            found[TWO[type(node)]] += 1
    return found


SIGNS = {"+": "add", "*": "mul", "/": "div", "//": "quotient", "%": "mod"}


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
                found["TRY_CAST" if safely else "CAST", NAMES.get(name.upper(), name.upper())] += 1
            case {"class": "FUNCTION" | "WINDOW", "function_name": name}:
                if name.casefold() not in DUCKDB:
                    raise NotTotal(f"DuckDB reads a function {name}, which is not on the list")
                sign = (
                    "neg"
                    if name == "-" and len(node.get("arguments", node.get("children", ()))) == 1
                    else {"-": "sub", **SIGNS}.get(name)
                )
                if sign not in (None, "neg"):
                    found[sign] += 1
    return found
