"""Questions and expressions as readable SQL. Reading the text of a question gives the question back."""

import re
from collections.abc import Callable
from datetime import date, datetime
from fractions import Fraction
from typing import assert_never

from discreet.exact import shown
from discreet.questions.aggregates import FORMS
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Cast,
    Column,
    DatePart,
    DateTrunc,
    Expression,
    In,
    Join,
    KeyOf,
    Like,
    Literal,
    Operation,
    Overall,
    Power,
    Question,
    Substring,
    To,
    Transform,
)
from discreet.questions.caps import caps_text
from discreet.questions.functions import unwanted_by
from discreet.questions.hints import RESERVED, word_refusal
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS, ranked_text
from discreet.questions.walk import with_table

__all__ = ["column_text", "name_text", "to_text"]

Text = Callable[[Expression, int], str]  # an inner expression, in parentheses unless it binds tighter than this

_OR, _AND, _NOT, _COMPARE, _PLUS, _TIMES, _SIGN, _ATOM = range(1, 9)
_BETWEEN: dict[Operation, tuple[str, int]] = {
    "or": ("OR", _OR),
    "and": ("AND", _AND),
    "equal": ("=", _COMPARE),
    "not_equal": ("<>", _COMPARE),
    "less": ("<", _COMPARE),
    "less_equal": ("<=", _COMPARE),
    "greater": (">", _COMPARE),
    "greater_equal": (">=", _COMPARE),
    "add": ("+", _PLUS),
    "subtract": ("-", _PLUS),
    "multiply": ("*", _TIMES),
    "divide": ("/", _TIMES),
    "remainder": ("%", _TIMES),
}
_TYPES: dict[To, str] = {
    "number": "DOUBLE",
    "whole": "INTEGER",
    "text": "TEXT",
    "truth": "BOOLEAN",
    "day": "DATE",
    "moment": "TIMESTAMP",
}
_TURNED: dict[Operation, Operation] = {"less": "greater", "less_equal": "greater_equal"}


def to_text(asked: Question | Expression, keys: tuple[Expression, ...] = ()) -> str:
    """Readable SQL. ``keys`` says what KeyOf stands for where an expression is not in its question."""
    if not isinstance(asked, Question):
        return _written(asked, keys)[0]
    return _question(asked)


def name_text(name: str) -> str:
    """A name as it is written in SQL, in double quotes where it has to be."""
    word = name.upper()
    if re.fullmatch(r"[A-Za-z_][A-Za-z_0-9]*", name) and word not in RESERVED and word_refusal(word) is None:
        return name
    return '"' + name.replace('"', '""') + '"'


def _question(question: Question) -> str:
    def told(expression: Expression) -> Expression:
        return with_table(expression, question.table) if question.joins else expression

    keys = tuple(map(told, question.keys))

    def text(expression: Expression) -> str:
        return _written(told(expression), keys)[0]

    items = [(text(output.value), name_text(output.name)) for output in question.outputs]
    order = [f"{text(order.by)}{' DESC' if order.descending else ''}" for order in question.order]
    clauses = [
        f"SELECT {', '.join(value if value == name else f'{value} AS {name}' for value, name in items)}",
        f"FROM {_from(question)}",
        f"WHERE {text(question.where)}" if question.where is not None else "",
        f"GROUP BY {', '.join(map(text, question.keys))}" if question.keys else "",
        f"HAVING {text(question.having)}" if question.having is not None else "",
        f"ORDER BY {', '.join(order)}" if order else "",
        f"LIMIT {question.limit}" if question.limit is not None else "",
        caps_text(question.caps),
        f"BOUNDS SHARE {shown(question.bounds_share)}" if question.bounds_share is not None else "",
    ]
    return " ".join(clause for clause in clauses if clause)


def _from(question: Question) -> str:
    table, per_unit = question.table, question.per_unit
    if per_unit is None:
        return " ".join([name_text(table), *(_join(join, table) for join in question.joins)])

    def text(expression: Expression) -> str:
        return _written(with_table(expression, table) if per_unit.joins else expression, ())[0]

    keys = [text(Column(name)) for name in (per_unit.unit, *per_unit.keys, *per_unit.moving)]
    values = [f"{text(value)} AS {name_text(to_text(value))}" for value in per_unit.values]
    clauses = [
        f"SELECT {', '.join([*keys, *values])}",
        " ".join([f"FROM {name_text(table)}", *(_join(join, table) for join in per_unit.joins)]),
        f"WHERE {text(per_unit.where)}" if per_unit.where is not None else "",
        f"GROUP BY {', '.join(keys)}",
    ]
    return f"({' '.join(clause for clause in clauses if clause)})"


def _join(join: Join, table: str) -> str:
    ours, theirs = f"{name_text(table)}.{name_text(join.column)}", f"{name_text(join.table)}.{name_text(join.match)}"
    return f"{'LEFT ' if join.outer else ''}JOIN {name_text(join.table)} ON {ours} = {theirs}"


def column_text(column: Column) -> str:
    """A column as it is written in SQL, behind its table if it says of which it is."""
    if column.table is None:
        return name_text(column.name)
    return f"{name_text(column.table)}.{name_text(column.name.removeprefix(f'{column.table}.'))}"


