"""What the ± of an answer does not cover, in sentences: what of the data a statistic does not see. Rules 25 and 28.

It follows from the question and the facts (with the bounds that were found, where some were), and not from any row. Quotes,
answers, receipts and published pages all have it from here.
"""

from collections.abc import Iterable, Sequence

from discreet.curator.conditions import meets_none, missed, seen_at_bounds
from discreet.curator.of_units import beyond_bounds, bound_text, bounded_units, counted_once
from discreet.facts.joins import join_of
from discreet.facts.model import ByColumn, Category, Companion, Facts
from discreet.facts.model import Column as AnyColumn
from discreet.planning.caps import reach_of
from discreet.planning.cells import key_read, unknown_key
from discreet.planning.choosing import aggregates_in_expression
from discreet.planning.plan import Plan
from discreet.plots.numerals import grouped
from discreet.questions.aggregates import BOUNDED
from discreet.questions.algebra import Aggregate, AggregateKind, Apply, Case, Column, Expression
from discreet.questions.bounds import bounds_of, may_be_null
from discreet.questions.disjoint import is_per_unit
from discreet.questions.nulls import with_nulls_replaced
from discreet.questions.per_unit import value_name
from discreet.questions.ranked import SIZE_KINDS
from discreet.questions.text import to_text
from discreet.questions.walk import every, parts
from discreet.statistics.at_caps import AtCaps
from discreet.statistics.bounds import Found
from discreet.statistics.mode import Mode
from discreet.statistics.part import Part
from discreet.statistics.ranks import Ranks
from discreet.statistics.unit_sizes import UnitSizes
from discreet.statistics.vector import Vector

__all__ = ["how_to_ask", "left_out"]

_MOST = 6  # columns that are named one by one
_LONG_KEY = 80  # letters of a key that are written out
_ROWS: tuple[AggregateKind, ...] = ("count_rows", "count_units", "running_rows", "at_caps", *SIZE_KINDS)  # look at no value
_CLAMPS = ("clamp", "least", "greatest")
_PRESENCE: tuple[AggregateKind, ...] = (*_ROWS, "count")  # look at most at whether there is one


def left_out(plan: Plan) -> tuple[str, ...]:
    """What the intervals of the plan's answer do not cover, a sentence each; nothing where all numbers are public."""
    if not plan.vectors:
        return ()
    found = (_cut_and_how_much(plan), *bounded_units(plan), _by_itself(plan), counted_once(plan), *_joined(plan),
             *_of_units(plan), _clamped(plan), _seen_at_bounds(plan), _missing(plan), missed(plan), _in_no_group(plan),
             _selected(plan))  # fmt: skip
    return tuple(sentence for sentence in found if sentence)


def how_to_ask(plan: Plan) -> tuple[str, ...]:
    """What a quote says beside that: which statistics tell how much is clamped."""
    shares = _shares(plan)
    found = [f"{', '.join(shares)} asks for the share of values at the bounds or beyond"] if shares else []
    return (*found, *beyond_bounds(plan))


def _shares(plan: Plan) -> list[str]:
    """Of each column whose sums and means are asked for, unless it is asked for as well."""
    asked = {aggregate for aggregate, _ in plan.sources}
    but = (*_PRESENCE, *BOUNDED, "count_distinct", "quantile", "min", "max", "mode")
    wanted = {Aggregate("at_bounds", part, each.filter): part for each in _aggregates(plan, but=but) for part in _arguments(each)}
    columns = dict.fromkeys(part for share, part in wanted.items() if isinstance(part, Column) and share not in asked)
    if plan.question.per_unit is not None:
        return []  # it is told by the name that the question gives it, which nobody knows here
    return [to_text(Aggregate("at_bounds", column)) for column in columns]


def _at_caps(plan: Plan) -> Aggregate | None:
    """What tells how many units are cut; None where none is, or where no single key makes the groups."""
    keys = [key for key in plan.question.keys if not is_per_unit(key, plan.facts)]
    if not _cut(plan) or len(keys) > 1 or any(unknown_key(key, plan.facts) for key in keys):
        return None
    if any(isinstance(join_of(plan.facts, join.table), Companion) for join in plan.question.joins):
        return None
    return Aggregate("at_caps", keys[0] if keys else None)


# ---- units that have too much


def _cut_and_how_much(plan: Plan) -> str:
    """Which caps apply, and what tells how many units they cut: in all that leaves, since only a question can tell. Rule 40."""
    cut, units = _cut(plan), _at_caps(plan)
    if not cut or units is None or any(aggregate.kind == "at_caps" for aggregate, _ in plan.sources):
        return cut
    if units.of is None:
        return f"{cut}; AT_CAPS() asks for the share of units that are cut"
    key = to_text(units.of)
    key = key if len(key) <= _LONG_KEY else "key"
    return f"{cut}; AT_CAPS({key}), in a question without GROUP BY, asks for the share of units that are cut"


