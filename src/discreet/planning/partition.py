"""Which cells of the budget's partition a question reads. Proof: docs/proofs/composition.md, "On disjoint groups".

Every row is in one cell: its declared value of the partition column, or the one cell for NULL and all undeclared values. Where
units have many rows, all rows of a unit are in one cell: the column has to be declared constant per unit, which engines see to
before any filter. Cells are read only from = and IN with constants that WHERE demands of that column; two questions with no cell
in common then read no row, and no unit, in common.
"""

from fractions import Fraction

from discreet.engines.rules.values import nearest
from discreet.facts.model import Category, EachRow, Facts, Scalar
from discreet.questions.algebra import Literal, Question
from discreet.questions.disjoint import Constant, pinned_values
from discreet.questions.text import to_text

__all__ = ["OTHER", "cells_of_partition", "cells_touched"]

OTHER = "other"  # the cell of NULL and of undeclared values; the label of a text value has quotes


def cells_of_partition(facts: Facts) -> tuple[str, ...]:
    """The labels of all cells, OTHER last; none if the budget has no partition that can be used."""
    column = _column(facts)
    return () if column is None else (*map(_label, column.values), OTHER)


def cells_touched(question: Question, facts: Facts) -> tuple[str, ...] | None:
    """The labels of the cells whose rows the question can read, in the order of the facts; None for the whole table.

    Conditions that no row meets (= NULL, = 1 AND = 2) and constants that are not declared touch the cell OTHER.
    """
    column = None if question.per_unit is not None else _column(facts)  # their WHERE is about units, and read for no cell
    pinned = None if column is None else pinned_values(question.where, column.name)
    if column is None or pinned is None:
        return None
    declared = {value: _as_compared(value) for value in column.values}
    found = [_label(value) for value, compared in declared.items() if compared in pinned]
    is_other = not found or not pinned <= set(declared.values())
    return (*found, OTHER) if is_other else tuple(found)


def _column(facts: Facts) -> Category | None:
    """The column of the partition; None if units could be in several cells."""
    if facts.budget.partition is None:
        return None
    if facts.is_live:
        return None
    column = facts.column(facts.budget.partition)
    is_whole = isinstance(facts.unit, EachRow) or (column is not None and column.per_unit)
    return column if isinstance(column, Category) and is_whole else None


def _as_compared(value: Scalar) -> Constant:
    """A declared value as engines compare it: numbers that are one float64 are one."""
    return value if isinstance(value, str) else Fraction(nearest(value))


def _label(value: Scalar) -> str:
    """The value as SQL writes it, so that no text looks like a number or like OTHER."""
    return to_text(Literal(value if isinstance(value, str) else Fraction(value)))
