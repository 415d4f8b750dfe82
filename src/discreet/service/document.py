"""What every address gives, as OpenAPI has it. What they take comes from ``bodies``."""

from typing import Any

from discreet.service.failures import CODES

__all__ = [
    "ACCOUNT", "ACCOUNTS", "ALARMS", "ANSWER", "ANSWERS", "BUDGET", "CHECKED", "DRAFT", "ENTRIES", "ERROR", "FAULTS", "HEALTH",
    "HISTORY", "ME", "METRICS", "PENDING", "QUOTE", "READY", "RECEIPT", "REGISTERED", "REPORT", "STOPS", "SVG", "TABLE", "TABLES",
    "TOKEN", "UPLOADED", "VERIFIED", "VERSION", "done", "failing", "said",
]  # fmt: skip

Shape = dict[str, Any]
_TEXT: Shape = {"type": "string"}
_LOSS: Shape = {"type": "object", "additionalProperties": _TEXT, "examples": [{"epsilon": "0.1"}]}
_STATUS = {
    400: "A wrong question, parameter or facts file.",
    401: "No token, or one that is wrong, expired or revoked.",
    403: "Frozen, expired, or for the data holder only.",
    404: "Not there, or not for you: the two look alike.",
    405: "This address takes other methods.",
    408: "The body took too long to arrive.",
    409: "Not enough budget is left, or it is there already.",
    413: "Larger than is read.",
    422: "The body is not what this address takes.",
    429: "Too many requests; Retry-After says how long to wait.",
    500: "Something failed inside: a reference, and nothing else.",
    503: "Ledger or source cannot be reached, or too much is going on.",
}
_ALWAYS = (401, 403, 413, 422, 429, 500, 503)
ERROR: Shape = {
    "type": "object",
    "required": ["error", "message"],
    "properties": {
        "error": {"type": "string", "enum": sorted(CODES), "description": "; ".join(f"{c}: {w}" for c, w in CODES.items())},
        "message": _TEXT, "hint": _TEXT, "reference": _TEXT,
        "remedy": {"type": "string", "description": "The hint with its words in braces, for clients to say in their own way."},
        "line": {"type": "integer"}, "column": {"type": "integer"}, "position": {"type": "integer"}, "key": _TEXT,
        "problems": {"type": "array", "items": {"type": "object"}},
    },
    "examples": [{"error": "question", "message": "column incom is not declared", "hint": "write income", "line": 1}],
}  # fmt: skip


def _object(required: str, example: Shape, **properties: Shape) -> Shape:
    return {"type": "object", "required": required.split(), "properties": properties, "examples": [example]}


def done(description: str, shape: Shape, media: str = "application/json") -> Shape:
    """A response as OpenAPI has it."""
    return {"description": description, "content": {media: {"schema": shape}}}


def failing(*statuses: int) -> dict[int | str, Shape]:
    """The ways in which an address may turn somebody down: those of its own, and those of all."""
    return {each: done(_STATUS[each], {"$ref": "#/components/schemas/Error"}) for each in sorted({*statuses, *_ALWAYS})}


def said(success: Shape, *statuses: int) -> dict[int | str, Shape]:
    """What an address gives."""
    return {200: success} | failing(*statuses)