def _cut(plan: Plan) -> str:
    """Which caps apply."""
    unit = plan.facts.unit
    if not isinstance(unit, ByColumn) or not (caps := [*_row_caps(plan), *_group_caps(plan)]):
        return ""
    return f"each {unit.column} counts {' and '.join(caps)}; the ± does not cover what is cut or has no {unit.column}"


def _row_caps(plan: Plan) -> list[str]:
    bound, reach = plan.wanted.unit, reach_of(plan.question, plan.facts)
    assert bound is not None
    assert reach is not None
    if not any(map(_is_of_rows, plan.vectors)):
        return []
    rows, per_group = bound.rows, bound.rows_per_group
    whole = "joined row" if plan.question.joins else "row"
    if not _is_clamped(plan):
        return _at_most(rows, whole) + [f"{each} of one group" for each in _at_most(per_group, whole)]
    most, where = reach.rows_per_group, "" if reach.cells == 1 else " of one group"  # totals: as if so many rows stayed
    assert most is not None
    worth = dict.fromkeys(_worth(each, most, whole) for each in _of_rows(plan))
    return [f"for at most {' and '.join(worth)}{where}"]


def _at_most(cap: int | None, what: str) -> list[str]:
    return [] if cap is None else [f"for at most {_many(cap, what)}"]


def _is_clamped(plan: Plan) -> bool:
    """Whether no row is left out, and what units come to is brought down to what the caps allow, in each statistic."""
    bound = plan.wanted.unit
    is_of_rows = any(map(_is_of_rows, plan.vectors))
    return bound is not None and is_of_rows and bound.rows is None and bound.rows_per_group is None


def _of_rows(plan: Plan) -> list[Aggregate]:
    """The statistics that look at rows, and not only at which units there are."""
    return [each for each in _aggregates(plan, but=()) if (part := plan.behind(each)) is not None and _is_of_rows(part)]


def _worth(aggregate: Aggregate, most: int, what: str) -> str:
    """What a unit counts for at most: ``30 rows``, ``30 rows' worth of x``, ``30 rows that meet FILTER``."""
    of = "" if aggregate.kind != "sum" or aggregate.of is None else f"' worth of {to_text(aggregate.of)}"
    return f"{_many(most, what)}{of}{' that meet FILTER' if aggregate.filter is not None else ''}"


def _by_itself(plan: Plan) -> str:
    """That a quotient of two totals is no share and no mean, where what each unit has in either is cut by itself."""
    asked = _of_rows(plan) if isinstance(plan.facts.unit, ByColumn) and _is_clamped(plan) else []
    if len(asked) < 2 and not any(each.kind == "sum" for each in asked):
        return ""
    x = next((to_text(each.of) for each in asked if each.kind == "sum" and each.of is not None), "")
    means = [f"AVG({x})"] if x else []
    means += ["AVG(condition)"] if any(each.filter is not None for each in asked) else []
    instead = f": {' and '.join(means)} ask{'s' * (len(means) == 1)} for that" if means else ""
    return f"what a unit has is cut in each statistic by itself, so that a quotient of two is no mean and no share{instead}"


def _is_of_rows(part: Part) -> bool:
    """Whether it looks at rows that a cap may leave out, and not only at which units there are, or what they come to."""
    match part:
        case Vector(statistic=statistic):
            return not (statistic.is_of_units or statistic.is_bounded)
        case _:
            return isinstance(part, Ranks | Mode) and not isinstance(part, UnitSizes)


def _group_caps(plan: Plan) -> list[str]:
    bound = plan.wanted.unit
    if bound is None or bound.groups is None or all(isinstance(each, UnitSizes) for each in plan.vectors):
        return []
    keys = [key for key in plan.question.keys if not is_per_unit(key, plan.facts)]
    reach = reach_of(plan.question, plan.facts)
    assert reach is not None
    is_public = not any(unknown_key(key, plan.facts) for key in keys)
    groups = grouped(bound.groups) + (f" of the {grouped(reach.cells)}" if is_public else "")
    many = "s" * (is_public or bound.groups != 1)
    is_short = len(keys) == 1 and len(to_text(keys[0])) <= _LONG_KEY
    what = f"value{many} of {to_text(keys[0])}" if is_short else f"group{many}"
    return [f"in at most {groups} {what}"]


def _joined(plan: Plan) -> Iterable[str]:
    """Of other confidential tables so many rows of each unit are read."""
    for join in plan.question.joins:
        other = join_of(plan.facts, join.table)
        if isinstance(other, Companion):
            yield f"of {other.name} at most {_many(other.max_matches, 'row')} of each {other.match} are joined"


