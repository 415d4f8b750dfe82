"""Going through expressions without knowing them."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import assert_never

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
    KeyOf,
    Like,
    Literal,
    Overall,
    Power,
    Substring,
)

__all__ = ["every", "parts", "rebuilt", "with_table"]


def parts(expression: Expression) -> tuple[Expression, ...]:
    """What the expression is made of, one level down; the literals of IN are not counted."""
    match expression:
        case Column() | Literal() | KeyOf():
            return ()
        case Apply(of=of):
            return of
        case In() | Like() | DatePart() | DateTrunc() | Cast() | Substring() | Power() | Bin() | Overall():
            return (expression.of,)
        case Case(whens, otherwise):
            return (*chain.from_iterable(whens), otherwise)
        case Aggregate(of=of, filter=only, and_of=other):
            return tuple(part for part in (of, other, only) if part is not None)
        case _:
            assert_never(expression)


def rebuilt(expression: Expression, new: tuple[Expression, ...]) -> Expression:
    """The expression with other parts, as many as before; itself if they are the same objects."""
    if all(map(_same, parts(expression), new)):
        return expression
    match expression:
        case Column() | Literal() | KeyOf():
            return expression
        case Apply(operation):
            return Apply(operation, new)
        case In() | Like() | DatePart() | DateTrunc() | Cast() | Substring() | Power() | Bin() | Overall():
            return replace(expression, of=new[0])
        case Case():
            return Case(tuple(zip(new[:-1:2], new[1::2], strict=True)), new[-1])
        case Aggregate(of=of, filter=only, and_of=other):
            return replace(
                expression,
                of=None if of is None else new[0],
                and_of=None if other is None else new[1],
                filter=None if only is None else new[-1],
            )
        case _:
            assert_never(expression)


def _same(one: Expression, other: Expression) -> bool:
    return one is other


def every(expression: Expression) -> Iterator[Expression]:
    """The expression and all that is inside, outermost first."""
    waiting = [expression]
    while waiting:
        one = waiting.pop()
        yield one
        waiting.extend(reversed(parts(one)))


def with_table(expression: Expression, table: str) -> Expression:
    """The expression with every column that does not say of which table it is said to be of this one."""
    if isinstance(expression, Column):
        return expression if expression.table is not None else Column(expression.name, table)
    return rebuilt(expression, tuple(with_table(part, table) for part in parts(expression)))
