"""Accounts filled anew from the entries about them, and compared with what is kept: nobody comes in by an edited record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from discreet.ledger.entries.chain import Entry
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.entries.tokens import seal_of
from discreet.ledger.port import Snapshot
from discreet.ledger.records import GrantRecord, LimitRecord, LoginRecord

__all__ = ["Enrolled"]

_KINDS = frozenset({"rotate", "revoke", "lapse", "grant", "ungrant", "limit"})  # of somebody who is there


@dataclass(slots=True)
class Enrolled:
    """Who may come in, by the entries: name → role and since, seal of the token, last day, and whether it has ended."""

    logins: dict[str, tuple[str, str]] = field(default_factory=dict)
    tokens: dict[str, tuple[str, str]] = field(default_factory=dict)  # seal, last day
    closed: dict[str, str] = field(default_factory=dict)  # ended or revoked
    grants: set[tuple[str, str]] = field(default_factory=set)
    limits: dict[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    def take(self, entry: Entry) -> list[str]:
        """Do again what an entry says was done; what is wrong with it. Raises LookupError if it lacks something."""
        body, name = entry.body, str(entry.body.get("name"))
        if entry.kind == "enrol":
            self.logins[name] = body["role"], body["since"]
        if entry.kind in _KINDS and name not in self.logins:
            return [f"entry {entry.number} is about an account that was never made"]
        match entry.kind:
            case "enrol" | "rotate":
                self.tokens[name] = body["seal"], body["expires"]
                self.closed.pop(name, None)
            case "revoke":
                self.closed[name] = "revoked"
            case "lapse":
                self.closed[name] = "ended"
            case "grant":
                self.grants |= {(name, table) for table in body["tables"]}
            case "ungrant":
                self.grants -= {(name, table) for table in body["tables"]}
            case "limit":
                self._limit((name, body["table"]), body)
            case _:
                return [f"entry {entry.number} is of an unknown kind"]
        return []

    def _limit(self, key: tuple[str, str], body: Mapping[str, Any]) -> None:
        self.limits.pop(key, None)
        if "amount" in body:
            self.limits[key] = tuple(body["amount"])

    def differences(self, snapshot: Snapshot, key: SigningKey) -> list[str]:
        """What was changed without an entry."""
        kept = {login.name: login for login in snapshot.each(LoginRecord)}
        names = sorted({*kept, *self.logins})
        changed = [name for name in names if not self._is(kept.get(name), name, key)]
        problems = [f"the account {name} was changed without an entry" for name in changed]
        if {(each.name, each.table) for each in snapshot.each(GrantRecord)} != self.grants:
            problems.append("a grant was changed without an entry")
        if {(each.name, each.table): (each.amount, each.delta) for each in snapshot.each(LimitRecord)} != self.limits:
            problems.append("a limit of an account was changed without an entry")
        return problems

    def _is(self, found: LoginRecord | None, name: str, key: SigningKey) -> bool:
        if found is None or name not in self.logins:
            return False
        closed = "revoked" if found.revoked else "ended" if found.ended else ""
        seal, day = self.tokens[name]
        is_sealed = found.token == "" if found.revoked else seal_of(key, name, found.token) == seal
        said = (found.role, found.since), found.expires, closed
        return is_sealed and said == (self.logins[name], day, self.closed.get(name, ""))
