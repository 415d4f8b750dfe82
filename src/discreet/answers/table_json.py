"""What is public about a table as JSON: all that a page or a program needs to ask it, in words too; and back again."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.bodies import read_loss
from discreet.answers.odds import odds_of
from discreet.answers.public import about, columns_of
from discreet.exact import exact, shown
from discreet.facts.model import (
    Boolean,
    Budget,
    ByColumn,
    Category,
    Column,
    Companion,
    Date,
    EachRow,
    Facts,
    Integer,
    Joinable,
    Lookup,
    Number,
    Source,
    Text,
    Timestamp,
)
from discreet.privacy.losses import Loss

__all__ = ["read_table", "table_as_dict"]

_KINDS = {kind.__name__.casefold(): kind for kind in (Number, Integer, Category, Boolean, Date, Timestamp, Text)}


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


# ---- and back


def read_table(body: Mapping[str, Any], address: str) -> Facts:
    """The facts, for whoever asks from afar: the rows are behind ``address``, and questions can be written and checked here."""
    budget = _read_budget(body["rules"], read_loss(body["budget"]["cap"]))
    columns, neighbours = tuple(map(_read_column, body["columns"])), body["neighbours"]
    facts = Facts(
        body["name"], address, _read_unit(body["unit"]), neighbours, columns, budget, body["version"],
        body.get("rows"), body.get("units"), body.get("rows_about"), people=body["people"],
        description=body["description"], located=Source("csv", address), null_keys=True,
    )  # fmt: skip
    return replace(facts, joins=tuple(_read_join(each, facts) for each in body["joins"]))


def _read_unit(body: Mapping[str, Any]) -> EachRow | ByColumn:
    return EachRow() if body["kind"] == "row" else ByColumn(**{name: value for name, value in body.items() if name != "kind"})


def _read_budget(rules: Mapping[str, Any], cap: Loss) -> Budget:
    most, ends = rules.get("max_epsilon_per_question"), rules.get("expires")
    return Budget(
        cap, rules["accounting"], rules.get("partition"),
        read_loss(rules["per_analyst"]) if "per_analyst" in rules else None,
        None if most is None else exact(most), None if ends is None else date.fromisoformat(ends),
    )  # fmt: skip


def _read_column(body: Mapping[str, Any]) -> Column:
    kind = _KINDS[body["type"]]
    known = {part.name for part in fields(kind)}
    return kind(**{name: _meant(kind, name, value) for name, value in body.items() if name in known})


def _meant(kind: type[Column], name: str, value: Any) -> Any:
    """A value of a column's facts out of its JSON."""
    if isinstance(value, list):
        return tuple(value)
    if name not in ("lower", "upper", "null") or value is None:
        return value
    if kind is Number:
        return exact(value)
    readers = {Date: date.fromisoformat, Timestamp: datetime.fromisoformat}
    return readers[kind](value) if kind in readers else value


def _read_join(body: Mapping[str, Any], beside: Facts) -> Joinable:
    columns, most = tuple(map(_read_column, body["columns"])), body["max_matches"]
    if not body["confidential"]:
        return Lookup(body["name"], "", body["column"], body["match"], columns, most)
    unit = ByColumn(body["match"], max_rows=most)
    theirs = Facts(body["name"], "", unit, beside.neighbours, columns, beside.budget, people=beside.people, null_keys=True)
    return Companion(body["name"], "", body["column"], body["match"], theirs)
