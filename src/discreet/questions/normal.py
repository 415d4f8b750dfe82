"""One form for all ways of writing a question. No rule changes a value, on any row, in float64 and with NULL.

- ``>`` and ``>=`` are turned around; NOT moves inward until it stands before something it cannot enter
- AND and OR are flat, sorted, without repetitions and without what decides nothing; what decides all takes their place
- equalities of one value under OR are one IN, inequalities under AND one NOT IN; an IN of one value is an equality
- the operands of =, <>, +, *, LEAST and GREATEST are sorted, constants last; those of COVAR and CORR too
- constants are computed where float64 does it exactly; FLOOR(x / w) * w is BIN(x, w)
"""

import operator
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Literal as OneOfThese
from typing import assert_never

from discreet.questions.aggregates import FORMS
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Bin,
    Case,
    Expression,
    In,
    Like,
    Literal,
    Operation,
    Order,
    Output,
    Question,
)
from discreet.questions.canonical import Texts, fingerprint_of
from discreet.questions.per_unit import used_alone
from discreet.questions.walk import parts, rebuilt

__all__ = ["as_bin", "fingerprint", "normal", "normal_expression"]

TRUE, FALSE = Literal(True), Literal(False)
Connective = OneOfThese["and", "or"]
Comparison = OneOfThese["equal", "not_equal", "less", "less_equal"]
Extreme = OneOfThese["least", "greatest"]
Arithmetic = OneOfThese["add", "subtract", "multiply", "divide"]

_TESTS: dict[Comparison, Callable[[float, float], bool]] = {
    "equal": operator.eq,
    "not_equal": operator.ne,
    "less": operator.lt,
    "less_equal": operator.le,
}
_SUMS: dict[Arithmetic, Callable[[Fraction, Fraction], Fraction]] = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}


def normal(question: Question) -> Question:
    """The question in its one form; the names of its outputs stay."""
    form = _Form()
    per_unit = question.per_unit
    return used_alone(replace(
        question,
        outputs=tuple(Output(output.name, form.of(output.value)) for output in question.outputs),
        where=form.condition(question.where),
        keys=tuple(form.of(key) for key in question.keys),
        having=form.condition(question.having),
        order=tuple(dict.fromkeys(Order(form.of(order.by), order.descending) for order in question.order)),
        per_unit=None if per_unit is None else replace(per_unit, where=form.condition(per_unit.where)),
    ))  # fmt: skip


def normal_expression(expression: Expression) -> Expression:
    """The expression in its one form."""
    return _Form().of(expression)


def fingerprint(question: Question) -> str:
    """The same for questions that ask the same, however they were written; the names of outputs do not count."""
    return fingerprint_of(normal(question))


def as_bin(expression: Expression) -> Bin | None:
    """``FLOOR(x / w) * w``, either way round, as the bin it is."""
    match expression:
        case Apply("multiply", (Literal() as factor, of)) | Apply("multiply", (of, Literal() as factor)):
            pass
        case _:
            return None
    match of:
        case Apply("floor", (Apply("divide", (inner, Literal(Fraction() as width))),)) if (
            factor.value == width and float(width) > 0
        ):
            return Bin(inner, width, Fraction(0))
        case _:
            return None


