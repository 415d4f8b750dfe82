"""What planning wants, as one SELECT in an engine's dialect.

The SELECT gives one row for every combination of keys that has rows: columns k0, k1, ... with the keys' values (NULL where a row
is in none of the declared cells), and for every measure its sum as two BIGINT, h0 * 2^62 + l0; of a count there is l0 alone.
Every part is total: no stored value and no accepted constant can make it fail, and no sum saturates (docs/proofs/totality.md).
``cells`` puts the rows where they belong.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from discreet.engines.rules.float_ranges import unary
from discreet.engines.rules.values import SAFE, nearest
from discreet.engines.sql.dialect import Dialect
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.numbers import combined, constant, floored, floored_whole
from discreet.engines.sql.reading import Bare, one_of_numbers, one_of_texts, read_column
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    WIDEST,
    Term,
    as_whole,
    between,
    cases,
    column,
    infix,
    named,
    real,
    real_literal,
    typed_null,
    whole_literal,
)
from discreet.engines.wanted import ByStep, ByValue, CountsWanted, Grid, Key, Measure, Wanted
from discreet.facts.model import Boolean, Category, Facts
from discreet.questions.algebra import Column, Expression

__all__ = [
    "apart",
    "binned",
    "counted",
    "filtered",
    "halves_of",
    "has_null",
    "in_ranges",
    "key_term",
    "moved",
    "steps_of",
    "to_counts",
    "to_read",
    "to_sql",
    "total_of",
]

_NARROW = 2.0**31  # what a narrow column holds
_MANY = 10**6  # as many cells as a question can have
_LARGEST = 1 << 51  # of a number on a grid whose steps float64 tells apart


def to_sql(wanted: Wanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``. Raises TypeError if an operation does not fit its values."""
    sheet = Sheet(layout, dialect)
    write = Expressions(facts, sheet)
    conditions = write.conditions(wanted.where)
    keys = []
    for key in wanted.keys:
        term, first = key_term(key, write, sheet, facts)
        value, inside = (term.sql, []) if has_null(key) else apart(term)
        narrow, inside = _narrowed(value, inside, layout)
        conditions += inside
        keys.append((narrow, narrow is not value, first))
    totals = [total_of(counted(measure, wanted.measures), write, sheet) for measure in wanted.measures]

    # one row for every combination of keys: k0, k1, ..., m0, m1, ...
    found = [named(value, f"k{place}") for place, (value, _, _) in enumerate(keys)]
    found += [named(total, f"m{place}") for place, total in enumerate(totals)]
    groups = f" GROUP BY {', '.join(f'k{place}' for place in range(len(keys)))}" if keys else ""
    inner = sheet.select(*found, where=conditions) + groups

    # the same rows: k0, k1, ..., h0, l0, h1, l1, ...
    outputs = []
    for place, (_, is_narrow, first) in enumerate(keys):
        value = exp.column(f"k{place}")
        wide = as_whole(Term(value, "number", low=-_NARROW, high=_NARROW, whole=True)).sql if is_narrow else value
        outputs.append(named(_from(wide, first), f"k{place}"))
    for place, measure in enumerate(wanted.measures):
        total = exp.column(f"m{place}")
        is_count = not measure.power and not measure.and_power  # at most 63 digits
        outputs += [named(total, f"l{place}")] if is_count else halves_of(total, place, dialect)
    return f"SELECT {', '.join(map(sheet.text, outputs))} FROM ({inner}) AS g"


def halves_of(total: exp.Expr, place: int, dialect: Dialect) -> list[exp.Expr]:
    """A sum as the two columns in which it leaves."""
    high, low = dialect.halves(total)
    return [named(high, f"h{place}"), named(low, f"l{place}")]


