"""The acts of the data holder: registering tables, raising caps, new versions, freezing. Each is a signed entry.

What a ledger holds a table to is fixed when it is registered: neighbours, people and whose rows are one unit for the ledger's
life, everything else until the next version; also how much of a unit is read, which every question is priced by. The cap is in
the ledger and not in the file (rule 12).
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.engines.stamps import Seen
from discreet.errors import AccessError, BudgetError, FactsError, ParameterError
from discreet.facts.model import Budget, ByColumn, Column, Companion, EachRow, Facts, Joinable, Lookup, Unit
from discreet.ledger.admission import forget_ends
from discreet.ledger.alarms import ANONYMOUS, Alarm, lift, open_alarms
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.amounts import Amount, Money
from discreet.ledger.entries.books import Books, Standing
from discreet.ledger.entries.codec import canonical, digest, loss_to, plain
from discreet.ledger.journal import append, each_entry
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import AccountRecord, AnalystRecord, CellRecord, TableRecord
from discreet.ledger.rows import TableRow, account_of, account_record, books_of, save_books, table_record, table_row
from discreet.ledger.sources import others_with, remember, stamps_for
from discreet.ledger.superseded import write_off_superseded
from discreet.privacy.losses import Loss
from discreet.remedies import Remedy

__all__ = [
    "account_name", "alarms", "as_registered", "cap_notes", "companion_changed", "facts_digest", "freeze", "is_frozen", "known",
    "lookup_changed", "names", "new_version", "raise_cap", "register", "registered_unit", "unfreeze",
]  # fmt: skip


def account_name(facts: Facts) -> str:
    """Tables about the same people share one budget; any other table has its own."""
    return f"people:{facts.people}" if facts.people is not None else f"table:{facts.name}"


def facts_digest(facts: Facts) -> str:
    """The same as long as the facts promise the same. Budget, descriptions and a rough size do not count."""
    return digest(plain(_promised(facts)) | {"partition": facts.budget.partition})


def _promised(facts: Facts) -> Facts:
    """The facts without what promises nothing."""
    columns = tuple(replace(column, description="") for column in facts.columns)
    joins = tuple(_bare(join) for join in facts.joins)
    return replace(facts, columns=columns, description="", budget=_NO_BUDGET, located=None, rows_about=None, joins=joins)


def _bare(join: Joinable) -> Joinable:
    if isinstance(join, Companion):
        return replace(join, facts=_promised(join.facts))
    return replace(join, columns=tuple(replace(column, description="") for column in join.columns), located=None)


def as_registered(ledger: Ledger, facts: Facts) -> Facts:
    """The facts with the meaning that they were registered with: tables from before keep their groups. Rule 4."""
    row, before = known(ledger, facts.name), _before_null_keys(facts)
    return before if row is not None and row.digest == facts_digest(before) else facts


def _before_null_keys(facts: Facts) -> Facts:
    """Facts as they were understood when rows without a key were in no group."""
    joins = tuple(
        replace(join, facts=_before_null_keys(join.facts)) if isinstance(join, Companion)
        else replace(join, columns=_without_groups(join.columns))
        for join in facts.joins
    )  # fmt: skip
    return replace(facts, columns=_without_groups(facts.columns), joins=joins, null_keys=False)


def _without_groups(columns: tuple[Column, ...]) -> tuple[Column, ...]:
    return tuple(replace(column, drop=False, null_label="") for column in columns)


def companion_changed(ledger: Ledger, facts: Facts) -> str | None:
    """The other confidential table whose facts are not those that this one was registered with; None if all are."""
    with ledger.store.reading() as snapshot:
        was = {join["name"]: canonical(join) for join in _acts(snapshot, facts.name)[-1]["facts"].get("joins", ())}
    now = [(join.name, (join.facts, _before_null_keys(join.facts)), join) for join in facts.joins if isinstance(join, Companion)]
    return next((name for name, both, join in now
                 if was.get(name) not in [canonical(plain(_bare(replace(join, facts=one)))) for one in both]), None)  # fmt: skip


def lookup_changed(ledger: Ledger, facts: Facts) -> str | None:
    """The public lookup that has other values than when the table was registered, and is the same otherwise; None if none has."""
    with ledger.store.reading() as snapshot:
        was = {join["name"]: join for join in _acts(snapshot, facts.name)[-1]["facts"].get("joins", ())}
    now = {join.name: plain(_bare(join)) for join in facts.joins if isinstance(join, Lookup)}
    return next((name for name, join in now.items() if name in was and was[name] != join
                 and _without_values(was[name]) == _without_values(join)), None)  # fmt: skip


def _without_values(join: Any) -> dict[str, Any]:
    columns = [{key: value for key, value in column.items() if key != "values"} for column in join.get("columns", ())]
    return {**join, "columns": columns}


def known(ledger: Ledger, table: str) -> TableRow | None:
    """The row of a table; None if it was never registered."""
    with ledger.store.reading() as snapshot:
        try:
            return table_row(snapshot, table)
        except AccessError:
            return None


def names(ledger: Ledger) -> list[str]:
    """All registered tables."""
    with ledger.store.reading() as snapshot:
        return [each.name for each in snapshot.each(TableRecord)]


def register(ledger: Ledger, facts: Facts, seen: Mapping[str, Seen] | None = None, separate: str = "") -> bool:
    """Make a table known with its budget. Refused if its people group has another relation, unit or cap.

    Refused too if a table with another budget has the same rows, unless ``separate`` says why that is right. False if it was
    known already, as the same: somebody else was faster.
    """
    account, money, seen = account_name(facts), Money.of(facts.budget), seen or {}
    promised, stamps = facts_digest(facts), stamps_for(ledger.key, facts.name, facts.version, seen)
    with ledger.store.writing() as transaction:
        known = transaction.one(TableRecord, name=facts.name)
        if known is not None and (known.version, known.digest) == (facts.version, promised):
            return False
        if known is not None:
            hint = "run discreet version new for new rows or facts"
            raise FactsError(f"{facts.name} is registered already", hint=hint, key="table.name")
        cap = money.amount(facts.budget.cap)
        _check_limit(money, facts.budget)
        stated = _separate(transaction, ledger, facts, account, seen, separate)
        if transaction.one(AccountRecord, name=account) is not None:
            _check_group(transaction, account, facts, money, cap)
        else:
            transaction.add(account_record(account, money, cap))
        append(transaction, ledger.key, "register", {
            "table": facts.name, "account": account, "version": facts.version, "touched": _touched(facts),
            "currency": money.currency, "has_delta": money.has_delta, "cap": list(cap.to_texts()),
            "budget": _rest(facts.budget), "digest": promised, "facts": _public(facts), "stamps": stamps,
        } | stated)  # fmt: skip
        standing = Standing(facts.version, 1, _touched(facts))
        transaction.add(_record(facts, promised, account, standing, stamps, frozen=False))
        remember(transaction, ledger.key, facts.name, facts.version, seen)
    return True


def raise_cap(ledger: Ledger, table: str, loss: Loss, reason: str, by: str = "") -> None:
    """A higher cap for the table's account."""
    with ledger.store.writing() as transaction:
        row = table_row(transaction, table)
        loss = row.money.like(row.cap, loss)
        if not row.money.is_cap(loss):
            both = "{epsilon=…}, and {delta=…} if that is to be larger"
            cap = both if row.money.has_delta else f"{{{row.money.currency}=…}} alone"
            raise BudgetError(_own_kind(row), hint=Remedy(f"write the whole new cap, {cap}"))
        money, old, new = row.money, row.cap, row.money.amount(loss)
        if not old.fits(new) or new == old:
            raise BudgetError(f"the cap is {money.words(old)} already", hint="a cap can be raised only; write a larger one")
        body = {"account": row.account, "cap": list(new.to_texts()), "was": list(old.to_texts()), "reason": reason}
        append(transaction, ledger.key, "raise", body | _signed_off(by))
        transaction.put(account_record(row.account, money, new))


