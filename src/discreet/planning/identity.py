"""What a released vector is about: names that are the same for the same exact integers, whoever asks for them and why. Rule 16.

A name stands for rows (table, WHERE, joins, versions of what is joined, caps and the order in which they thin rows), cells, the
number with its null rules, and a filter. It leaves out how the number is written as integers (form, degree, grid) and how much
noise they got: whether one vector serves in the place of another is for ``serving``. The table's own version stands beside it.
"""

from collections.abc import Sequence
from hashlib import sha256

from discreet.engines.choice import columns_read
from discreet.engines.wanted import CountsWanted, Wanted
from discreet.planning.plan import AnyVector, Found, Keys, Plan, Ranks, Vector
from discreet.questions.algebra import Expression, Question
from discreet.questions.bounds import may_be_null
from discreet.questions.canonical import Texts, rows_text
from discreet.questions.caps import caps_text
from discreet.questions.joins import beside
from discreet.questions.normal import normal, normal_expression

__all__ = ["HERE", "count_name", "names_of"]

_VERSION = "s1"  # changes whenever the meaning of a name changes; stored names stay valid under their version
_MOMENTS = ("count", "sum", "bernstein")
HERE = "@"  # ends a name that holds for what the same charge has found: keys or bounds

Names = tuple[str, ...]  # the first is a vector's own; by the others it is found too


def names_of(plan: Plan, found_by: str = HERE) -> tuple[tuple[Names, ...], ...]:
    """Per vector and per filter or share, its names. ``found_by``: the charges that found the plan's keys or bounds."""
    known = _Known(plan)
    staged = any(isinstance(each, Keys | Found) for each in plan.vectors)
    return tuple(known.names(each, found_by if staged and not isinstance(each, Keys | Found) else "") for each in plan.vectors)


def count_name(plan: Plan, of: Expression | None, condition: Expression | None) -> str:
    """The name under which the count of some rows of a plan is stored, whatever else is told with it."""
    known = _Known(plan)
    return known.counted(of, condition)


class _Known:
    """The texts that the vectors of one plan share."""

    def __init__(self, plan: Plan) -> None:
        question = normal(plan.question)
        self._plan, self._text = plan, Texts().of
        self._beside = beside(question, plan.facts)
        self._rows = [*rows_text(question), *(f"beside {table} {version}" for table, version in self._beside)]
        self._cells = [f"key {self._text(key)}" for key in question.keys]
        self._question = question

    def names(self, vector: AnyVector, found_by: str) -> tuple[Names, ...]:
        match vector:
            case Keys():
                key = self._text(self._question.keys[vector.place])
                return ((self._name([f"keys {key} of {vector.groups}"], self._rows, ""),),)
            case Found():
                rows = [*self._rows, *_caps(self._question)]
                return ((self._name([f"bounds {vector.column}"], rows, ""),),)
            case Ranks():
                return tuple((self._name(self._ranked(vector, place), self._about(vector), found_by),)
                             for place in range(len(vector.shares)))  # fmt: skip
            case Vector():
                about = self._about(vector)
                return tuple(tuple(self._name([what], about, found_by) for what in self._of_vector(vector, place))
                             for place in range(len(vector.filters)))  # fmt: skip

    def counted(self, of: Expression | None, condition: Expression | None) -> str:
        found_by = HERE if any(isinstance(each, Keys | Found) for each in self._plan.vectors) else ""
        return self._name([f"moments {self._number(of)} {self._filter(condition)}"], self._about(None), found_by)

    def _ranked(self, ranks: Ranks, place: int) -> list[str]:
        return [f"rank {ranks.kind} {ranks.role} {ranks.shares[place]}", self._number(ranks.of), self._filter(ranks.filter)]

    def _of_vector(self, vector: Vector, place: int) -> list[str]:
        """What the integers of one filter are; moments of a number that is never NULL hold the count of all rows too."""
        only = self._filter(vector.filters[place])
        if vector.estimator in _MOMENTS and vector.per_unit is None:
            alone = vector.estimator != "count" and vector.of is not None and not may_be_null(vector.of, self._plan.facts)
            return [f"moments {self._number(of)} {only}" for of in ((vector.of, None) if alone else (vector.of,))]
        form = f"{vector.estimator} {vector.per_unit or ''}"
        return [f"{form} {self._number(vector.of)} {self._number(vector.and_of)} {only}"]

    def _about(self, vector: Vector | Ranks | None) -> list[str]:
        """Rows and cells; where rows of a unit are left out, what decides which of them."""
        wanted, unit = self._plan.wanted, self._plan.wanted.unit
        capped = [] if unit is None else [f"unit {unit.groups} {unit.rows_per_group} {unit.rows}"]
        about = [*self._rows, *self._cells, *capped]
        thins = unit is not None and (unit.rows is not None or unit.rows_per_group is not None)
        if not thins and not self._beside:
            return about
        return [*about, f"ordered by {sorted(columns_read(_reading(vector, wanted)))}"]

    def _number(self, of: Expression | None) -> str:
        return "all" if of is None else self._text(normal_expression(of))

    def _filter(self, condition: Expression | None) -> str:
        return "" if condition is None else f"filter {self._text(normal_expression(condition))}"

    def _name(self, what: list[str], about: Sequence[str], found_by: str) -> str:
        return f"{_VERSION}:{sha256(chr(10).join([*about, *what]).encode()).hexdigest()}{found_by}"


def _reading(vector: Vector | Ranks | None, wanted: Wanted) -> Wanted | CountsWanted:
    """What is read for the vector: sums of all vectors at once, and ranks each by themselves."""
    if not isinstance(vector, Ranks):
        return wanted
    return CountsWanted(wanted.where, wanted.keys, vector.of, vector.grid, vector.filter, unit=wanted.unit, joins=wanted.joins)


def _caps(question: Question) -> list[str]:
    return [f"caps {caps_text(question.caps)}"]