def to_counts(wanted: CountsWanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``: a row k0, k1, ..., b, n for every combination of keys and every bin that has rows."""
    sheet = Sheet(layout, dialect)
    write = Expressions(facts, sheet)
    conditions = write.conditions(wanted.where, wanted.filter)
    keys = []
    for key in wanted.keys:
        term, first = key_term(key, write, sheet, facts)
        value, inside = (term.sql, []) if has_null(key) else apart(term)
        conditions += inside
        keys.append(_from(value, first))
    steps = binned(wanted, write, sheet)
    b = steps.sql
    conditions.append(Term(exp.Paren(this=in_ranges(b, wanted.bins)), "truth", steps.stage))
    found = [named(value, f"k{place}") for place, value in enumerate(keys)]
    found += [named(b, "b"), named(exp.Count(this=exp.Star()), "n")]
    groups = ", ".join(str(place + 1) for place in range(len(keys) + 1))
    return f"{sheet.select(*found, where=conditions)} GROUP BY {groups}"


def binned(wanted: CountsWanted, write: Expressions, sheet: Sheet) -> Term:
    """The bin of a row's value, as BIGINT."""
    steps = as_whole(steps_of(wanted.of, wanted.grid, write, sheet))
    if wanted.coarse:
        steps = replace(steps, sql=exp.BitwiseRightShift(this=steps.sql, expression=exp.Literal.number(wanted.coarse)))
    return sheet.named(steps)


def in_ranges(b: exp.Expr, ranges: tuple[tuple[int, int], ...] | None) -> exp.Expr:
    """Whether a bin is told: it is not NULL and in one of the ranges."""
    if ranges is None:
        return exp.Not(this=infix(exp.Is, b, exp.Null()))
    if not ranges:
        return exp.false()
    tests = [between(b, whole_literal(first), whole_literal(last)) for first, last in ranges]
    found = tests[0]
    for test in tests[1:]:
        found = exp.Or(this=found, expression=test)
    return found


def to_read(facts: Facts, layout: Layout, names: dict[str, str], dialect: Dialect) -> str:
    """The SELECT of all declared columns as they are read, under the given names."""
    sheet = Sheet(layout, dialect)
    read = {column.name: read_column(column, layout.fields[column.name], sheet) for column in facts.columns}
    outputs = [named(term.sql, names[name]) for name, term in read.items()]
    outputs += [] if layout.unit is None else [named(column(layout.unit.name), "u")]
    return sheet.select(*outputs)


# ---- keys


def key_term(key: Key, write: Expressions, sheet: Sheet, facts: Facts) -> tuple[Term, int]:
    """The key's value, NULL outside its cells, and the value of cell 0 if cells are counted."""
    match key:
        case ByValue(of=Column(name)) if isinstance(facts.column(name), Category | Boolean):
            return write.term(key.of), 0  # it has no other values
        case ByValue(of=of, values=values):
            return _among(write.term(of), values, sheet), 0
        case ByStep(of=of, width=width, origin=origin, first=first):
            x = write.number(of)
            if x.whole and width == 1 and origin.denominator == 1 and max(-x.low, x.high, nearest(abs(origin))) <= SAFE // 2:
                first += int(origin)
            else:
                x = write.steps(x, width, origin)
            return _integer(x, first, first + key.steps - 1, sheet, outside=None), first
        case _:
            assert_never(key)


def has_null(key: Key) -> bool:
    """Whether rows without a value are in a cell."""
    return key.other if isinstance(key, ByValue) else key.null


def apart(key: Term) -> tuple[exp.Expr, list[Term]]:
    """CASE WHEN inside THEN column END as its two parts: rows outside are in no cell, and a WHERE leaves them out faster."""
    sql = key.sql
    if isinstance(sql, exp.Case) and len(sql.args["ifs"]) == 1 and sql.args.get("default") is None:
        (only,) = sql.args["ifs"]
        if isinstance(only.args["true"], exp.Column):
            return only.args["true"], [Term(only.this, "truth", key.stage)]
    return sql, []


def _narrowed(value: exp.Expr, inside: list[Term], layout: Layout) -> tuple[exp.Expr, list[Term]]:
    """A key that is a column of the table, and the test of it, with the column of fewest bits.

    Not where units are grouped: with what PostgreSQL then knows of the number of rows, it takes a quarter longer for that.
    """
    narrow = next((each.narrow for each in layout.fields.values() if each.narrow and value == column(each.name)), None)
    if narrow is None:
        return value, inside
    tests = [each.sql.transform(lambda node: column(narrow) if node == value else node) for each in inside]
    return column(narrow), [replace(each, sql=test) for each, test in zip(inside, tests, strict=True)]


def _among(term: Term, values: tuple[Fraction | str | bool, ...], sheet: Sheet) -> Term:
    match term.kind:
        case "number":
            if term.whole and term.high - term.low < _MANY:
                return term
            return one_of_numbers(term, [value for value in values if isinstance(value, Fraction)], sheet)
        case "text":
            return one_of_texts(term, [value for value in values if isinstance(value, str)], sheet)
        case "truth":
            return term
        case _:
            return replace(term, sql=typed_null("BIGINT"))


def moved(term: Term, by: int) -> Term:
    """A whole number as BIGINT, less ``by``."""
    whole = as_whole(term)
    if not by:
        return whole
    if abs(by) > WIDEST:
        raise ValueError("nothing says that this difference has 64 bits")
    return replace(whole, sql=_from(whole.sql, by), low=whole.low - by, high=whole.high - by)


def _from(value: exp.Expr, by: int) -> exp.Expr:
    """How far a BIGINT of at most 2^62 in size is above another."""
    return infix(exp.Sub, value, whole_literal(by)) if by else value


# ---- measures


def total_of(measure: Measure, write: Expressions, sheet: Sheet, *, of_unit: bool = False) -> exp.Expr:
    """The sum of a measure over the rows of a group; ``of_unit`` if they are those of one unit."""
    if measure.of is None:
        return filtered(exp.Count(this=exp.Star()), measure, write)
    if measure.distinct:
        return filtered(exp.Count(this=exp.Distinct(expressions=[write.term(measure.of).sql])), measure, write)
    if measure.and_of is not None:
        return _product(measure, write, sheet)
    if measure.grid is None:
        return filtered(exp.Count(this=write.term(measure.of).sql), measure, write)
    steps = steps_of(measure.of, measure.grid, write, sheet)
    if measure.power == 0:
        return filtered(exp.Count(this=steps.sql), measure, write)
    u, most = steps.sql, measure.grid.width
    if measure.power == 2:
        u, most = sheet.named(as_whole(steps)).sql, most**2
        u = infix(exp.Mul, u, u)
    return sheet.dialect.summed(u, lambda total: filtered(total, measure, write), most=most, of_unit=of_unit)


def _product(measure: Measure, write: Expressions, sheet: Sheet) -> exp.Expr:
    """The sum of u^power * v^and_power, at most 2^62 each, over the rows that have both."""
    assert measure.of is not None
    assert measure.and_of is not None
    assert measure.grid is not None
    assert measure.and_grid is not None
    u, v = (
        sheet.named(as_whole(steps_of(of, grid, write, sheet))).sql
        for of, grid in ((measure.of, measure.grid), (measure.and_of, measure.and_grid))
    )
    factors = [u] * measure.power + [v] * measure.and_power
    both = [exp.Not(this=exp.Is(this=each, expression=exp.Null())) for each in (u, v)]
    if not factors:
        return filtered(exp.Count(this=exp.Star()), measure, write, *both)
    term = factors[0]
    for factor in factors[1:]:
        term = infix(exp.Mul, term, factor)
    return sheet.dialect.summed(term, lambda total: filtered(total, measure, write, *both))


def counted(measure: Measure, among: tuple[Measure, ...]) -> Measure:
    """A count of values as a count of the steps that are summed anyway: an engine then works them out once."""
    if measure.power or measure.of is None or measure.distinct or measure.and_of is not None:
        return measure
    same = (
        other
        for other in among
        if other.power == 1 and other.and_of is None and (other.of, other.filter) == (measure.of, measure.filter)
    )
    return replace(next(same, measure), power=0)


def filtered(aggregate: exp.Expr, measure: Measure, write: Expressions, *more: exp.Expr) -> exp.Expr:
    """The aggregate over the rows that meet the measure's filter and the other conditions."""
    conditions = [*(each.sql for each in write.conditions(measure.filter)), *more]
    if not conditions:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=exp.and_(*conditions, copy=False)))


