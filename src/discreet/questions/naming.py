"""What an output is called when nobody says."""

from collections.abc import Iterable
from fractions import Fraction
from typing import assert_never

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
    KeyOf,
    Like,
    Literal,
    Overall,
    Power,
    Substring,
)

__all__ = ["default_name", "unlike"]


def default_name(value: Expression, keys: tuple[Expression, ...]) -> str:
    """A short name: Age, mean_Age, count, or "value" for what is computed."""
    match value:
        case Column():
            return _bare(value)
        case KeyOf(place):
            return default_name(keys[place], ())
        case Bin(of):
            return _about("bin", of)
        case DatePart(part, of):
            return _about(part, of)
        case DateTrunc(period, of):
            return _about(period, of)
        case Cast(of):
            return default_name(of, keys)
        case Aggregate(kind="quantile", of=of, q=q):
            return _about("median" if q == Fraction(1, 2) else "quantile", of)
        case Aggregate(kind, of, _, other):
            return _about(_about(FORMS[kind].word, of), other)
        case Literal() | Apply() | In() | Like() | Case() | Substring() | Power() | Overall():
            return "value"
        case _:
            assert_never(value)


def _about(what: str, of: Expression | None) -> str:
    of = of.of if isinstance(of, Cast) else of
    return f"{what}_{_bare(of)}" if isinstance(of, Column) else what


def _bare(column: Column) -> str:
    """The name of a column in its own table."""
    return column.name if column.table is None else column.name.removeprefix(f"{column.table}.")


def unlike(name: str, taken: Iterable[str]) -> str:
    """``name``, or with the first number from 2 on that makes it unlike those taken, in whatever case."""
    folded = {one.casefold() for one in taken}
    found, number = name, 1
    while found.casefold() in folded:
        number += 1
        found = f"{name}_{number}"
    return found
