"""Stored answers shown again, and what released answers say about later ones.

A stored answer is shown as it was when it was settled. Intervals of another confidence are worked out from its draws, where this
version makes the plan that was charged, to the letter; the values beside them are still those that the receipt signs.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.answers.document import Document
from discreet.answers.ranges import RangeTotals
from discreet.curator.left_out import left_out
from discreet.curator.results import document_of, ranges_of
from discreet.curator.stock import Stock
from discreet.errors import LedgerFault
from discreet.ledger.entries.charges import Request, Stored
from discreet.ledger.entries.documents import document_from
from discreet.planning.plan import Plan
from discreet.planning.purchase import Purchase
from discreet.plots.numerals import percent
from discreet.remedies import Remedy
from discreet.views.counts_behind import counts_for, rows_at_least
from discreet.views.rows import Shown, is_drawn
from discreet.views.stored import view_of

__all__ = ["check_old", "released_rows", "shown_again"]

_WHOSE = {True: "all at once", False: "each by itself"}


def check_old(stored: Stored | None, stock: Stock) -> None:
    """Raises LedgerFault, before anything is charged, if a stored answer can be shown neither by its plan nor as it was shown."""
    if stored is not None and stored.document is None and stock.followed(stored.request) is None:
        raise LedgerFault(
            "the question is planned differently now, and the version that answered it kept nothing to show without its plan",
            hint=Remedy("use that version, which shows it for free; or ask with {anew}, which is charged again"),
        )


def shown_again(
    purchase: Purchase, stored: Stored, stock: Stock, confidence: Fraction, simultaneous: bool, *, is_new: bool
) -> tuple[Document, tuple[RangeTotals, ...]]:
    """What is shown of a stored answer to those who asked the plan, and the trees behind its running counts."""
    check_old(stored, stock)
    document = None if stored.document is None else _named(document_from(stored.document), purchase.plan)
    is_same = document is not None and (document.confidence, document.simultaneous) == (confidence, simultaneous)
    charged = purchase if is_new else _as_charged(purchase.plan, stored, stock)  # what is better by now is not what it was
    if charged is None:
        assert document is not None
        return _noted(document, is_same=is_same), ()
    view = view_of(charged)
    released = stock.released(view, () if charged.is_free else stored.released)
    ranges = ranges_of(view.plan, released, confidence)
    if document is not None and is_same:  # to the last digit what the receipt signs
        return document, ranges
    made = document_of(charged, released, confidence, simultaneous)
    if document is None:
        return made, ranges
    if all(map(_belongs, document.table.columns, made.table.columns)):
        return _with_values(made, document), ranges
    then = document_of(charged, released, document.confidence, document.simultaneous)
    if [each.values for each in then.table.columns] == [each.values for each in document.table.columns]:
        return made, ranges  # worked out as then: it is the confidence that shows other rows, by what counts as too few
    return _noted(document, is_same=False), ()


def _as_charged(plan: Plan, stored: Stored, stock: Stock) -> Purchase | None:
    """What the stored answer was charged for, with the names of this asker; None if it cannot be followed."""
    purchase = stock.followed(stored.request)
    return None if purchase is None else replace(purchase, plan=replace(purchase.plan, question=plan.question))


def _belongs(signed: Shown, made: Shown) -> bool:
    """Whether intervals that were made now stand beside the signed values: same rows, and around what is shown in them."""
    if len(signed.values) != len(made.values):
        return False
    if made.intervals is None:
        return made.kind != "key" or signed.values == made.values
    few = {*signed.too_few, *made.too_few}  # another confidence has others
    triples = enumerate(zip(signed.values, made.values, made.intervals, strict=True))
    return all(row in few or value == now or _is_inside(value, interval) for row, (value, now, interval) in triples)


def _is_inside(value: Any, interval: tuple[Any, Any]) -> bool:
    try:
        return bool(interval[0] <= value <= interval[1])
    except TypeError:  # nothing is shown there
        return False


def _with_values(made: Document, signed: Document) -> Document:
    """The intervals that were made now beside the values that the receipt signs, whatever formula this version has for them."""
    pairs = zip(made.table.columns, signed.table.columns, strict=True)
    columns = tuple(replace(now, values=_values(now, before)) for now, before in pairs)
    return replace(made, table=replace(made.table, columns=columns), split=signed.split, free=signed.free)


def _values(now: Shown, before: Shown) -> list[object]:
    """The signed values; but those of too few rows, by this confidence or by that, are as they were worked out now."""
    few = {*now.too_few, *before.too_few}
    return [now.values[row] if row in few else value for row, value in enumerate(before.values)] if few else before.values


def _named(document: Document, plan: Plan) -> Document:
    """A document with the names of this asker; what documents did not say in earlier versions is said too."""
    pairs = zip(document.table.columns, plan.question.outputs, strict=True)
    columns = tuple(replace(column, name=o.name, is_drawn=column.is_drawn or is_drawn(plan, o.value)) for column, o in pairs)
    told = left_out(plan) if document.left_out is None else document.left_out
    return replace(document, table=replace(document.table, columns=columns), left_out=told)


def _noted(document: Document, *, is_same: bool) -> Document:
    """A document with a note that it is shown as it was, whatever confidence was asked for."""
    note = "this version plans or works the question out differently: the answer is shown as it was stored"
    if not is_same:
        note += f", with intervals of {percent(document.confidence)}, {_WHOSE[document.simultaneous]}"
    return replace(document, warnings=(*document.warnings, note))


def released_rows(plan: Plan, stock: Stock, confidence: Fraction, request: Request) -> dict[str, tuple[int, ...]]:
    """Per output, how many rows are behind it at least, where a count of them was released before (rule 29)."""
    counts = counts_for(plan)
    if not counts:
        return {}
    stored = stock.draws(request, list(counts.values()), waits=False)
    found = {}
    for name, count in counts.items():
        told = (rows_at_least(plan, draw, stock.integers(draw), confidence) for draw in stored.get(count, ()))
        if (rows := next((each for each in told if each is not None), None)) is not None:
            found[name] = rows
    return found
