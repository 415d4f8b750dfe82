"""Exact values on their way from an engine to a mechanism."""

from typing import Generic, NoReturn, TypeVar

__all__ = ["Private"]

T = TypeVar("T")


class Private(Generic[T]):
    """Holds an exact value. It does not print, compare, pickle or copy itself; only a mechanism should take it out."""

    __slots__ = ("_value",)

    def __init__(self, value: T) -> None:
        self._value = value

    def take(self) -> T:
        """The exact value, for the step that adds noise."""
        return self._value

    def __repr__(self) -> str:
        return "Private(…)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("an exact value is not pickled")

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = None  # type: ignore[assignment]
