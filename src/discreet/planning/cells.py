"""Keys to cells: every value that a key can take is public, and every cell is released, empty ones too."""

from dataclasses import replace
from fractions import Fraction
from math import floor, lcm, prod

from discreet.engines.rules.evaluate import binned
from discreet.engines.rules.values import nearest
from discreet.engines.wanted import ByStep, ByValue, Key
from discreet.errors import QuestionError
from discreet.facts.model import Boolean, Category, Facts, Integer, Number, Text
from discreet.planning.periods import periods
from discreet.planning.plan import Axis
from discreet.questions.algebra import Apply, Bin, Case, Column, DateTrunc, Expression, In, KeyOf, Like
from discreet.questions.bounds import bounds_of, is_whole, may_be_null
from discreet.questions.domains import Scalar, values_of
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.spans import moments_of
from discreet.questions.text import to_text
from discreet.questions.walk import every

__all__ = ["MOST_BESIDE", "MOST_CELLS", "cells_of", "check_having", "key_read", "most_cells", "unknown_key"]

MOST_CELLS = 10**6
MOST_BESIDE = 1000  # cells of other keys beside one that nobody listed, whose keys are counted only when they are released
_OFF = Fraction(1, 4)  # of a bin's width: so far its label may be from where it begins
_FARTHEST = 1 << 51  # steps from the origin of bins: beyond, float64 does not tell one bin from the next


def cells_of(
    keys: tuple[Expression, ...], facts: Facts, *, runs: bool = False
) -> tuple[tuple[Key, ...], tuple[Axis, ...]]:
    """The cells of each key, for the engine and for people; refused if there are too many in all.

    ``runs``: counts run up over the last key, and rows without it are nowhere among its bins.
    """
    found = [(ByValue(key, ()), Axis(())) if unknown_key(key, facts) else _cells(key, facts) for key in keys[: len(keys) - runs]]
    found += [_of_values(key, key_read(key, facts)[0], False, facts) for key in keys[len(keys) - runs :]]
    is_unknown, beside = any(unknown_key(key, facts) for key in keys), prod(key.cells for key, _ in found if key.cells)
    if is_unknown and beside > MOST_BESIDE:
        what = f"beside a key whose values are not public the others have {beside:,} cells"
        raise QuestionError(what, hint=f"group by coarser keys: {MOST_BESIDE:,} at most, or declare the values in the facts")
    if (cells := prod(key.steps if isinstance(key, ByStep) else key.cells for key, _ in found)) > MOST_CELLS:  # and one for NULL
        raise QuestionError(f"the keys have {cells:,} cells together", hint=f"group by coarser keys: {MOST_CELLS:,} at most")
    return tuple(key for key, _ in found), tuple(axis for _, axis in found)


def unknown_key(key: Expression, facts: Facts) -> bool:
    """Whether nothing public says which values the key has."""
    column = facts.column(key.name) if isinstance(key, Column) else None
    match column:
        case Text() | Number():
            return True
        case Integer(lower=lower, upper=upper):
            return lower is None or upper is None
        case _:
            return False


def most_cells(keys: tuple[Expression, ...], facts: Facts) -> int:
    """How many cells there are, or MOST_CELLS where nothing public says which keys there are."""
    unknown = any(unknown_key(key, facts) for key in keys)
    return MOST_CELLS if unknown else prod(key.cells for key in cells_of(keys, facts)[0])


def key_read(key: Expression, facts: Facts) -> tuple[Expression, bool]:
    """A key with the facts' null rules written out, and whether rows without it are a group of their own. Rule 4."""
    if not facts.null_keys:
        return key, False
    of = with_nulls_replaced(key, facts)
    columns = [facts.column(one.name) for one in every(key) if isinstance(one, Column)]
    return of, may_be_null(of, facts) and not any(column is not None and column.drop for column in columns)


def _label(key: Expression, facts: Facts) -> str:
    """What rows without the key are called: as the first of its columns says."""
    columns = [facts.column(one.name) for one in every(key) if isinstance(one, Column)]
    return next((column.null_label for column in columns if column is not None and column.null_label), "")


def _cells(key: Expression, facts: Facts) -> tuple[Key, Axis]:
    of, null = key_read(key, facts)
    cells, axis = _of_values(key, of, null, facts)
    return cells, replace(axis, null_label=_label(key, facts)) if axis.values[-1] is None else axis


