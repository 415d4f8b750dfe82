"""Tables that may be about the same people, and do not say so: by the names of their unit columns, which are public."""

from pathlib import Path

from discreet.errors import FactsError
from discreet.facts.file import read_facts, table_files
from discreet.facts.model import ByColumn, Facts

__all__ = ["same_people_notes"]


def same_people_notes(facts: Facts, folder: Path) -> tuple[str, ...]:
    """Advice where facts files beside these have the same unit column and another budget. Rule 11."""
    others = [name for name, file in table_files(folder).items() if name != facts.name and _is_alike(facts, file)]
    if not others or not isinstance(facts.unit, ByColumn):
        return ()
    many = f"{', '.join(others)} {'has' if len(others) == 1 else 'have'} the unit column {facts.unit.column!r} too"
    told = "each with a budget of its own, so that whoever is in both may lose both"
    how = 'if they are about the same people, all of them name one group, people = "…", before they are registered'
    return (f"{many}, {told}; {how}",)


def _is_alike(facts: Facts, file: Path) -> bool:
    """Whether facts in a file have the same unit column, and one of both has no group. Two groups are meant."""
    try:
        other = read_facts(file)
    except FactsError:
        return False
    if not (isinstance(facts.unit, ByColumn) and isinstance(other.unit, ByColumn)):
        return False
    return facts.unit.column.casefold() == other.unit.column.casefold() and (facts.people is None or other.people is None)
