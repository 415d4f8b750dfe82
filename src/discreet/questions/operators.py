"""The signs of arithmetic in Python, for whatever stands for a released number: ``dc.sum("x") / dc.count()``."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

from discreet.errors import QuestionError
from discreet.questions.algebra import Operation
from discreet.questions.grammar import MOST_DEPTH, MOST_PARTS

__all__ = ["Operators", "extent_of"]

Made = TypeVar("Made")


class Operators(ABC, Generic[Made]):
    """``+ - * / %``, a sign and ``abs()``, with a number of Python on either side."""

    __slots__ = ()
    __array_ufunc__ = None  # numpy's numbers leave the sign to us

    @abstractmethod
    def _applied(self, operation: Operation, *of: Any) -> Made:
        """What becomes of ``operation`` on these, one of which is this."""

    def __add__(self, other: object) -> Made:
        return self._applied("add", self, other)

    def __radd__(self, other: object) -> Made:
        return self._applied("add", other, self)

    def __sub__(self, other: object) -> Made:
        return self._applied("subtract", self, other)

    def __rsub__(self, other: object) -> Made:
        return self._applied("subtract", other, self)

    def __mul__(self, other: object) -> Made:
        return self._applied("multiply", self, other)

    def __rmul__(self, other: object) -> Made:
        return self._applied("multiply", other, self)

    def __truediv__(self, other: object) -> Made:
        return self._applied("divide", self, other)

    def __rtruediv__(self, other: object) -> Made:
        return self._applied("divide", other, self)

    def __mod__(self, other: object) -> Made:
        return self._applied("remainder", self, other)

    def __rmod__(self, other: object) -> Made:
        return self._applied("remainder", other, self)

    def __neg__(self) -> Made:
        return self._applied("negate", self)

    def __abs__(self) -> Made:
        return self._applied("abs", self)


def extent_of(inner: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """How deep and how large an expression is over parts that are so. Raises QuestionError for what SQL could not say either.

    It is told while building: x + x, of which the same again, is twice as large every time.
    """
    depth, size = 1 + max(deep for deep, _ in inner), 1 + sum(large for _, large in inner)
    if depth > MOST_DEPTH:
        raise QuestionError(f"the expression is nested more than {MOST_DEPTH} deep", hint="write it flatter")
    if size > MOST_PARTS:
        raise QuestionError(f"the question has more than {MOST_PARTS} parts", hint="ask something smaller")
    return depth, size
