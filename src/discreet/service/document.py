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
_AT = "2026-11-16T12:00:00.000000+00:00"  # as examples have it
_COUNT = "SELECT COUNT(*) AS n FROM people"
_MAYBE: Shape = {"type": ["string", "null"]}
_NUMBER: Shape = {"type": "integer"}
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


def _shape(required: str, **properties: Shape) -> Shape:
    """An object, with everything that it may have."""
    return {"type": "object", "required": required.split(), "properties": properties}


def _object(required: str, example: Shape, **properties: Shape) -> Shape:
    """The same with an example, in which nothing is None: the framework would leave that out."""
    return _shape(required, **properties) | {"examples": [example]}


def _many(items: Shape) -> Shape:
    return {"type": "array", "items": items}


def done(description: str, shape: Shape, media: str = "application/json") -> Shape:
    """A response as OpenAPI has it."""
    return {"description": description, "content": {media: {"schema": shape}}}


def failing(*statuses: int) -> dict[int | str, Shape]:
    """The ways in which an address may turn somebody down: those of its own, and those of all."""
    return {each: done(_STATUS[each], {"$ref": "#/components/schemas/Error"}) for each in sorted({*statuses, *_ALWAYS})}


def said(success: Shape, *statuses: int) -> dict[int | str, Shape]:
    """What an address gives."""
    return {200: success} | failing(*statuses)