class _Form:
    """Makes normal forms, remembering the canonical text of every part."""

    def __init__(self) -> None:
        self._text = Texts().of

    def of(self, expression: Expression) -> Expression:
        """The normal form: first of the parts, then of the whole."""
        new = rebuilt(expression, tuple(self.of(part) for part in parts(expression)))
        match new:
            case Apply():
                return self._applied(new)
            case In():
                return self._in(new)
            case Like(of, pattern) if not set(pattern) & {"%", "_"}:
                return self._compared("equal", of, Literal(pattern))
            case Case():
                return _case(new)
            case Aggregate(of=of, filter=only, and_of=other):
                if of is not None and other is not None and not FORMS[new.kind].has_order:  # both ways round are one
                    of, other = self._ordered((of, other))
                return replace(new, of=of, and_of=other, filter=self.condition(only))
            case _:
                return new

    def condition(self, expression: Expression | None) -> Expression | None:
        """The normal form of what rows must meet; None if they all do."""
        found = None if expression is None else self.of(expression)
        return None if found == TRUE else found

    def _applied(self, expression: Apply) -> Expression:
        of = expression.of
        match expression.operation:
            case "and" | "or" as operation:
                return self._connected(operation, of)
            case "not":
                return self._not(of[0])
            case "greater":
                return self._compared("less", of[1], of[0])
            case "greater_equal":
                return self._compared("less_equal", of[1], of[0])
            case "equal" | "not_equal" | "less" | "less_equal" as operation:
                return self._compared(operation, *of)
            case "is_null":
                return Literal(of[0].value is None) if isinstance(of[0], Literal) else expression
            case "least" | "greatest" as operation:
                return self._extreme(operation, of)
            case "coalesce":
                return _coalesced(of)
            case "add" | "subtract" | "multiply" | "divide" as operation:
                return self._computed(operation, *of)
            case "negate":
                return _negated(of[0])
            case (
                "remainder" | "abs" | "floor" | "ceil" | "round" | "clamp" | "sqrt" | "ln" | "exp" | "lower" | "upper" | "length"
            ):
                return expression
            case _:
                assert_never(expression.operation)

    # ---- conditions

    def _connected(self, operation: Connective, inner: Iterable[Expression]) -> Expression:
        nothing, everything = (TRUE, FALSE) if operation == "and" else (FALSE, TRUE)
        flat = [part for one in inner for part in _flat(operation, one)]
        if everything in flat:
            return everything
        found = self._sorted(self._merged(operation, [part for part in flat if part != nothing]))
        if not found:
            return nothing
        return found[0] if len(found) == 1 else Apply(operation, found)

    def _merged(self, operation: Connective, inner: list[Expression]) -> list[Expression]:
        """Under OR, the equalities of one value with constants as one IN; under AND, the inequalities as one NOT IN."""
        rest: list[Expression] = []
        together: dict[str, tuple[Expression, list[Literal]]] = {}
        for one in inner:
            of, values = _choices(one, negated=operation == "and")
            if of is None:
                rest.append(one)
            else:
                together.setdefault(self._text(of), (of, []))[1].extend(values)
        choices = [self._in(In(of, tuple(values))) for of, values in together.values()]
        return rest + [self._not(one) if operation == "and" else one for one in choices]

    def _not(self, of: Expression) -> Expression:
        match of:
            case Literal(bool() as value):
                return Literal(not value)
            case Apply("not", (inner,)):
                return inner
            case Apply("and", inner):
                return self._connected("or", map(self._not, inner))
            case Apply("or", inner):
                return self._connected("and", map(self._not, inner))
            case Apply("equal" | "not_equal", (left, right)):
                return self._compared("not_equal" if of.operation == "equal" else "equal", left, right)
            case Apply("less", (left, right)):
                return self._compared("less_equal", right, left)
            case Apply("less_equal", (left, right)):
                return self._compared("less", right, left)
            case _:
                return Apply("not", (of,))

    def _compared(self, operation: Comparison, left: Expression, right: Expression) -> Expression:
        if isinstance(left, Literal) and isinstance(right, Literal):
            known = _tested(operation, left, right)
            return Apply(operation, (left, right)) if known is None else Literal(known)
        if operation in ("less", "less_equal"):
            return Apply(operation, (left, right))
        if isinstance(left, Literal):
            left, right = right, left
        if isinstance(right, Literal) and isinstance(right.value, bool):
            return left if right.value == (operation == "equal") else self._not(left)
        return Apply(operation, self._ordered((left, right)))

    def _in(self, expression: In) -> Expression:
        different = {self._text(one): one for one in expression.values}.values()
        values = tuple(sorted(different, key=lambda one: (type(one.value).__name__, one.value)))
        if len(values) == 1:
            return self._compared("equal", expression.of, values[0])
        return In(expression.of, values)

    # ---- values

    def _extreme(self, operation: Extreme, inner: Iterable[Expression]) -> Expression:
        flat = [part for one in inner for part in _flat(operation, one) if part != Literal(None)]
        numbers = [part.value for part in flat if isinstance(part, Literal) and isinstance(part.value, Fraction)]
        if numbers:
            rest = [part for part in flat if not (isinstance(part, Literal) and isinstance(part.value, Fraction))]
            flat = [*rest, Literal((min if operation == "least" else max)(numbers))]
        found = self._ordered(self._sorted(flat))
        return found[0] if len(found) == 1 else Apply(operation, found or (Literal(None),))

    def _computed(self, operation: Arithmetic, left: Expression, right: Expression) -> Expression:
        if isinstance(left, Literal) and isinstance(right, Literal) and (known := _sum(operation, left, right)) is not None:
            return known
        of = self._ordered((left, right)) if operation in ("add", "multiply") else (left, right)
        found = Apply(operation, of)
        return as_bin(found) or found

    def _sorted(self, inner: Iterable[Expression]) -> tuple[Expression, ...]:
        """Each once, in the order of the canonical texts."""
        return tuple(one for _, one in sorted({self._text(one): one for one in inner}.items()))

    def _ordered(self, inner: tuple[Expression, ...]) -> tuple[Expression, ...]:
        """In the order of the canonical texts, constants last."""
        return tuple(sorted(inner, key=lambda one: (isinstance(one, Literal), self._text(one))))


