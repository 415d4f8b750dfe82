"""Whether a question can be asked of a table, decided from the facts alone; and its one form if so."""

from collections.abc import Iterator
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction
from typing import assert_never

from discreet.errors import QuestionError
from discreet.facts import model
from discreet.facts.joins import join_of, joined
from discreet.questions.aggregates import BOUNDED
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
    KeyOf,
    Like,
    Literal,
    Order,
    Output,
    Overall,
    PerUnit,
    Power,
    Question,
    Substring,
)
from discreet.questions.bounds import WIDEST_WHOLE, beyond_bounds, bounds_of, is_whole, unbounded_operand
from discreet.questions.caps import check_units, fitted_caps, fitted_groups, with_groups_of_facts
from discreet.questions.disjoint import is_per_unit
from discreet.questions.functions import ROWS_ALONE
from discreet.questions.joins import facts_seen, fitted_joins
from discreet.questions.key_checks import check_column_key, check_computed_key
from discreet.questions.naming import default_name
from discreet.questions.normal import normal
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.per_unit import COUNTS, ONE_ROW_EACH, VALUES, value_name
from discreet.questions.places import Misfit, Places, short
from discreet.questions.ranked import RANKED_KINDS, SIZE_KINDS, check_ranked
from discreet.questions.shares import with_means
from discreet.questions.spans import moments_of
from discreet.questions.text import to_text
from discreet.questions.types import Context, fitted, type_of
from discreet.questions.unbounded import FIND, fitted_share, is_unbounded
from discreet.questions.unit_range import argument_of, check_unit_range
from discreet.questions.walk import every, parts, rebuilt
from discreet.remedies import Remedy

__all__ = ["MOST_AGGREGATES", "checked", "checked_condition", "checked_key", "fitted_per_unit", "fitted_question"]

MOST_AGGREGATES = 100

_SHORT = 60  # letters of a part that a hint writes out
_ARITHMETIC_ONLY = "only arithmetic is done with released values"



def checked(question: Question, facts: model.Facts, *, finds_bounds: bool = False) -> Question:
    """The question in its one form. Raises QuestionError if it cannot be asked of this table.

    With ``finds_bounds`` columns may lack bounds as if a share of the price were to find them: that is for whoever asks to say.
    """
    if any(not _is_unicode(text) for text in _texts(question)):
        raise QuestionError("a text is not valid Unicode", hint="write whole characters: half surrogates stand for nothing")
    try:
        return fitted_question(question, facts, Places(), finds_bounds=finds_bounds)
    except Misfit as wrong:
        raise QuestionError(wrong.message, hint=wrong.hint) from None


