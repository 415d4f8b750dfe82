"""What planning wants, as one SELECT in an engine's dialect.

The SELECT gives one row for every combination of keys that has rows: columns k0, k1, ... with the keys' values (NULL where a row
is in none of the declared cells), and for every measure its sum as two BIGINT, h0 * 2^62 + l0. Every part is total: no stored
value and no accepted constant can make it fail, and no sum saturates (docs/proofs/totality.md). ``cells`` puts the rows where
they belong.
"""

import math
from dataclasses import replace
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from discreet.engines.dialects import DIALECTS
from discreet.engines.expressions import Expressions
from discreet.engines.float_ranges import unary
from discreet.engines.layout import Layout
from discreet.engines.reading import one_of_numbers, one_of_texts, read_column
from discreet.engines.sheet import Sheet
from discreet.engines.terms import (
    WIDEST,
    Term,
    as_whole,
    between,
    cases,
    column,
    infix,
    real,
    real_literal,
    tried,
    typed_null,
    whole_literal,
)
from discreet.engines.values import SAFE, nearest
from discreet.engines.wanted import ByStep, ByValue, CountsWanted, Grid, Key, Measure, Wanted
from discreet.facts.model import Boolean, Category, Facts
from discreet.questions.algebra import Column

__all__ = [
    "binned",
    "counted",
    "filtered",
    "in_ranges",
    "key_term",
    "moved",
    "steps_of",
    "to_counts",
    "to_read",
    "to_sql",
    "total_of",
]

_MANY = 10**6  # as many cells as a question can have


def to_sql(wanted: Wanted, facts: Facts, layout: Layout, dialect: str = "duckdb") -> str:
    """The SELECT for ``wanted``. Raises TypeError if an operation does not fit its values."""
    known = DIALECTS[dialect]
    sheet = Sheet(layout, known)
    write = Expressions(facts, sheet)
    conditions = [] if wanted.where is None else [write.truth(wanted.where).sql]
    keys = []
    for key in wanted.keys:
        term, first = key_term(key, write, sheet, facts)
        value, inside = (term.sql, None) if isinstance(key, ByValue) and key.other else _apart(term.sql)
        conditions += [] if inside is None else [inside]
        keys.append((value, first))
    totals = [total_of(counted(measure, wanted.measures), write, sheet) for measure in wanted.measures]

    # one row for every combination of keys: k0, k1, ..., m0, m1, ...
    found = [exp.alias_(value, f"k{place}") for place, (value, _) in enumerate(keys)]
    found += [exp.alias_(total, f"m{place}") for place, total in enumerate(totals)]
    groups = f" GROUP BY {', '.join(f'k{place}' for place in range(len(keys)))}" if keys else ""
    inner = sheet.select(*found, where=conditions) + groups

    # the same rows: k0, k1, ..., h0, l0, h1, l1, ...
    outputs = [exp.alias_(_from(exp.column(f"k{place}"), first), f"k{place}") for place, (_, first) in enumerate(keys)]
    for place in range(len(totals)):
        high, low = known.halves(exp.column(f"m{place}"))
        outputs += [exp.alias_(high, f"h{place}"), exp.alias_(low, f"l{place}")]
    return f"SELECT {', '.join(map(sheet.text, outputs))} FROM ({inner}) AS g"


def to_counts(wanted: CountsWanted, facts: Facts, layout: Layout, dialect: str = "duckdb") -> str:
    """The SELECT for ``wanted``: a row k0, k1, ..., b, n for every combination of keys and every bin that has rows."""
    sheet = Sheet(layout, DIALECTS[dialect])
    write = Expressions(facts, sheet)
    conditions = [write.truth(each).sql for each in (wanted.where, wanted.filter) if each is not None]
    keys = []
    for key in wanted.keys:
        term, first = key_term(key, write, sheet, facts)
        value, inside = (term.sql, None) if isinstance(key, ByValue) and key.other else _apart(term.sql)
        conditions += [] if inside is None else [inside]
        keys.append(_from(value, first))
    b = binned(wanted, write, sheet)
    conditions.append(exp.Paren(this=in_ranges(b, wanted.bins)))
    found = [exp.alias_(value, f"k{place}") for place, value in enumerate(keys)]
    found += [exp.alias_(b, "b"), exp.alias_(exp.Count(this=exp.Star()), "n")]
    groups = ", ".join(str(place + 1) for place in range(len(keys) + 1))
    return f"{sheet.select(*found, where=conditions)} GROUP BY {groups}"


def binned(wanted: CountsWanted, write: Expressions, sheet: Sheet) -> exp.Expr:
    """The bin of a row's value."""
    steps = steps_of(write.number(wanted.of), wanted.grid, sheet)
    if wanted.coarse:
        steps = replace(steps, sql=exp.BitwiseRightShift(this=steps.sql, expression=exp.Literal.number(wanted.coarse)))
    return sheet.named(steps).sql


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


def to_read(facts: Facts, layout: Layout, names: dict[str, str], dialect: str = "duckdb") -> str:
    """The SELECT of all declared columns as they are read, under the given names."""
    known = DIALECTS[dialect]
    sheet = Sheet(layout, known)
    read = {column.name: read_column(column, layout.fields[column.name], sheet) for column in facts.columns}
    outputs = [exp.alias_(term.sql, names[name]) for name, term in read.items()]
    outputs += [] if layout.unit is None else [exp.alias_(column(layout.unit.name), "u")]
    return sheet.select(*outputs)


# ---- keys


