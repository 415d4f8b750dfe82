"""One text for each expression, made for comparing and hashing, not for reading."""

import json
from datetime import date, datetime
from fractions import Fraction
from hashlib import sha256
from typing import assert_never

from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Caps,
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
    Overall,
    Power,
    Question,
    Substring,
    Transform,
)
from discreet.questions.caps import caps_text
from discreet.questions.walk import parts

__all__ = ["Texts", "fingerprint_of", "rows_text"]

_VERSION = "q1"  # changes whenever the meaning of a text below changes; stored fingerprints stay valid under their version


class Texts:
    """Canonical texts, each made once."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Expression, str]] = {}  # holding the expression keeps its id from being used again

    def of(self, expression: Expression) -> str:
        """Equal for equal expressions, and different for different ones."""
        found = self._known.get(id(expression))
        if found is None:
            inner = " ".join(map(self.of, parts(expression)))
            found = expression, f"({_head(expression)} {inner})" if inner else f"({_head(expression)})"
            self._known[id(expression)] = found
        return found[1]


def _head(expression: Expression) -> str:
    match expression:
        case Column(name):
            return f"column {json.dumps(name)}"
        case Literal(value):
            return _constant(value)
        case Apply(operation):
            return operation
        case In(values=values):
            return f"in [{' '.join(_constant(value.value) for value in values)}]"
        case Like(pattern=pattern):
            return f"like {json.dumps(pattern)}"
        case Case() | Overall():
            return "case" if isinstance(expression, Case) else "overall"
        case DatePart(part):
            return f"part {part}"
        case DateTrunc() | Cast() | Substring() | Power():
            return _transform(expression)
        case Bin(width=width, origin=origin):
            return f"bin {width} {origin}"
        case Aggregate(kind, of, only, other):
            pair = "" if other is None else " and_of"
            ranked = f"{'' if expression.q is None else f' q {expression.q}'}{' interval' if expression.interval else ''}"
            bounded = "" if (ends := expression.unit_range) is None else f" per unit {ends[0]} {ends[1]}"
            return f"aggregate {kind} {'all' if of is None else 'of'}{pair}{'' if only is None else ' filter'}{ranked}{bounded}"
        case KeyOf(place):
            return f"key {place}"
        case _:
            assert_never(expression)


def _transform(expression: Transform) -> str:
    match expression:
        case DateTrunc(period):
            return f"trunc {period}"
        case Cast(to=to):
            return f"cast {to}"
        case Substring(start=start, count=count):
            return f"substring {start} {'end' if count is None else count}"
        case Power(exponent=exponent):
            return f"power {exponent}"
        case _:
            assert_never(expression)


def _constant(value: Fraction | str | bool | date | datetime | None) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return f"text {json.dumps(value)}"
        case Fraction():
            return f"number {value}"
        case datetime():
            return f"moment {value.isoformat()}"
        case date():
            return f"day {value.isoformat()}"
        case _:
            assert_never(value)


def rows_text(question: Question) -> list[str]:
    """Which rows a question is about, before anything is left out of them."""
    where = [] if question.where is None else [f"where {Texts().of(question.where)}"]
    return [f"table {json.dumps(question.table)}", *_per_unit(question), *_joins(question.joins), *where]


def _per_unit(question: Question) -> list[str]:
    """Of which rows a unit's values are. Which values these are, the names of their columns say."""
    per_unit = question.per_unit
    if per_unit is None:
        return []
    where = [] if per_unit.where is None else [f"of rows where {Texts().of(per_unit.where)}"]
    moving = [f"and by {json.dumps(per_unit.moving)} {question.caps.groups}"] if per_unit.moving else []
    return [f"per unit {json.dumps(per_unit.unit)}", *moving, *(f"of {line}" for line in _joins(per_unit.joins)), *where]


def _joins(joins: tuple[Join, ...]) -> list[str]:
    return [f"join {json.dumps([join.table, join.column, join.match, join.outer])}" for join in joins]


def fingerprint_of(question: Question) -> str:
    """The hash of a question as it stands; the names of its outputs do not count."""
    text = Texts().of
    lines = [
        f"table {json.dumps(question.table)}",
        *(f"output {text(output.value)}" for output in question.outputs),
        *_per_unit(question),
        *_joins(question.joins),
        *([f"where {text(question.where)}"] if question.where is not None else []),
        *(f"key {text(key)}" for key in question.keys),
        *([f"having {text(question.having)}"] if question.having is not None else []),
        *(f"order {text(order.by)}{' descending' if order.descending else ''}" for order in question.order),
        *([f"limit {question.limit}"] if question.limit is not None else []),
        *([f"caps {caps_text(question.caps)}"] if question.caps != Caps() else []),
        *([f"bounds share {question.bounds_share}"] if question.bounds_share is not None else []),
    ]
    return f"{_VERSION}:{sha256(chr(10).join(lines).encode()).hexdigest()}"
