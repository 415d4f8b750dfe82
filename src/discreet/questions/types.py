"""Which kind of value an expression has, and whether every operation fits the values it is given.

Like goes with like: numbers with numbers, texts with texts. Two readings are made on the way: a text beside a day or a moment is
read as one, and a day beside a moment is its midnight. A category of whole numbers is a "code": it is compared with numbers
and never computed with.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from difflib import get_close_matches
from fractions import Fraction
from typing import assert_never

from discreet.errors import QuestionError
from discreet.exact import shown
from discreet.facts import model
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
    Operation,
    Overall,
    Power,
    Substring,
    Transform,
)
from discreet.questions.casts import cast_to
from discreet.questions.kinds import NAMES, Type
from discreet.questions.literals import is_float, parse_day, parse_moment
from discreet.questions.places import Misfit, Places, short
from discreet.questions.ranked import RANKED_KINDS
from discreet.questions.walk import parts, rebuilt

__all__ = ["Context", "column_type", "fitted", "type_of"]

_NUMBERS = "only number and integer columns are computed with"
_TEXTS = "only text columns and categories of texts have characters"
_ORDERED = ("number", "code", "day", "moment")
_COMPARISONS = ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")


@dataclass(frozen=True, slots=True)
class Context:
    """What an expression is checked against: the facts, the keys that KeyOf speaks of, and where to note moved places."""

    facts: model.Facts
    keys: tuple[Expression, ...] = ()
    places: Places | None = None
    finds_bounds: bool = False  # of columns that have none


Fitted = tuple[Expression, Type]


def type_of(expression: Expression, facts: model.Facts, keys: tuple[Expression, ...] = ()) -> Type:
    """The kind of value that the expression has. Raises QuestionError if an operation does not fit."""
    try:
        return fitted(expression, Context(facts, keys))[1]
    except Misfit as wrong:
        raise QuestionError(wrong.message, hint=wrong.hint) from None


def column_type(column: model.Column) -> Type:
    """The kind of value that a declared column has."""
    match column:
        case model.Number() | model.Integer():
            return "number"
        case model.Category(values=values):
            return "text" if any(isinstance(value, str) for value in values) else "code"
        case model.Boolean():
            return "truth"
        case model.Date():
            return "day"
        case model.Timestamp():
            return "moment"
        case model.Text():
            return "text"
        case _:
            assert_never(column)


def fitted(expression: Expression, within: Context) -> Fitted:
    """The expression with its constants read as what they stand beside, and the kind of its value. Raises Misfit."""
    inner = [fitted(part, within) for part in parts(expression)]
    new, kind = _fitted(expression, inner, within)
    if new is not expression and within.places is not None:
        within.places.moved(expression, new)
    return new, kind


def _fitted(expression: Expression, inner: list[Fitted], within: Context) -> Fitted:
    same = rebuilt(expression, tuple(part for part, _ in inner))
    match expression:
        case Column(name):
            return expression, _declared(expression, name, within.facts)
        case Literal(value):
            if isinstance(value, Fraction) and not is_float(value):
                raise Misfit(expression, "a number is too large or too small", "numbers end at about 1.8e308")
            return expression, _literal_type(value)
        case KeyOf(place):
            return expression, fitted(within.keys[place], replace(within, places=None))[1]
        case Apply(operation):
            return _applied(expression, operation, inner, within)
        case In(values=values):
            beside = [*inner, *((value, _literal_type(value.value)) for value in values)]
            _check_values(beside, within)
            new, _ = _alike(expression, beside, within)
            return In(new[0], tuple(value for value in new[1:] if isinstance(value, Literal))), "truth"
        case Like():
            _demand(expression, inner[0], "text", "LIKE", "compare numbers and dates with = or BETWEEN")
            return same, "truth"
        case Case():
            return _cases(expression, inner, within)
        case DatePart() | DateTrunc() | Cast() | Substring() | Power() | Bin():
            return _transformed(expression, same, inner[0])
        case Overall():
            return same, "number"
        case Aggregate():
            _check_aggregate(expression, inner)
            return _of_truths(same) if inner and inner[0][1] == "truth" else same, "number"
        case _:
            assert_never(expression)


def _transformed(expression: DatePart | Transform | Bin, same: Expression, of: Fitted) -> Fitted:
    match expression:
        case DatePart(part):
            _check_part(expression, part, of)
            return same, "number"
        case Bin():
            _demand(expression, of, "number", "BIN", "only number and integer columns have bins")
            return same, "number"
        case DateTrunc(period):
            _check_part(expression, period, of)
            return same, of[1]
        case Cast(to=to):
            return cast_to(expression, *of, to)
        case Substring():
            _demand(expression, of, "text", "SUBSTR", _TEXTS)
            return same, "text"
        case Power():
            _demand(expression, of, "number", "POWER", _NUMBERS)
            return same, "number"
        case _:
            assert_never(expression)


# ---- leaves


def _declared(expression: Expression, name: str, facts: model.Facts) -> Type:
    for column in facts.columns:
        if column.name == name:
            return column_type(column)
    raise Misfit(expression, f"column {short(name)} is not declared", "write the name of a declared column")


def _literal_type(value: Fraction | str | bool | date | datetime | None) -> Type:
    match value:
        case None:
            return "null"
        case bool():
            return "truth"
        case str():
            return "text"
        case Fraction():
            return "number"
        case datetime():
            return "moment"
        case date():
            return "day"
        case _:
            assert_never(value)


# ---- operations


def _applied(expression: Apply, operation: Operation, inner: list[Fitted], within: Context) -> Fitted:
    same = rebuilt(expression, tuple(part for part, _ in inner))
    match operation:
        case "add" | "subtract" | "multiply" | "divide" | "remainder" | "negate" | "abs" | "floor" | "ceil" | "round":
            for part in inner:
                _demand(expression, part, "number", "arithmetic", _NUMBERS)
            return same, "number"
        case "clamp":
            return _clamped(expression, inner)
        case "sqrt" | "ln" | "exp":
            _demand(expression, inner[0], "number", operation.upper(), _NUMBERS)
            return same, "number"
        case "lower" | "upper" | "length":
            _demand(expression, inner[0], "text", operation.upper(), _TEXTS)
            return same, "number" if operation == "length" else "text"
        case "and" | "or" | "not":
            for part in inner:
                _demand(expression, part, "truth", operation.upper(), "write a condition, such as x > 0 or x = 'a'")
            return same, "truth"
        case "is_null":
            return same, "truth"
        case "coalesce":
            new, kind = _alike(expression, inner, within)
            return rebuilt(expression, new), kind
        case "least" | "greatest":
            new, kind = _alike(expression, inner, within)
            return rebuilt(expression, new), _ordered(expression, kind, operation.upper())
        case _:
            new, kind = _compared(expression, inner, within)
            return rebuilt(expression, new), kind


def _clamped(expression: Apply, inner: list[Fitted]) -> Fitted:
    (value, kind), *ends = inner
    _demand(expression, (value, kind), "number", "CLAMP", "only number and integer columns are computed with")
    low, high = (part.value if isinstance(part, Literal) else None for part, _ in ends)
    if not (isinstance(low, Fraction) and isinstance(high, Fraction) and low <= high):
        raise Misfit(expression, "CLAMP takes a number and two constants, the lower one first", "write CLAMP(x, 0, 100)")
    return rebuilt(expression, (value, *(part for part, _ in ends))), "number"


def _compared(expression: Apply, inner: list[Fitted], within: Context) -> tuple[tuple[Expression, ...], Type]:
    for part, kind in inner:
        if kind == "null":
            raise Misfit(part, "nothing equals NULL, not even NULL", "write x IS NULL or x IS NOT NULL")
    if expression.operation in ("equal", "not_equal"):
        _check_values(inner, within)
        return _alike(expression, inner, within)[0], "truth"
    new, kind = _alike(expression, inner, within)
    _ordered(expression, kind, "an order")
    return new, "truth"


def _ordered(expression: Expression, kind: Type, what: str) -> Type:
    if kind not in _ORDERED:
        raise Misfit(expression, f"{what} is for numbers and dates, not for {NAMES[kind]}", "write =, <>, IN or LIKE")
    return kind


def _cases(expression: Case, inner: list[Fitted], within: Context) -> Fitted:
    conditions, results = inner[:-1:2], [*inner[1::2], inner[-1]]
    for condition in conditions:
        _demand(expression, condition, "truth", "WHEN", "write a condition, such as x > 0 or x = 'a'")
    new, kind = _alike(expression, results, within)
    whens = tuple((condition, result) for (condition, _), result in zip(conditions, new[:-1], strict=True))
    return rebuilt(expression, (*(part for pair in whens for part in pair), new[-1])), kind


def _check_part(expression: Expression, part: str, of: Fitted) -> None:
    if of[1] not in ("day", "moment"):
        raise Misfit(expression, f"only dates and timestamps have a {part}, not {_named(of)}", "declare the column as a date")
    if of[1] == "day" and part in ("hour", "minute"):
        raise Misfit(expression, f"a date has no {part}", "write year, quarter, month, week, day or weekday")


def _check_aggregate(expression: Aggregate, inner: list[Fitted]) -> None:
    if expression.filter is not None:
        _demand(expression, inner[-1], "truth", "FILTER", "write FILTER (WHERE x > 0)")
    if expression.of is None:
        return
    if inner[0][1] == "null":
        raise Misfit(expression, "an aggregate of NULL counts nothing", "write COUNT(*)")
    if expression.kind in ("count", "count_distinct", "groups_per_unit", "at_caps", "mode"):
        return
    if inner[0][1] == "truth" and expression.kind in ("sum", "mean"):
        return
    if inner[0][1] == "truth":
        hint = "write AVG(condition), the share of rows, or COUNT_IF(condition)"
        raise Misfit(expression, f"only numbers are added up, not {_named(inner[0])}", hint)
    what = "a quantile, MIN or MAX" if expression.kind in RANKED_KINDS else "a sum, mean or variance"
    _demand(expression, inner[0], "number", what, "COUNT(x) counts values of any kind")
    if expression.and_of is not None:
        _demand(expression, inner[1], "number", "a relation", "it relates two numbers to each other")


def _of_truths(aggregate: Expression) -> Expression:
    """SUM and AVG of a condition: those of 1 where it is true and 0 where it is false."""
    if isinstance(aggregate, Aggregate) and aggregate.kind in ("sum", "mean") and aggregate.of is not None:
        return replace(aggregate, of=Cast(aggregate.of, "number"))
    return aggregate


# ---- like with like


def _demand(expression: Expression, found: Fitted, wanted: Type, what: str, hint: str) -> None:
    if found[1] == wanted:
        return
    if found[1] == "code" and wanted == "number":
        hint = "compare it with = or IN, or write CAST(x AS INTEGER) to compute with it"
    raise Misfit(expression, f"{what} needs {NAMES[wanted]}, not {_named(found)}", hint)


def _named(found: Fitted) -> str:
    expression, kind = found
    return f"{short(expression.name)} ({NAMES[kind]})" if isinstance(expression, Column) else NAMES[kind]


def _alike(expression: Expression, inner: Sequence[Fitted], within: Context) -> tuple[tuple[Expression, ...], Type]:
    """The parts, constants read as what they stand beside, and the kind that they share."""
    kinds = {kind for _, kind in inner}
    if kinds & {"day", "moment"}:
        inner = [_read_beside(part, "moment" if "moment" in kinds else "day", within) for part in inner]
    kinds = {kind for _, kind in inner} - {"null"}
    if kinds == {"code", "number"}:
        kinds = {"code"}
    if len(kinds) > 1:
        first, second, *_ = dict.fromkeys(_named(part) for part in inner if part[1] != "null")
        raise Misfit(expression, f"{first} and {second} do not go together", _together(kinds))
    return tuple(part for part, _ in inner), kinds.pop() if kinds else "null"


def _together(kinds: set[Type]) -> str:
    if kinds <= {"text", "number", "code"}:
        return "write numbers as 2 and texts as '2', as the column is declared"
    if "truth" in kinds:
        return "write TRUE and FALSE, or use the condition itself"
    return "write DATE '2020-01-31' or TIMESTAMP '2020-01-31 12:00:00'"


def _read_beside(part: Fitted, wanted: Type, within: Context) -> Fitted:
    expression, kind = part
    if not isinstance(expression, Literal) or kind == wanted:
        return part
    value = expression.value
    if kind == "day" and wanted == "moment" and isinstance(value, date):
        return _moved(expression, Literal(datetime.combine(value, time())), within), "moment"
    if not isinstance(value, str):
        return part
    read = parse_day(value) if wanted == "day" else parse_moment(value)
    if read is None:
        example = "'2020-01-31'" if wanted == "day" else "'2020-01-31 12:00:00'"
        raise Misfit(expression, f"'{short(value)}' is not {NAMES[wanted]}", f"write {example}")
    return _moved(expression, Literal(read), within), wanted


def _moved(old: Expression, new: Expression, within: Context) -> Expression:
    return new if within.places is None else within.places.moved(old, new)


def _check_values(inner: Sequence[Fitted], within: Context) -> None:
    """Refuse the equality of a category with a value that it was not declared to have: a slip that would cost budget."""
    for part, _ in inner:
        of = within.keys[part.place] if isinstance(part, KeyOf) else part
        column = within.facts.column(of.name) if isinstance(of, Column) else None
        if not isinstance(column, model.Category):
            continue
        for other, _ in inner:
            if isinstance(other, Literal) and isinstance(other.value, str | Fraction) and other.value not in column.values:
                message = f"{_shown(other.value)} is not a declared value of {column.name}"
                raise Misfit(other, message, _nearest(other.value, column))


def _shown(value: str | Fraction | int) -> str:
    return f"'{short(value)}'" if isinstance(value, str) else short(shown(Fraction(value)))


def _nearest(value: str | Fraction, column: model.Category) -> str:
    by_label = dict(zip((label.casefold() for label in column.labels), column.values, strict=False))
    if isinstance(value, str) and value.casefold() in by_label:
        return f"write {_shown(by_label[value.casefold()])}"
    texts = [known for known in column.values if isinstance(known, str)]
    if isinstance(value, str) and (near := get_close_matches(value, texts, n=3)):
        return f"write {' or '.join(map(_shown, near))}"
    some = ", ".join(map(_shown, column.values[:8]))
    all_else = f"; {column.name} IS NULL finds what is none of them" if column.other else ""
    return f"there are: {some}{', …' if len(column.values) > 8 else ''}{all_else}"
