"""Quantiles, MIN and MAX: how they are written, and which share of the rows they may ask for.

MEDIAN(x), QUANTILE(x, q) and PERCENTILE_CONT(q) WITHIN GROUP (ORDER BY x) are one aggregate; q is a constant from 0 to 1, and
stays the exact rational that was written (1/3 is one). A last argument INTERVAL buys an interval for the value.
"""

from collections.abc import Callable
from dataclasses import replace
from difflib import get_close_matches
from fractions import Fraction

from discreet.exact import shown
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Expression, Literal, Question
from discreet.questions.cursor import Cursor
from discreet.questions.places import Misfit
from discreet.questions.tokens import Token
from discreet.questions.walk import parts, rebuilt

__all__ = [
    "FINEST", "RANKED", "RANKED_KINDS", "SIZE_KINDS", "check_ranked", "check_share", "parse_ranked", "ranked_text",
    "with_intervals",
]  # fmt: skip

FINEST = 10**6  # the largest denominator of a share: ranks are compared in steps of it
RANKED_KINDS: tuple[AggregateKind, ...] = ("quantile", "min", "max")
_HALF = Fraction(1, 2)
_WITHIN_GROUP = ("PERCENTILE_CONT", "PERCENTILE_DISC")
_OF_A_SHARE = ("QUANTILE", "QUANTILE_CONT", "QUANTILE_DISC", "APPROX_QUANTILE")
_SIZES: dict[str, AggregateKind] = {"ROWS_PER_UNIT": "rows_per_unit", "GROUPS_PER_UNIT": "groups_per_unit"}
SIZE_KINDS: tuple[AggregateKind, ...] = ("rows_per_unit", "groups_per_unit")  # of units, each of which counts once
RANKED: tuple[str, ...] = ("MEDIAN", "MIN", "MAX", *_OF_A_SHARE, *_WITHIN_GROUP, *_SIZES)
_HOW = "write a constant from 0 to 1, such as QUANTILE(x, 0.25)"


def parse_ranked(token: Token, cursor: Cursor, expression: Callable[[], Expression]) -> Aggregate:
    """The aggregate behind its name ``token``, up to a FILTER. Raises QuestionError."""
    cursor.expect("(")
    if token.key in _WITHIN_GROUP:
        return _within_group(token, cursor, expression)
    if token.key in _SIZES:
        return _size(token, cursor, expression)
    of, q = expression(), _HALF if token.key == "MEDIAN" else None
    if token.key in _OF_A_SHARE:
        if cursor.token.key != ",":
            raise cursor.refused(cursor.token, f"{token.key} lacks the share of rows below", "write QUANTILE(x, 0.25)")
        cursor.take()
        q = _share(cursor, expression)
    interval = _interval(cursor)
    _check_end(token, cursor)
    kinds: dict[str, AggregateKind] = {"MIN": "min", "MAX": "max"}
    return Aggregate(kinds.get(token.key, "quantile"), of, q=q, interval=interval)


def _size(token: Token, cursor: Cursor, expression: Callable[[], Expression]) -> Aggregate:
    q, of = _share(cursor, expression), None
    if token.key == "GROUPS_PER_UNIT":
        if not cursor.take_if(","):
            raise cursor.refused(cursor.token, "GROUPS_PER_UNIT lacks the key of the groups", "write GROUPS_PER_UNIT(0.95, key)")
        of = expression()
    cursor.expect(")")
    return Aggregate(_SIZES[token.key], of, q=q)


def _within_group(token: Token, cursor: Cursor, expression: Callable[[], Expression]) -> Aggregate:
    q, interval = _share(cursor, expression), _interval(cursor)
    cursor.expect(")")
    if not cursor.take_if("WITHIN"):
        hint = f"write {token.key}({shown(q)}) WITHIN GROUP (ORDER BY x)"
        raise cursor.refused(cursor.token, f"{token.key} does not say of what", hint)
    for word in ("GROUP", "(", "ORDER", "BY"):
        cursor.expect(word)
    of = expression()
    falling = cursor.take_if("ASC", "DESC")
    cursor.expect(")")
    return Aggregate("quantile", of, q=1 - q if falling is not None and falling.key == "DESC" else q, interval=interval)


def _interval(cursor: Cursor) -> bool:
    if cursor.token.key == "," and cursor.after.key == "INTERVAL":
        cursor.take()
        cursor.take()
        return True
    return False


