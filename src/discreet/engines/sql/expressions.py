"""Row expressions in SQL: what ``evaluate`` computes, with the same float64 to the last bit, on every stored value."""

import math
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from typing import assert_never

from sqlglot import exp

from discreet.engines.rules.evaluate import evaluate
from discreet.engines.rules.float_ranges import ALL, hull, unary
from discreet.engines.rules.values import SAFE, Value, nearest
from discreet.engines.sql.filters import COMPARED, comparison_of, on_stored
from discreet.engines.sql.numbers import combined, constant, floored, without_nan
from discreet.engines.sql.reading import Bare, Member, bare_column, read_column
from discreet.engines.sql.sheet import Sheet
from discreet.engines.sql.terms import (
    Kind,
    Term,
    Types,
    alike,
    cases,
    day,
    infix,
    is_one_of,
    moment,
    real,
    real_literal,
    text,
    typed_null,
    whole_literal,
)
from discreet.engines.sql.transforms import cast, curved, fractional_power, held, in_case, length, part_of, substring, truncated
from discreet.engines.wanted import Grid
from discreet.facts.model import Facts
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
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
    Operation,
    Overall,
    Power,
    Substring,
    Transform,
)
from discreet.questions.curves import chain, power_range
from discreet.questions.spans import longest
from discreet.questions.walk import every

__all__ = ["Expressions"]

_TYPES: Mapping[Kind, Types] = {"number": "DOUBLE", "text": "TEXT", "truth": "BOOLEAN"}  # of NULL beside such values


def is_constant(expression: Expression) -> bool:
    """Whether it is the same on every row."""
    return not any(isinstance(each, Column) for each in every(expression))


_LEVELS = 10  # so deep is one piece of SQL at most, lest a parser run out of stack


