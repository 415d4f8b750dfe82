"""All that was answered about a table, by whom and at what price: for whoever has to account for it."""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.bodies import budget_body
from discreet.answers.table_json import table_as_dict
from discreet.curator import accounts, office
from discreet.curator.opening import open_table
from discreet.exact import shown
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.chain import Entry, now
from discreet.ledger.rows import table_row

__all__ = ["report_on"]

_ACTS = frozenset({"register", "raise", "lost", "version", "freeze", "unfreeze", "grant", "ungrant", "limit"})


def report_on(path: Path, witness: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The report as JSON: facts, budget, what stops asking, every charge, every act, and the state of the ledger."""
    curator = open_table(path)
    try:
        facts, budget = curator.facts, curator.budget
        with curator.desk.ledger.store.reading() as snapshot:
            money = table_row(snapshot, facts.name).money
    finally:
        curator.close()
    every = office.entries(path)
    budgets = _budgets(every, facts.name)
    about = _about(every, facts.name, budgets)
    charges = {each.number: _charge(each) | {"cost": as_strings(money.loss(Amount.from_texts(*each.body["amount"])))}
               for each in about if each.kind == "charge"}  # fmt: skip
    for entry in every:
        if entry.kind in ("settle", "fault") and entry.body.get("charge") in charges:
            charges[entry.body["charge"]]["state"] = "answered" if entry.kind == "settle" else "failed"
    return {
        "made": now(), "table": table_as_dict(facts, budget.cap), "budget": budget_body(budget),
        "shared_with": sorted({each.body["table"] for each in every if each.kind == "register"
                               and each.body.get("account") in budgets} - {facts.name}),
        "stops": [stop.to_dict() for stop in office.stops(path)],
        "accounts": [_account(each) for each in accounts.listed(path.parent) if each.may_ask(facts.name)],
        "charges": list(charges.values()),
        "acts": [_act(each) for each in about if each.kind in _ACTS],
        "ledger": office.verify(path, witness).to_dict(),
    }  # fmt: skip


def _budgets(entries: list[Entry], table: str) -> set[str]:
    """The budget that a table has, which several may share."""
    opened = [entry.body for entry in entries if entry.kind == "register" and entry.body.get("table") == table]
    return {body["account"] for body in opened if body.get("account")}


def _about(entries: list[Entry], table: str, budgets: set[str]) -> list[Entry]:
    """Those that name the table, and acts on its budget."""
    return [entry for entry in entries if entry.body.get("table") == table or table in (entry.body.get("tables") or ())
            or (entry.kind in ("raise", "lost") and entry.body.get("account") in budgets)]  # fmt: skip


def _charge(entry: Entry) -> dict[str, Any]:
    body = entry.body
    return {
        "number": entry.number, "at": entry.at, "analyst": body.get("analyst", ""), "question": body.get("question", ""),
        "version": body.get("version", ""), "state": "running",
        "price": {name: shown(Fraction(part)) for name, part in (body.get("price") or {}).items()},
    }  # fmt: skip


def _act(entry: Entry) -> dict[str, Any]:
    """Who did what, why, and to whom; of caps the figure that counts, of versions their name."""
    told = {name: entry.body[name] for name in ("reason", "by", "name", "analyst", "version") if entry.body.get(name)}
    cap = {"cap": str(entry.body["cap"][0])} if entry.kind in ("register", "raise") and entry.body.get("cap") else {}
    lost = {"lost": str(entry.body["amount"][0])} if entry.kind == "lost" else {}
    return {"number": entry.number, "at": entry.at, "kind": entry.kind, "reason": ""} | told | cap | lost


def _account(account: accounts.Account) -> dict[str, Any]:
    return {"name": account.name, "role": account.role, "state": account.state, "expires": account.expires}