def steps_of(of: Expression, grid: Grid, write: Expressions, sheet: Sheet) -> Term:
    """u = clamp(floor(x / step + 1/2), low, high) - low, held as an integer."""
    if (of, grid) not in write.on_grids:
        write.on_grids[of, grid] = _steps_of(of, grid, write, sheet)
    return write.on_grids[of, grid]


def _steps_of(of: Expression, grid: Grid, write: Expressions, sheet: Sheet) -> Term:
    stored = write.stored(of)
    if isinstance(stored, Bare) and (found := _steps_of_stored(stored, grid, sheet)) is not None:
        return found
    x, scale = write.number(of), 1 / grid.step
    if x.whole and scale.denominator == 1 and max(-x.low, x.high) * scale < SAFE // 2:
        times = int(scale)
        wide = infix(exp.Mul, as_whole(x).sql, whole_literal(times)) if times > 1 else x.sql
        steps = replace(x, sql=wide, low=x.low * times, high=x.high * times)
    else:
        steps = _stepped(real(x, sheet.dialect), grid, sheet)
    whole = _integer(steps, grid.low, grid.high, sheet, outside="nearest")
    return sheet.named(moved(whole, grid.low) if grid.low else whole)


def _stepped(x: Term, grid: Grid, sheet: Sheet) -> Term:
    """floor(x / step + 1/2) in float64."""
    return floored(_before_floor(x, grid, sheet), sheet)