def cap_notes(ledger: Ledger, facts: Facts) -> tuple[str, ...]:
    """What is to be said where the facts have another budget than the ledger, which applies (rule 12)."""
    row = known(ledger, facts.name)
    if row is None:
        return ()
    if Money.of(facts.budget) != row.money:
        return (f"{_own_kind(row)}: what this file says of it does not apply",)
    if row.money.amount(facts.budget.cap) != row.cap:
        return ("the ledger's cap applies, not the one in this file; see discreet budget raise",)
    return ()


def _own_kind(row: TableRow) -> str:
    return f"the budget of {row.name} counts {row.money.kind}, and keeps its kind for the ledger's life"


def new_version(
    ledger: Ledger, facts: Facts, seen: Mapping[str, Seen] | None, reason: str, *, no_unit_in_both: bool, separate: str = ""
) -> None:
    """New rows or facts under a new label. What was spent stays spent (rule 14).

    Unless the data holder states, and signs, that no unit of the new version was in any version before it.
    """
    seen = seen or {}
    stamps = stamps_for(ledger.key, facts.name, facts.version, seen)
    with ledger.store.writing() as transaction:
        row = table_row(transaction, facts.name)
        _check_same(transaction, row, facts)
        if Money.of(facts.budget) != row.money:
            raise FactsError(_own_kind(row), hint="write [budget] as it was registered", key="budget")
        _check_limit(row.money, facts.budget)
        earlier = _versions(transaction, facts.name)
        if facts.version in earlier:
            raise FactsError(f"version {facts.version!r} is or was in use", hint="write a new label", key="table.version")
        stated = _separate(transaction, ledger, facts, row.account, seen, separate)
        standing = Standing(facts.version, row.epoch + no_unit_in_both, _touched(facts))
        append(transaction, ledger.key, "version", {
            "table": facts.name, "version": facts.version, "was": row.version, "no_unit_in_both": no_unit_in_both,
            "touched": standing.touched, "reason": reason, "budget": _rest(facts.budget), "digest": facts_digest(facts),
            "facts": _public(facts), "stamps": stamps,
        } | ({"no_unit_in": earlier} if no_unit_in_both else {}) | stated)  # fmt: skip
        books = books_of(transaction, row.account, None)
        books.move(facts.name, standing)
        transaction.drop(CellRecord, account=row.account, table=facts.name)
        save_books(transaction, row.account, books)
        transaction.put(_record(facts, facts_digest(facts), row.account, standing, stamps, frozen=row.frozen))
        remember(transaction, ledger.key, facts.name, facts.version, seen)
        write_off_superseded(transaction, ledger.key, facts.name)


