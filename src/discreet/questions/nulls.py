"""The facts' null rules, written out. Rule 4."""

from fractions import Fraction

from discreet.facts.model import Facts
from discreet.questions.algebra import Apply, Bin, Case, Cast, Column, Expression, In, Like, Literal, Power, Substring
from discreet.questions.walk import parts, rebuilt

__all__ = ["with_nulls_replaced"]


def with_nulls_replaced(expression: Expression, facts: Facts) -> Expression:
    """The aggregated number with the facts' null rule written out: a column with a replacement becomes COALESCE. Rule 4."""
    match expression:
        case Column(name):
            null = getattr(facts.column(name), "null", None)
            if null is None:
                return expression
            return Apply("coalesce", (expression, Literal(null if isinstance(null, bool | str) else Fraction(null))))
        case Apply("is_null"):
            return expression  # whether a value is there is asked of what is stored
        case Apply(operation, of):
            return Apply(operation, tuple(with_nulls_replaced(part, facts) for part in of))
        case Case(whens, otherwise):
            # conditions keep NULL as NULL, as in WHERE
            return Case(tuple((c, with_nulls_replaced(v, facts)) for c, v in whens), with_nulls_replaced(otherwise, facts))
        case Bin() | Cast() | In() | Like() | Power() | Substring():
            return rebuilt(expression, tuple(with_nulls_replaced(part, facts) for part in parts(expression)))
        case _:
            return expression