class Expressions:
    """Writes the expressions of one query onto its sheet."""

    def __init__(self, facts: Facts, sheet: Sheet) -> None:
        self._facts = facts
        self._declared = {column.name: column for column in facts.columns}
        self._read: dict[str, Term] = {}
        self._stored: dict[str, Bare | Member | None] = {}
        self.on_grids: dict[tuple[Expression, Grid], Term] = {}  # counts and sums share them
        self._sheet = sheet
        self._dialect = sheet.dialect
        self._level = 0

    def term(self, expression: Expression) -> Term:
        """The value of ``expression`` on every row. Raises TypeError if an operation does not fit its values."""
        self._level += 1
        found = self._term(expression)
        self._level -= 1
        return self._sheet.named(found) if self._level % _LEVELS == _LEVELS - 1 else found

    def _term(self, expression: Expression) -> Term:
        if self._dialect.folds and not isinstance(expression, Column | Literal) and is_constant(expression):
            return self._constant(evaluate(expression, {}))
        match expression:
            case Column(name):
                return self._column(name)
            case Literal(value):
                return self._literal(value)
            case Apply(operation, of):
                return self._apply(operation, [self.term(part) for part in of], of)
            case In(of, values):
                return self._in(self.term(of), [self._literal(value.value) for value in values])
            case Like(of, pattern):
                return self._like(_demand(self.term(of), "text"), pattern, longest(of, self._facts))
            case Case(whens, otherwise):
                return self._case(whens, otherwise)
            case DatePart(part, of):
                return part_of(part, _timed(self.term(of)), self._dialect)
            case DateTrunc() | Cast() | Substring() | Power():
                return self._transform(expression, self.term(expression.of))
            case Bin(of, width, origin):
                return self._bin(self.term(of), width, origin)
            case Aggregate() | Overall() | KeyOf():
                raise TypeError("not a row expression")
            case _:
                assert_never(expression)

    def _transform(self, expression: Transform, of: Term) -> Term:
        match expression:
            case DateTrunc(period):
                return truncated(period, _timed(of))
            case Cast(to=to):
                return cast(of, to, self._sheet)
            case Substring(start=start, count=count):
                return substring(_demand(of, "text"), start, count)
            case Power(exponent=exponent):
                return self._power(real(_demand(of, "number"), self._dialect), nearest(exponent))
            case _:
                assert_never(expression)

    def truth(self, expression: Expression) -> Term:
        """What is true on exactly the rows on which ``expression`` is; on others it may be false where that is NULL, or NULL."""
        self._level += 1
        found = self._truth(expression)
        self._level -= 1
        return self._sheet.named(found) if self._level % _LEVELS == _LEVELS - 1 else found

    def conditions(self, *expressions: Expression | None) -> list[Term]:
        """What is true together where all of ``expressions`` are; None asks for nothing."""
        some = [expression for expression in expressions if expression is not None]
        parts = [each.of if isinstance(each, Apply) and each.operation == "and" else (each,) for each in some]
        return [self.truth(part) for several in parts for part in several]

    def stored(self, expression: Expression) -> Bare | Member | None:
        """A column as it is before it is brought into its range or to its values; None for all else."""
        if not isinstance(expression, Column):
            return None
        name = expression.name
        if name not in self._stored:
            self._stored[name] = bare_column(self._declared[name], self._sheet.layout.fields[name], self._sheet)
        return self._stored[name]

    def _truth(self, expression: Expression) -> Term:
        match expression:
            case Apply("and" | "or" as operation, of):
                return _connected(operation, [self.truth(part) for part in of])
            case _:
                return self._on_stored(expression) or _demand(self._term(expression), "truth")

    def _on_stored(self, condition: Expression) -> Term | None:
        comparison = comparison_of(condition)
        if comparison is None:
            return None
        constants = [self._literal(each) for each in comparison.constants]
        return on_stored(comparison, self.stored(comparison.column), constants, self._dialect)

    def number(self, expression: Expression) -> Term:
        """The value of a number, held as DOUBLE or as an integer type."""
        return _demand(self.term(expression), "number")

    def steps(self, of: Term, width: Fraction, origin: Fraction) -> Term:
        """floor((x - origin) / width), perhaps infinite."""
        x, by, start = real(of, self._dialect), nearest(width), nearest(origin)
        if by == 0:
            return replace(x, sql=typed_null("DOUBLE"))
        moved = combined("subtract", x, constant(start, self._sheet), self._sheet)
        return floored(combined("divide", moved, constant(by, self._sheet), self._sheet), self._sheet)

    # ---- leaves

    def _column(self, name: str) -> Term:
        if name not in self._read:
            self._read[name] = read_column(self._declared[name], self._sheet.layout.fields[name], self._sheet)
        return self._read[name]

    def _literal(self, value: Fraction | str | bool | date | datetime | None) -> Term:
        match value:
            case None:
                return Term(exp.Null(), "null")
            case bool():
                return Term(exp.Boolean(this=value), "truth")
            case str():
                return Term(text(value), "text")
            case Fraction():
                x = nearest(value)
                if x.is_integer() and abs(x) <= SAFE:
                    return Term(whole_literal(int(x)), "number", low=x, high=x, whole=True)
                return Term(real_literal(x, self._dialect), "number", low=x, high=x)
            case datetime():
                return Term(moment(value), "moment")
            case date():
                return Term(day(value), "day")
            case _:
                assert_never(value)

    def _constant(self, value: Value) -> Term:
        """What a constant expression comes to."""
        if not isinstance(value, float):
            return self._literal(value)
        return constant(value, self._sheet) if math.isinf(value) else self._literal(Fraction(value))

    # ---- operations

    def _apply(self, operation: Operation, of: list[Term], texts: tuple[Expression, ...]) -> Term:
        match operation:
            case "add" | "subtract" | "multiply" | "divide" | "remainder":
                left, right = (real(_demand(part, "number"), self._dialect) for part in of)
                return self._arithmetic(operation, left, right)
            case "negate" | "abs" | "floor" | "ceil" | "round":
                (part,) = of
                return self._one(operation, real(_demand(part, "number"), self._dialect))
            case "sqrt" | "ln" | "exp":
                (part,) = of
                return curved(operation, real(_demand(part, "number"), self._dialect), self._sheet)
            case "lower" | "upper":
                (part,) = of
                return in_case(_demand(part, "text"), lower=operation == "lower")
            case "length":
                (part,) = of
                return length(_demand(part, "text"), longest(texts[0], self._facts), self._sheet)
            case "least" | "greatest" | "coalesce":
                return self._choice(operation, of)
            case "clamp":
                return self._clamp(*of)
            case "and" | "or":
                return _connected(operation, [_demand(part, "truth") for part in of])
            case "not":
                (part,) = of
                truth = _demand(part, "truth")
                return replace(truth, sql=exp.Paren(this=exp.Not(this=truth.sql)))
            case "is_null":
                (part,) = of
                return Term(infix(exp.Is, part.sql, exp.Null()), "truth", part.stage)
            case "equal" | "not_equal" | "less" | "less_equal" | "greater" | "greater_equal":
                left, right = alike(of, self._dialect)
                return Term(infix(COMPARED[operation], left.sql, right.sql), "truth", _stage([left, right]))
            case _:
                assert_never(operation)

    def _arithmetic(self, operation: str, left: Term, right: Term) -> Term:
        guarded = operation in ("divide", "remainder") and right.low <= 0 <= right.high
        found = combined(operation, left, right, self._sheet, guarded=guarded)
        return found if left.is_finite and right.is_finite else without_nan(found, self._sheet)

    def _one(self, operation: str, x: Term) -> Term:
        low, high = unary(operation, (x.low, x.high))
        match operation:
            case "negate":
                return replace(x, sql=exp.Paren(this=exp.Neg(this=x.sql)), low=low, high=high)
            case "abs":
                return replace(x, sql=exp.Abs(this=x.sql), low=low, high=high)
            case "floor":
                return floored(x, self._sheet)
            case "ceil":
                x = self._sheet.operand(x, "floor")
                return replace(x, sql=self._dialect.ceil(x.sql), low=low, high=high)
        x, half = self._sheet.named(x), constant(0.5, self._sheet)  # halves go away from zero
        below = floored(combined("subtract", half, x, self._sheet), self._sheet)
        above = floored(combined("add", x, half, self._sheet), self._sheet)
        is_below = infix(exp.LT, x.sql, real_literal(0.0, self._dialect))
        sql = cases((is_below, exp.Neg(this=below.sql)), otherwise=above.sql)
        return replace(x, sql=sql, stage=_stage([x, below, above]), low=low, high=high)

    def _like(self, of: Term, pattern: str, most: float) -> Term:
        """LIKE; a pattern of more characters than any text has matches none, and would only be long."""
        if len(pattern.replace("%", "")) <= most:
            return replace(of, sql=self._dialect.like(of.sql, text(pattern)), kind="truth")
        present = exp.Not(this=infix(exp.Is, of.sql, exp.Null()))
        return replace(of, sql=cases((present, exp.false())), kind="truth")

    def _clamp(self, of: Term, low: Term, high: Term) -> Term:
        """The value, or the nearer of two constants; NULL where it is."""
        lowest, highest = (min(max(end, low.low), high.high) for end in (of.low, of.high))
        ends = [self._literal(Fraction(end)) for end in (lowest, highest)]  # no value is beyond, and the statement shows it
        x, least, most = alike([_demand(of, "number"), *ends], self._dialect)
        x = self._sheet.named(x)
        below, above = infix(exp.LT, x.sql, least.sql), infix(exp.GT, x.sql, most.sql)
        sql = cases((below, least.sql), (above, most.sql), otherwise=x.sql)
        return replace(x, sql=sql, low=lowest, high=highest)

    def _power(self, x: Term, exponent: float) -> Term:
        """The chain of products that ``curves`` describes, or the library's power where the exponent is not whole."""
        if not exponent.is_integer():
            return fractional_power(x, exponent, self._sheet)
        low, high = power_range(exponent, x.low, x.high) or ALL
        found = chain(self._sheet.named(x), abs(int(exponent)), self._product)
        if exponent < 0:
            found = self._arithmetic("divide", Term(real_literal(1.0, self._dialect), "number", 0, 1.0, 1.0), found)
        return held(found, low, high, self._sheet)  # products know less of it, and the statement shows it

    def _product(self, left: Term, right: Term) -> Term:
        return self._sheet.named(self._arithmetic("multiply", left, right))

    def _choice(self, operation: str, of: list[Term]) -> Term:
        """One of several values: LEAST, GREATEST and COALESCE skip NULL."""
        some = alike([part for part in of if part.kind != "null"], self._dialect)
        if len(some) < 2:
            return some[0] if some else Term(exp.Null(), "null")
        first, *rest = (part.sql for part in some)
        match operation:
            case "coalesce":
                sql: exp.Expr = exp.Coalesce(this=first, expressions=rest)
            case "least":
                sql = exp.Least(this=first, expressions=rest, ignore_nulls=True)
            case _:
                sql = exp.Greatest(this=first, expressions=rest, ignore_nulls=True)
        return _merged(sql, some)

    def _in(self, of: Term, values: list[Term]) -> Term:
        first, *rest = alike([of, *values], self._dialect)
        sql = is_one_of(first.sql, (value.sql for value in rest)) if rest else exp.false()
        return Term(sql, "truth", first.stage)

    def _case(self, whens: tuple[tuple[Expression, Expression], ...], otherwise: Expression) -> Term:
        tests = [self.truth(test) for test, _ in whens]
        values = alike([*(self.term(value) for _, value in whens), self.term(otherwise)], self._dialect)
        sql = cases(
            *((test.sql, value.sql) for test, value in zip(tests, values, strict=False)), otherwise=values[-1].sql
        )
        found = _merged(sql, values)
        return replace(found, stage=_stage([found, *tests]))

    def _bin(self, of: Term, width: Fraction, origin: Fraction) -> Term:
        steps = self.steps(_demand(of, "number"), width, origin)
        by, start = (constant(nearest(part), self._sheet) for part in (width, origin))
        return combined("add", start, combined("multiply", steps, by, self._sheet), self._sheet)


