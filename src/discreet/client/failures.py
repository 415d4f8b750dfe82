"""What a service says went wrong, as the errors that a table here raises."""

from typing import Any

from discreet.errors import (
    AccessError,
    BudgetError,
    BusyError,
    DiscreetError,
    FactsError,
    Fault,
    MissingError,
    ParameterError,
    QuestionError,
    ServiceFault,
    TokenError,
)
from discreet.remedies import Remedy

__all__ = ["error_from"]


def error_from(status: int, body: Any, place: str) -> DiscreetError:
    """The error behind a response that is none of success."""
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        return ServiceFault(f"{place} says {status}, and nothing that a service of discreet says", hint="look at the address")
    message, hint = str(body.get("message", "")), str(body.get("hint", ""))
    remedy = Remedy(str(body["remedy"])) if "remedy" in body else hint
    match body["error"]:
        case "question":
            where = {name: body.get(name) for name in ("position", "line", "column")}
            return QuestionError(message, hint=remedy, **where)
        case "facts":
            return FactsError(message, hint=remedy, line=body.get("line"), key=body.get("key"))
        case "parameter" | "body" | "too_large":
            return ParameterError(message, hint=remedy)
        case "budget":
            return BudgetError(message, hint=remedy)
        case "access":
            return AccessError(message, hint=remedy, reference=str(body.get("reference", "")))
        case "token":
            return TokenError(message, hint="write token='dsc_…' as the data holder has told it, or ask for a new one")
        case "missing":
            return MissingError(message, hint="ask the data holder for a grant, or look at the name")
        case "rate" | "busy":
            return BusyError(message, hint=hint)
        case "fault" | "crash":
            return _fault(message, hint, str(body.get("reference", "")))
    return ServiceFault(f"{place} says {status}: {message}", hint=hint)


def _fault(message: str, hint: str, reference: str) -> Fault:
    found = Fault(message, hint=hint)  # what of a charge is kept
    found.reference = reference  # by which the data holder finds it
    return found