def freeze(ledger: Ledger, table: str, reason: str, *, analyst: str | None = None, by: str = "") -> None:
    """Stop asking: of everybody, or of one analyst."""
    with ledger.store.writing() as transaction:
        _set_frozen(transaction, ledger, table, reason, analyst, by, frozen=True)


def unfreeze(ledger: Ledger, table: str, reason: str, *, analyst: str | None = None, by: str = "") -> list[Alarm]:
    """Allow asking: of the table, with every alarm about the same people, or of one analyst, with those that froze them.

    The alarms that were open until now.
    """
    with ledger.store.writing() as transaction:
        account = table_row(transaction, table).account
        looked_at = open_alarms(transaction, account, analyst)
        _set_frozen(transaction, ledger, table, reason, analyst, by, frozen=False)
        lift(transaction, account, analyst)
        return looked_at


def alarms(ledger: Ledger, table: str) -> list[Alarm]:
    """Faults about the people of a table that the data holder has not looked at."""
    with ledger.store.reading() as snapshot:
        return open_alarms(snapshot, table_row(snapshot, table).account)


def is_frozen(ledger: Ledger, table: str) -> bool:
    """Whether nobody may ask a table now."""
    with ledger.store.reading() as snapshot:
        row = table_row(snapshot, table)
        return row.frozen or any(alarm.froze_tables for alarm in open_alarms(snapshot, row.account))


def _set_frozen(
    transaction: Transaction, ledger: Ledger, table: str, reason: str, analyst: str | None, by: str, *, frozen: bool
) -> None:
    row = table_row(transaction, table)
    if analyst is not None and not analyst.strip():
        hint = f"leave it out to act on the table; {ANONYMOUS} is whoever gives no name"
        raise ParameterError("this is not the name of an analyst", hint=hint)
    whom = {} if analyst is None else {"analyst": analyst}
    body: dict[str, Any] = {"table": table, "reason": reason} | whom | _signed_off(by)
    if not frozen and analyst is None and forget_ends(transaction, row):
        body["reopens"] = True
    append(transaction, ledger.key, "freeze" if frozen else "unfreeze", body)
    if analyst is None:
        transaction.change(table_record(transaction, table), frozen=frozen)
    else:
        transaction.put(AnalystRecord(table, analyst, 0, frozen))


def _signed_off(by: str) -> dict[str, str]:
    """The account that acted, where it was not done at the data holder's own machine."""
    return {"by": by} if by else {}


_NO_BUDGET = Budget(Money("epsilon", has_delta=False).loss(Amount(Fraction(1))))


def _touched(facts: Facts) -> int:
    """How many cells of a partition one unit can be in: two where it can leave one and enter another."""
    return 1 if facts.neighbours == "add_remove" else 2


