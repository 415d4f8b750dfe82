"""What a question would cost and be worth, before anything is spent."""

from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from discreet.answers.answer import BudgetState, PartPaid, as_strings
from discreet.privacy.losses import Loss

__all__ = ["Quote", "QuotedColumn", "QuotedOffer"]


@dataclass(frozen=True, slots=True)
class QuotedColumn:
    """The ± that a column will have; ``rows`` says for how many rows in a group, where that matters."""

    name: str
    plus_minus: float
    basis: str  # rows, released, assuming, rows_about, rows_kept (if caps leave them), table; rank, rank_of_units, range: the ±
    # is in ranks, or in parts of the range that is found, infinite where even that does not tell; units, table_of_units: ``rows``
    # are units; none: it does not depend on the data; public: nothing is drawn
    rows: int | None


@dataclass(frozen=True, slots=True)
class QuotedOffer:
    """A part that is bought although what is stored tells it less precisely: ± of a column for free, and as it is bought.

    At ``at`` or less the free one is as good as planned, and nothing is paid for it.
    """

    name: str
    free: float
    bought: float
    at: Loss


@dataclass(frozen=True, slots=True, repr=False)
class Quote:
    """Cost, split, expected ± per column, and what the budget would be afterwards. No data was touched."""

    table: str
    question: str
    cost: Loss
    split: tuple[tuple[str, Loss], ...]
    columns: tuple[QuotedColumn, ...]
    confidence: Fraction
    cells: int
    readable_group: int | None
    budget: BudgetState
    after: BudgetState  # as it would be
    affordable: bool = True  # whether the budget covers it, and what is left for whoever asks
    replay: bool = False
    warnings: tuple[str, ...] = ()
    counted: str = "rows"  # what the readable group has so many of
    free: tuple[str, ...] = ()  # parts that were bought before
    offers: tuple[QuotedOffer, ...] = ()
    left_out: tuple[str, ...] = ()  # what the ± does not cover, in sentences
    is_empty: bool = False  # WHERE leaves no group: it is refused if it is asked
    groups: tuple[tuple[str, ...], ...] = ()  # the keys of each group in words, where these are public and not too many
    takes: Loss | None = None  # off the budget, where that is less than the cost: another cell has borne as much already

    @property
    def parts(self) -> tuple[PartPaid, ...]:
        """What would be bought, and what is stored already."""
        bought = (PartPaid(what, price, stored=False) for what, price in self.split)
        return (*bought, *(PartPaid(what, None, stored=True) for what in self.free))

    def to_dict(self) -> dict[str, Any]:
        """The quote, ready for JSON."""
        return {
            "cost": as_strings(self.cost),
            "split": [{"what": what} | as_strings(loss) for what, loss in self.split],
            "parts": [part.to_dict() for part in self.parts],
            "columns": [
                {"name": c.name, "plus_minus": c.plus_minus if isfinite(c.plus_minus) else None, "basis": c.basis}
                | ({"rows": c.rows} if c.rows is not None else {})
                for c in self.columns
            ],
            "confidence": float(self.confidence),
            "cells": self.cells,
            "smallest_readable_group": self.readable_group,
            "budget": self.budget.to_dict(),
            "affordable": self.affordable,
            "left_after": as_strings(self.after.remaining),
            **self._theirs(),
            "replay": self.replay,
            "free": list(self.free),
            "left_out": list(self.left_out),
            "warnings": list(self.warnings),
        } | ({} if self.takes is None else {"takes": as_strings(self.takes)}) | self._offered()

    def _theirs(self) -> dict[str, Any]:
        """What would be left for whoever asks, if they have a limit."""
        asker = self.after.asker
        return {} if asker is None or asker.limit is None else {"analyst_left_after": as_strings(asker.remaining)}

    def _offered(self) -> dict[str, Any]:
        offers = [{"name": o.name, "free": o.free, "bought": o.bought, "at": as_strings(o.at)} for o in self.offers]
        return {"offers": offers} if offers else {}

    def __repr__(self) -> str:
        from discreet.answers.words import quote_in_words

        return quote_in_words(self)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import quote_as_html

        return quote_as_html(self)
