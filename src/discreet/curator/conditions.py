"""What WHERE, FILTER and CASE do not see, in sentences: values beyond their bounds, and those that are missing. Rule 28.

Conditions read a column as all else does: what is beyond a bound is the bound, and what is missing meets no comparison. Whether
that matters follows from the constants of the question and the bounds of the facts.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.engines.rules.evaluate import evaluate
from discreet.facts.model import Category, Date, Facts, Text, Timestamp
from discreet.planning.plan import Plan
from discreet.plots.numerals import grouped
from discreet.questions.algebra import Apply, Case, Column, DatePart, Expression, In, Literal, Operation
from discreet.questions.bounds import bounds_of, may_be_null
from discreet.questions.per_unit import value_name
from discreet.questions.text import to_text
from discreet.questions.walk import every
from discreet.statistics.bounds import Found

__all__ = ["conditions_of", "meets_none", "missed", "seen_at_bounds"]

_MOST = 4  # columns that are named one by one
_COUNTS = ("count_rows", "count")  # which every unit has
_TURNED: dict[Operation, Operation] = {
    "less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal",
    "equal": "equal", "not_equal": "not_equal",
}  # fmt: skip


def conditions_of(plan: Plan) -> dict[Expression, str]:
    """Every condition on rows, with the word that it stands behind."""
    asked, inner = plan.question, plan.question.per_unit
    whens = [when for each in (*(each for each, _ in plan.sources), *asked.keys) for part in every(each)
             if isinstance(part, Case) for when, _ in part.whens]  # fmt: skip
    found: dict[Expression, str] = dict.fromkeys(whens, "CASE")
    found |= {each.filter: "FILTER" for each, _ in plan.sources if each.filter is not None}
    wheres = [asked.where, inner.where if inner is not None else None]
    return {where: "WHERE" for where in wheres if where is not None} | found


# ---- values beyond their bounds


def seen_at_bounds(plan: Plan) -> tuple[str, ...]:
    """The columns that a condition would tell apart from their bounds, and sees at these."""
    inner, found = plan.question.per_unit, {each.column for each in plan.vectors if isinstance(each, Found)}
    of_units = {value_name(value) for value in inner.values} if inner is not None else set()  # in no bounds of the facts
    names = [name for one, how, value in _compared(plan) if _matters(one, how, value, plan.facts) for name in _names(one)]
    return tuple(name for name in dict.fromkeys(names) if name not in found | of_units)


def meets_none(plan: Plan) -> tuple[str, ...]:
    """The comparisons that no value within the bounds meets."""
    found = [Apply(how, (one, Literal(value))) for one, how, value in _compared(plan) if _is_never(one, how, value, plan.facts)]
    return tuple(dict.fromkeys(map(to_text, found)))


def _compared(plan: Plan) -> Iterator[tuple[Expression, Operation, Any]]:
    """What is compared with a constant in any condition, the constant on the right."""
    for part in dict.fromkeys(part for condition in conditions_of(plan) for part in every(condition)):
        match part:
            case Apply(how, (Literal(value), one)) if how in _TURNED and value is not None:
                yield one, _TURNED[how], value
            case Apply(how, (one, Literal(value))) if how in _TURNED and value is not None:
                yield one, how, value
            case In(one, values):
                yield from ((one, "equal", each.value) for each in values if each.value is not None)


def _names(expression: Expression) -> list[str]:
    return [one.name for one in every(expression) if isinstance(one, Column)]


def _ends(expression: Expression, facts: Facts) -> tuple[Any, Any]:
    """What the expression is at the declared bounds; None on a side without one."""
    match expression:
        case Column(name):
            column = facts.column(name)
            return getattr(column, "lower", None), getattr(column, "upper", None)
        case DatePart("year", Column(name)) if isinstance(column := facts.column(name), Date | Timestamp):
            return (end.year if (end := column.lower) is not None else None), (end.year if (end := column.upper) else None)
        case Apply():
            return bounds_of(expression, facts) or (None, None)
        case _:
            return None, None


def _likes(value: object, end: object) -> bool:
    """Whether a bound and a constant can be compared."""
    numbers = isinstance(value, Fraction | int) and isinstance(end, Fraction | int)
    days = isinstance(value, date) and isinstance(end, date)
    return numbers or (days and isinstance(value, datetime) == isinstance(end, datetime))


def _matters(one: Expression, how: Operation, value: Any, facts: Facts) -> bool:
    """Whether something beyond a bound meets the comparison where the bound does not, or the other way round."""
    low, high = _ends(one, facts)
    at_low, at_high = {"less": (True, False), "greater_equal": (True, False), "less_equal": (False, True),
                       "greater": (False, True)}.get(how, (True, True))  # fmt: skip
    below = _likes(value, low) and (value < low or (at_low and value == low))
    return below or (_likes(value, high) and (value > high or (at_high and value == high)))


def _is_never(one: Expression, how: Operation, value: Any, facts: Facts) -> bool:
    """Whether nothing between the bounds meets the comparison."""
    low, high = _ends(one, facts)
    is_below = _likes(value, low) and (value < low or (how == "less" and value == low))
    is_above = _likes(value, high) and (value > high or (how == "greater" and value == high))
    return (is_below and how in ("less", "less_equal", "equal")) or (is_above and how in ("greater", "greater_equal", "equal"))


# ---- missing values


def missed(plan: Plan) -> str:
    """Which rows meet no condition because a value of theirs is missing."""
    inner = plan.question.per_unit
    counted = {value_name(value) for value in inner.values if value.kind in _COUNTS} if inner is not None else set()
    words: dict[str, list[str]] = {}  # of each column, behind which words it is asked about
    for condition, word in conditions_of(plan).items():
        for part in _conjuncts(condition):
            names = [name for name in dict.fromkeys(_names(part)) if name not in counted]
            is_open = bool(names) and not _picks(part, plan.facts) and may_be_null(part, plan.facts)
            if is_open and evaluate(part, dict.fromkeys(_names(part))) is not True:
                for name in names:
                    words.setdefault(name, []).append(word)
    if not words:
        return ""
    behind = " or ".join(dict.fromkeys(word for each in words.values() for word in each))
    told = [f"{name} is {_lacking(name, plan.facts)}" for name in words]
    rest = ", or whose ".join(told[:_MOST]) + (f", … {grouped(len(told) - _MOST)} more" if len(told) > _MOST else "")
    said = f"do not meet what {behind} says of it"
    found = f"{_who(plan)} whose {rest}{',' * (len(told) > 1)} {said}"
    return found + "".join(f"; {name} IS NULL finds them" for name in words if len(words) == 1 and _is_listed(name, plan.facts))


def _picks(condition: Expression, facts: Facts) -> bool:
    """Whether it asks for some of the declared values of a column: nobody takes what is missing for one of them."""
    match condition:
        case In(Column(name), _) | Apply("equal", (Column(name), Literal()) | (Literal(), Column(name))):
            return _is_listed(name, facts)
        case _:
            return False


def _who(plan: Plan) -> str:
    return "rows" if plan.question.per_unit is None else "rows or units"


def _conjuncts(condition: Expression) -> Iterable[Expression]:
    match condition:
        case Apply("and", of):
            return [part for one in of for part in _conjuncts(one)]
        case _:
            return [condition]


def _is_listed(name: str, facts: Facts) -> bool:
    return isinstance(facts.column(name), Category)


def _lacking(name: str, facts: Facts) -> str:
    """What a value is that is read as none."""
    match facts.column(name):
        case Category(values=values):
            return f"missing or none of its {grouped(len(values))} declared value{'s' * (len(values) != 1)}"
        case Text():
            return "missing"
        case _:
            return "missing or unreadable"
