"""All that was answered about a table, by whom and at what price: for whoever has to account for it."""

from pathlib import Path
from typing import Any

from discreet.answers.table_json import table_as_dict
from discreet.curator import office
from discreet.curator.opening import open_table
from discreet.ledger.entries.chain import Entry

__all__ = ["report_on"]

_ACTS = frozenset({"register", "raise", "version", "freeze", "unfreeze", "grant", "ungrant", "limit"})


def report_on(path: Path) -> dict[str, Any]:
    """The report as JSON: facts, budget, what stops asking, every charge, every act, and the state of the ledger."""
    curator = open_table(path)
    try:
        facts, budget = curator.facts, curator.budget
    finally:
        curator.close()
    entries = [entry for entry in office.entries(path) if _is_about(entry, facts.name)]
    charges = {entry.number: _charge(entry) for entry in entries if entry.kind == "charge"}
    for entry in office.entries(path):
        if entry.kind in ("settle", "fault") and entry.body.get("charge") in charges:
            charges[entry.body["charge"]]["state"] = "answered" if entry.kind == "settle" else "failed"
    return {
        "table": table_as_dict(facts, budget.cap), "budget": budget.to_dict(),
        "stops": [stop.to_dict() for stop in office.stops(path)],
        "charges": list(charges.values()),
        "acts": [{"number": each.number, "at": each.at, "kind": each.kind, "reason": each.body.get("reason", "")}
                 for each in entries if each.kind in _ACTS],
        "ledger": office.verify(path).to_dict(),
    }  # fmt: skip


def _is_about(entry: Entry, table: str) -> bool:
    return entry.body.get("table") == table or table in (entry.body.get("tables") or ())


def _charge(entry: Entry) -> dict[str, Any]:
    body = entry.body
    return {"number": entry.number, "at": entry.at, "analyst": body.get("analyst", ""), "question": body.get("question", ""),
            "price": body.get("price"), "state": "running"}  # fmt: skip
