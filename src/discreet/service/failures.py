"""What went wrong, as every route says it: ``{"error": code, "message": …, "hint": …}``, and for a fault its reference.

Nothing of an exception's own text leaves but that of discreet's own errors, which speak of public things only. Words that an
engine said to whoever holds the data stay where they were said.
"""

import logging
from typing import Any
from uuid import uuid4

from discreet.errors import (
    AccessError,
    BudgetError,
    BusyError,
    DiscreetError,
    FactsError,
    Fault,
    LedgerFault,
    MissingError,
    ParameterError,
    QuestionError,
    SourceFault,
    TokenError,
    TrialFault,
)
from discreet.remedies import Remedy, Word, in_braces, said
from discreet.service.logs import kind_and_place

__all__ = ["CODES", "TRIED_AGAIN", "Turned", "as_turned", "crashed", "in_json", "missing", "unreadable"]

CODES = {  # code → what it means, for the document
    "question": "the question is not in the language, or its plan is too large; line and column say where",
    "parameter": "a price, a wish or another word beside the question cannot be meant",
    "facts": "the facts of a table are wrong",
    "token": "there is no token, or it is wrong, expired or revoked",
    "access": "frozen, expired, or for the data holder only",
    "missing": "there is nothing here, or nothing that you may know of",
    "method": "this address takes other methods",
    "budget": "not enough budget is left",
    "too_large": "the body is larger than is read",
    "body": "the body is not what this address takes",
    "rate": "too many requests; Retry-After says how long to wait",
    "fault": "something failed inside; the data holder finds it by its reference",
    "crash": "a mistake in discreet; the data holder finds it by its reference",
    "busy": "too much is going on; try again",
}
TRIED_AGAIN = 5  # seconds until a folder or a ledger that could not be opened is tried again
_log = logging.getLogger("discreet.service")


class Turned(Exception):
    """A request that was turned down: what the response says."""

    def __init__(self, status: int, error: str, message: str, hint: str = "", **more: Any) -> None:
        super().__init__(error)
        self.status = status
        self.headers: dict[str, str] = more.pop("headers", {})
        self.body = {"error": error, "message": message, "hint": hint} | more


def missing() -> Turned:
    """The same for what does not exist and for what somebody has no grant for."""
    return Turned(404, "missing", "there is nothing here that you may see", "GET /api/tables lists what you may ask")


def unreadable() -> Turned:
    """What everybody is told while the ledger cannot be read."""
    hint = "the data holder has to look at it"
    return Turned(503, "busy", "the ledger cannot be read", hint, headers={"Retry-After": str(TRIED_AGAIN)})


def in_json(word: Word) -> str:
    """A remedy as a part of a body."""
    return f'"{word.name}": {"true" if word.value is None else chr(34) + word.value + chr(34)}'


def as_turned(error: Exception) -> Turned:
    """What the response says of any error; clients get the words of its remedy as well, to say them in their own way."""
    found, remedy = _turned(error), getattr(error, "hint", "")
    if isinstance(remedy, Remedy):
        found.body["remedy"] = said(remedy, in_braces)
    return found


def _turned(error: Exception) -> Turned:
    hint = said(getattr(error, "hint", ""), in_json)
    match error:
        case Turned():
            return error
        case QuestionError():
            where: dict[str, Any] = {"line": error.line, "column": error.column, "position": error.position}
            return Turned(400, error.code, error.message, hint, **{k: v for k, v in where.items() if v is not None})
        case BudgetError():
            return Turned(409, error.code, error.message, hint)
        case AccessError():
            return _not_let(error, hint)
        case FactsError():
            place: dict[str, Any] = {"line": error.line, "key": error.key}
            return Turned(400, error.code, error.message, hint, **{k: v for k, v in place.items() if v is not None})
        case ParameterError():
            return Turned(400, error.code, error.message, hint)
        case LedgerFault() | SourceFault():
            return Turned(503, error.code, error.message, error.kept, reference=error.reference)
        case TrialFault() | Fault():
            return Turned(500, error.code, error.message, error.kept, reference=error.reference)
        case DiscreetError():
            return Turned(400, error.code, error.message, hint)
    return crashed(error)


def _not_let(error: AccessError, hint: str) -> Turned:
    match error:
        case TokenError():
            return Turned(401, error.code, error.message, hint, headers={"WWW-Authenticate": "Bearer"})
        case MissingError():
            return missing()
        case BusyError():
            return Turned(429, "rate", error.message, hint, headers={"Retry-After": "1"})
        case _:
            known = {"reference": error.reference} if error.reference else {}
            return Turned(403, error.code, error.message, hint, **known)


def crashed(error: BaseException) -> Turned:
    """An error that nobody foresaw: the log has its kind and place and nothing else."""
    reference = uuid4().hex[:12]
    _log.error("crash %s: %s", reference, kind_and_place(error))
    return Turned(500, "crash", "something went wrong inside", "tell the data holder this reference", reference=reference)
