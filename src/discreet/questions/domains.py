"""Which constants an expression can come to, where the text and the facts list them: they are the cells of a key.

Two numbers are one where float64 does not tell them apart, as engines compare them. NULL is none of them: ``may_be_null`` says
whether there is a cell for it.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction

from discreet.facts import model
from discreet.questions.algebra import Apply, Case, Cast, Column, Expression, Literal, Substring
from discreet.questions.letters import in_case
from discreet.questions.spans import is_truth

__all__ = ["MOST_VALUES", "Scalar", "values_of"]

Scalar = Fraction | str | bool

MOST_VALUES = 100_000


def values_of(expression: Expression, facts: model.Facts) -> tuple[Scalar, ...] | None:
    """Every value beside NULL, each once, in the order of the text; None where nothing public lists them.

    A condition has both, false first, whichever the text names: engines count with it as the number 0 or 1.
    """
    if is_truth(expression, facts):
        return False, True
    match expression:
        case Literal(value):
            return (value,) if isinstance(value, Scalar) else () if value is None else None
        case Column(name):
            return _declared(facts.column(name))
        case Case(whens, otherwise):
            return _together([*(result for _, result in whens), otherwise], facts)
        case Apply("coalesce", of):
            return _together(of, facts)
        case Apply("lower" | "upper" as how, (of,)):
            return _image(values_of(of, facts), lambda text: in_case(text, how))
        case Substring(of, start, count):
            return _image(values_of(of, facts), lambda text: text[start - 1 :][:count])
        case Cast(of, "number" | "whole"):
            return _numbers(values_of(of, facts))
        case _:
            return None


def _declared(column: model.Column | None) -> tuple[Scalar, ...] | None:
    match column:
        case model.Category(values=values):
            return _once(value if isinstance(value, str) else Fraction(value) for value in values)
        case _:
            return None


def _together(several: Iterable[Expression], facts: model.Facts) -> tuple[Scalar, ...] | None:
    found: list[Scalar] = []
    for one in several:
        values = values_of(one, facts)
        if values is None:
            return None
        found += values
    return _once(found)


def _image(values: tuple[Scalar, ...] | None, of: Callable[[str], str]) -> tuple[Scalar, ...] | None:
    return None if values is None else _once(of(value) for value in values if isinstance(value, str))


def _numbers(values: tuple[Scalar, ...] | None) -> tuple[Scalar, ...] | None:
    """Of a category of whole numbers: a text reads as no number that is listed here."""
    return values if values is not None and all(isinstance(value, Fraction) for value in values) else None


def _once(values: Iterable[Scalar]) -> tuple[Scalar, ...]:
    kept: dict[object, Scalar] = {}
    for value in values:
        kept.setdefault((type(value), float(value) if isinstance(value, Fraction) else value), value)
    return tuple(kept.values())