def _flat(operation: Operation, expression: Expression) -> tuple[Expression, ...]:
    return expression.of if isinstance(expression, Apply) and expression.operation == operation else (expression,)


def _choices(expression: Expression, *, negated: bool) -> tuple[Expression | None, tuple[Literal, ...]]:
    """What is compared, and with which constants, if this is an (in)equality with constants."""
    match expression:
        case Apply("equal", (of, Literal() as value)) if not negated:
            return of, (value,)
        case Apply("not_equal", (of, Literal() as value)) if negated:
            return of, (value,)
        case In(of, values) if not negated:
            return of, values
        case Apply("not", (In(of, values),)) if negated:
            return of, values
        case _:
            return None, ()


def _tested(operation: Comparison, left: Literal, right: Literal) -> bool | None:
    """What a comparison of two constants comes to: numbers as the floats they become."""
    one, other = left.value, right.value
    if isinstance(one, Fraction) and isinstance(other, Fraction):
        return _TESTS[operation](float(one), float(other))
    if type(one) is type(other) and one is not None and operation in ("equal", "not_equal"):
        return (one == other) == (operation == "equal")
    return None


def _sum(operation: Arithmetic, left: Literal, right: Literal) -> Literal | None:
    """The constant that two constants come to, if float64 computes it exactly; None otherwise."""
    one, other = left.value, right.value
    if not isinstance(one, Fraction) or not isinstance(other, Fraction) or (operation == "divide" and not other):
        return None
    found = _SUMS[operation](one, other)
    return Literal(found) if _is_plain(one) and _is_plain(other) and _is_plain(found) else None


def _is_plain(number: Fraction) -> bool:
    """Whether the number is exact in float64 and short to write."""
    return abs(number) <= 2**53 and number.denominator <= 2**20 and Fraction(float(number)) == number


def _negated(of: Expression) -> Expression:
    match of:
        case Literal(Fraction() as value):
            return Literal(-value)
        case Apply("negate", (inner,)):
            return inner
        case _:
            return Apply("negate", (of,))


def _coalesced(inner: Iterable[Expression]) -> Expression:
    found: list[Expression] = []
    for part in (part for one in inner for part in _flat("coalesce", one)):
        if part != Literal(None) and part not in found:
            found.append(part)
        if isinstance(part, Literal) and part.value is not None:
            break
    if len(found) == 1:
        return found[0]
    return Apply("coalesce", tuple(found)) if found else Literal(None)


def _case(expression: Case) -> Expression:
    whens: list[tuple[Expression, Expression]] = []
    otherwise = expression.otherwise
    for condition, result in expression.whens:
        if condition == TRUE:
            otherwise = result
            break
        if condition != FALSE:
            whens.append((condition, result))
    if all(result == Literal(None) for result in (otherwise, *(result for _, result in whens))):
        return expression  # NULL alone would no longer say of which type
    return Case(tuple(whens), otherwise) if whens else otherwise
