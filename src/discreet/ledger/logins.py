"""Who somebody is, by their token, and what they may do: read from the ledger at every request, so that all workers agree."""

import hmac
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from discreet.answers.answer import as_strings
from discreet.errors import MissingError, ParameterError, TokenError
from discreet.ledger.alarms import ANONYMOUS
from discreet.ledger.entries.amounts import Amount
from discreet.ledger.entries.chain import now
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.entries.tokens import hash_of_token, is_shaped
from discreet.ledger.port import Snapshot
from discreet.ledger.records import GrantRecord, LimitRecord, LoginRecord
from discreet.ledger.rows import account_of, table_record
from discreet.privacy.losses import Loss

__all__ = ["Account", "Role", "account_in", "check_grants", "closed", "is_over", "login_named", "login_of_token", "not_there"]

Role = Literal["analyst", "holder"]
_NAME = re.compile(r"\w[\w.@+-]{0,63}")


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody with a token, as they stood when the ledger was asked. Nothing in it is secret."""

    name: str
    role: Role
    grants: tuple[str, ...] = ()  # tables by name; a holder may ask all of them
    limits: Mapping[str, Loss] = field(default_factory=dict)  # by table
    since: str = ""
    expires: str | None = None  # the last day
    state: Literal["open", "ended", "revoked"] = "open"

    @property
    def is_holder(self) -> bool:
        """Whether they act for the data holder."""
        return self.role == "holder"

    def may_ask(self, table: str) -> bool:
        """Whether a table is there for them."""
        return self.is_holder or table in self.grants

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name, "role": self.role, "state": self.state,
            "tables": [] if self.is_holder else list(self.grants),  # a holder needs no grant
            "limits": {table: as_strings(loss) for table, loss in self.limits.items()}, "since": self.since,
            "expires": self.expires,
        }  # fmt: skip


def account_name(name: str) -> str:
    """A name that an account may have: one word, in one spelling."""
    is_word = isinstance(name, str) and _NAME.fullmatch(name) and unicodedata.is_normalized("NFKC", name)
    if not is_word or name.casefold() == ANONYMOUS:
        hint = "write up to 64 letters, digits and . _ - + @, such as alice or alice@example.org"
        raise ParameterError("this cannot be the name of an account", hint=hint)
    return name


def login_named(snapshot: Snapshot, name: str) -> LoginRecord:
    """The login of a name. Raises ParameterError if there is none."""
    found = snapshot.one(LoginRecord, name=name)
    if found is None:
        names = [each.name for each in snapshot.each(LoginRecord, most=20)]
        hint = f"there are: {', '.join(names)}" if names else "discreet analyst add makes one"
        raise ParameterError(f"there is no account {name[:64]!r}", hint=hint)
    return found


def login_of_token(snapshot: Snapshot, key: SigningKey, token: str) -> LoginRecord:
    """Whose token this is. Raises TokenError: a wrong, old or revoked one is told alike."""
    wanted = hash_of_token(key, token if is_shaped(token) else "")
    found = snapshot.one(LoginRecord, token=wanted)
    if found is None or not hmac.compare_digest(found.token, wanted):
        raise TokenError("this token is not known here", hint="the data holder gives out tokens; a new one ends the one before")
    return found


def is_over(login: LoginRecord) -> bool:
    """Whether the last day of a login is over, or was when it was used before."""
    return login.ended or bool(login.expires and now()[:10] > login.expires)


def closed(login: LoginRecord) -> Literal["", "ended", "revoked"]:
    """Why a login opens nothing any more; nothing if it does."""
    return "revoked" if login.revoked else "ended" if is_over(login) else ""


def check_open(login: LoginRecord) -> None:
    """Refuses a login that has ended or was revoked."""
    if login.revoked:
        raise TokenError("this account was revoked", hint="ask the data holder")
    if is_over(login):
        raise TokenError(f"this token ended on {login.expires}", hint="ask the data holder for a new one")


def check_grants(snapshot: Snapshot, request: Request) -> None:
    """Refuses what is asked in the name of an account that is closed, or that has no grant for a table that is read."""
    if not request.by_account:
        return
    login = snapshot.one(LoginRecord, name=request.analyst)
    if login is None:
        raise TokenError("this account is not known here", hint="ask the data holder")
    check_open(login)
    for table in (request.table, *(name for name, _ in request.beside)):
        if login.role != "holder" and snapshot.one(GrantRecord, name=login.name, table=table) is None:
            raise not_there(table)


def not_there(table: str) -> MissingError:
    """What is said of a table that is not there, or not for whoever asks."""
    return MissingError(f"there is no table {table[:64]!r} here", hint="see which tables you may ask")


def account_in(snapshot: Snapshot, login: LoginRecord) -> Account:
    """A login with all that it may do."""
    limits = {each.table: _loss(snapshot, each) for each in snapshot.each(LimitRecord, name=login.name)}
    return Account(
        login.name, "holder" if login.role == "holder" else "analyst",
        tuple(each.table for each in snapshot.each(GrantRecord, name=login.name)), limits, login.since, login.expires or None,
        closed(login) or "open",
    )  # fmt: skip


def _loss(snapshot: Snapshot, limit: LimitRecord) -> Loss:
    money, _ = account_of(snapshot, table_record(snapshot, limit.table).account)
    return money.loss(Amount.from_texts(limit.amount, limit.delta))
