"""How an engine holds a table: what the SQL writer must know, and nothing about its rows."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

__all__ = ["Field", "Layout", "Stored"]

Stored = Literal[
    "text",
    "whole",  # any integer type of at most 64 bits with a sign
    "real",  # DOUBLE, NaN and infinities included
    "truth",
    "day",
    "moment",  # without a zone
    "instant",  # in UTC, of a type that has zones
    "read",  # by the rules of ``values``: numbers as DOUBLE, or BIGINT where ``reading.is_whole`` says so
]


@dataclass(frozen=True, slots=True)
class Field:
    """A stored column. Its name must not begin with t, which is for names that the writer gives.

    ``narrow`` is a column with the same whole numbers in a type of fewer bits, which an engine compares with constants in less
    time, and knows more of: nothing is worked out with it.
    """

    name: str
    stored: Stored
    narrow: str | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """A stored table. ``fields`` is by declared name; ``members`` names tables whose ``value`` are the declared values.

    ``unit`` holds what tells units apart, as text, whole or real numbers. ``settled`` is how the same rows are read by questions
    that look at a column which is constant per unit, where that takes more. ``relation`` is a SELECT in parentheses that gives
    the rows where they are not simply those of ``table``; ``matches`` says how many of them a stored row may have become there.
    """

    table: str
    fields: Mapping[str, Field]
    members: Mapping[str, str] = field(default_factory=dict)
    unit: Field | None = None
    settled: "Layout | None" = None
    relation: str | None = None
    matches: int = 1

    def without_narrow(self) -> "Layout":
        """The same for a SELECT that takes no narrow columns along."""
        return replace(self, fields={name: replace(each, narrow=None) for name, each in self.fields.items()})
