"""Columns without public bounds, and the part of a price that a question spends on finding some.

The clause comes last of all: ``BOUNDS SHARE 0.2``. Such a column stands alone in its aggregates, or in WHERE and FILTER.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction

from discreet.exact import shown
from discreet.facts.model import Facts, Integer, Number
from discreet.questions.algebra import Aggregate, Column, Expression, Question
from discreet.questions.cursor import Cursor
from discreet.questions.places import Misfit, short
from discreet.questions.text import to_text
from discreet.questions.walk import every

__all__ = [
    "FIND",
    "check_share_of_bounds",
    "fitted_share",
    "is_bounds_share",
    "is_unbounded",
    "parse_bounds_share",
    "unbounded_in",
    "with_share",
]

FIND = "write {bounds_share=0.2}, the part of the price that finds bounds"  # for a Remedy

_LEAST = Fraction(1, 1000)
_FINEST = 10**6  # the largest denominator
_EXAMPLE = "write BOUNDS SHARE 0.2, a part of the price between 0.001 and 0.999"
_NEED_NONE = ("count_rows", "count_units", "count", "count_distinct", "running_rows", "mode", "rows_per_unit", "groups_per_unit",
              "at_caps")  # fmt: skip


def is_bounds_share(cursor: Cursor) -> bool:
    """Whether the clause comes next."""
    return cursor.token.key == "BOUNDS" and cursor.after.key == "SHARE"


def parse_bounds_share(cursor: Cursor) -> Fraction | None:
    """The clause, if it comes next."""
    if not is_bounds_share(cursor):
        return None
    cursor.take()
    cursor.take()
    start = cursor.token
    above = _number(cursor)
    below = _number(cursor) if cursor.take_if("/") else Fraction(1)
    try:
        return check_share_of_bounds(above / below if below else Fraction(0))
    except Misfit as wrong:
        raise cursor.refused(start, wrong.message, wrong.hint) from None


def _number(cursor: Cursor) -> Fraction:
    token = cursor.take()
    if token.kind != "number" or len(token.text) > 20:
        raise cursor.refused(token, f"expected a part of the price, found {token}", _EXAMPLE)
    return Fraction(token.text)


def check_share_of_bounds(share: Fraction) -> Fraction:
    """The share, from 0.001 to 0.999 and of at most six decimals. Raises Misfit."""
    if not isinstance(share, Fraction) or not _LEAST <= share <= 1 - _LEAST:
        told = f" is {shown(share)}" if isinstance(share, Fraction) else ""
        raise Misfit(None, f"the part of the price that finds bounds{told}, not between 0.001 and 0.999", _EXAMPLE)
    if share.denominator > _FINEST:
        raise Misfit(None, "the part of the price that finds bounds has too many digits", "six decimals will do")
    return share


def is_unbounded(expression: Expression | None, facts: Facts) -> bool:
    """Whether this is a column of numbers that lacks a bound."""
    column = facts.column(expression.name) if isinstance(expression, Column) else None
    return isinstance(column, Number | Integer) and (column.lower is None or column.upper is None)


def unbounded_in(aggregates: Iterable[Aggregate], facts: Facts) -> tuple[str, ...]:
    """The columns, each once, whose bounds have to be found for these aggregates."""
    numbers = [part for each in aggregates if each.kind not in _NEED_NONE for part in (each.of, each.and_of)]
    return tuple(dict.fromkeys(one.name for one in numbers if isinstance(one, Column) and is_unbounded(one, facts)))


def with_share(question: Question, share: Fraction | None) -> Question:
    """The question with this share, if there is one, in place of its own. Not checked yet."""
    return question if share is None else replace(question, bounds_share=share)


def fitted_share(question: Question, aggregates: Iterable[Aggregate], facts: Facts) -> Question:
    """The question without a share that finds nothing. Raises Misfit if a column with bounds to find stands elsewhere too."""
    if question.bounds_share is None:
        return question
    check_share_of_bounds(question.bounds_share)
    wanted = list(aggregates)
    found = unbounded_in(wanted, facts)
    inside = [part for each in wanted for part in (each.of, each.and_of) if part is not None and not isinstance(part, Column)]
    keys = [*question.keys, *(each.of for each in wanted if each.kind in ("groups_per_unit", "at_caps") and each.of is not None)]
    for place in (*keys, *inside):
        for one in every(place):
            if isinstance(one, Column) and one.name in found:
                raise Misfit(
                    place, f"bounds are found for {short(one.name)} where it stands alone, not in {short(to_text(place))}",
                    "ask about the two in questions of their own, or declare lower and upper in the facts",
                )  # fmt: skip
    return question if found else replace(question, bounds_share=None)