_BUDGET_STATE = _object(
    "cap spent remaining",
    {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0.1"}, "remaining": {"epsilon": "0.9"}},
    cap=_LOSS, spent=_LOSS, remaining=_LOSS, cells={"type": "object", "additionalProperties": _LOSS},
    analysts={"type": "object", "description": "For data holders."}, analyst={"type": "object", "description": "Whoever asks."},
)  # fmt: skip
_WARNINGS: Shape = {"type": "array", "items": _TEXT}
_PARTS: Shape = {"type": "array", "description": "What it is made of, with the price of each, and whether it was stored.",
                 "items": {"type": "object", "required": ["what", "stored"]}}  # fmt: skip
_ANSWER_EXAMPLE = {
    "id": "9f2c41d0a7be", "table": "people", "question": "SELECT COUNT(*) AS n FROM people",
    "columns": [{"name": "n", "kind": "count", "drawn": True}], "rows": [{"n": 45}], "intervals": [{"n": [15, 75]}],
    "half_widths": [{"n": 30}], "confidence": 0.95, "cost": {"epsilon": "0.1"}, "replayed": False, "left_out": [], "warnings": [],
    "budget": {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0.1"}, "remaining": {"epsilon": "0.9"}},
}  # fmt: skip
ANSWER = done("The answer: every number with its interval.", _object(
    "id columns rows intervals confidence cost budget replayed left_out warnings table question", _ANSWER_EXAMPLE,
    id=_TEXT, table=_TEXT, question=_TEXT, columns={"type": "array", "items": {"type": "object"}},
    rows={"type": "array", "items": {"type": "object"}}, intervals={"type": "array", "items": {"type": "object"}},
    half_widths={"type": "array", "items": {"type": "object"},
                 "description": "The ± of each number; null where it has none, or where the ends are not equally far."},
    rank_intervals={"type": "array", "items": {"type": "object"}}, confidence={"type": "number"}, cost=_LOSS,
    budget=_BUDGET_STATE, replayed={"type": "boolean"}, rehearsed={"type": "boolean"}, simultaneous={"type": "boolean"},
    left_out=_WARNINGS, warnings=_WARNINGS, free={"type": "array", "items": _TEXT, "description": "Bought before."},
    too_few={"type": "array", "items": {"type": "array", "items": _TEXT}}, split={"type": "array", "items": {"type": "object"}},
    receipt={"type": "object", "description": "The signed certificate; a rehearsal has none."},
    ranges={"type": "array", "items": {"type": "object"}, "description": "The bins behind running counts."}, parts=_PARTS,
    paid={**_LOSS, "description": "What was charged when it was bought, where this ask has charged nothing."},
))  # fmt: skip
ANSWERS = done("The answers, one for each question.", _object(
    "answers", {"answers": []}, answers={"type": "array", "items": {"type": "object", "required": ["id", "rows", "intervals"]}},
))  # fmt: skip
PENDING = done("It takes a while: look at Location.", _object(
    "id state table at", {"id": "4b1f…", "state": "running", "table": "people", "at": "2026-11-16T12:00:00Z"},
    id=_TEXT, state={"type": "string", "enum": ["queued", "running"]}, table=_TEXT, at=_TEXT,
))  # fmt: skip
QUOTE = done("Cost, split, expected ± of each column, and what would be left.", _object(
    "cost split columns confidence cells budget affordable left_after replay free left_out warnings",
    {"cost": {"epsilon": "0.1"}, "split": [{"what": "COUNT(*)", "epsilon": "0.1"}],
     "columns": [{"name": "n", "plus_minus": 30.0, "basis": "none"}], "confidence": 0.95, "cells": 1,
     "smallest_readable_group": 300, "affordable": True,
     "budget": {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0"}, "remaining": {"epsilon": "1"}},
     "left_after": {"epsilon": "0.9"}, "replay": False, "free": [], "left_out": [], "warnings": []},
    cost=_LOSS, split={"type": "array", "items": {"type": "object"}}, columns={"type": "array", "items": {"type": "object"}},
    confidence={"type": "number"}, cells={"type": "integer"}, budget=_BUDGET_STATE, affordable={"type": "boolean"},
    left_after=_LOSS, analyst_left_after=_LOSS, takes=_LOSS, replay={"type": "boolean"}, free={"type": "array", "items": _TEXT},
    left_out=_WARNINGS, warnings=_WARNINGS, parts=_PARTS,
    smallest_readable_group={"type": ["integer", "null"]}, offers={"type": "array", "items": {"type": "object"}}, table=_TEXT,
    question=_TEXT, counted=_TEXT, after=_BUDGET_STATE,
    groups={"type": "array", "items": {"type": "array", "items": _TEXT}, "description": "Keys in words, if public and few."},
    empty={"type": "boolean", "description": "WHERE leaves no group: asked, it is refused."},
))  # fmt: skip
HISTORY = done("Answers, the newest first.", _object(
    "answers", {"answers": [{"id": "9f2c41d0a7be", "table": "people", "at": "2026-11-16T12:00:00Z", "state": "answered",
                             "question": "SELECT COUNT(*) AS n FROM people", "cost": {"epsilon": "0.1"}, "replayed": False}]},
    answers={"type": "array", "items": {"type": "object", "required": ["id", "table", "at", "state"]}},
))  # fmt: skip
RECEIPT = done("A signed statement of what was answered.", {"type": "object"})
HEALTH = done("It lives.", _object("status", {"status": "ok"}, status=_TEXT))
READY = done("It can answer.", _object("status", {"status": "ready"}, status=_TEXT))
METRICS = done("Numbers in the text format of Prometheus.", _TEXT, "text/plain")
SVG = done("The chart.", _TEXT, "image/svg+xml")
ME = done("Who you are.", _object(
    "name role tables expires limits",
    {"name": "alice", "role": "analyst", "tables": ["people"], "expires": None, "limits": {"body_bytes": 131072}},
    name=_TEXT, role={"type": "string", "enum": ["analyst", "holder"]}, tables={"type": "array", "items": _TEXT},
    expires={"type": ["string", "null"]}, limits={"type": "object"},
))  # fmt: skip
TABLES = done("Tables, each with what is left.", _object(
    "tables", {"tables": [{"name": "people", "state": "open", "version": "1"}]},
    tables={"type": "array", "items": {"type": "object", "required": ["name", "state"]}},
))  # fmt: skip
TABLE = done("All that is public about a table.", _object(
    "name version unit neighbours columns joins words rules odds budget state",
    {"name": "people", "version": "1", "unit": {"kind": "row"}, "neighbours": "add_remove", "columns": [], "joins": [],
     "words": {}, "rules": {}, "odds": "With ε 1 over the life of this table, …", "budget": _BUDGET_STATE["examples"][0],
     "state": "open"},
    name=_TEXT, version=_TEXT, unit={"type": "object"}, neighbours={"type": "string", "enum": ["add_remove", "change_one"]},
    columns={"type": "array", "items": {"type": "object"}}, joins={"type": "array", "items": {"type": "object"}},
    words={"type": "object"}, rules={"type": "object"}, odds=_TEXT, budget=_BUDGET_STATE,
    state={"type": "string", "enum": ["open", "stopped"]}, reason=_TEXT, reference=_TEXT,
))  # fmt: skip
BUDGET = done("What may be spent, is spent and is left.", _BUDGET_STATE)


# ---- for data holders


def _listed(name: str, description: str, example: Shape | None = None) -> Shape:
    items: Shape = {"type": "array", "items": {"type": "object"}}
    return done(description, _object(name, {name: [] if example is None else [example]}, **{name: items}))


_ACCOUNT = _object(
    "name role state tables limits since expires",
    {"name": "alice", "role": "analyst", "state": "open", "tables": ["people"], "limits": {}, "since": "", "expires": None},
    name=_TEXT, role={"type": "string", "enum": ["analyst", "holder"]}, state={"type": "string"},
    tables={"type": "array", "items": _TEXT}, limits={"type": "object", "additionalProperties": _LOSS}, since=_TEXT,
    expires={"type": ["string", "null"]},
)  # fmt: skip
ACCOUNT = done("The account as it stands now.", _ACCOUNT)
ACCOUNTS = _listed("analysts", "All accounts.", _ACCOUNT["examples"][0])
TOKEN = done("A token, told this once.", _object(
    "name token", {"name": "alice", "token": "dsc_…"}, name=_TEXT, token=_TEXT,
))  # fmt: skip
ENTRIES = _listed("entries", "Entries of the ledger, the newest last.")
FAULTS = _listed("faults", "Questions that failed after their charge, newest first.")
ALARMS = _listed("alarms", "What had stopped asking.")
STOPS = _listed("stops", "What stops asking now.")
VERIFIED = done("Whether chain and totals agree.", _object(
    "ok entries head rollback problems",
    {"ok": True, "entries": 12, "head": "…", "rollback": "not excluded", "problems": [], "notes": []},
    ok={"type": "boolean"}, entries={"type": "integer"}, head=_TEXT, rollback=_TEXT, problems=_WARNINGS, notes=_WARNINGS,
))  # fmt: skip
REPORT = done("Everything about a table that has to be accounted for.", _object(
    "table budget stops charges acts ledger", {"table": {}, "budget": {}, "stops": [], "charges": [], "acts": [], "ledger": {}},
    table={"type": "object"}, budget={"type": "object"}, stops={"type": "array"}, charges={"type": "array"},
    shared_with={"type": "array", "items": _TEXT, "description": "Other tables with the same budget."},
    acts={"type": "array"}, ledger={"type": "object"},
))  # fmt: skip
UPLOADED = done("The file is in the folder.", _object(
    "file bytes", {"file": "people.csv", "bytes": 1048576}, file=_TEXT, bytes={"type": "integer"},
))  # fmt: skip
DRAFT = done("A draft of facts.", _object("facts", {"facts": "[table]\nname = …"}, facts=_TEXT))
CHECKED = done("Problems at their places; or what analysts will see.", _object(
    "ok problems warnings",
    {"ok": False, "problems": [{"line": 3, "key": "table.unit", "message": "…", "hint": "…"}], "warnings": []},
    ok={"type": "boolean"}, problems={"type": "array", "items": {"type": "object"}}, warnings=_WARNINGS, table={"type": "object"},
))  # fmt: skip
REGISTERED = done("The table has a budget now.", _object(
    "table version budget already warnings", {"table": "people", "version": "1", "budget": {}, "already": False, "warnings": []},
    table=_TEXT, version=_TEXT, budget={"type": "object"}, already={"type": "boolean"}, warnings=_WARNINGS, question=_TEXT,
))  # fmt: skip
VERSION = done("The version that stands now.", _object(
    "table version", {"table": "people", "version": "2"}, table=_TEXT, version=_TEXT,
))  # fmt: skip