_STATE: dict[str, Shape] = {"state": {"type": "string", "enum": ["open", "stopped"]}, "reason": _TEXT, "reference": _TEXT}
_BUDGET_STATE = _object(
    "cap spent remaining",
    {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0.1"}, "remaining": {"epsilon": "0.9"}, "largest_epsilon": "0.9"},
    cap=_LOSS, spent=_LOSS, remaining=_LOSS, cells={"type": "object", "additionalProperties": _LOSS},
    largest_epsilon={"type": "string", "description": "The most that one question of whoever asks may still cost, rounded down."},
    analysts={"type": "object", "description": "For data holders."}, analyst={"type": "object", "description": "Whoever asks."},
)  # fmt: skip
_WARNINGS: Shape = {"type": "array", "items": _TEXT}
_PARTS: Shape = {"type": "array", "description": "What it is made of, with the price of each, and whether it was stored.",
                 "items": {"type": "object", "required": ["what", "stored"]}}  # fmt: skip
_ANSWER_EXAMPLE = {
    "id": "9f2c41d0a7be", "table": "people", "question": _COUNT,
    "columns": [{"name": "n", "kind": "count", "drawn": True}], "rows": [{"n": 45}], "intervals": [{"n": [15, 75]}],
    "half_widths": [{"n": 30}], "confidence": 0.95, "cost": {"epsilon": "0.1"}, "replayed": False, "left_out": [], "warnings": [],
    "budget": {"cap": {"epsilon": "1"}, "spent": {"epsilon": "0.1"}, "remaining": {"epsilon": "0.9"}},
}  # fmt: skip
_ANSWER = _object(
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
)  # fmt: skip
ANSWER = done("The answer: every number with its interval.", _ANSWER)
ANSWERS = done("The answers, one for each question.", _object(
    "answers", {"answers": [_ANSWER_EXAMPLE]}, answers=_many(_ANSWER),
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
HISTORY = done("Answers, the newest first.", _object("answers", {"answers": [
    {"id": "9f2c41d0a7be", "at": _AT, "table": "people", "question": _COUNT, "cost": {"epsilon": "0.1"}},
]}, answers=_many(_shape(
    "id at table question cost", id=_TEXT, at=_TEXT, table=_TEXT, question=_TEXT,
    cost={**_LOSS, "description": "What they bought it for: 0 if it was free."},
))))  # fmt: skip
RECEIPT = done("A signed statement of what was answered.", {
    "type": "object",
    "required": ["kind", "answer", "table", "question", "price", "mechanisms", "event", "released", "signature"],
    "examples": [{"kind": "receipt", "answer": "9f2c41d0a7be", "table": "people", "question": _COUNT,
                  "price": {"epsilon": "0.1"}, "event": {"kind": "sequence", "parts": [{"kind": "laplace", "ratio": "1/10"}]},
                  "mechanisms": [{"what": "COUNT(*)", "noise": "discrete Laplace", "scale": "10", "sensitivity": "1"}],
                  "released": "4a8aa6ab…", "signature": "8y3eOEXR…"}],
})  # fmt: skip
HEALTH = done("It lives.", _object("status", {"status": "ok"}, status=_TEXT))
READY = done("It can answer.", _object("status", {"status": "ready"}, status=_TEXT))
METRICS = done("Numbers in the text format of Prometheus.", {
    "type": "string", "examples": ["# TYPE discreet_questions_waiting gauge\ndiscreet_questions_waiting 0\n"],
}, "text/plain")  # fmt: skip
SVG = done("The chart.", {"type": "string", "examples": ["<svg>…</svg>"]}, "image/svg+xml")
ME = done("Who you are.", _object(
    "name role tables expires limits",
    {"name": "alice", "role": "analyst", "tables": ["people"], "expires": "2100-01-01", "limits": {"body_bytes": 131072}},
    name=_TEXT, role={"type": "string", "enum": ["analyst", "holder"]}, tables=_many(_TEXT), expires=_MAYBE,
    limits={"type": "object"},
))  # fmt: skip
TABLES = done("Tables, each with what is left; of one that cannot be opened its name and why.", _object(
    "tables", {"tables": [{"name": "people", "version": "1", "state": "open", "budget": _BUDGET_STATE["examples"][0]}]},
    tables=_many(_shape(
        "name state", name=_TEXT, description=_TEXT, version=_TEXT, people=_MAYBE, budget=_BUDGET_STATE, **_STATE,
    )),
))  # fmt: skip
_TABLE_EXAMPLE = {
    "name": "people", "version": "1", "unit": {"kind": "row"}, "neighbours": "add_remove", "joins": [], "rules": {},
    "columns": [{"name": "age", "type": "integer", "lower": 0, "upper": 120}], "words": {"about": ["people"]},
    "odds": "With ε 1 over the life of this table, …",
}  # fmt: skip
_FACTS: dict[str, Shape] = {
    "name": _TEXT, "version": _TEXT, "description": _TEXT, "people": _MAYBE, "unit": {"type": "object"},
    "neighbours": {"type": "string", "enum": ["add_remove", "change_one"]}, "rows": _NUMBER, "units": _NUMBER,
    "rows_about": _NUMBER, "columns": _many({"type": "object", "required": ["name", "type"]}),
    "joins": _many({"type": "object", "required": ["name", "column"]}), "words": {"type": "object"},
    "rules": {"type": "object"}, "odds": _TEXT,
}  # fmt: skip
TABLE = done("All that is public about a table.", _object(
    "name version unit neighbours columns joins words rules odds budget state",
    _TABLE_EXAMPLE | {"budget": _BUDGET_STATE["examples"][0], "state": "open"}, **_FACTS, budget=_BUDGET_STATE, **_STATE,
))  # fmt: skip
BUDGET = done("What may be spent, is spent and is left.", _object(
    "cap spent remaining", _BUDGET_STATE["examples"][0] | {"state": "open"},
    **_BUDGET_STATE["properties"], odds=_TEXT, **_STATE,
))  # fmt: skip


# ---- for data holders


def _listed(name: str, description: str, example: Shape, items: Shape) -> Shape:
    return done(description, _object(name, {name: [example]}, **{name: _many(items)}))


_ACCOUNT = _object(
    "name role state tables limits since expires",
    {"name": "alice", "role": "analyst", "state": "open", "tables": ["people"], "limits": {"people": {"epsilon": "0.5"}},
     "since": _AT, "expires": "2100-01-01"},
    name=_TEXT, role={"type": "string", "enum": ["analyst", "holder"]}, state=_TEXT, tables=_many(_TEXT),
    limits={"type": "object", "additionalProperties": _LOSS}, since=_TEXT, expires=_MAYBE,
)  # fmt: skip
ACCOUNT = done("The account as it stands now.", _ACCOUNT)
ACCOUNTS = _listed("analysts", "All accounts.", _ACCOUNT["examples"][0], _ACCOUNT)
TOKEN = done("A token, told this once.", _object(
    "name token expires", {"name": "alice", "token": "dsc_…", "expires": "2100-01-01"}, name=_TEXT, token=_TEXT, expires=_MAYBE,
))  # fmt: skip
ENTRIES = _listed(
    "entries", "Entries of the ledger, the newest last.",
    {"number": 7, "at": _AT, "kind": "grant", "body": {"name": "alice", "tables": ["people"]}, "hash": "d2fb6848…"},
    _shape("number at kind body hash",
           number=_NUMBER, at=_TEXT, kind=_TEXT, body={"type": "object"}, hash=_TEXT, signature=_TEXT),
)  # fmt: skip
_FAILED: dict[str, Shape] = {
    "reference": _TEXT, "at": _TEXT, "table": _TEXT, "charge": _NUMBER, "analyst": _TEXT, "question": _TEXT, "price": _LOSS,
    "froze_tables": {"type": "boolean"}, "cause": _TEXT,
}  # fmt: skip
_FAILED_EXAMPLE = {
    "reference": "3fe2a90b41c7", "at": _AT, "table": "people", "charge": 9, "analyst": "alice", "froze_tables": False,
    "question": _COUNT, "price": {"epsilon": "0.1"}, "cause": "OutOfMemoryException",
}  # fmt: skip
_UNCHARGED_EXAMPLE = {"reference": "91c07be2d4f6", "at": _AT, "table": "people", "cause": "cannot connect: refused"}
FAULTS = done("Questions that failed after their charge, and what failed before one, newest first.", _object(
    "faults uncharged",
    {"faults": [_FAILED_EXAMPLE | {"froze": ["alice"], "open": True}], "uncharged": [_UNCHARGED_EXAMPLE]},
    faults=_many(_shape(" ".join(_FAILED), **_FAILED, froze=_many(_TEXT), open={"type": "boolean"})),
    uncharged=_many(_shape("reference at table cause", reference=_TEXT, at=_TEXT, table=_TEXT, cause=_TEXT)),
))  # fmt: skip
ALARMS = _listed("alarms", "What had stopped asking.", _FAILED_EXAMPLE, _shape(" ".join(_FAILED), **_FAILED))
STOPS = _listed(
    "stops", "What stops asking now.",
    {"state": "frozen", "analyst": "alice", "since": _AT, "reason": "an answer is looked into"},
    _shape("state since", state={"type": "string", "enum": ["frozen", "closed", "ended", "clock"]},
           analyst={**_MAYBE, "description": "null is everybody."}, since=_TEXT, reason=_TEXT, reference=_TEXT),
)  # fmt: skip
VERIFIED = done("Whether chain and totals agree.", _object(
    "ok entries head rollback problems",
    {"ok": True, "entries": 12, "head": "…", "rollback": "not excluded", "problems": [], "notes": []},
    ok={"type": "boolean"}, entries={"type": "integer"}, head=_TEXT, rollback=_TEXT, problems=_WARNINGS, notes=_WARNINGS,
))  # fmt: skip
REPORT = done("Everything about a table that has to be accounted for.", _object(
    "made table budget stops accounts charges acts ledger",
    {"made": _AT, "table": _TABLE_EXAMPLE, "budget": _BUDGET_STATE["examples"][0], "stops": [], "shared_with": [],
     "accounts": [{"name": "alice", "role": "analyst", "state": "open"}], "ledger": {"ok": True},
     "charges": [{"number": 9, "at": _AT, "analyst": "alice", "question": _COUNT, "version": "1",
                  "state": "answered", "price": {"epsilon": "0.1"}, "cost": {"epsilon": "0.1"}}],
     "acts": [{"number": 3, "at": _AT, "kind": "register", "reason": "", "cap": "1"}]},
    made=_TEXT, table={"type": "object"}, budget=_BUDGET_STATE, stops=_many({"type": "object"}),
    accounts=_many({"type": "object", "required": ["name", "role", "state"]}),
    charges=_many({"type": "object", "required": ["number", "at", "analyst", "question", "state", "cost"]}),
    shared_with={**_many(_TEXT), "description": "Other tables with the same budget."},
    acts=_many({"type": "object", "required": ["number", "at", "kind"]}), ledger={"type": "object"},
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
