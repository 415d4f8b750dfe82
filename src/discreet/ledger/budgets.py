"""What is left: of the budget of a table, and of it for whoever asks. Rules 11 and 13."""

from discreet.answers.answer import Allowance, BudgetState
from discreet.ledger.admission import limit_of
from discreet.ledger.alarms import ANONYMOUS
from discreet.ledger.entries.amounts import NOTHING, Amount
from discreet.ledger.entries.books import ALL, Books
from discreet.ledger.logins import closed
from discreet.ledger.port import Snapshot
from discreet.ledger.records import GrantRecord, LimitRecord, LoginRecord
from discreet.ledger.rows import TableRow

__all__ = ["state_of"]


def state_of(snapshot: Snapshot, row: TableRow, books: Books, asker: str | None = None) -> BudgetState:
    """Cap, spent and remaining, and by cells. Whoever asks sees themself beside it; the data holder, nobody, every analyst."""
    money = row.money
    spent = books.spent(now=row.name)
    left = row.cap.minus(spent).or_more(NOTHING)
    theirs = left if asker is None else _left_for(snapshot, row, books, asker, spent)
    kept = sorted((cell, amount) for (t, _, cell, who), amount in books.cells.items() if (t, who) == (row.name, ALL))
    names = _analysts(snapshot, row, books) if asker is None else []
    largest, most = money.affordable(theirs), row.most_per_question
    return BudgetState(
        money.loss(row.cap),
        money.loss(spent),
        money.loss(left),
        cells={cell: money.loss(amount) for cell, amount in kept},
        analysts={name: _allowance(snapshot, row, books, name, spent) for name in names},
        affordable=largest if most is None else min(largest, most),
        asker=None if asker is None else _allowance(snapshot, row, books, asker, spent),
    )


def _analysts(snapshot: Snapshot, row: TableRow, books: Books) -> list[str]:
    """Whoever has spent something, and whoever may by a grant or a limit."""
    spent = {who for _, _, who in books.totals} | {who for _, _, _, who in books.cells}
    granted, limited = snapshot.each(GrantRecord, table=row.name), snapshot.each(LimitRecord, table=row.name)
    may = {each.name for each in granted} | {each.name for each in limited}
    names = sorted((spent | may) - {ALL})
    return [] if names == [ANONYMOUS] and limit_of(snapshot, row, ANONYMOUS) is None else names  # all of it is in the total


def _allowance(snapshot: Snapshot, row: TableRow, books: Books, asker: str, by_all: Amount) -> Allowance:
    """What one of them has spent, and has left: of their limit, and of what all have."""
    spent, limit = books.spent(asker, now=row.name), limit_of(snapshot, row, asker)
    left, loss = _left_for(snapshot, row, books, asker, by_all), row.money.loss
    login = snapshot.one(LoginRecord, name=asker)
    state = "" if login is None else closed(login)
    return Allowance(asker, loss(spent), loss(left), None if limit is None else loss(limit), state)


def _left_for(snapshot: Snapshot, row: TableRow, books: Books, asker: str, by_all: Amount) -> Amount:
    """What one of them may still spend: what all have left, and no more than their limit leaves."""
    left, limit = row.cap.minus(by_all), limit_of(snapshot, row, asker)
    return (left if limit is None else left.or_less(limit.minus(books.spent(asker, now=row.name)))).or_more(NOTHING)