def _demand(term: Term, kind: Kind) -> Term:
    if term.kind == "null" and kind in _TYPES:
        return replace(term, sql=typed_null(_TYPES[kind]), kind=kind)
    if term.kind not in (kind, "null"):
        raise TypeError(f"{term.kind} where {kind} is needed")
    return term


def _timed(term: Term) -> Term:
    """A day or a moment."""
    if term.kind == "null":
        return replace(term, sql=typed_null("TIMESTAMP"), kind="moment")
    if term.kind not in ("day", "moment"):
        raise TypeError("only days and moments have parts")
    return term


def _stage(terms: list[Term]) -> int:
    return max(term.stage for term in terms)


def _merged(sql: exp.Expr, terms: list[Term]) -> Term:
    """A term that is one of ``terms``, or NULL."""
    some = [term for term in terms if term.kind != "null"]
    if not some:
        return Term(exp.Null(), "null")
    low, high = hull((term.low, term.high) for term in some)
    return Term(sql, some[0].kind, _stage(terms), low, high, all(term.whole for term in some))


def _connected(operation: str, truths: list[Term]) -> Term:
    sql = truths[0].sql
    for truth in truths[1:]:
        sql = (exp.And if operation == "and" else exp.Or)(this=sql, expression=truth.sql)
    return Term(exp.Paren(this=sql), "truth", _stage(truths))
