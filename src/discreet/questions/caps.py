"""What a question says about units with many rows: how much of each it reads, and COUNT(DISTINCT unit).

The clause comes last: ``PER UNIT 5 ROWS, 2 GROUPS, 3 ROWS PER GROUP``. What it does not say, the facts say.
"""

from dataclasses import asdict, replace

from discreet.facts.model import MOST_OF_UNIT, ByColumn, Facts
from discreet.questions.algebra import Aggregate, Caps, Column, Question
from discreet.questions.cursor import Cursor
from discreet.questions.places import Misfit, short
from discreet.questions.ranked import SIZE_KINDS

__all__ = ["NO_CAPS", "caps_text", "check_units", "counts_units", "fitted_caps", "fitted_groups",
           "is_per_unit", "parse_caps", "with_caps", "with_groups_of_facts"]  # fmt: skip

NO_CAPS = Caps()

_EXAMPLE = "write PER UNIT 5 ROWS, 2 GROUPS, 3 ROWS PER GROUP, or some of these"


def is_per_unit(cursor: Cursor) -> bool:
    """Whether the clause comes next."""
    return cursor.comes("PER", "UNIT")


def parse_caps(cursor: Cursor) -> Caps:
    """The clause, if it comes next."""
    caps = NO_CAPS
    if not is_per_unit(cursor):
        return caps
    if cursor.comes("PER", "UNIT", "BETWEEN"):
        hint = "write it behind the sum: SUM(x) PER UNIT BETWEEN 0 AND 100"
        raise cursor.refused(cursor.token, "PER UNIT BETWEEN is about one sum, not about the question", hint)
    cursor.take()
    cursor.take()
    while True:
        start = cursor.token
        name, most = _cap(cursor)
        if getattr(caps, name) is not None:
            raise cursor.refused(start, "the same cap is written twice", "keep one of the two")
        caps = replace(caps, **{name: most})
        if cursor.take_if(","):
            continue
        if cursor.token.kind == "number":
            raise cursor.refused(cursor.token, "two caps stand side by side", f"put a comma between them: {_EXAMPLE}")
        return caps


def _cap(cursor: Cursor) -> tuple[str, int]:
    token = cursor.take()
    if token.kind != "number" or not token.text.isdecimal() or not 1 <= int(token.text[:12]) <= MOST_OF_UNIT:
        raise cursor.refused(token, f"expected a cap from 1 to {MOST_OF_UNIT}, found {token}", _EXAMPLE)
    most = int(token.text)
    if cursor.take_if("GROUPS", "GROUP"):
        return "groups", most
    if not cursor.take_if("ROWS", "ROW"):
        raise cursor.refused(cursor.token, f"expected ROWS or GROUPS, found {cursor.token}", _EXAMPLE)
    if not cursor.take_if("PER"):
        return "rows", most
    if not cursor.take_if("GROUP"):
        raise cursor.refused(cursor.token, f"expected GROUP, found {cursor.token}", _EXAMPLE)
    return "rows_per_group", most


def caps_text(caps: Caps) -> str:
    """The clause that says so; empty if nothing is said."""
    parts = [(caps.rows, "ROWS"), (caps.groups, "GROUPS"), (caps.rows_per_group, "ROWS PER GROUP")]
    said = ", ".join(f"{most} {what}" for most, what in parts if most is not None)
    return f"PER UNIT {said}" if said else ""


def fitted_caps(caps: Caps, facts: Facts) -> Caps:
    """The caps without those that the facts have anyway. Raises Misfit if a unit of this table has one row."""
    unit = facts.unit
    if not isinstance(unit, ByColumn):
        if caps != NO_CAPS:
            raise Misfit(None, "each row is a unit of its own here, so that there is nothing to cap", "leave the caps out")
        return caps
    _check_range(caps)
    return Caps(
        rows=None if caps.rows == unit.max_rows else caps.rows,
        groups=None if caps.groups == unit.max_groups else caps.groups,
        rows_per_group=None if caps.rows_per_group == unit.max_rows_per_group else caps.rows_per_group,
    )


def _check_range(caps: Caps) -> None:
    for name, most in asdict(caps).items():
        if most is not None and (isinstance(most, bool) or not isinstance(most, int) or not 1 <= most <= MOST_OF_UNIT):
            said = f"max_{name} is {short(repr(most))}, not a whole number from 1 to {MOST_OF_UNIT}"
            raise Misfit(None, said, f"write max_{name}=5, or leave it out")


def fitted_groups(caps: Caps) -> Caps:
    """The caps of a question about what units come to in groups. Raises Misfit if they are about rows: none is left out."""
    if caps.rows is not None or caps.rows_per_group is not None:
        raise Misfit(None, "no row of a unit is left out here, only groups are", "write PER UNIT 2 GROUPS")
    _check_range(caps)
    return caps


def with_groups_of_facts(question: Question, facts: Facts) -> Question:
    """The question with the facts' cap on groups, where what units come to in groups is asked for, and it says none."""
    per_unit, unit = question.per_unit, facts.unit
    if per_unit is None or not per_unit.moving or question.caps.groups is not None or not isinstance(unit, ByColumn):
        return question
    return replace(question, caps=replace(question.caps, groups=unit.max_groups))


def with_caps(question: Question, caps: Caps) -> Question:
    """The question with these caps, where they say something, in place of its own. Not checked yet."""
    said = {name: most for name, most in asdict(caps).items() if most is not None}
    return replace(question, caps=replace(question.caps, **said))


def counts_units(aggregate: Aggregate, facts: Facts) -> Aggregate:
    """COUNT(DISTINCT x) of the column that tells units apart as the count of units that it is; all else as it is."""
    match aggregate.of, facts.unit:
        case Column(name), ByColumn(column=column) if aggregate.kind == "count_distinct" and name.casefold() == column.casefold():
            return replace(aggregate, kind="count_units", of=None)
        case _:
            return aggregate


def check_units(aggregate: Aggregate, facts: Facts) -> None:
    """Raises Misfit if units are counted where each row is one."""
    if aggregate.kind in SIZE_KINDS and not isinstance(facts.unit, ByColumn):
        raise Misfit(aggregate, "each row is a unit of its own here: one row in one group", "leave it out, and caps too")
    if aggregate.kind == "at_caps" and not isinstance(facts.unit, ByColumn):
        raise Misfit(aggregate, "each row is a unit of its own here, so that nothing is cut", "leave it out")
    if aggregate.kind == "count_units" and not isinstance(facts.unit, ByColumn):
        raise Misfit(aggregate, "each row is a unit of its own here", "write COUNT(*)")
