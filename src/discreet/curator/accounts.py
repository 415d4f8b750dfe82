"""Accounts of a folder, for the data holder: each act takes the folder, and is a signed entry in its ledger.

Accounts are of a folder, not of a table. A token is told once, when it is made; nobody can find it out afterwards.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

from discreet.errors import FactsError, ParameterError
from discreet.facts.budgets import parse_budget
from discreet.ledger import Ledger, open_ledger, place_of
from discreet.ledger import accounts as kept
from discreet.ledger.logins import Account, Role

__all__ = ["Account", "Role", "add", "grant", "limit", "listed", "named", "revoke", "rotate", "ungrant"]

Place = str | Path


def add(
    folder: Place, name: str, role: Role = "analyst", *, expires: str | date | None = None, tables: Sequence[str] = (),
    by: str = "",
) -> str:  # fmt: skip
    """A new account; its token. An analyst may ask what is granted, such as ``tables``; a holder acts for the data holder.

    A token ends after the day ``expires``. ``by`` is the account that acts, where it is not done at the data holder's machine.
    """
    with _opened(folder) as ledger:
        return kept.enrol(ledger, name, role, expires=_day(expires), tables=tables, by=by)


def named(folder: Place, name: str) -> Account:
    """The account of a name, as it stands now."""
    found = {each.name: each for each in listed(folder)}
    if name not in found:
        raise ParameterError(f"there is no account {name[:64]!r}", hint=f"there are: {', '.join(found) or 'none'}")
    return found[name]


def listed(folder: Place) -> list[Account]:
    """All accounts by name, with their tables and limits, and those that were revoked."""
    with _opened(folder) as ledger:
        return kept.accounts(ledger)


def grant(folder: Place, name: str, tables: Sequence[str], *, by: str = "") -> Account:
    """They may ask these tables from now on."""
    with _opened(folder) as ledger:
        return kept.grant(ledger, name, tables, by=by)


def ungrant(folder: Place, name: str, tables: Sequence[str], *, by: str = "") -> Account:
    """These tables are not there for them from now on; what they were answered is."""
    with _opened(folder) as ledger:
        return kept.ungrant(ledger, name, tables, by=by)


def limit(folder: Place, name: str, table: str, budget: Any | None, *, by: str = "") -> Account:
    """What they may spend on a table and others about the same people, beside ``per_analyst`` of its facts: the stricter counts.

    ``budget`` is written as a budget is: ``1``, ``{"epsilon": 1, "delta": "1e-6"}``, ``{"rho": "0.5"}``; None takes it away.
    """
    loss = None if budget is None else parse_budget(budget).cap
    with _opened(folder) as ledger:
        return kept.limit(ledger, name, table, loss, by=by)


def rotate(folder: Place, name: str, *, expires: str | date | None = None, by: str = "") -> str:
    """A new token. The old one ends at once. Its last day stays, unless another is given, or ``none``."""
    with _opened(folder) as ledger:
        return kept.rotate(ledger, name, expires=_day(expires), by=by)


def revoke(folder: Place, name: str, *, by: str = "") -> None:
    """The end of an account, at once and for good: its name is not used again."""
    with _opened(folder) as ledger:
        kept.revoke(ledger, name, by=by)


def _day(written: str | date | None) -> kept.LastDay:
    if written is None or isinstance(written, date):
        return written
    if written == "none":
        return "none"
    try:
        return date.fromisoformat(written)
    except ValueError:
        raise ParameterError(f"{written[:40]!r} is not a day", hint="write one such as 2027-01-31, or none") from None


@contextmanager
def _opened(folder: Place) -> Iterator[Ledger]:
    if not Path(folder).exists():
        raise FactsError("there is no such folder", hint="write the folder of the tables", file=str(folder))
    ledger = open_ledger(place_of(Path(folder)))
    try:
        yield ledger
    finally:
        ledger.close()