def _of_values(key: Expression, of: Expression, null: bool, facts: Facts) -> tuple[Key, Axis]:
    """The cells of a key that is read as ``of``; with ``null`` the last of them is that of rows without it."""
    match key:
        case Column(name):
            match facts.column(name):
                case Category(values=values, labels=labels, other=other):
                    called = "none of these" if "other" in (*values, *labels) else "other"  # two groups of one name are no two
                    rest: tuple[object, ...] = (called,) if other else (None,) if null else ()
                    axis = Axis((*values, *rest), (*labels, called) if labels and other else labels)
                    return ByValue(of, tuple(_scalar(value) for value in values), bool(rest)), axis  # what is undeclared is NULL
                case Boolean():
                    return ByValue(of, (False, True), null), Axis((False, True, None) if null else (False, True))
                case Integer(lower=int(lower), upper=int(upper)):
                    return _stepped(of, Fraction(1), Fraction(0), (Fraction(lower), Fraction(upper)), null)
        case Bin(width=width, origin=origin):
            assert isinstance(of, Bin)
            if (bounds := bounds_of(of.of, facts)) is not None:
                return _stepped(of.of, width, origin, bounds, null)
        case DateTrunc(period, inner):
            if (span := moments_of(inner, facts)) is not None:
                return periods(period, inner, span, null)
        case _:
            if (constants := values_of(of, facts)) is not None:
                return _listed(of, constants, null or (isinstance(of, Case) and may_be_null(of, facts)))
            if (bounds := bounds_of(of, facts)) is not None and is_whole(of, facts):
                return _stepped(of, Fraction(1), Fraction(0), bounds, null)
    raise QuestionError(
        "this key has no public list of values",
        hint="group by a declared category, a bounded whole number, BIN(x, width) of a bounded number or a part of a date",
    )


def _listed(key: Expression, values: tuple[Scalar, ...], null: bool) -> tuple[Key, Axis]:
    """The constants that a key comes to, and NULL where it can be that: a CASE without ELSE, whatever the facts say."""
    if len(values) > MOST_CELLS:
        raise QuestionError(f"this key has {len(values):,} values", hint=f"group by coarser keys: {MOST_CELLS:,} at most")
    shown = tuple(_shown(value) if isinstance(value, Fraction) else value for value in values)
    return ByValue(key, values, null), Axis((*shown, None) if null else shown)


def _shown(number: Fraction) -> int | float:
    return int(number) if number.denominator == 1 else float(number)


def check_having(condition: Expression | None, axes: tuple[Axis, ...]) -> None:
    """Refuses HAVING on a key of texts: which groups there are is public, and WHERE chooses among them."""
    match condition:
        case KeyOf(place) if any(isinstance(value, str) for value in axes[place].values):
            raise QuestionError("HAVING looks at numbers, and this key is text", hint="choose groups in WHERE: s IN ('a', 'b')")
        case Like():
            raise QuestionError("LIKE is for rows, not for groups", hint="choose groups in WHERE, as in s LIKE 'a%'")
        case Apply(of=parts):
            for part in parts:
                check_having(part, axes)
        case In(of=of):
            check_having(of, axes)
        case _:
            pass


def _stepped(
    of: Expression, width: Fraction, origin: Fraction, bounds: tuple[Fraction, Fraction], null: bool
) -> tuple[Key, Axis]:
    first, last = (floor((bound - origin) / width) for bound in bounds)
    is_off = abs(origin - Fraction(nearest(origin))) > width * _OFF  # rows are put into bins from the nearest float64
    if nearest(width) == 0 or is_off or max(abs(first), abs(last)) > _FARTHEST:
        raise _too_far(of, width, origin + first * width, last - first)
    # where float64 puts the bounds, and so every value between them, there is a cell too
    found = [binned(nearest(bound), width, origin) for bound in bounds]
    first, last = (int(choose(exact, exact if step is None else step))
                   for choose, exact, step in zip((min, max), (first, last), found, strict=True))  # fmt: skip
    count = last - first + 1
    if count > MOST_CELLS:
        raise QuestionError(f"the bins of this key are {count:,}", hint="use wider bins")
    starts = _starts(origin + first * width, width, count)
    return ByStep(of, width, origin, first, count + null, null), Axis((*starts, None) if null else starts)


def _starts(start: Fraction, width: Fraction, count: int) -> tuple[int | float, ...]:
    """Where bins begin, whole numbers as such; in whole numbers throughout, since there may be a million of them."""
    unit = lcm(start.denominator, width.denominator)
    first, step = int(start * unit), int(width * unit)
    places = range(first, first + count * step, step)
    return tuple(places) if unit == 1 else tuple(at // unit if at % unit == 0 else at / unit for at in places)


def _too_far(of: Expression, width: Fraction, start: Fraction, steps: int) -> QuestionError:
    """Bins that are counted from too far away; ``start`` is where the first of them begins."""
    hint = "use wider bins, or subtract a constant first so that the numbers are nearer 0"
    if max(abs(start), abs(start + steps * width)) / width < _FARTHEST:  # the same bins, counted from where they are
        hint = f"let them begin near the values: BIN({to_text(of)}, {_short(width)}, {_short(start)}) has the same bins"
    return QuestionError(f"bins of this width cannot be counted from so far away: {_FARTHEST:,} of them at most", hint=hint)


def _short(number: Fraction) -> str:
    return str(number) if number.denominator == 1 else repr(float(number))


def _scalar(value: int | str) -> Fraction | str:
    return Fraction(value) if isinstance(value, int) else value
