"""Names that askers give: of themselves, and of a request. Whoever came in by a token is an account, and named by that."""

from discreet.errors import ParameterError
from discreet.ledger.alarms import ANONYMOUS
from discreet.ledger.logins import Account

__all__ = ["Asker", "asker_of", "public_name"]

Asker = str | Account | None
_LONGEST = 200


def asker_of(analyst: Asker) -> str:
    """Who asks, as the ledger keeps it."""
    return analyst.name if isinstance(analyst, Account) else public_name(analyst, "analyst")


def public_name(name: str | None, what: str) -> str:
    """The name of an analyst or the key of a request, as the ledger keeps it; empty if there is none."""
    if name is None:
        return ""
    if what == "analyst" and isinstance(name, str) and name.strip().casefold() == ANONYMOUS:
        raise ParameterError(f"{ANONYMOUS} is the name of whoever gives none", hint="leave the name out, or write your own")
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= len(name) <= _LONGEST:
        hint = f"write up to {_LONGEST} letters, digits and signs on one line"
        raise ParameterError(f"this is not a name for {what}=", hint=hint)
    return name
