"""Where engines differ in how they spell the same thing, as hooks. All else in the SQL that we write is common to them.

Every hook is given and returns expressions that stand by themselves in a larger one, and whatever it returns is total: it has a
value, perhaps NULL, on every row that can be stored. A dialect that writes the operands of a hook more than once says so by
``repeats``: they are then columns or constants.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol

import sqlglot
from sqlglot import exp

if TYPE_CHECKING:
    from sqlglot.generator import Generator

    from discreet.engines.sql.terms import Term, Types

__all__ = ["Dialect", "Gridding", "Hook", "Over", "Tried", "raw"]

Tried = Literal["text", "number", "whole", "moment"]  # what a cast is tried on: a DOUBLE is a number, an integer type is whole
Hook = Literal["combined", "floor", "power", "tried"]  # whose operands may be written more than once; ``ceil`` is as ``floor``
Gridding = Literal["first", "inside", "last"]  # a stored number: before its range is looked at, where it is inside, or after


class Over(Protocol):
    """An aggregate over some of the rows: those that also meet more conditions, if there are any."""

    def __call__(self, aggregate: exp.Expr, *more: exp.Expr) -> exp.Expr:
        """The aggregate over them."""
        ...


def raw(text: str) -> exp.Expr:
    """A piece of SQL that is written already."""
    return exp.Var(this=text)


class Dialect(ABC):
    """One engine's ways; what is not abstract is what most of them agree on."""

    name: str  # as sqlglot knows it
    double = "DOUBLE"  # what float64 is called
    repeats: frozenset[Hook] = frozenset()  # which hooks write an operand more than once
    folds = False  # whether it works constants out while it plans, so that they must not fail wherever they stand
    gridding: Gridding = "first"  # when a stored number is put on a grid: what is quickest of what never fails
    has_sets = False  # whether it is quicker with sets of cells, as bits of whole numbers, than with windows
    clamps_keys = False  # whether whole numbers outside of a key are quicker brought to its edge than tested and left out
    frames_places = False  # whether ROW_NUMBER may have a frame: one window then tells places and sizes
    no_order = ""  # what a window says where rows have no order
    most_nodes: int | None = None  # of a stage, once those below it are merged into it: beyond, a fence goes in between
    fence = ""  # what ends a SELECT that is not merged into the one around it

    @property
    def for_joined(self) -> "Dialect":
        """The same for rows that a join has multiplied, of which there may be more than 2^33: no sum may rest on that."""
        return self

    def generator(self) -> "Generator":
        """What turns nodes into text."""
        return sqlglot.Dialect.get_or_raise(self.name).generator()

    # ---- numbers

    @abstractmethod
    def real(self, digits: str) -> exp.Expr:
        """Decimal digits with an exponent as the nearest float64."""

    def floor(self, x: exp.Expr) -> exp.Expr:
        """The floor of a DOUBLE, as a DOUBLE."""
        return exp.Floor(this=x)

    def whole_floor(self, x: exp.Expr) -> exp.Expr:
        """The floor of a DOUBLE whose range says that 64 bits hold it, as BIGINT."""
        return exp.Cast(this=self.floor(x), to=_type("BIGINT"))

    def ceil(self, x: exp.Expr) -> exp.Expr:
        """The least whole number that is not below a DOUBLE, as a DOUBLE."""
        return exp.Ceil(this=x)

    def combined(self, operation: str, left: "Term", right: "Term") -> exp.Expr | None:
        """x + y, x - y, x * y, x / y (y is not 0) or x % y in float64; None where the plain operator never fails.

        It may be NaN, or NULL, where an operand is NULL.
        """
        return None

    def power(self, x: "Term", exponent: float) -> exp.Expr:
        """A DOUBLE that is not below 0, to a power that is not whole."""
        digits = repr(abs(exponent))
        number = self.real(digits if "e" in digits else f"{digits}e0")
        return exp.Anonymous(this="POWER", expressions=[x.sql, number if exponent > 0 else exp.Paren(this=exp.Neg(this=number))])

    @abstractmethod
    def tried(self, value: exp.Expr, of: Tried, to: "Types") -> exp.Expr:
        """The value as another type, NULL where that is not possible."""

    def truth_as_whole(self, truth: exp.Expr) -> exp.Expr:
        """0 or 1 as BIGINT."""
        return exp.Cast(this=truth, to=_type("BIGINT"))

    def quotient(self, left: exp.Expr, right: exp.Expr, *, wide: bool = False) -> exp.Expr:
        """The quotient of two whole numbers, what is left of the point; ``wide`` if one of them is."""
        return exp.IntDiv(this=left, expression=right)

    # ---- sums and what is wider than 64 bits

    def summed(
        self, value: exp.Expr, over: Callable[[exp.Expr], exp.Expr] | None = None, *, most: int = 1 << 62, of_unit: bool = False
    ) -> exp.Expr:
        """The exact sum of whole numbers from 0 to ``most``; ``of_unit`` if they are of one unit, so that 2^33 are the most.

        ``over`` says of which rows, and then it is 0 where there are none.
        """
        total = exp.Sum(this=value)
        return total if over is None else exp.Coalesce(this=over(total), expressions=[exp.Literal.number(0)])

    def counted(self, value: exp.Expr, over: "Over") -> exp.Expr:
        """How many rows have a value; ``over`` says of which rows."""
        return over(exp.Count(this=value))

    def halved(self, value: exp.Expr, over: "Over", *, most: int) -> tuple[exp.Expr, exp.Expr] | None:
        """The exact sum of whole numbers from 0 to ``most`` as two BIGINT, high * 2^62 + low; None where they are better taken of
        the sum. Beside a high that is one less, low may be 2^62 more."""
        return None

    @abstractmethod
    def halves(self, total: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
        """A sum from 0 to 2^125 as two BIGINT, high * 2^62 + low."""

    @abstractmethod
    def wide(self, whole: str) -> str:
        """A whole number, or a sum, as a type that holds 2^125."""

    def at_most(self, total: str, high: int) -> str:
        """A wide number or ``high``, which is less than 2^62, as BIGINT: whichever is less."""
        return f"CAST(LEAST({total}, {high}) AS BIGINT)"

    def firsts(self, packed: str, groups: int, *, wide: bool, alone: bool) -> str | None:
        """The least ``groups`` of a group's packed numbers, each in a row of its own; None where a window is to find them.

        ``wide`` if 64 bits do not hold them, ``alone`` if the SELECT has no other such list.
        """
        return None

    # ---- texts

    @abstractmethod
    def matches(self, text: exp.Expr, pattern: str) -> exp.Expr:
        """Whether a pattern matches all of a text."""

    def matches_short(self, text: exp.Expr, pattern: str, most: int) -> exp.Expr:
        """The same of a column with texts of any length and a pattern of so many characters at most."""
        return self.matches(text, pattern)

    @abstractmethod
    def part(self, text: exp.Expr, pattern: str, group: int) -> exp.Expr:
        """A group of the first match of a pattern in a text, '' if there is none."""

    @abstractmethod
    def like(self, text: exp.Expr, pattern: exp.Expr) -> exp.Expr:
        """LIKE without an escape character."""

    @abstractmethod
    def hashed(self, text: exp.Expr) -> exp.Expr:
        """The first 60 bits of the MD5 of a text in UTF-8, as BIGINT."""

    def lettered(self, constant: exp.Expr) -> exp.Expr:
        """What is one of some text constants, in the order of code points, as a text that was read is."""
        return constant

    # ---- time

    @abstractmethod
    def micros(self, moment: exp.Expr) -> exp.Expr:
        """A moment of our years as microseconds since 1970."""

    @abstractmethod
    def at_micros(self, micros: exp.Expr) -> exp.Expr:
        """And back."""

    def date_part(self, name: str, moment: exp.Expr) -> exp.Expr:
        """A part of a moment, by its name in DuckDB; ISODOW is 1 on Mondays, DOW is 0 on Sundays."""
        return exp.Extract(this=exp.var(name), expression=moment)

    # ---- rows

    def least(self, term: "Term") -> exp.Expr:
        """The least value of a group, as an aggregate: false before true."""
        return exp.Min(this=term.sql)


def _type(name: str) -> exp.DataType:
    return exp.DataType(this=exp.DataType.Type[name], nested=False)