def _of_units(plan: Plan) -> Iterable[str]:
    """What AT_CAPS does not tell. Rule 40."""
    for each in dict.fromkeys(part.what for part in plan.vectors if isinstance(part, AtCaps)):
        yield f"{each} is the share of units that are cut; that of rows has no bound, and is not offered"


# ---- values


def _clamped_columns(plan: Plan) -> tuple[str, ...]:
    """The columns whose bounds matter to what is asked: they are aggregated, or groups are made by them."""
    values = [part for each in _aggregates(plan, but=(*_PRESENCE, *BOUNDED)) for part in _arguments(each)]
    names = dict.fromkeys(name for part in (*values, *_keys(plan)) for name in _values_read(part))
    found = {each.column for each in plan.vectors if isinstance(each, Found)}
    bounded = {name for name in names if any(end is not None for end in _bounds(plan.facts.column(name)))}
    of_units = {value_name(value) for value in plan.question.per_unit.values} if plan.question.per_unit is not None else set()
    return tuple(name for name in names if name in found or name in bounded - of_units)


def _clamped_by_units(plan: Plan) -> Iterable[str]:
    """The columns whose bounds matter to what units come to: ``income outside 0 … 100``."""
    for value in plan.wanted.per_unit.values if plan.wanted.per_unit is not None else ():
        of, grid = value.of, value.grid
        of = of.of[0] if isinstance(of, Apply) and of.operation == "coalesce" else of  # a null rule
        if isinstance(of, Column) and grid is not None:
            yield f"{of.name} outside {bound_text(grid.low * grid.step)} … {bound_text(grid.high * grid.step)}"


def _clamped_in_text(plan: Plan) -> Iterable[str]:
    """What the question itself clamps values of units to: that is in no facts, and decides how much a large one counts for."""
    per_unit = plan.question.per_unit
    names = set() if per_unit is None else {value_name(value) for value in per_unit.values}
    for number in dict.fromkeys(part for each in _aggregates(plan, but=_PRESENCE) for part in _arguments(each)):
        read = [one.name for one in every(number) if isinstance(one, Column)]
        if len(read) == 1 and read[0] in names and isinstance(number, Apply) and number.operation in _CLAMPS:
            low, high = bounds_of(number, plan.facts) or (None, None)
            yield f"{read[0]} outside {bound_text(low)} … {bound_text(high)}"


def _clamped(plan: Plan) -> str:
    found = {each.column for each in plan.vectors if isinstance(each, Found)}
    columns = [*_clamped_by_units(plan), *_clamped_in_text(plan)]
    columns += [_range(name, plan.facts, is_found=name in found) for name in _clamped_columns(plan)]
    if len(columns) == 1:
        return f"{columns[0]} counts as the nearest bound"
    return f"values count as the nearest bound: {_listed(columns)}" if columns else ""


def _seen_at_bounds(plan: Plan) -> str:
    """Where a condition would tell values apart that are brought to a bound before it sees them."""
    columns, none = [_range(name, plan.facts, is_found=False) for name in seen_at_bounds(plan)], meets_none(plan)
    if not columns:
        return ""
    never = f", so that no row meets {_listed(none, 'or')}" if none else ""
    return f"conditions see {_listed(columns, 'and')} as the nearest bound{never}"


def _range(name: str, facts: Facts, *, is_found: bool) -> str:
    """``income outside 0 … 100``."""
    lower, upper = _bounds(facts.column(name))
    match lower, upper:
        case (None, _) | (_, None) if is_found:
            return f"{name} outside the bounds that will be found"
        case None, _:
            return f"{name} above {bound_text(upper)}"
        case _, None:
            return f"{name} below {bound_text(lower)}"
        case _:
            return f"{name} outside {bound_text(lower)} … {bound_text(upper)}{' (bounds found)' if is_found else ''}"


def _bounds(column: AnyColumn | None) -> tuple[object, object]:
    return getattr(column, "lower", None), getattr(column, "upper", None)