def _check_end(token: Token, cursor: Cursor) -> None:
    """The parenthesis, in place of which a misspelt INTERVAL may stand."""
    if cursor.token.key == "," and cursor.after.kind == "word" and get_close_matches(cursor.after.key, ["INTERVAL"]):
        hint = f"write INTERVAL as the last argument of {token.key}; it buys an interval for the value"
        raise cursor.refused(cursor.after, f"expected INTERVAL, found {cursor.after}", hint)
    cursor.expect(")")


def _share(cursor: Cursor, expression: Callable[[], Expression]) -> Fraction:
    start = cursor.token
    share = _constant(expression())
    if share is None:
        raise cursor.refused(start, "the share of a quantile is not a constant", _HOW)
    try:
        return check_share(share)
    except Misfit as wrong:
        raise cursor.refused(start, wrong.message, wrong.hint) from None


def _constant(expression: Expression) -> Fraction | None:
    match expression:
        case Literal(Fraction() as value):
            return value
        case Apply("divide", (Literal(Fraction() as above), Literal(Fraction() as below))) if below:
            return above / below
        case _:
            return None


def check_share(q: Fraction | None) -> Fraction:
    """The share, from 0 to 1 and of at most six decimals. Raises Misfit."""
    if q is None or not isinstance(q, Fraction):
        raise Misfit(None, "a quantile lacks the share of rows below it", _HOW)
    if not 0 <= q <= 1:
        raise Misfit(None, f"the share of a quantile is {shown(q)}, not between 0 and 1", _HOW)
    if q.denominator > FINEST:
        raise Misfit(None, "the share of a quantile has too many digits", f"six decimals will do, or a fraction up to /{FINEST}")
    return q


def check_ranked(aggregate: Aggregate) -> None:
    """Whether a share and an interval stand where they mean something, and nowhere else. Raises Misfit."""
    if aggregate.kind == "quantile" or aggregate.kind in SIZE_KINDS:
        try:
            check_share(aggregate.q)
        except Misfit as wrong:
            raise Misfit(aggregate, wrong.message, wrong.hint) from None
        if aggregate.kind in SIZE_KINDS:
            _check_size(aggregate)
    elif aggregate.q is not None or (aggregate.interval and aggregate.kind not in RANKED_KINDS):
        raise Misfit(aggregate, "only quantiles have a share or buy an interval", "every other number has its interval for free")


def _check_size(aggregate: Aggregate) -> None:
    if aggregate.q in (0, 1):
        raise Misfit(aggregate, "the least and the most that any unit has is not told", "write ROWS_PER_UNIT(0.99)")
    if aggregate.filter is not None:
        raise Misfit(aggregate, "units are counted by all rows that meet WHERE", "move the condition from FILTER to WHERE")
    if (aggregate.of is None) != (aggregate.kind == "rows_per_unit") or aggregate.and_of is not None or aggregate.interval:
        raise Misfit(aggregate, "sizes of units are asked for in another way", "write ROWS_PER_UNIT(q), GROUPS_PER_UNIT(q, key)")


def with_intervals(question: Question) -> Question:
    """The question with an interval bought for the value of every quantile, MIN and MAX in it."""

    def bought(expression: Expression) -> Expression:
        if isinstance(expression, Aggregate):
            return replace(expression, interval=True) if expression.kind in RANKED_KINDS else expression
        return rebuilt(expression, tuple(map(bought, parts(expression))))

    return replace(
        question,
        outputs=tuple(replace(output, value=bought(output.value)) for output in question.outputs),
        having=None if question.having is None else bought(question.having),
        order=tuple(replace(order, by=bought(order.by)) for order in question.order),
    )


def ranked_text(aggregate: Aggregate, of: str) -> str:
    """The aggregate in SQL, where ``of`` is the text of its number or key."""
    if aggregate.kind in SIZE_KINDS and aggregate.q is not None:
        return f"{aggregate.kind.upper()}({shown(aggregate.q)}{f', {of}' if of else ''})"
    arguments = [of, *(["INTERVAL"] if aggregate.interval else [])]
    if aggregate.q is None or aggregate.kind != "quantile":
        return f"{aggregate.kind.upper()}({', '.join(arguments)})"
    if aggregate.q == _HALF:
        return f"MEDIAN({', '.join(arguments)})"
    arguments.insert(1, shown(aggregate.q))
    return f"QUANTILE({', '.join(arguments)})"
