"""Accounts of a folder: who may come in, which tables they may ask, and how much they may spend. Each act is a signed entry.

What is decided here holds at once in every process that has the ledger open: nothing of it is kept anywhere else.
"""

from collections.abc import Iterable
from datetime import date
from typing import Any, Literal

from discreet.errors import ParameterError, TokenError
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.chain import now
from discreet.ledger.entries.codec import loss_to
from discreet.ledger.entries.tokens import hash_of_token, new_token, seal_of
from discreet.ledger.journal import append
from discreet.ledger.logins import Account, Role, account_in, account_name, check_open, is_over, login_named, login_of_token
from discreet.ledger.port import Transaction
from discreet.ledger.records import GrantRecord, LimitRecord, LoginRecord, TableRecord
from discreet.ledger.rows import table_row
from discreet.privacy.losses import Loss
from discreet.remedies import Remedy

__all__ = ["Account", "LastDay", "account_of_token", "accounts", "enrol", "grant", "limit", "revoke", "rotate", "ungrant"]


LastDay = date | Literal["none"] | None  # of a token; None leaves it as it is, which for a new account is none


def account_of_token(ledger: Ledger, token: str) -> Account:
    """Whose token this is, with all that they may do now. Raises TokenError."""
    with ledger.store.reading() as snapshot:
        login = login_of_token(snapshot, ledger.key, token)
        if not (is_over(login) and not login.ended):
            check_open(login)
            return account_in(snapshot, login)
    _note_end(ledger, login.name)
    raise TokenError(f"this token ended on {login.expires}", hint="ask the data holder for a new one")


def _note_end(ledger: Ledger, name: str) -> None:
    """Write down, once, that a login is used after its last day: a clock that is set back opens it no more."""
    with ledger.store.writing() as transaction:
        login = login_named(transaction, name)
        if is_over(login) and not login.ended:
            append(transaction, ledger.key, "lapse", {"name": name, "expires": login.expires})
            transaction.change(login, ended=True)


def accounts(ledger: Ledger) -> list[Account]:
    """All of them by name, those that were revoked too."""
    with ledger.store.reading() as snapshot:
        return [account_in(snapshot, login) for login in list(snapshot.each(LoginRecord))]


def enrol(
    ledger: Ledger, name: str, role: Role = "analyst", *, expires: LastDay = None, tables: Iterable[str] = (), by: str = ""
) -> str:
    """A new account, which may ask ``tables``. Its token, which is told this once. If a table is not there, nothing is made."""
    if role not in ("analyst", "holder"):
        raise ParameterError(f"there is no role {role!r}", hint="write analyst or holder")
    name, token = account_name(name), new_token()
    with ledger.store.writing() as transaction:
        for other in transaction.each(LoginRecord):
            if other.name.casefold() == name.casefold():
                hint = "a name is used once, since history and spending belong to it: write another one; or rotate its token"
                raise ParameterError(f"there is or was an account {other.name}", hint=hint)
        login = LoginRecord(name, role, hash_of_token(ledger.key, token), now(), _day(expires), ended=False, revoked=False)
        _written(transaction, ledger, "enrol", login, by, role=role, since=login.since)
        transaction.add(login)
        if wanted := list(tables):
            _grant(transaction, ledger, login, wanted, by)
    return token


def rotate(ledger: Ledger, name: str, *, expires: LastDay = None, by: str = "") -> str:
    """A new token in the place of the old one, which ends at once. The last day stays, unless another is given, or ``none``."""
    token = new_token()
    with ledger.store.writing() as transaction:
        login = _not_revoked(transaction, name)
        kept, day = hash_of_token(ledger.key, token), _day_again(login) if expires is None else _day(expires)
        changed = LoginRecord(login.name, login.role, kept, login.since, day, ended=False, revoked=False)
        _written(transaction, ledger, "rotate", changed, by)
        transaction.put(changed)
    return token


def revoke(ledger: Ledger, name: str, *, by: str = "") -> None:
    """The end of an account. What it was answered, and what it spent, stays."""
    with ledger.store.writing() as transaction:
        login = _not_revoked(transaction, name)
        _act(transaction, ledger, "revoke", {"name": name}, by)
        transaction.change(login, token="", revoked=True)


def grant(ledger: Ledger, name: str, tables: Iterable[str], *, by: str = "") -> Account:
    """From now on they may ask these tables too."""
    with ledger.store.writing() as transaction:
        login = _not_revoked(transaction, name)
        _grant(transaction, ledger, login, tables, by)
        return account_in(transaction, login)


