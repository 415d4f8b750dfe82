"""What is public about a table as JSON: all that a page or a program needs to ask it, in words too."""

from collections.abc import Mapping
from dataclasses import fields
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.odds import odds_of
from discreet.answers.public import about, columns_of
from discreet.exact import shown
from discreet.facts.model import Budget, ByColumn, Column, Companion, Facts, Joinable
from discreet.privacy.losses import Loss

__all__ = ["table_as_dict"]


def table_as_dict(facts: Facts, cap: Loss) -> dict[str, Any]:
    """The facts, each column, what may be joined, and what the budget means. Where the rows are kept is nobody's business."""
    sizes = {name: getattr(facts, name) for name in ("rows", "units", "rows_about") if getattr(facts, name) is not None}
    return {
        "name": facts.name, "version": facts.version, "description": facts.description, "people": facts.people,
        "unit": _unit(facts), "neighbours": facts.neighbours, **sizes,
        "columns": [_column(each) for each in facts.columns],
        "joins": [_join(each) for each in facts.joins],
        "words": {"about": about(facts), "caps": _caps(facts), "columns": [_row(row) for row in columns_of(facts)]},
        "rules": _rules(facts.budget),
        "odds": odds_of(cap, facts),
    }  # fmt: skip


def _unit(facts: Facts) -> dict[str, Any]:
    if not isinstance(facts.unit, ByColumn):
        return {"kind": "row"}
    return {"kind": "column", **{part.name: getattr(facts.unit, part.name) for part in fields(facts.unit)}}


def _caps(facts: Facts) -> list[str]:
    """How much of each unit is read, unless a question says otherwise."""
    if not isinstance(facts.unit, ByColumn):
        return []
    unit, of = facts.unit, f"each {facts.unit.column}"
    said = [
        (unit.max_rows, f"of {of} at most {{}} rows are read"),
        (unit.max_groups, f"{of} counts in at most {{}} groups"),
        (unit.max_rows_per_group, f"of {of} at most {{}} rows count in one group"),
    ]
    return [sentence.format(f"{most:,}") for most, sentence in said if most is not None]


def _row(row: tuple[str, str, str, str, str]) -> dict[str, str]:
    return dict(zip(("name", "type", "values", "missing", "description"), row, strict=True))


def _rules(budget: Budget) -> dict[str, Any]:
    found: dict[str, Any] = {"accounting": budget.accounting}
    if budget.partition is not None:
        found["partition"] = budget.partition
    if budget.per_analyst is not None:
        found["per_analyst"] = as_strings(budget.per_analyst)
    if budget.max_epsilon_per_question is not None:
        found["max_epsilon_per_question"] = shown(budget.max_epsilon_per_question)
    return found if budget.expires is None else found | {"expires": budget.expires.isoformat()}


def _column(column: Column) -> dict[str, Any]:
    parts = {part.name: getattr(column, part.name) for part in fields(column)}
    return {"name": column.name, "type": type(column).__name__.casefold()} | {
        name: _plain(value) for name, value in parts.items() if name != "name" and value not in (None, "", ())
    }


def _join(join: Joinable) -> dict[str, Any]:
    return {
        "name": join.name, "column": join.column, "match": join.match, "max_matches": join.max_matches,
        "confidential": isinstance(join, Companion), "columns": [_column(each) for each in join.columns],
    }  # fmt: skip


def _plain(value: Any) -> Any:
    match value:
        case Fraction():
            return shown(value)
        case datetime() | date():
            return value.isoformat()
        case tuple():
            return [_plain(each) for each in value]
        case Mapping():
            return {str(name): _plain(each) for name, each in value.items()}
        case bool() | int() | float() | str() | None:
            return value
        case _:
            return str(value)
