"""What planning wants, as one SELECT in an engine's dialect.

The SELECT gives one row for every combination of keys that has rows: columns k0, k1, ... with the keys' values (NULL where a row
is in none of the declared cells), and for every measure its sum as two BIGINT, h0 * 2^62 + l0; of a count there is l0 alone.
Every part is total: no stored value and no accepted constant can make it fail, and no sum saturates (docs/proofs/totality.md).
``cells`` puts the rows where they belong.
"""

from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import assert_never

from sqlglot import exp

from discreet.engines.rules.values import SAFE, nearest
from discreet.engines.sql.dialect import Dialect, Over
from discreet.engines.sql.expressions import Expressions
from discreet.engines.sql.gridded import minus, steps_of, within
from discreet.engines.sql.layout import Layout
from discreet.engines.sql.reading import one_of_numbers, one_of_texts, read_column
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    Term,
    as_whole,
    between,
    column,
    infix,
    named,
    typed_null,
    whole_literal,
)
from discreet.engines.wanted import ByStep, ByValue, CountsWanted, Key, Measure, Wanted
from discreet.facts.model import Boolean, Category, Facts
from discreet.questions.algebra import Column

__all__ = [
    "apart",
    "as_count",
    "binned",
    "filtered",
    "halves_of",
    "has_null",
    "in_ranges",
    "key_term",
    "to_counts",
    "to_read",
    "to_sql",
    "total_of",
]

_NARROW = 2.0**31  # what a narrow column holds
_MANY = 10**6  # as many cells as a question can have
_Outputs = list[exp.Expr]


def to_sql(wanted: Wanted, facts: Facts, layout: Layout, dialect: Dialect) -> str:
    """The SELECT for ``wanted``. Raises TypeError if an operation does not fit its values."""
    sheet = Sheet(layout, dialect)
    write = Expressions(facts, sheet)
    conditions = write.conditions(wanted.where)
    keys = []
    clamps = dialect.clamps_keys and prod(key.cells + 2 for key in wanted.keys) <= 2 * wanted.cells  # never many more groups
    for key in wanted.keys:
        term, first = key_term(key, write, sheet, facts)
        value, inside = (term.sql, []) if has_null(key) else apart(term)
        if clamps and (clamped := _clamped(key, term)) is not None:
            value, inside = clamped, []
        narrow, inside = _narrowed(value, inside, layout)
        conditions += inside
        keys.append((narrow, narrow is not value, first))
    sums = [_sums_of(place, measure, wanted.measures, write, sheet) for place, measure in enumerate(wanted.measures)]

    # one row for every combination of keys: k0, k1, ..., m0, m1, ..., or h and l of some
    found = [named(value, f"k{place}") for place, (value, _, _) in enumerate(keys)]
    found += [each for inside, _ in sums for each in inside]
    groups = f" GROUP BY {', '.join(f'k{place}' for place in range(len(keys)))}" if keys else ""
    inner = sheet.select(*found, where=conditions) + groups

    # the same rows: k0, k1, ..., h0, l0, h1, l1, ...
    outputs = []
    for place, (_, is_narrow, first) in enumerate(keys):
        value = exp.column(f"k{place}")
        wide = as_whole(Term(value, "number", low=-_NARROW, high=_NARROW, whole=True)).sql if is_narrow else value
        outputs.append(named(minus(wide, first), f"k{place}"))
    outputs += [each for _, outside in sums for each in outside]
    return f"SELECT {', '.join(map(sheet.text, outputs))} FROM ({inner}) AS g"


def _sums_of(
    place: int, measure: Measure, among: tuple[Measure, ...], write: Expressions, sheet: Sheet
) -> tuple[_Outputs, _Outputs]:
    """The sum of a measure as it is grouped, and as it leaves."""
    if (halves := _halved(measure, write, sheet)) is not None:
        return _as_halves(halves, place), _as_halves((exp.column(f"h{place}"), exp.column(f"l{place}")), place)
    total = total_of(as_count(measure, among), write, sheet, is_told=True)
    found = exp.column(f"m{place}")
    is_count = not measure.power and not measure.and_power  # at most 63 digits
    return [named(total, f"m{place}")], [named(found, f"l{place}")] if is_count else halves_of(found, place, sheet.dialect)


def halves_of(total: exp.Expr, place: int, dialect: Dialect) -> _Outputs:
    """A sum as the two columns in which it leaves."""
    return _as_halves(dialect.halves(total), place)


def _as_halves(halves: tuple[exp.Expr, exp.Expr], place: int) -> list[exp.Expr]:
    return [named(half, f"{name}{place}") for name, half in zip("hl", halves, strict=True)]


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
        keys.append(minus(value, first))
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
            return within(x, first, first + key.steps - 1, sheet, outside=None), first
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


def _clamped(key: Key, term: Term) -> exp.Expr | None:
    """A key of whole numbers that follow each other: rows of all others get one of the two beside them, which are in no cell, or
    in that of all others. No row is tested, and how many there are of those decides neither time nor memory."""
    value, inside = apart(term)
    if not inside or not term.whole or term.high - term.low > key.cells or (isinstance(key, ByStep) and key.null):
        return None
    low = exp.Greatest(this=value, expressions=[whole_literal(int(term.low) - 1)], ignore_nulls=True)
    return exp.Least(this=low, expressions=[whole_literal(int(term.high) + 1)], ignore_nulls=True)


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


# ---- measures


def total_of(measure: Measure, write: Expressions, sheet: Sheet, *, of_unit: bool = False, is_told: bool = False) -> exp.Expr:
    """The sum of a measure over the rows of a group; ``of_unit`` if they are of one unit, ``is_told`` if it leaves as it is."""
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
        over = _over(measure, write)
        return sheet.dialect.counted(steps.sql, over) if is_told else over(exp.Count(this=steps.sql))
    u, most = steps.sql, measure.grid.width
    if measure.power == 2:
        u, most = sheet.named(as_whole(steps)).sql, most**2
        u = infix(exp.Mul, u, u)
    return sheet.dialect.summed(u, lambda total: filtered(total, measure, write), most=most, of_unit=of_unit)


def _halved(measure: Measure, write: Expressions, sheet: Sheet) -> tuple[exp.Expr, exp.Expr] | None:
    """The same as its halves, where the dialect has them at once."""
    if measure.power != 1 or measure.of is None or measure.grid is None or measure.and_of is not None or measure.distinct:
        return None
    steps = steps_of(measure.of, measure.grid, write, sheet)
    return sheet.dialect.halved(steps.sql, _over(measure, write), most=measure.grid.width)


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


def as_count(measure: Measure, among: tuple[Measure, ...]) -> Measure:
    """A count of values as a count of the steps that are summed anyway: an engine then works them out once."""
    if measure.power or measure.of is None or measure.distinct or measure.and_of is not None:
        return measure
    same = (
        other
        for other in among
        if other.power == 1 and other.and_of is None and (other.of, other.filter) == (measure.of, measure.filter)
    )
    return replace(next(same, measure), power=0)


def _over(measure: Measure, write: Expressions) -> Over:
    return lambda aggregate, *more: filtered(aggregate, measure, write, *more)


def filtered(aggregate: exp.Expr, measure: Measure, write: Expressions, *more: exp.Expr) -> exp.Expr:
    """The aggregate over the rows that meet the measure's filter and the other conditions."""
    conditions = [*(each.sql for each in write.conditions(measure.filter)), *more]
    if not conditions:
        return aggregate
    return exp.Filter(this=aggregate, expression=exp.Where(this=exp.and_(*conditions, copy=False)))
