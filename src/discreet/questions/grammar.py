"""Tokens → expressions, by precedence climbing.

Names are not looked up yet: a Column holds the name as written. The tree is flat where the language is (AND, OR), at most
``MOST_DEPTH`` deep and, in all, at most ``MOST_PARTS`` large, so that every later pass may recurse.
"""

from dataclasses import replace
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.questions.aggregates import AGGREGATES, PAIRS
from discreet.questions.algebra import (
    Aggregate,
    Apply,
    Case,
    Cast,
    Column,
    DatePart,
    Expression,
    In,
    Like,
    Literal,
    Operation,
    Overall,
)
from discreet.questions.casts import TYPES
from discreet.questions.constants import at_constant, read_constant
from discreet.questions.cursor import Cursor
from discreet.questions.functions import FUNCTIONS, PARTS, Function, in_any_case, substring
from discreet.questions.hints import RESERVED, function_hint
from discreet.questions.places import Places
from discreet.questions.ranked import RANKED, parse_ranked
from discreet.questions.tokens import Token
from discreet.questions.unit_range import parse_unit_range
from discreet.questions.walk import parts

__all__ = ["Grammar", "KNOWN", "MOST_DEPTH", "MOST_PARTS"]

MOST_DEPTH = 100
MOST_PARTS = 10_000

_OR, _AND, _NOT, _COMPARE, _PLUS, _TIMES, _SIGN, _CAST = range(1, 9)
_STRENGTH = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(("=", "<>", "!=", "<", "<=", ">", ">=", "IS", "IN", "LIKE", "ILIKE", "BETWEEN", "NOT"), _COMPARE),
    **dict.fromkeys(("+", "-"), _PLUS),
    **dict.fromkeys(("*", "/", "%"), _TIMES),
    "::": _CAST,
}
_OPERATIONS: dict[str, Operation] = {
    "=": "equal",
    "<>": "not_equal",
    "!=": "not_equal",
    "<": "less",
    "<=": "less_equal",
    ">": "greater",
    ">=": "greater_equal",
    "+": "add",
    "-": "subtract",
    "*": "multiply",
    "/": "divide",
    "%": "remainder",
}
_OVER = "only totals over all groups are in the language"
_WRITTEN_APART = ("CAST", "COUNTIF", "COUNT_IF", "EXTRACT", "LEFT", "SUBSTRING", "TRY_CAST")
KNOWN = tuple(sorted({*AGGREGATES, *FUNCTIONS, *RANKED, *_WRITTEN_APART}))