def key_term(key: Key, write: Expressions, sheet: Sheet, facts: Facts) -> tuple[Term, int]:
    """The key's value, NULL outside its cells, and the value of cell 0 if cells are counted."""
    match key:
        case ByValue(of=Column(name)) if isinstance(facts.column(name), Category | Boolean):
            return write.term(key.of), 0  # it has no other values
        case ByValue(of=of, values=values):
            return _among(write.term(of), values, sheet), 0
        case ByStep(of=of, width=width, origin=origin, first=first, cells=cells):
            x = write.number(of)
            if x.whole and width == 1 and origin.denominator == 1 and max(-x.low, x.high, nearest(abs(origin))) <= SAFE // 2:
                first += int(origin)
            else:
                x = write.steps(x, width, origin)
            return _integer(x, first, first + cells - 1, sheet, outside=None), first
        case _:
            assert_never(key)


def _apart(key: exp.Expr) -> tuple[exp.Expr, exp.Expr | None]:
    """CASE WHEN inside THEN column END as its two parts: rows outside are in no cell, and a WHERE leaves them out faster."""
    if isinstance(key, exp.Case) and len(key.args["ifs"]) == 1 and key.args.get("default") is None:
        (only,) = key.args["ifs"]
        if isinstance(only.args["true"], exp.Column):
            return only.args["true"], only.this
    return key, None


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


def total_of(measure: Measure, write: Expressions, sheet: Sheet) -> exp.Expr:
    """The sum of a measure over the rows of a group."""
    if measure.of is None:
        return filtered(exp.Count(this=exp.Star()), measure, write)
    if measure.distinct:
        return filtered(exp.Count(this=exp.Distinct(expressions=[write.term(measure.of).sql])), measure, write)
    if measure.and_of is not None:
        return _product(measure, write, sheet)
    if measure.grid is None:
        return filtered(exp.Count(this=write.term(measure.of).sql), measure, write)
    steps = steps_of(write.number(measure.of), measure.grid, sheet)
    if measure.power == 0:
        return filtered(exp.Count(this=steps.sql), measure, write)
    if measure.power == 1:
        return exp.Coalesce(this=filtered(exp.Sum(this=steps.sql), measure, write), expressions=[whole_literal(0)])
    u = sheet.named(steps).sql
    return exp.Coalesce(this=filtered(exp.Sum(this=infix(exp.Mul, u, u)), measure, write), expressions=[whole_literal(0)])


def _product(measure: Measure, write: Expressions, sheet: Sheet) -> exp.Expr:
    """The sum of u^power * v^and_power, at most 2^62 each, over the rows that have both."""
    assert measure.of is not None
    assert measure.and_of is not None
    assert measure.grid is not None
    assert measure.and_grid is not None
    u = sheet.named(steps_of(write.number(measure.of), measure.grid, sheet)).sql
    v = sheet.named(steps_of(write.number(measure.and_of), measure.and_grid, sheet)).sql
    factors = [u] * measure.power + [v] * measure.and_power
    both = [exp.Not(this=exp.Is(this=each, expression=exp.Null())) for each in (u, v)]
    if not factors:
        return filtered(exp.Count(this=exp.Star()), measure, write, *both)
    term = factors[0]
    for factor in factors[1:]:
        term = infix(exp.Mul, term, factor)
    return exp.Coalesce(this=filtered(exp.Sum(this=term), measure, write, *both), expressions=[whole_literal(0)])


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
    conditions = [*([] if measure.filter is None else [write.truth(measure.filter).sql]), *more]
    if not conditions:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=exp.and_(*conditions, copy=False)))


def steps_of(x: Term, grid: Grid, sheet: Sheet) -> Term:
    """u = clamp(floor(x / step + 1/2), low, high) - low, as BIGINT."""
    scale = 1 / grid.step
    if x.whole and scale.denominator == 1 and max(-x.low, x.high) * scale < SAFE // 2:
        times = int(scale)
        wide = infix(exp.Mul, as_whole(x).sql, whole_literal(times)) if times > 1 else x.sql
        steps = replace(x, sql=wide, low=x.low * times, high=x.high * times)
    else:
        by, half = nearest(scale), 0.5
        x = real(x, sheet.dialect)
        wide = infix(exp.Mul, x.sql, real_literal(by, sheet.dialect)) if by != 1 else x.sql
        floor = exp.Floor(this=infix(exp.Add, wide, real_literal(half, sheet.dialect)))
        low, high = unary("floor", (x.low * by + half, x.high * by + half))
        steps = replace(x, sql=floor, low=low, high=high)
    return moved(_integer(steps, grid.low, grid.high, sheet, outside="nearest"), grid.low)


def _integer(x: Term, low: int, high: int, sheet: Sheet, *, outside: str | None) -> Term:
    """A whole number, held as an integer, if it is from ``low`` to ``high``; outside of that NULL, or the nearest of the two."""
    if x.low >= low and x.high <= high:
        return x if x.whole else as_whole(x)
    x = sheet.named(x)
    if x.whole:
        value, least, most = x.sql, whole_literal(low), whole_literal(high)
    else:
        least, most = (real_literal(end, sheet.dialect) for end in _inside(low, high))
        value = tried(x.sql, "BIGINT")
    whens = [(between(x.sql, least, most), value)]
    if outside == "nearest":
        whens += [(infix(exp.LT, x.sql, least), whole_literal(low)), (infix(exp.GT, x.sql, most), whole_literal(high))]
    return replace(x, sql=cases(*whens), low=float(low), high=float(high), whole=True)


def _inside(low: int, high: int) -> tuple[float, float]:
    """The outermost float64 that are not outside of ``low`` and ``high``."""
    least, most = nearest(low), nearest(high)
    least = least if least >= low else math.nextafter(least, math.inf)
    return least, most if most <= high else math.nextafter(most, -math.inf)
