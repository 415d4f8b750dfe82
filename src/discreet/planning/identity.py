"""What a released vector is about: names that are the same for the same exact integers, whoever asks for them and why. Rule 16.

A name stands for rows (table, WHERE, joins, versions of what is joined, caps and the order in which they thin rows), cells, the
number with its null rules, and a filter. It leaves out how the number is written as integers (form, degree, grid) and how much
noise they got: whether one serves in the place of another, ``worth`` says. The table's own version stands beside it.
"""

from collections.abc import Sequence
from hashlib import sha256

from discreet.engines.rules.choice import FEW, columns_read
from discreet.engines.wanted import CountsWanted, Wanted
from discreet.planning.plan import Plan
from discreet.questions.algebra import Expression
from discreet.questions.canonical import Texts, rows_text
from discreet.questions.caps import caps_text
from discreet.questions.joins import beside
from discreet.questions.normal import normal, normal_expression
from discreet.statistics.count import Count
from discreet.statistics.keys import Keys
from discreet.statistics.part import Part

__all__ = ["EARLIER", "HERE", "Names", "count_name", "names_of"]

_VERSION = "s1"  # changes whenever the meaning of a name changes; stored names stay valid under their version
GROUPS_IN_ORDER, KEYS_BY_NAME = EARLIER = 1, 2  # ages of names: what was different then, and in all that are older
HERE = "@"  # ends a name that holds for what the same charge has found: keys or bounds

Names = tuple[str, ...]  # the first is a vector's own; by the others it is found too


def names_of(plan: Plan, found_by: str = HERE, *, age: int = 0) -> tuple[tuple[Names, ...], ...]:
    """Per part and slot, its names; or those of an ``age``. ``found_by``: the charges that found the plan's keys or bounds."""
    write = _Names(plan, age)
    staged = any(each.is_first for each in plan.vectors)
    return tuple(write.names(each, found_by if staged and not each.is_first else "") for each in plan.vectors)


def count_name(plan: Plan, of: Expression | None, condition: Expression | None) -> str:
    """The name under which the count of some rows of a plan is stored, whatever else is told with it."""
    write = _Names(plan)
    found_by = HERE if any(each.is_first for each in plan.vectors) else ""
    (what, *_), only = Count(of).names(write.number, plan.facts), write.filter(condition)
    return write.name([f"{what} {only}"], write.about(plan.wanted), found_by)


class _Names:
    """Writes names; it has the texts that the parts of one plan share."""

    def __init__(self, plan: Plan, age: int = 0) -> None:
        question, self._age = normal(plan.question), age
        self._plan, self._text = plan, Texts().of
        self._beside = beside(question, plan.facts)
        self._rows = [*rows_text(question), *(f"beside {table} {version}" for table, version in self._beside)]
        self._cells = [f"key {self._text(key)}" for key in question.keys]
        self._question = question

    def names(self, part: Part, found_by: str) -> tuple[Names, ...]:
        reading = part.reading(self._plan.wanted)
        about = self._rows if reading is None else self.about(reading)
        slots = (part.names_before if self._age >= KEYS_BY_NAME else part.names)(self, self._plan.facts)
        return tuple(tuple(self.name(lines, about, found_by) for lines in slot) for slot in slots)

    def about(self, reading: Wanted | CountsWanted) -> list[str]:
        """Rows and cells; where rows of a unit are left out, what decides which of them."""
        unit = self._plan.wanted.unit
        capped = [] if unit is None else [f"unit {unit.groups} {unit.rows_per_group} {unit.rows}"]
        about = [*self._rows, *self._cells, *capped, *self._thinned()]
        thins = unit is not None and (unit.rows is not None or unit.rows_per_group is not None)
        if not thins and not self._beside:
            return about
        return [*about, f"ordered by {sorted(columns_read(reading))}"]

    def _thinned(self) -> list[str]:
        """Said where few groups are chosen, or somebody has yet to find out how many: they had an order before, and what was
        stored then is of other rows."""
        if self._age >= GROUPS_IN_ORDER:
            return []
        wanted = self._plan.wanted
        read = [wanted] if wanted.per_unit is None else [wanted, wanted.per_unit.inside]
        capped = [each for each in read if each.unit is not None and each.unit.groups is not None]
        is_found = any(isinstance(each, Keys) for each in self._plan.vectors)
        return ["groups thinned" for each in capped if is_found or each.cells <= FEW]

    def key(self, place: int) -> str:
        return self._text(self._question.keys[place])

    @property
    def caps(self) -> str:
        return caps_text(self._question.caps)

    def number(self, of: Expression | None) -> str:
        return "all" if of is None else self._text(normal_expression(of))

    def filter(self, condition: Expression | None) -> str:
        return "" if condition is None else f"filter {self._text(normal_expression(condition))}"

    def name(self, lines: list[str], about: Sequence[str], found_by: str) -> str:
        return f"{_VERSION}:{sha256(chr(10).join([*about, *lines]).encode()).hexdigest()}{found_by}"