def _before_floor(x: Term, grid: Grid, sheet: Sheet) -> Term:
    by, half = (constant(part, sheet) for part in (nearest(1 / grid.step), 0.5))
    wide = combined("multiply", x, by, sheet) if by.low != 1 else x
    return combined("add", wide, half, sheet)


def _steps_of_stored(of: Bare, grid: Grid, sheet: Sheet) -> Term | None:
    """The same of a column, with one look at its range, on the grid: engines do so in half the time.

    None unless the ends of the grid are where the bounds of the column are put. Where it is put there first, steps that are no
    whole number of 64 bits are told apart by x, as are those outside; all others are exact: the grid is within 2^51, and
    differences are below 2^53.
    """
    low, high, dialect = of.low, of.high, sheet.dialect
    if dialect.gridding == "last" or of.x.whole or of.integer or not (isinstance(low, float) and isinstance(high, float)):
        return None
    wide = _before_floor(replace(of.x, low=low, high=high), grid, sheet)
    if unary("floor", (wide.low, wide.high)) != (grid.low, grid.high) or max(-grid.low, grid.high) > _LARGEST:
        return None
    x, least = of.x.sql, real_literal(low, dialect)
    if dialect.gridding == "inside":
        u = floored_whole(wide, sheet)
        u = replace(u, sql=_from(u.sql, grid.low))
        inside = Term(between(x, least, real_literal(high, dialect)), "truth", u.stage)
    else:
        ends = floored(wide, sheet)
        steps = combined("subtract", ends, constant(float(grid.low), sheet), sheet) if grid.low else ends
        u = sheet.named(sheet.tried(steps, "number", "BIGINT"))
        inside = sheet.named(Term(between(u.sql, whole_literal(0), whole_literal(grid.width)), "truth", u.stage))
    is_below, is_number = infix(exp.LT, x, least), infix(exp.LTE, x, real_literal(math.inf, dialect))
    outside = cases((is_below, whole_literal(0)), (is_number, whole_literal(grid.width)))
    found = cases((inside.sql, u.sql), otherwise=outside)
    return sheet.named(Term(found, "number", inside.stage, 0.0, float(grid.width), whole=True))


def _integer(x: Term, low: int, high: int, sheet: Sheet, *, outside: str | None) -> Term:
    """A whole number, held as an integer, if it is from ``low`` to ``high``; outside of that NULL, or the nearest of the two."""
    if x.low >= low and x.high <= high:
        return x if x.whole else as_whole(x)
    x = sheet.named(x)
    if x.whole:
        value, least, most = x.sql, whole_literal(low), whole_literal(high)
    else:
        least, most = (real_literal(end, sheet.dialect) for end in _inside(low, high))
        value = sheet.dialect.tried(x.sql, "number", "BIGINT")
    whens = [(between(x.sql, least, most), value)]
    if outside == "nearest":
        whens += [(infix(exp.LT, x.sql, least), whole_literal(low)), (infix(exp.GT, x.sql, most), whole_literal(high))]
    return replace(x, sql=cases(*whens), low=float(low), high=float(high), whole=True)


def _inside(low: int, high: int) -> tuple[float, float]:
    """The outermost float64 that are not outside of ``low`` and ``high``."""
    least, most = nearest(low), nearest(high)
    least = least if least >= low else math.nextafter(least, math.inf)
    return least, most if most <= high else math.nextafter(most, -math.inf)