def _rest(budget: Budget) -> dict[str, Any]:
    """Everything in [budget] but the cap."""
    found: dict[str, Any] = {"partition": budget.partition}
    if budget.per_analyst is not None:
        found["per_analyst"] = loss_to(budget.per_analyst)
    if budget.max_epsilon_per_question is not None:
        found["max_epsilon_per_question"] = str(budget.max_epsilon_per_question)
    if budget.expires is not None:
        found["expires"] = budget.expires.isoformat()
    return found


def _record(
    facts: Facts, promised: str, account: str, standing: Standing, stamps: list[list[str]], *, frozen: bool
) -> TableRecord:
    rest = canonical(_rest(facts.budget)), canonical(stamps)
    return TableRecord(facts.name, account, standing.version, standing.epoch, standing.touched, promised, *rest, frozen)


def _public(facts: Facts) -> dict[str, Any]:
    found: dict[str, Any] = plain(replace(facts, located=None, joins=tuple(_bare(join) for join in facts.joins)))
    return found


def _check_group(snapshot: Snapshot, account: str, facts: Facts, money: Money, cap: Amount) -> None:
    had_money, had_cap = account_of(snapshot, account)
    if (had_money, had_cap) != (money, cap):
        raise FactsError(
            f"the group {facts.people!r} has a budget of {had_money.words(had_cap)}",
            hint="tables about the same people share one budget: write the same one", key="budget",
        )  # fmt: skip
    books: Books = books_of(snapshot, account, "")
    other = _registered(snapshot, next(iter(books.tables)))
    if (other["unit"]["is"], other["neighbours"]) != (type(facts.unit).__name__, facts.neighbours):
        raise FactsError(
            f"the group {facts.people!r} has another unit or relation",
            hint="tables about the same people have the same unit and neighbours", key="table.people",
        )  # fmt: skip


def _check_same(snapshot: Snapshot, row: TableRow, facts: Facts) -> None:
    """Unit, neighbours and people are fixed for the ledger's life (rules 2 and 11); not the caps of a unit (rule 25)."""
    was = _registered(snapshot, facts.name)
    for key, old, new in (
        ("unit", _whose(was["unit"]), _whose(plain(facts.unit))),
        ("neighbours", was["neighbours"], facts.neighbours),
        ("people", row.account, account_name(facts)),
    ):
        if old != new:
            hint = f"write {key} as it was registered"
            raise FactsError(f"{key} is fixed for the ledger's life", hint=hint, key=f"table.{key}")


def _separate(
    snapshot: Snapshot, ledger: Ledger, facts: Facts, account: str, seen: Mapping[str, Seen], reason: str
) -> dict[str, Any]:
    """What an entry says of tables with the same rows and another budget; refused unless there is a reason."""
    others = others_with(snapshot, ledger.key, facts.name, account, seen)
    if not others:
        return {}
    if not reason:
        raise FactsError(
            f"{others[0]} has the same rows, or had them, and a budget of its own",
            hint='tables about the same people name one group, people = "…", and share its budget; if nobody in them is the '
            'same, write --separate --reason "…"', key="table.source",
        )  # fmt: skip
    return {"separate": others, "why_separate": reason}


def _whose(unit: dict[str, Any]) -> tuple[Any, Any]:
    """Whose rows are one unit: what is left of it without caps."""
    return unit["is"], unit.get("column")


def _registered(snapshot: Snapshot, table: str) -> dict[str, Any]:
    """The facts of a table as they were first written down."""
    found: dict[str, Any] = _acts(snapshot, table)[0]["facts"]
    return found


def registered_unit(ledger: Ledger, table: str) -> Unit:
    """The unit of a table with the caps of its version now."""
    with ledger.store.reading() as snapshot:
        found = dict(_acts(snapshot, table)[-1]["facts"]["unit"])
    return ByColumn(**found) if found.pop("is") == "ByColumn" else EachRow()


def _versions(snapshot: Snapshot, table: str) -> list[str]:
    """The labels of all versions of a table, in order."""
    return [body["version"] for body in _acts(snapshot, table)]


def _acts(snapshot: Snapshot, table: str) -> list[dict[str, Any]]:
    """What was written down when a table was registered, and for every new version since."""
    return [entry.body for entry in each_entry(snapshot, "register", "version") if entry.body["table"] == table]


def _check_limit(money: Money, budget: Budget) -> None:
    """Refuses a limit per analyst that the account does not count in: no question could be admitted any more."""
    if budget.per_analyst is not None:
        money.amount(budget.per_analyst)