def _texts(part: object) -> Iterator[str]:
    """Every text in a question made by hand; one read from SQL has been through this."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, tuple):
        for each in part:
            yield from _texts(each)
    elif is_dataclass(part):
        for each in fields(part):
            yield from _texts(getattr(part, each.name))


def _is_unicode(text: str) -> bool:
    return not any(0xD800 <= ord(letter) <= 0xDFFF for letter in text)


def fitted_question(question: Question, facts: model.Facts, places: Places, *, finds_bounds: bool = False) -> Question:
    """The question in its one form, which can be asked just as well. Raises Misfit."""
    if question.per_unit is not None:
        if question.joins:
            raise Misfit(None, "a subquery is joined with nothing", "write the JOIN inside of it")
        question = replace(question, per_unit=fitted_per_unit(question.per_unit, facts, places))
        question = with_groups_of_facts(question, facts)
    question = replace(question, joins=fitted_joins(question.joins, facts))
    facts = facts_seen(question, facts)
    form = with_means(normal(_fitted(question, facts, places, finds_bounds)), facts)
    _fitted(form, facts, places, finds_bounds)  # what constants come to is known only now: Race = 3 + 4
    return form


def _fitted(question: Question, facts: model.Facts, places: Places, finds_bounds: bool) -> Question:
    keys = tuple(checked_key(key, facts, places) for key in question.keys)
    within = Context(facts, keys, places, finds_bounds or question.bounds_share is not None)
    fit = Question(
        table=question.table,
        outputs=tuple(Output(output.name, _output(output, within)) for output in question.outputs),
        where=None if question.where is None else checked_condition(question.where, facts, places),
        keys=keys,
        having=None if question.having is None else _having(question.having, within),
        order=tuple(Order(_released(order.by, within)[0], order.descending) for order in question.order),
        limit=question.limit,
        caps=_caps(question, facts),
        joins=question.joins,
        bounds_share=question.bounds_share,
        per_unit=question.per_unit,
    )
    return fitted_share(fit, _check_aggregates(fit, facts), facts)


def _caps(question: Question, facts: model.Facts) -> Caps:
    """Of rows that are made of units only how many one of them has is capped, where it may have several."""
    has_several = question.per_unit is not None and question.per_unit.moving
    return fitted_groups(question.caps) if has_several else fitted_caps(question.caps, facts)


# ---- over rows


def checked_condition(expression: Expression, facts: model.Facts, places: Places) -> Expression:
    """A condition on rows, its constants read as what they stand beside. Raises Misfit."""
    new, kind = fitted(expression, Context(facts, (), places))
    if kind != "truth":
        raise Misfit(expression, "this is not a condition", "write a condition, such as x > 0 or x = 'a'")
    _check_row(new, facts)
    return new


def checked_key(expression: Expression, facts: model.Facts, places: Places) -> Expression:
    """A key whose values are public. Raises Misfit."""
    new, _ = fitted(expression, Context(facts, (), places))
    _check_row(new, facts)
    match new:
        case Column(name):
            check_column_key(new, facts.column(name), facts.budget)
        case Bin() | DatePart():
            if bounds_of(new, facts) is None:
                raise Misfit(new, f"the values of {short(to_text(new))} have no public bounds", _clamp(new.of, facts))
        case DateTrunc(of=of):
            if moments_of(of, facts) is None:
                hint = "declare lower and upper of the column in the facts"
                raise Misfit(new, f"the values of {short(to_text(new))} have no public bounds", hint)
        case _:
            check_computed_key(new, facts)
    return new


def _check_row(expression: Expression, facts: model.Facts) -> None:
    for one in every(expression):
        if isinstance(one, Aggregate | Overall | KeyOf):
            raise Misfit(one, "an aggregate stands where a row's values do", "aggregates go in SELECT, HAVING and ORDER BY")
        if isinstance(one, Cast) and one.to == "text":
            _check_written(one, facts)
    loose = unbounded_operand(expression, facts)
    if loose is not None:
        raise Misfit(loose, *_unbounded(loose, facts))


def _unbounded(loose: Expression, facts: model.Facts) -> tuple[str, str]:
    """What is wrong with a part that could be infinite, and what to write."""
    inner = next(iter(parts(loose)), loose)
    match loose:
        case Apply("ln") | Power():
            clamped = to_text(rebuilt(loose, (Apply("greatest", (inner, Literal(Fraction(1)))),)))
            return f"{short(to_text(loose))} has no end near 0", f"clamp it there: write {clamped}"
        case Apply("exp"):
            clamped = to_text(rebuilt(loose, (Apply("least", (inner, Literal(Fraction(10)))),)))
            return f"{short(to_text(loose))} can be too large", f"clamp it: write {clamped}"
        case _:
            return f"{short(to_text(loose))} is computed with but has no public bounds", _clamp(loose, facts)


def _check_written(cast: Cast, facts: model.Facts) -> None:
    """Whole numbers have one text on every engine, and others do not."""
    bounds = bounds_of(cast.of, facts)
    if type_of(cast.of, facts) == "number" and (
        not is_whole(cast.of, facts) or bounds is None or max(map(abs, bounds)) > WIDEST_WHOLE
    ):
        raise Misfit(cast, "only whole numbers with public bounds become text", "write CAST(ROUND(x) AS TEXT)")


# ---- values per unit


def fitted_per_unit(per_unit: PerUnit, facts: model.Facts, places: Places) -> PerUnit:
    """The table that has one row for each unit, found to be one that can be asked. Raises Misfit."""
    if not isinstance(facts.unit, model.ByColumn) or facts.unit.column != per_unit.unit:
        raise Misfit(None, f"{short(per_unit.unit)} is not the unit in the facts", "group the rows of each unit by the unit")
    joins = fitted_joins(per_unit.joins, facts)
    if any(isinstance(join_of(facts, join.table), model.Companion) for join in joins):
        raise Misfit(None, "another confidential table is joined in a subquery", "join it in a question without a subquery")
    if any(not getattr(facts.column(name), "per_unit", False) for name in per_unit.keys):
        raise Misfit(None, "a key of the subquery may differ between the rows of a unit", "declare per_unit = true for it")
    for name in per_unit.moving:
        checked_key(Column(name), facts, places)
    inside = joined(facts, (join.table for join in joins))
    where = None if per_unit.where is None else checked_condition(per_unit.where, inside, places)
    values = tuple(_fitted_value(value, Context(inside, (), places)) for value in per_unit.values)
    return replace(per_unit, values=values, where=where, joins=joins)


def _fitted_value(value: Aggregate, within: Context) -> Aggregate:
    """A value of a unit, with public bounds unless it is a count; its form stays, since it is its name."""
    facts = within.facts
    if value.kind not in VALUES or value.interval or value.and_of is not None:
        raise Misfit(value, f"{short(to_text(value))} is no value of a unit", "there are: COUNT, SUM, AVG, MIN and MAX")
    if value.unit_range is not None:
        raise Misfit(value, "PER UNIT BETWEEN stands inside the subquery", "clamp the value around it: AVG(CLAMP(s, 0, 100))")
    fitted(value, within)
    for part in parts(value):
        _check_row(part, facts)
    if value.of is not None and value.kind not in COUNTS and bounds_of(with_nulls_replaced(value.of, facts), facts) is None:
        raise Misfit(value, f"{short(to_text(value.of))} cannot be summed without public bounds", _clamp(value.of, facts))
    if facts.column(value_name(value)) is not None:
        raise Misfit(value, f"there is a column called {short(value_name(value))}", "call that something else in the facts")
    return value


# ---- over released values


def _output(output: Output, within: Context) -> Expression:
    new, kind = _released(output.value, within, may_choose=True)
    if kind != "number" and not isinstance(new, KeyOf):
        of_keys = any(isinstance(one, KeyOf) for one in every(new))
        hint = f"write GROUP BY {to_text(new, within.keys)}" if of_keys else "write an aggregate, such as COUNT(*) or AVG(x)"
        raise Misfit(output.value, "an output is a key or a number", hint)
    for place, key in enumerate(within.keys):
        called = default_name(key, ()) if isinstance(key, Column) else ""
        is_other = not isinstance(new, KeyOf) if isinstance(key, Column) and key.table else new != KeyOf(place)
        if called.casefold() == output.name.casefold() and is_other:
            raise Misfit(
                output.value, f"this output is called {short(output.name)}, and so is a key", "give the output another name"
            )
    return new


def _having(expression: Expression, within: Context) -> Expression:
    new, kind = _released(expression, within)
    if kind != "truth":
        raise Misfit(expression, "HAVING is not a condition", "write a condition, such as COUNT(*) > 100")
    return new


def _released(expression: Expression, within: Context, *, may_choose: bool = False) -> tuple[Expression, str]:
    new, kind = fitted(expression, within)
    for aggregate in _outermost(new):
        if aggregate.kind == "mode" and not (may_choose and aggregate is new):
            raise Misfit(aggregate, "MODE is a value and no number", "ask for it as a column by itself: SELECT MODE(x) AS m")
        _check_aggregate(aggregate, within)
    return new, kind


def _outermost(expression: Expression) -> Iterator[Aggregate]:
    """The aggregates in an expression over released values."""
    match expression:
        case Aggregate():
            yield expression
        case Column():
            raise Misfit(expression, f"column {short(expression.name)} is not a key", "aggregate it or put it in GROUP BY")
        case DatePart() | DateTrunc() | Cast() | Substring() | Power() | Bin():
            raise Misfit(expression, _ARITHMETIC_ONLY, "work out each row's value inside the aggregate: AVG(SQRT(x))")
        case Apply(operation) if operation in ROWS_ALONE:
            raise Misfit(expression, _ARITHMETIC_ONLY, f"work out each row's value inside: AVG({operation.upper()}(x))")
        case Overall(Aggregate(kind=kind)) if kind not in ("count_rows", "count", "sum"):
            raise Misfit(expression, "only counts and sums are added up over groups", "write SUM(COUNT(*)) OVER ()")
        case Literal() | Apply() | In() | Like() | Case() | Overall() | KeyOf():
            for part in parts(expression):
                yield from _outermost(part)
        case _:
            assert_never(expression)


def _check_aggregate(aggregate: Aggregate, within: Context) -> None:
    facts = within.facts
    check_units(aggregate, facts)
    check_unit_range(aggregate, facts)
    for part in parts(aggregate):
        _check_row(part, facts)
    check_ranked(aggregate)
    if aggregate.kind in SIZE_KINDS:
        _check_size(aggregate, within)
        return
    if aggregate.kind == "at_caps":
        _check_caps(aggregate, within)
        return
    if aggregate.kind == "mode":
        _check_mode(aggregate, facts)
    if aggregate.of is None or aggregate.kind in ("count", "mode"):
        return
    if aggregate.kind in BOUNDED and beyond_bounds(aggregate, facts) is None and not _is_found(aggregate.of, within):
        raise Misfit(
            aggregate, f"{short(to_text(aggregate.of))} has no such bound in the facts",
            "name a number column that is declared with lower and upper",
        )  # fmt: skip
    for number in (aggregate.of,) if aggregate.and_of is None else (aggregate.of, aggregate.and_of):
        if not any(isinstance(one, Column) for one in every(number)):
            raise Misfit(aggregate, "this aggregate reads no column", "write COUNT(*), times a number if you like")
        if aggregate.unit_range is not None and argument_of(aggregate, facts) is not None:
            continue
        if aggregate.kind != "count_distinct" and bounds_of(number, facts) is None and not _is_found(number, within):
            what = "ranked" if aggregate.kind in RANKED_KINDS else "summed"
            raise Misfit(aggregate, f"{short(to_text(number))} cannot be {what} without public bounds", _hint(number, facts))


def _check_mode(aggregate: Aggregate, facts: model.Facts) -> None:
    column = facts.column(aggregate.of.name) if isinstance(aggregate.of, Column) else None
    if not isinstance(column, model.Category | model.Boolean):
        hint = "name a category or a boolean column, or count the rows of BIN(x, width)"
        raise Misfit(aggregate, "MODE chooses among declared values", hint)


def _check_size(aggregate: Aggregate, within: Context) -> None:
    if within.keys:
        raise Misfit(aggregate, "how many rows or groups units have is released for all of them together", "leave out GROUP BY")
    if aggregate.of is not None:
        checked_key(aggregate.of, within.facts, within.places or Places())


def _check_caps(aggregate: Aggregate, within: Context) -> None:
    if aggregate.filter is not None:
        raise Misfit(aggregate, "whether a unit is cut is told by all its rows that meet WHERE", "move the condition to WHERE")
    if not all(is_per_unit(key, within.facts) for key in within.keys):
        raise Misfit(
            aggregate, "whether a unit is cut is told once for each, and it can be in several of these groups",
            "leave out GROUP BY and name the key: AT_CAPS(key); or group by columns that are constant per unit",
        )  # fmt: skip
    if aggregate.of is not None:
        checked_key(aggregate.of, within.facts, within.places or Places())


def _is_found(number: Expression, within: Context) -> bool:
    return within.finds_bounds and is_unbounded(number, within.facts)


def _hint(number: Expression, facts: model.Facts) -> str:
    return Remedy(f"{_clamp(number, facts)}; or {FIND}") if is_unbounded(number, facts) else _clamp(number, facts)


def _clamp(number: Expression, facts: model.Facts) -> str:
    """What to do about a number without bounds: no facts file says those of values per unit."""
    part = to_text(number)
    part = part if (len(part) <= _SHORT or isinstance(number, Column)) and "{" not in part else "x"
    if _is_of_units(facts):
        return f"clamp it: CLAMP({part}, 0, 1000), the least and the most that a unit is to count for"
    return f"declare lower and upper in the facts, or clamp it: write GREATEST(LEAST({part}, 100), 0)"


def _is_of_units(facts: model.Facts) -> bool:
    return facts.description == ONE_ROW_EACH


def _is_ordered(key: Expression, facts: model.Facts) -> bool:
    column = facts.column(key.name) if isinstance(key, Column) else None
    is_bounded = isinstance(column, model.Integer) and column.lower is not None and column.upper is not None
    return isinstance(key, Bin | DatePart) or is_bounded


def _check_aggregates(question: Question, facts: model.Facts) -> list[Aggregate]:
    """Every aggregate of the question, each once."""
    places = [*(output.value for output in question.outputs), *(order.by for order in question.order)]
    places += [] if question.having is None else [question.having]
    aggregates = list(dict.fromkeys(one for place in places for one in _outermost(place)))
    if not aggregates:
        first = question.outputs[0].value if question.outputs else None
        raise Misfit(first, "the question asks for no statistic", "write an aggregate, such as COUNT(*) or AVG(x)")
    overall = next((one for place in places for one in every(place) if isinstance(one, Overall)), None)
    if overall is not None and question.having is not None:
        raise Misfit(overall, "a total over all groups and HAVING do not go together", "leave out HAVING, and ORDER BY … LIMIT n")
    running = next((one for one in aggregates if one.kind == "running_rows"), None)
    if running is not None and not (question.keys and _is_ordered(question.keys[-1], facts)):
        raise Misfit(
            running, "RUNNING_COUNT runs over the last key, which has to be in order",
            "GROUP BY BIN(x, width), a whole number or a date part last",
        )  # fmt: skip
    if len(aggregates) > MOST_AGGREGATES:
        raise Misfit(
            aggregates[MOST_AGGREGATES], f"the question has more than {MOST_AGGREGATES} aggregates", "ask several questions"
        )
    return aggregates
