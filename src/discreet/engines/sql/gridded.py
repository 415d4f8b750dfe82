"""Numbers on their grids, held as integers: what is added up."""

import math
from dataclasses import replace

from sqlglot import exp

from discreet.engines.rules.float_ranges import unary
from discreet.engines.rules.values import SAFE, nearest
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.numbers import combined, constant, floored, floored_whole
from discreet.engines.sql.reading import Bare
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import WIDEST, Term, as_whole, between, cases, infix, real, real_literal, whole_literal
from discreet.engines.wanted import Grid
from discreet.questions.algebra import Expression

__all__ = ["minus", "moved", "steps_of", "within"]

_LARGEST = 1 << 51  # of a number on a grid whose steps float64 tells apart


def moved(term: Term, by: int) -> Term:
    """A whole number as BIGINT, less ``by``."""
    whole = as_whole(term)
    if not by:
        return whole
    if abs(by) > WIDEST:
        raise ValueError("nothing says that this difference has 64 bits")
    return replace(whole, sql=minus(whole.sql, by), low=whole.low - by, high=whole.high - by)


def minus(value: exp.Expr, by: int) -> exp.Expr:
    """How far a BIGINT of at most 2^62 in size is above another."""
    return infix(exp.Sub, value, whole_literal(by)) if by else value


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
    whole = within(steps, grid.low, grid.high, sheet, outside="nearest")
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

    None unless the ends of the grid are where the bounds of the column are put: then x is below its range where its steps are
    below the grid, and the other way round.
    """
    low, high, dialect = of.low, of.high, sheet.dialect
    if dialect.gridding == "last" or of.x.whole or of.integer or not (isinstance(low, float) and isinstance(high, float)):
        return None
    wide = _before_floor(replace(of.x, low=low, high=high), grid, sheet)
    if unary("floor", (wide.low, wide.high)) != (grid.low, grid.high) or max(-grid.low, grid.high) > _LARGEST:
        return None
    x, least = of.x.sql, real_literal(low, dialect)
    if dialect.gridding == "inside":
        u, inside = _looked_at_first(wide, between(x, least, real_literal(high, dialect)), grid, sheet)
    else:
        u, inside = _looked_at_after(wide, grid, sheet)
    is_below, is_number = infix(exp.LT, x, least), infix(exp.LTE, x, real_literal(math.inf, dialect))
    outside = cases((is_below, whole_literal(0)), (is_number, whole_literal(grid.width)))
    found = cases((inside.sql, u.sql), otherwise=outside)
    return sheet.named(Term(found, "number", inside.stage, 0.0, float(grid.width), whole=True))


def _looked_at_first(wide: Term, is_inside: exp.Expr, grid: Grid, sheet: Sheet) -> tuple[Term, Term]:
    """Steps above the lower end of the grid, worked out only of an x that is in its range; and whether it is."""
    u = floored_whole(wide, sheet)
    return replace(u, sql=minus(u.sql, grid.low)), Term(is_inside, "truth", u.stage)


def _looked_at_after(wide: Term, grid: Grid, sheet: Sheet) -> tuple[Term, Term]:
    """The same, worked out of every x first: NULL where they are no whole number of 64 bits. Those on the grid, which is within
    2^51, are exact, since differences are below 2^53; whatever is off it is told apart by x."""
    ends = floored(wide, sheet)
    steps = combined("subtract", ends, constant(float(grid.low), sheet), sheet) if grid.low else ends
    u = sheet.named(sheet.tried(steps, "number", "BIGINT"))
    inside = Term(between(u.sql, whole_literal(0), whole_literal(grid.width)), "truth", u.stage)
    return u, sheet.named(inside)


def within(x: Term, low: int, high: int, sheet: Sheet, *, outside: str | None) -> Term:
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