def _written(expression: Expression, keys: tuple[Expression, ...]) -> tuple[str, int]:
    """The text, and how tightly its outermost operator binds."""

    def text(inner: Expression, tightest: int = 0) -> str:
        written, strength = _written(inner, keys)
        return written if strength > tightest else f"({written})"

    match expression:
        case Column():
            return column_text(expression), _ATOM
        case Literal(value):
            return _constant(value), _SIGN if isinstance(value, Fraction) and value < 0 else _ATOM
        case KeyOf(place):
            return _written(keys[place], ()) if place < len(keys) else (f"KEY({place + 1})", _ATOM)
        case Apply():
            return _applied(expression, text)
        case In(of, values):
            return f"{text(of, _COMPARE)} IN ({', '.join(_constant(one.value) for one in values)})", _COMPARE
        case Like(of, pattern):
            return f"{text(of, _COMPARE)} LIKE {_constant(pattern)}", _COMPARE
        case Case():
            return _case(expression, text), _ATOM
        case DatePart() | DateTrunc() | Cast() | Substring() | Power():
            return _transform(expression, text(expression.of)), _ATOM
        case Bin(of, width, origin):
            return f"BIN({text(of)}, {_number(width)}{f', {_number(origin)}' if origin else ''})", _ATOM
        case Aggregate() | Overall():
            return _aggregate(expression, text), _ATOM
        case _:
            assert_never(expression)


def _transform(expression: DatePart | Transform, of: str) -> str:
    match expression:
        case DatePart(part):
            return f"EXTRACT({part.upper()} FROM {of})"
        case DateTrunc(period):
            return f"DATE_TRUNC('{period}', {of})"
        case Cast(to=to):
            return f"CAST({of} AS {_TYPES[to]})"
        case Substring(start=start, count=count):
            return f"SUBSTR({of}, {start}{'' if count is None else f', {count}'})"
        case Power(exponent=exponent):
            return f"POWER({of}, {_number(exponent)})"
        case _:
            assert_never(expression)


def _aggregate(aggregate: Aggregate | Overall, text: Text) -> str:
    if isinstance(aggregate, Overall):
        return f"SUM({text(aggregate.of, 0)}) OVER ()"
    kind, of, other = aggregate.kind, aggregate.of, aggregate.and_of
    condition = "" if aggregate.filter is None else f" FILTER (WHERE {text(aggregate.filter, 0)})"
    if kind in SIZE_KINDS or (kind in RANKED_KINDS and of is not None):
        return ranked_text(aggregate, "" if of is None else text(of, 0)) + condition
    everything = "" if kind == "at_caps" else "*"
    numbers = everything if of is None else text(of, 0) if other is None else f"{text(of, 0)}, {text(other, 0)}"
    bounded = "" if (ends := aggregate.unit_range) is None else f" PER UNIT BETWEEN {_number(ends[0])} AND {_number(ends[1])}"
    return f"{FORMS[kind].sql}({'DISTINCT ' if kind == 'count_distinct' else ''}{numbers}){condition}{bounded}"


def _applied(expression: Apply, text: Text) -> tuple[str, int]:
    operation, of = expression.operation, expression.of
    if operation in ("less", "less_equal") and isinstance(of[0], Literal) and not isinstance(of[1], Literal):
        operation, of = _TURNED[operation], of[::-1]
    if operation in ("and", "or"):
        sign, strength = _BETWEEN[operation]
        return f" {sign} ".join(text(part, strength) for part in of), strength
    if operation in _BETWEEN:
        sign, strength = _BETWEEN[operation]
        left = strength if strength == _COMPARE else strength - 1
        return f"{text(of[0], left)} {sign} {text(of[1], strength)}", strength
    match operation:
        case "not":
            return _negated(of[0], text)
        case "is_null":
            return f"{text(of[0], _COMPARE)} IS NULL", _COMPARE
        case "negate":
            return f"-{text(of[0], _SIGN)}", _SIGN
        case _:
            return f"{operation.upper()}({', '.join(text(part, 0) for part in of)})", _ATOM


def _case(expression: Case, text: Text) -> str:
    otherwise = expression.otherwise
    if (unwanted := unwanted_by(expression)) is not None:
        return f"NULLIF({text(otherwise, 0)}, {text(unwanted, 0)})"
    chosen = " ".join(f"WHEN {text(condition, 0)} THEN {text(result, 0)}" for condition, result in expression.whens)
    return f"CASE {chosen}{'' if otherwise == Literal(None) else f' ELSE {text(otherwise, 0)}'} END"


def _negated(of: Expression, text: Text) -> tuple[str, int]:
    match of:
        case In(inner, values):
            return f"{text(inner, _COMPARE)} NOT IN ({', '.join(_constant(one.value) for one in values)})", _COMPARE
        case Like(inner, pattern):
            return f"{text(inner, _COMPARE)} NOT LIKE {_constant(pattern)}", _COMPARE
        case Apply("is_null", (inner,)):
            return f"{text(inner, _COMPARE)} IS NOT NULL", _COMPARE
        case _:
            return f"NOT {text(of, _NOT)}", _NOT


def _constant(value: Fraction | str | bool | date | datetime | None) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            return "'" + value.replace("'", "''") + "'"
        case Fraction():
            return _number(value)
        case datetime():
            return f"TIMESTAMP '{value.isoformat(' ')}'"
        case date():
            return f"DATE '{value.isoformat()}'"
        case _:
            assert_never(value)


def _number(number: Fraction) -> str:
    """The decimal, exactly; what has no short one, as the float64 that it becomes."""
    text = shown(number)
    if "/" not in text and len(text) <= 40:
        return text
    digits, exponent = number, 0
    while digits.denominator != 1 and exponent > -500:
        digits, exponent = digits * 10, exponent - 1
    while digits.denominator == 1 and digits % 10 == 0:
        digits, exponent = digits / 10, exponent + 1
    return f"{digits}e{exponent}" if digits.denominator == 1 and abs(digits) < 10**100 else repr(float(number))
