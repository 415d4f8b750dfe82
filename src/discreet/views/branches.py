"""CASE and COALESCE over released numbers: the noise may have chosen the branch, and intervals allow for the others.

A branch is certain where no numbers inside their intervals choose another one. Elsewhere the interval is the hull of all that may
be chosen; it has no end where one of these has none. Proof: docs/proofs/intervals.md, "Branches".
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from discreet.planning.choosing import aggregates_in_expression
from discreet.questions.algebra import Apply, Case, Expression, In, Literal
from discreet.questions.walk import every
from discreet.statistics.estimate import Estimate
from discreet.statistics.reach import Floats

__all__ = ["cases", "coalesced"]

_NULL = Literal(None)

Find = Callable[[Expression], Estimate]
Cells = NDArray[np.bool_]


def cases(expression: Case, find: Find) -> Estimate:
    """What CASE comes to."""
    found = find(expression.otherwise)
    for condition, then in reversed(expression.whens):
        holds, chosen = find(condition).value == 1.0, find(then)
        value, low, high = (np.where(holds, a, b) for a, b in zip(_parts(chosen), _parts(found), strict=True))
        open_, (least, most) = _open(condition, find, len(value)), _hull(chosen, found)
        found = Estimate(value, np.where(open_, least, low), np.where(open_, most, high))
    return found


def coalesced(of: Sequence[Expression], find: Find) -> Estimate:
    """What COALESCE comes to: the last value, or the one before unless that is NULL, and so on."""
    found = find(of[-1])
    for part in reversed(of[:-1]):
        first = find(part)
        is_null, open_ = np.isnan(first.value), _may_be_null(part, find)
        value, low, high = (np.where(is_null, b, a) for a, b in zip(_parts(first), _parts(found), strict=True))
        least, most = _hull(first, found)
        found = Estimate(value, np.where(open_, least, low), np.where(open_, most, high))
    return found


def _parts(found: Estimate) -> tuple[Floats, Floats, Floats]:
    return found.value, found.low, found.high


def _hull(one: Estimate, other: Estimate) -> tuple[Floats, Floats]:
    """The ends of both; NULL, which is known to be that, has none to add."""
    return np.fmin(one.low, other.low), np.fmax(one.high, other.high)


def _may_be_null(part: Expression, find: Find) -> Cells:
    """Where a number may be NULL by the exact numbers and not by the released, or the other way round.

    A divisor may be zero, so that there is no end; or NULLIF, which has ends, may have met what it is to leave out.
    """
    found = find(part)
    if not aggregates_in_expression(part):
        return np.zeros(len(found.value), bool)
    nulls = [one for one in every(part) if isinstance(one, Case) and _NULL in (one.otherwise, *(then for _, then in one.whens))]
    left_out = [_open(condition, find, len(found.value)) for one in nulls for condition, _ in one.whens]
    is_whole = np.isfinite(found.low) & np.isfinite(found.high) & np.isfinite(found.value)
    return np.asarray(np.logical_or.reduce([~is_whole, *left_out]))


def _open(condition: Expression, find: Find, cells: int) -> Cells:
    """Where the exact numbers, anywhere in their intervals, may decide a condition otherwise than the released ones."""
    if not aggregates_in_expression(condition):
        return np.zeros(cells, bool)
    match condition:
        case Apply("and" | "or" | "not", of):
            return np.asarray(np.logical_or.reduce([_open(part, find, cells) for part in of]))
        case Apply("is_null", (of,)):
            return _may_be_null(of, find)
        case Apply(of=(left, right)):
            return _overlap(find(left), find(right))
        case In(of, values):
            return np.asarray(np.logical_or.reduce([_overlap(find(of), find(value)) for value in values]))
        case _:
            return np.ones(cells, bool)


def _overlap(one: Estimate, other: Estimate) -> Cells:
    return np.asarray(~((one.high < other.low) | (one.low > other.high)))  # NULL is on no side of anything
