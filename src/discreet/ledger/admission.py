"""What may be asked of a table now, whatever is left of its budget: versions, expiry, limits of a question and of an analyst.

Who is frozen is in ``alarms``.
"""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Literal

from discreet.errors import AccessError, BudgetError
from discreet.exact import shown
from discreet.ledger.entries.amounts import NOTHING, Amount
from discreet.ledger.entries.books import ALL, Books
from discreet.ledger.entries.chain import now
from discreet.ledger.entries.charges import Request
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.journal import append
from discreet.ledger.port import Snapshot, Transaction
from discreet.ledger.records import EndRecord, LimitRecord
from discreet.ledger.rows import TableRow, table_row
from discreet.planning.price import Price
from discreet.privacy.losses import Concentrated
from discreet.remedies import Remedy

__all__ = ["UNCOUNTED", "admit", "admit_beside", "check_analyst", "check_end", "end_of", "forget_ends", "limit_of", "note_ends",
           "too_dear"]  # fmt: skip

UNCOUNTED = ("crashes", "superseded")  # references of charges that were written off, and are nobody's fault


def admit(snapshot: Snapshot, row: TableRow, request: Request) -> None:
    """Refuses what the data holder has closed, whatever is left."""
    if row.version != request.version:
        raise AccessError(f"{request.table} is at version {row.version} now", hint="open it again")
    check_end(snapshot, row)
    if (most := row.most_per_question) is not None:
        _check_most(most, request.price)


def check_end(snapshot: Snapshot, row: TableRow) -> None:
    """Refuses a table whose last day is over, or was when it was asked before."""
    end = end_of(snapshot, row)
    if end == "ended":
        hint = "the data holder can write a later expires and a new version into the facts and run discreet version new"
        raise AccessError(f"the budget of {row.name} ended on {row.expires}", hint=hint)
    if end == "clock":
        told = f"the budget of {row.name} was asked after its end on {row.expires}, and the clock has gone back since"
        raise AccessError(told, hint="if the clock was wrong then, the data holder can unfreeze the table")


def end_of(snapshot: Snapshot, row: TableRow) -> Literal["ended", "clock"] | None:
    """Whether the budget has ended, or had ended by the clock of then."""
    if _is_over(row):
        return "ended"
    return "clock" if _was_over(snapshot, row) else None


def _is_over(row: TableRow) -> bool:
    return row.expires is not None and now()[:10] > row.expires


def _was_over(snapshot: Snapshot, row: TableRow) -> bool:
    return row.expires is not None and snapshot.one(EndRecord, table=row.name, expires=row.expires) is not None


def note_ends(transaction: Transaction, key: SigningKey, tables: Iterable[str]) -> None:
    """Write down, once, which of the tables are asked after their last day: a clock that is set back opens none of them again."""
    for row in (table_row(transaction, table) for table in tables):
        if row.expires is not None and _is_over(row) and not _was_over(transaction, row):
            append(transaction, key, "end", {"table": row.name, "expires": row.expires})
            transaction.add(EndRecord(row.name, row.expires))


def forget_ends(transaction: Transaction, row: TableRow) -> bool:
    """The data holder says that the clock was wrong. Whether that opens the table: not if its last day is over now."""
    return not _is_over(row) and transaction.drop(EndRecord, table=row.name) > 0


def admit_beside(snapshot: Snapshot, row: TableRow, request: Request) -> None:
    """Refuses what the data holder has closed for another table that the question reads, or that has another account."""
    for table, version in request.beside:
        other = table_row(snapshot, table)
        if other.account != row.account:
            raise AccessError(f"{table} is not about the same people", hint="write the same people in both facts files")
        admit(snapshot, other, replace(request, table=table, version=version))


def too_dear(row: TableRow, request: Request) -> BudgetError | None:
    """Why one question may not cost as much, whatever is left; None if it may."""
    try:
        if (most := row.most_per_question) is not None:
            _check_most(most, request.price)
    except BudgetError as error:
        return error
    return None


def _check_most(most: Fraction, price: Price) -> None:
    """What one question may cost, whatever is left."""
    if isinstance(price, Concentrated):
        how = Remedy(f"write {{epsilon={shown(most)}}} or less")
        raise BudgetError("a question to this table is priced by epsilon", hint=how)
    if price.epsilon > most:
        asked = f"the question costs epsilon {shown(price.epsilon)}"
        raise BudgetError(asked, hint=f"one question may cost at most {shown(most)}")


def limit_of(snapshot: Snapshot, row: TableRow, asker: str) -> Amount | None:
    """What one asker may spend of a table, named or not; None if the cap is all there is, as it is for the data holder.

    Of the limit that the facts have for everybody and the one of an account, the stricter counts.
    """
    if asker == ALL:
        return None
    found = snapshot.one(LimitRecord, name=asker, table=row.name)
    own = None if found is None else Amount.from_texts(found.amount, found.delta)
    return own if row.per_analyst is None else row.per_analyst if own is None else own.or_less(row.per_analyst)


def check_analyst(snapshot: Snapshot, row: TableRow, books: Books, asker: str, amount: Amount, before: Amount) -> None:
    """Refuses what is more than one asker may spend. ``books`` has the charge already, ``before`` is what they had spent."""
    limit = limit_of(snapshot, row, asker)
    if limit is not None and not books.spent(asker).fits(limit):
        left = limit.minus(before).or_more(NOTHING)
        told = row.money.too_much(amount, left, books.spent(asker).beyond(limit), f" for {asker}")
        raise BudgetError(told, hint="ask for less precision, or for something already answered, which is free")