class Grammar:
    """Reads expressions from a cursor and remembers where each stood."""

    def __init__(self, cursor: Cursor, places: Places) -> None:
        self.cursor, self.places = cursor, places
        self.qualifiers: list[Token] = []  # the t of t.x
        self._measured: dict[int, tuple[int, int]] = {}  # depth and size, by id; the places keep the expressions alive
        self._open = self._total = 0

    def whole(self) -> Expression:
        """An expression that is no part of another."""
        start = self.cursor.token
        expression = self.expression()
        self._total += self._measured[id(expression)][1]
        if self._total > MOST_PARTS:
            raise self._too_large(start)
        return expression

    def expression(self, above: int = 0) -> Expression:
        """The longest expression from here on whose operators bind tighter than ``above``."""
        self._open += 1
        if self._open > MOST_DEPTH:
            raise self._too_deep(self.cursor.token)
        left = self._first(above)
        while (strength := _STRENGTH.get(self.cursor.token.key, 0)) > above:
            left = self._joined(left, strength)
        self._open -= 1
        return left

    # ---- what an expression begins with

    def _first(self, above: int) -> Expression:
        token = self.cursor.token
        if at_constant(self.cursor):
            return self._made(read_constant(self.cursor), token)
        if token.kind == "quoted":
            return self._column()
        if token.kind == "word":
            return self._word(above)
        if self.cursor.take_if("("):
            return self._in_parentheses()
        if self.cursor.take_if("-"):
            return self._made(Apply("negate", (self.expression(_SIGN),)), token)
        raise self.cursor.unexpected("an expression")

    def _in_parentheses(self) -> Expression:
        inner = self.expression()
        if self.cursor.token.key == ",":
            raise self.cursor.refused(self.cursor.token, "lists stand behind IN only", "compare one value at a time")
        self.cursor.expect(")")
        return inner

    def _word(self, above: int) -> Expression:
        token, after = self.cursor.token, self.cursor.after
        if token.key == "NOT":
            return self._not(above)
        if token.key == "CASE":
            return self._case()
        if token.key == "LEFT" and after.key == "(":
            return self._called()
        if token.key in RESERVED or (token.key == "INTERVAL" and after.kind == "text"):
            raise self.cursor.unexpected("an expression")
        return self._called() if after.key == "(" else self._column()

    def _not(self, above: int) -> Expression:
        token = self.cursor.take()
        if above > _NOT:
            raise self.cursor.refused(token, "NOT stands behind an operator", "put it in parentheses: (NOT x)")
        return self._made(Apply("not", (self.expression(_NOT),)), token)

    def _column(self) -> Expression:
        token, table = self.cursor.name("a column"), None
        if self.cursor.take_if("."):
            self.qualifiers.append(token)
            table, token = token.text, self.cursor.name("a column")
        return self._made(Column(token.text, table), token)

    def _case(self) -> Expression:
        start = self.cursor.take()
        operand = None if self.cursor.token.key == "WHEN" else self.expression()
        whens: list[tuple[Expression, Expression]] = []
        while (token := self.cursor.take_if("WHEN")) is not None:
            condition = self.expression()
            if operand is not None:
                condition = self._made(Apply("equal", (operand, condition)), token)
            self.cursor.expect("THEN")
            whens.append((condition, self.expression()))
        if not whens:
            raise self.cursor.unexpected("WHEN")
        otherwise = self.expression() if self.cursor.take_if("ELSE") else Literal(None)
        self.cursor.expect("END")
        return self._made(Case(tuple(whens), otherwise), start)

    # ---- functions

    def _called(self) -> Expression:
        token = self.cursor.take()
        if token.key in ("CAST", "TRY_CAST"):
            return self._cast(token)
        if token.key in ("LEFT", "SUBSTRING"):
            return self._substring(token)
        if token.key == "EXTRACT":
            return self._extract(token)
        if token.key in RANKED:
            ranked = parse_ranked(token, self.cursor, self.expression)
            return self._made(replace(ranked, filter=self._filter()), token)
        if token.key in ("COUNT_IF", "COUNTIF"):
            return self._count_if(token)
        if token.key in AGGREGATES:
            return self._aggregate(token)
        if token.key in FUNCTIONS:
            return self._function(token, FUNCTIONS[token.key])
        raise self.cursor.refused(token, *function_hint(token.key, KNOWN))

    def _function(self, token: Token, function: Function) -> Expression:
        arguments = self._arguments()
        if len(arguments) < function.least or (function.most is not None and len(arguments) > function.most):
            most = "more" if function.most is None else function.most
            wanted = function.least if function.least == most else f"{function.least} to {most}"
            raise self.cursor.refused(token, f"{token.key} has {len(arguments)} arguments", f"write {wanted}")
        return self._made(function.make(arguments), token)

    def _arguments(self) -> tuple[Expression, ...]:
        self.cursor.expect("(")
        found: list[Expression] = []
        while not self.cursor.take_if(")"):
            if found:
                self.cursor.expect(",")
            found.append(self.expression())
        return tuple(found)

    def _aggregate(self, token: Token) -> Expression:
        self.cursor.expect("(")
        kind, of, other = AGGREGATES[token.key], None, None
        if token.key in ("COUNT_UNITS", "RUNNING_COUNT"):
            self.cursor.expect("*")
        elif token.key == "AT_CAPS":
            of = None if self.cursor.token.key == ")" else self.expression()
        elif token.key == "COUNT" and self.cursor.take_if("*"):
            kind = "count_rows"
        elif token.key == "COUNT" and self.cursor.take_if("DISTINCT"):
            kind, of = "count_distinct", self.expression()
        else:
            of = self.expression()
            if token.key == "COUNT" and isinstance(of, Literal) and of.value is not None:
                kind, of = "count_rows", None  # COUNT(1)
        if kind in PAIRS:
            if self.cursor.token.key == ")":
                raise self.cursor.refused(self.cursor.token, f"{token.key} takes two numbers", f"write {token.key}(x, y)")
            self.cursor.expect(",")
            other = self.expression()
        self.cursor.expect(")")
        if kind == "sum" and isinstance(of, Aggregate) and self.cursor.take_if("OVER"):
            return self._overall(of, token)
        only, ends = self._filter(), parse_unit_range(kind, self.cursor)
        return self._made(Aggregate(kind, of, only or self._filter(), other, unit_range=ends), token)

    def _overall(self, of: Aggregate, token: Token) -> Expression:
        self.cursor.expect("(")
        if self.cursor.token.key != ")":
            raise self.cursor.refused(self.cursor.token, _OVER, "write OVER (), or RUNNING_COUNT(*) by a key in order")
        self.cursor.take()
        return self._made(Overall(of), token)

    def _count_if(self, token: Token) -> Expression:
        """COUNT(*) FILTER (WHERE condition), in other words."""
        self.cursor.expect("(")
        condition = self.expression()
        self.cursor.expect(")")
        only = self._filter()
        both = condition if only is None else self._made(Apply("and", (condition, only)), token)
        return self._made(Aggregate("count_rows", None, both), token)

    def _filter(self) -> Expression | None:
        if not self.cursor.take_if("FILTER"):
            return None
        self.cursor.expect("(")
        self.cursor.expect("WHERE")
        condition = self.expression()
        self.cursor.expect(")")
        return condition

    def _extract(self, token: Token) -> Expression:
        self.cursor.expect("(")
        part = self.cursor.take()
        if part.key not in PARTS:
            raise self.cursor.refused(part, f"EXTRACT has no part {part}", f"there are: {', '.join(PARTS)}")
        self.cursor.expect("FROM")
        of = self.expression()
        self.cursor.expect(")")
        return self._made(DatePart(PARTS[part.key], of), token)

    def _substring(self, token: Token) -> Expression:
        """SUBSTRING(x, 2, 3), SUBSTRING(x FROM 2 FOR 3) or LEFT(x, 3)."""
        self.cursor.expect("(")
        of, start, count = self.expression(), self._made(Literal(Fraction(1)), token), None
        if token.key == "LEFT":
            self.cursor.expect(",")
            count = self.expression()
        else:
            if not self.cursor.take_if("FROM"):
                self.cursor.expect(",")
            start = self.expression()
            count = self.expression() if self.cursor.take_if("FOR", ",") else None
        self.cursor.expect(")")
        return self._made(substring(of, start, count), token)

    def _cast(self, token: Token) -> Expression:
        self.cursor.expect("(")
        of = self.expression()
        self.cursor.expect("AS")
        made = self._as_type(of, token)
        self.cursor.expect(")")
        return made

    def _as_type(self, of: Expression, token: Token) -> Expression:
        to = self.cursor.take()
        if to.key not in TYPES:
            raise self.cursor.refused(to, f"there is no type {to} to cast to", f"there are: {', '.join(TYPES)}")
        if to.key == "DOUBLE":
            self.cursor.take_if("PRECISION")
        if self.cursor.token.key == "(":
            raise self.cursor.refused(self.cursor.token, f"{to.key} has no length or scale here", "write the type alone")
        return self._made(Cast(of, TYPES[to.key]), token)

    # ---- what an expression goes on with

    def _joined(self, left: Expression, strength: int) -> Expression:
        token = self.cursor.token
        if strength in (_AND, _OR):
            return self._chained(left, "and" if strength == _AND else "or", strength)
        if strength == _COMPARE:
            return self._compared(left)
        self.cursor.take()
        if strength == _CAST:
            return self._as_type(left, token)
        return self._made(Apply(_OPERATIONS[token.key], (left, self.expression(strength))), token)

    def _chained(self, left: Expression, operation: Operation, strength: int) -> Expression:
        token, found = self.cursor.token, [left]
        while self.cursor.take_if(token.key):
            found.append(self.expression(strength))
        return self._made(Apply(operation, tuple(found)), token)

    def _compared(self, left: Expression) -> Expression:
        token = self.cursor.take()
        if token.key == "IS":
            made = self._is_null(left, token)
        elif token.key == "NOT":
            behind = self.cursor.take_if("IN", "LIKE", "ILIKE", "BETWEEN")
            if behind is None:
                raise self.cursor.unexpected("IN, LIKE, ILIKE or BETWEEN")
            made = self._made(Apply("not", (self._tested(left, behind),)), token)
        else:
            made = self._tested(left, token)
        if _STRENGTH.get(self.cursor.token.key) == _COMPARE:
            raise self.cursor.refused(self.cursor.token, "comparisons do not chain", "write a < b AND b < c, or (a < b) = c")
        return made

    def _tested(self, left: Expression, token: Token) -> Expression:
        match token.key:
            case "IN":
                return self._made(In(left, self._listed()), token)
            case "LIKE":
                return self._made(Like(left, self._pattern()), token)
            case "ILIKE":
                return self._made(in_any_case(left, self._pattern()), token)
            case "BETWEEN":
                low = self.expression(_COMPARE)
                self.cursor.expect("AND")
                high = self.expression(_COMPARE)
                bounds = (Apply("greater_equal", (left, low)), Apply("less_equal", (left, high)))
                return self._made(Apply("and", bounds), token)
            case _:
                return self._made(Apply(_OPERATIONS[token.key], (left, self.expression(_COMPARE))), token)

    def _is_null(self, left: Expression, token: Token) -> Expression:
        is_not = self.cursor.take_if("NOT")
        if not self.cursor.take_if("NULL"):
            found = self.cursor.token
            raise self.cursor.refused(found, f"expected NULL behind IS, found {found}", "write x = y, or x IS NULL")
        is_null = self._made(Apply("is_null", (left,)), token)
        return self._made(Apply("not", (is_null,)), token) if is_not else is_null

    def _listed(self) -> tuple[Literal, ...]:
        self.cursor.expect("(")
        found: list[Literal] = []
        while not found or self.cursor.take_if(","):
            token = self.cursor.token
            one = read_constant(self.cursor)
            if one.value is None:
                raise self.cursor.refused(token, "NULL equals nothing, so IN cannot find it", "write x IS NULL")
            self._made(one, token)
            found.append(one)
        self.cursor.expect(")")
        return tuple(found)

    def _pattern(self) -> str:
        token = self.cursor.token
        if token.kind != "text":
            raise self.cursor.refused(token, f"expected a pattern behind LIKE, found {token}", "write LIKE 'abc%'")
        return self.cursor.take().text

    # ---- the limits

    def _made(self, expression: Expression, token: Token) -> Expression:
        """``expression``, marked with its place and found to be within the limits."""
        self._measure(expression, token)
        return expression

    def _measure(self, expression: Expression, token: Token) -> tuple[int, int]:
        known = self._measured.get(id(expression))
        if known is not None:
            return known
        inner = [self._measure(part, token) for part in parts(expression)]
        depth, size = 1 + max((deep for deep, _ in inner), default=0), 1 + sum(large for _, large in inner)
        if depth > MOST_DEPTH:
            raise self._too_deep(token)
        if size > MOST_PARTS:
            raise self._too_large(token)
        self.places.mark(expression, token.at)
        self._measured[id(expression)] = depth, size
        return depth, size

    def _too_deep(self, token: Token) -> QuestionError:
        return self.cursor.refused(token, f"the expression is nested more than {MOST_DEPTH} deep", "write it flatter")

    def _too_large(self, token: Token) -> QuestionError:
        return self.cursor.refused(token, f"the question has more than {MOST_PARTS} parts", "ask something smaller")
