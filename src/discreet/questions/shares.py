"""Ratios of counts that are means: planned as the mean that they are, for they err less. Rule 9.

``COUNT(*) FILTER (WHERE c) / COUNT(*)`` is the mean of 1 where c holds and 0 elsewhere, NULL too; and so is a sum over the count
of the same rows, to which a number that is NULL adds nothing. The text must prove that the rows above are among those below.
"""

from collections.abc import Iterator, Set
from dataclasses import replace
from fractions import Fraction

from discreet.facts.model import Facts
from discreet.questions.algebra import Aggregate, Apply, Case, Column, Expression, Literal, Order, Output, Question
from discreet.questions.bounds import bounds_of, may_be_null
from discreet.questions.functions import unwanted_by
from discreet.questions.normal import normal_expression
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.walk import every, parts, rebuilt

__all__ = ["with_means"]

_ZERO, _ONE = Literal(Fraction(0)), Literal(Fraction(1))


def with_means(question: Question, facts: Facts) -> Question:
    """The question with its ratios of counts as the means that they are.

    A sum that is asked for by itself as well is bought anyway: over a count of rows that it leaves some of out, it stays a ratio.
    """
    values = [*(output.value for output in question.outputs), *(order.by for order in question.order)]
    values += [] if question.having is None else [question.having]
    sums = {one.of for value in values for one in _outside_of_ratios(value) if one.kind == "sum"}
    return replace(
        question,
        outputs=tuple(Output(output.name, _with(output.value, facts, sums)) for output in question.outputs),
        having=None if question.having is None else _with(question.having, facts, sums),
        order=tuple(Order(_with(order.by, facts, sums), order.descending) for order in question.order),
    )


Sums = Set[Expression | None]


def _outside_of_ratios(value: Expression) -> Iterator[Aggregate]:
    if isinstance(value, Aggregate):
        yield value
    elif not (isinstance(value, Apply) and value.operation == "divide"):
        for part in parts(value):
            yield from _outside_of_ratios(part)


def _with(expression: Expression, facts: Facts, sums: Sums) -> Expression:
    if isinstance(expression, Aggregate):
        return expression
    new = rebuilt(expression, tuple(_with(part, facts, sums) for part in parts(expression)))
    match new:
        case Apply("divide", (Apply("multiply", (above, Literal() as factor)), below)):
            mean = _mean(above, below, facts, sums)
            return new if mean is None else Apply("multiply", (mean, factor))
        case Apply("divide", (above, below)):
            return _mean(above, below, facts, sums) or new
        case _:
            return new


def _mean(above: Expression, below: Expression, facts: Facts, sums: Sums) -> Aggregate | None:
    """The mean that ``above`` / ``below`` is, if it is one."""
    if isinstance(below, Case) and unwanted_by(below) == _ZERO:  # NULLIF(COUNT(*), 0)
        below = below.otherwise
    match above, below:
        case Aggregate(kind="count_rows", filter=only), Aggregate(kind="count_rows", filter=among):
            condition = _beyond(only, among)
            return None if condition is None else Aggregate("mean", Case(((condition, _ONE),), _ZERO), among)
        case Aggregate(kind="sum", of=of, filter=only), Aggregate(kind="count_rows", filter=among) if only == among:
            number = _without_null(of, facts, is_wanted=of in sums) if above.unit_range is None else None
            return None if number is None else Aggregate("mean", number, among)
        case _:
            return None


def _beyond(only: Expression | None, among: Expression | None) -> Expression | None:
    """What rows meet beside ``among`` if they meet ``only``; None unless the one is proven to be a part of the other."""
    wanted, given = _all_of(only), _all_of(among)
    rest = tuple(one for one in wanted if one not in given)
    is_part = all(one in wanted for one in given) and any(isinstance(one, Column) for part in rest for one in every(part))
    if not is_part:
        return None
    return rest[0] if len(rest) == 1 else Apply("and", rest)


def _all_of(condition: Expression | None) -> tuple[Expression, ...]:
    if condition is None:
        return ()
    return condition.of if isinstance(condition, Apply) and condition.operation == "and" else (condition,)


def _without_null(of: Expression | None, facts: Facts, *, is_wanted: bool) -> Expression | None:
    """The number with 0 in the place of NULL, which adds nothing to a sum; None if it has no bounds.

    None too if its sum ``is_wanted`` by itself, and is another one than that.
    """
    if isinstance(of, Case) and of.otherwise == Literal(None):
        of = Case(of.whens, _ZERO)
    if of is None or bounds_of(of, facts) is None:
        return None
    if not may_be_null(with_nulls_replaced(of, facts), facts):
        return of
    return None if is_wanted else normal_expression(Apply("coalesce", (of, _ZERO)))
