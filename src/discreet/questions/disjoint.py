"""What the text of a question proves about the rows that can meet a condition. NULL meets no comparison."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from itertools import combinations
from typing import assert_never

from discreet.facts import model
from discreet.questions.algebra import Apply, Column, Expression, In, Literal
from discreet.questions.normal import normal_expression
from discreet.questions.walk import every

__all__ = ["Constant", "are_disjoint", "is_per_unit", "pinned_values"]

Constant = Fraction | str | bool | date | datetime


@dataclass(frozen=True, slots=True)
class _OneOf:
    values: frozenset[Constant]


@dataclass(frozen=True, slots=True)
class _NoneOf:
    values: frozenset[Constant]


@dataclass(frozen=True, slots=True)
class _AtLeast:
    end: Constant
    open: bool


@dataclass(frozen=True, slots=True)
class _AtMost:
    end: Constant
    open: bool


@dataclass(frozen=True, slots=True)
class _OnlyNull:
    pass


_Claim = _OneOf | _NoneOf | _AtLeast | _AtMost | _OnlyNull
_Claims = dict[Expression, list[_Claim]]  # about each value that a condition tests, all of which hold


def are_disjoint(filters: Sequence[Expression | None], facts: model.Facts, *, for_units: bool = False) -> bool:
    """Whether no row can meet two of these conditions, as far as can be told from constants in AND-ed comparisons.

    ``for_units``: whether no unit can have rows for two of them. Only what is constant per unit tells that.
    """
    claims = [_claims(one) for one in filters]
    if for_units:
        claims = [{of: claim for of, claim in one.items() if is_per_unit(of, facts)} for one in claims]
    return all(_contradict(one, other, facts) for one, other in combinations(claims, 2))


def is_per_unit(expression: Expression, facts: model.Facts) -> bool:
    """Whether all rows of a unit have one value of it: all columns that it reads are declared so."""
    read = [facts.column(one.name) for one in every(expression) if isinstance(one, Column)]
    return all(column is not None and column.per_unit for column in read)


def pinned_values(where: Expression | None, column: str) -> frozenset[Constant] | None:
    """The constants that AND-ed = and IN allow for a column; None if there are none of these. Numbers are as in float64."""
    found = [claim.values for claim in _claims(where).get(Column(column), []) if isinstance(claim, _OneOf)]
    return frozenset.intersection(*found) if found else None


def _claims(condition: Expression | None) -> _Claims:
    found: _Claims = {}
    new = None if condition is None else normal_expression(condition)
    for one in new.of if isinstance(new, Apply) and new.operation == "and" else [new]:
        if one is not None:
            of, claim = _claim(one)
            found.setdefault(of, []).append(claim)
    return found


def _claim(condition: Expression) -> tuple[Expression, _Claim]:
    """What a condition in normal form tests, and what it claims: at the least, that it is true itself."""
    match condition:
        case Apply("equal", (of, Literal() as value)):
            return of, _one_of(value)
        case In(of, values):
            return of, _one_of(*values)
        case Apply("not_equal", (of, Literal() as value)):
            return of, _NoneOf(_one_of(value).values)
        case Apply("not", (In(of, values),)):
            return of, _NoneOf(_one_of(*values).values)
        case Apply("less" | "less_equal", (of, Literal(value))) if value is not None:
            return of, _AtMost(_plain(value), condition.operation == "less")
        case Apply("less" | "less_equal", (Literal(value), of)) if value is not None:
            return of, _AtLeast(_plain(value), condition.operation == "less")
        case Apply("is_null", (of,)):
            return of, _OnlyNull()
        case Apply("not", (Apply("is_null", (of,)),)):
            return of, _NoneOf(frozenset())
        case Apply("not", (of,)):
            return of, _OneOf(frozenset({False}))
        case _:
            return condition, _OneOf(frozenset({True}))


def _one_of(*values: Literal) -> _OneOf:
    return _OneOf(frozenset(_plain(one.value) for one in values if one.value is not None))


def _plain(value: Constant) -> Constant:
    """Numbers as engines compare them."""
    return Fraction(float(value)) if isinstance(value, Fraction) else value


def _contradict(one: _Claims, other: _Claims, facts: model.Facts) -> bool:
    return any(_impossible([*one.get(of, []), *other.get(of, [])], of, facts) for of in {**one, **other})


def _impossible(claims: list[_Claim], of: Expression, facts: model.Facts) -> bool:
    """Whether no value meets all the claims."""
    if any(isinstance(claim, _OnlyNull) for claim in claims):
        return not all(isinstance(claim, _OnlyNull) for claim in claims)
    claims = [*claims, *_declared(of, facts)]
    choices = [claim.values for claim in claims if isinstance(claim, _OneOf)]
    if choices:
        return not any(all(_meets(value, claim) for claim in claims) for value in frozenset.intersection(*choices))
    lows = [claim for claim in claims if isinstance(claim, _AtLeast)]
    highs = [claim for claim in claims if isinstance(claim, _AtMost)]
    return any(not _meets(low.end, high) or (low.end == high.end and low.open) for low in lows for high in highs)


def _meets(value: Constant, claim: _Claim) -> bool:
    match claim:
        case _OneOf(values):
            return value in values
        case _NoneOf(values):
            return value not in values
        case _AtLeast(end, is_open):
            return end < value or (end == value and not is_open)  # type: ignore[operator]  # one expression, one type
        case _AtMost(end, is_open):
            return value < end or (end == value and not is_open)  # type: ignore[operator]
        case _OnlyNull():
            return False
        case _:
            assert_never(claim)


def _declared(of: Expression, facts: model.Facts) -> list[_Claim]:
    """What the facts say of every value that is not NULL."""
    match facts.column(of.name) if isinstance(of, Column) else None:
        case model.Category(values=values):
            return [_OneOf(frozenset(_plain(value if isinstance(value, str) else Fraction(value)) for value in values))]
        case model.Boolean():
            return [_OneOf(frozenset({True, False}))]
        case _:
            return []