def _missing(plan: Plan) -> str:
    """What becomes of values that are missing: by the null rules of the facts. Rule 4."""
    facts, asked = plan.facts, _aggregates(plan, but=(*_PRESENCE, "count_distinct"))
    bare = [part for each in asked if each.kind in BOUNDED for part in _arguments(each)]  # what is made up is at no bound
    values = [part for each in asked if each.kind not in BOUNDED for part in _arguments(each)]
    read = dict.fromkeys([*((part, part) for part in bare), *((part, with_nulls_replaced(part, facts)) for part in values)])
    dropped = list(dict.fromkeys(to_text(part) for part, of in read if may_be_null(of, facts)))
    columns = dict.fromkeys(name for part in values for name in _values_read(part))
    of_units = plan.question.per_unit is not None  # values that are never missing have a rule that is never used
    counted = [f"missing {name} counts as {rule}" for name in columns if (rule := _rule(facts.column(name))) and not of_units]
    whose = f"{'units' if of_units else 'rows'} without a readable value of"
    said = [f"{whose} {_listed(dropped, 'or')} are left out of its statistics"] if dropped else []
    said += [f"{whose} {name} count as a constant in {text}: CLAMP leaves them out" for name, text in _skipped(values, plan)]
    return "; ".join([*said, *([_listed(counted, "and")] if counted else [])])


def _skipped(values: Iterable[Expression], plan: Plan) -> Iterable[tuple[str, str]]:
    """Values of units that may be missing, in what skips them: LEAST(NULL, 8000) is 8000, in every dialect of SQL."""
    for part in values if plan.question.per_unit is not None else ():
        names = [one.name for one in every(part) if isinstance(one, Column) and may_be_null(one, plan.facts)]
        if isinstance(part, Apply) and part.operation in ("least", "greatest") and names and not may_be_null(part, plan.facts):
            yield names[0], to_text(part)


def _rule(column: AnyColumn | None) -> str:
    """What a missing value counts as; empty if it is dropped."""
    null = getattr(column, "null", None)
    return "" if null is None else str(null).casefold() if isinstance(null, bool) else bound_text(null)


# ---- groups


def _in_no_group(plan: Plan) -> str:
    axes = dict(zip(plan.question.keys, plan.axes, strict=False))  # made-up releases have one more
    ends = {key: axes[key].values[-1:] if key in axes else (None,) * key_read(key, plan.facts)[1] for key in _keys(plan)}
    found = [told for key, end in ends.items() if None not in end and (told := _outside(key, plan.facts))]
    return f"rows whose {', or whose '.join(found)}{',' * (len(found) > 1)} are in no group" if found else ""


def _outside(key: Expression, facts: Facts) -> str:
    """Which values of a key are in none of its groups, if rows without it are none; empty if there are no such."""
    column, (read, _) = facts.column(key.name) if isinstance(key, Column) else None, key_read(key, facts)
    match column:
        case Category(other=True):
            return ""
        case Category() if not may_be_null(read, facts):  # missing ones and others count as one of its values
            return ""
        case Category(values=values):
            return f"{to_text(key)} is missing or none of its {_many(len(values), 'declared value')}"
        case _:
            return f"{to_text(key)} is missing" if may_be_null(read, facts) else ""


def _selected(plan: Plan) -> str:
    """Whether released numbers decided which groups are shown."""
    question = plan.question
    order = [each.by for each in question.order] if question.limit is not None else []
    looked_at = [part for part in (question.having, *order) if part is not None]
    if not question.keys or not any(aggregates_in_expression(part) for part in looked_at):
        return ""
    return "which groups are shown was decided by their noisy numbers, and the ± of each does not cover that"


# ---- pieces


def _keys(plan: Plan) -> tuple[Expression, ...]:
    """Of the question, and of statistics about in which groups units are."""
    inner = [each.of for each, _ in plan.sources if each.kind in ("at_caps", "groups_per_unit") and each.of is not None]
    moving = () if plan.question.per_unit is None else map(Column, plan.question.per_unit.moving)
    return tuple(dict.fromkeys((*plan.question.keys, *inner, *moving)))


def _aggregates(plan: Plan, *, but: tuple[AggregateKind, ...]) -> list[Aggregate]:
    """What is asked, except for these kinds."""
    return [aggregate for aggregate, _ in plan.sources if aggregate.kind not in but]


def _values_read(expression: Expression) -> Iterable[str]:
    """The columns whose values it is worked out from: not those that only conditions look at, which keep NULL as NULL."""
    if isinstance(expression, Column):
        yield expression.name
    results = [*(value for _, value in expression.whens), expression.otherwise] if isinstance(expression, Case) else None
    for part in parts(expression) if results is None else results:
        yield from _values_read(part)


def _arguments(aggregate: Aggregate) -> list[Expression]:
    return [part for part in (aggregate.of, aggregate.and_of) if part is not None]


def _listed(texts: Sequence[str], last: str = "") -> str:
    """``a, b or c``; those beyond the first few are counted."""
    if len(texts) > _MOST:
        return f"{', '.join(texts[: _MOST - 1])}, … {grouped(len(texts) - _MOST + 1)} more"
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}" if last and len(texts) > 1 else ", ".join(texts)


def _many(count: int, what: str) -> str:
    return f"{grouped(count)} {what}" if count == 1 else f"{grouped(count)} {what}s"
