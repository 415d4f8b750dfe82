"""Whether the values of a key are public."""

from discreet.facts import model
from discreet.privacy.losses import Approximate
from discreet.questions.algebra import Cast, Column, Expression
from discreet.questions.bounds import bounds_of, is_whole
from discreet.questions.domains import values_of
from discreet.questions.places import Misfit, short
from discreet.questions.text import column_text, to_text
from discreet.questions.walk import every

__all__ = ["check_column_key", "check_computed_key"]


def check_computed_key(key: Expression, facts: model.Facts) -> None:
    """A key that lists its values by itself, or is a whole number between bounds. Raises Misfit."""
    reads = any(isinstance(one, Column) for one in every(key))
    if not reads or not (values_of(key, facts) or (is_whole(key, facts) and bounds_of(key, facts) is not None)):
        hint = "GROUP BY columns, BIN(x, width), date parts, or CASE over constants: CASE WHEN x < 10 THEN 'few' ELSE 'many' END"
        if isinstance(key, Cast) and key.to == "day":
            hint = f"write DATE_TRUNC('day', {to_text(key.of)})"
        raise Misfit(key, f"the values of {short(to_text(key))} are not public, so it cannot be a key", hint)


def check_column_key(key: Column, column: model.Column | None, budget: model.Budget) -> None:
    """A column whose values are declared, or one that a price with a delta tells about. Raises Misfit."""
    match column:
        case model.Category() | model.Boolean() | model.Integer(lower=int(), upper=int()):
            return
        case model.Integer() | model.Number() | model.Text() if isinstance(budget.cap, Approximate):
            return  # a price with a delta tells which values there are
        case model.Integer():
            hint = "declare lower and upper in the facts"
        case model.Number():
            hint = f"write BIN({column_text(key)}, width)"
        case model.Date() | model.Timestamp():
            hint = f"write EXTRACT(month FROM {column_text(key)})"
        case _:
            hint = "declare a category; or a budget with a delta, which pays for telling unknown keys"
    raise Misfit(key, f"the values of {short(key.name)} are not public", hint)