def _grant(transaction: Transaction, ledger: Ledger, login: LoginRecord, tables: Iterable[str], by: str) -> None:
    """What is new is written down. A holder may ask all tables: there is nothing to write."""
    wanted = [table for table in _registered(transaction, tables) if not _has(transaction, login.name, table)]
    if not wanted or login.role == "holder":
        return
    _act(transaction, ledger, "grant", {"name": login.name, "tables": wanted}, by)
    for table in wanted:
        transaction.add(GrantRecord(login.name, table))


def ungrant(ledger: Ledger, name: str, tables: Iterable[str], *, by: str = "") -> Account:
    """From now on these tables are not there for them. What they were answered stays theirs to read."""
    with ledger.store.writing() as transaction:
        login = login_named(transaction, name)
        gone = list(dict.fromkeys(tables))
        if unknown := [table for table in gone if not _has(transaction, name, table)]:
            granted = ", ".join(each.table for each in transaction.each(GrantRecord, name=name)) or "none"
            all_of_them = f"{name} acts for the data holder, and may ask all tables"
            hint = all_of_them if login.role == "holder" else f"granted to {name}: {granted}"
            raise ParameterError(f"{name} has no grant for {unknown[0][:64]!r}", hint=hint)
        _act(transaction, ledger, "ungrant", {"name": name, "tables": gone}, by)
        for table in gone:
            transaction.drop(GrantRecord, name=name, table=table)
        return account_in(transaction, login)


def limit(ledger: Ledger, name: str, table: str, loss: Loss | None, *, by: str = "") -> Account:
    """What they may spend on a table and others about the same people, beside what the facts say; None: no more than that."""
    with ledger.store.writing() as transaction:
        login = _not_revoked(transaction, name)
        (table,) = _registered(transaction, [table])
        body: dict[str, Any] = {"name": name, "table": table}
        if loss is None:
            transaction.drop(LimitRecord, name=name, table=table)
        else:
            row = table_row(transaction, table)
            loss = row.money.like(row.cap, loss)
            amount = row.money.amount(loss).to_texts()
            body |= {"limit": loss_to(loss), "amount": list(amount)}
            transaction.put(LimitRecord(name, table, *amount))
        _act(transaction, ledger, "limit", body, by)
        return account_in(transaction, login)


def _act(transaction: Transaction, ledger: Ledger, kind: str, body: dict[str, Any], by: str) -> None:
    append(transaction, ledger.key, kind, body | ({"by": by} if by else {}))


def _written(transaction: Transaction, ledger: Ledger, kind: str, login: LoginRecord, by: str, **more: str) -> None:
    """The entry of an act that gives a token out: sealed, so that neither it nor its hash is in an export."""
    body = {"name": login.name, "expires": login.expires, "seal": seal_of(ledger.key, login.name, login.token)}
    _act(transaction, ledger, kind, body | more, by)


def _not_revoked(transaction: Transaction, name: str) -> LoginRecord:
    login = login_named(transaction, name)
    if login.revoked:
        raise ParameterError(f"{name} was revoked", hint="a name is used once: add another account")
    return login


def _registered(transaction: Transaction, tables: Iterable[str]) -> list[str]:
    wanted = list(dict.fromkeys(tables))
    known = [each.name for each in transaction.each(TableRecord)]
    if unknown := [table for table in wanted if table not in known]:
        hint = f"registered here: {', '.join(known) or 'none'}"
        raise ParameterError(f"there is no table {unknown[0][:64]!r} in this ledger", hint=hint)
    if not wanted:
        raise ParameterError("no table is named", hint=f"write one of {', '.join(known)}")
    return wanted


def _has(transaction: Transaction, name: str, table: str) -> bool:
    return transaction.one(GrantRecord, name=name, table=table) is not None


def _day_again(login: LoginRecord) -> str:
    """The last day that a login has. Refused once it is over: a new token would end with it."""
    if is_over(login):
        hint = Remedy("write {expires=DAY} with a new last day, or {expires=none} for none")
        raise ParameterError(f"the last day of {login.name}, {login.expires}, is over", hint=hint)
    return login.expires


def _day(expires: LastDay) -> str:
    if expires is None or expires == "none":
        return ""
    day = expires.isoformat()[:10]
    if day < now()[:10]:
        raise ParameterError(f"{day} is over", hint="write a last day that is still to come")
    return day
