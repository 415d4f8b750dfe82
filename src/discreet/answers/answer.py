"""An answer as people and programs get it. Everything in it has been released."""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

from discreet.answers.spreadsheets import safe_cell
from discreet.errors import ParameterError, QuestionError
from discreet.exact import Number, shown
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

if TYPE_CHECKING:
    from discreet.answers.consistent import ConsistentCounts
    from discreet.answers.ranges import RangeTotals, Total

__all__ = ["Allowance", "Answer", "AnswerColumn", "BudgetState", "PartPaid", "as_strings", "library"]


def as_strings(loss: Loss) -> dict[str, str]:
    """A loss as decimal or fraction strings, never floats: {"epsilon": "0.1"}."""
    match loss:
        case Pure(epsilon=epsilon):
            return {"epsilon": shown(epsilon)}
        case Approximate(epsilon=epsilon, delta=delta):
            return {"epsilon": shown(epsilon), "delta": shown(delta)}
        case Concentrated(rho=rho):
            return {"rho": shown(rho)}


def _in_64_bits(value: Any) -> Any:
    return float(value) if isinstance(value, int) and not -(1 << 63) <= value < 1 << 63 else value


def library(name: str) -> Any:
    """A library that only those need who ask for its frames."""
    try:
        return import_module(name)
    except ImportError:
        how = f"run pip install {name}, or take to_columns(), which needs nothing"
        raise ParameterError(f"{name} is not installed", hint=how) from None


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one analyst has spent and has left; ``limit`` is theirs, None if the cap is all there is. No more than it is left."""

    name: str
    spent: Loss
    remaining: Loss
    limit: Loss | None = None
    closed: Literal["", "ended", "revoked"] = ""  # of an account that gets nothing more, whatever is left

    def to_dict(self) -> dict[str, Any]:
        """All but the name, as strings."""
        limit = {} if self.limit is None else {"limit": as_strings(self.limit)}
        state = {"state": self.closed} if self.closed else {}
        return limit | state | {"spent": as_strings(self.spent), "remaining": as_strings(self.remaining)}


@dataclass(frozen=True, slots=True, repr=False)
class BudgetState:
    """How much may be spent in all, has been spent, and is left.

    The data holder sees every analyst, whoever asks sees themself alone: ``asker``. Rule 11.
    """

    cap: Loss
    spent: Loss
    remaining: Loss
    cells: Mapping[str, Loss] = field(default_factory=dict)  # of the partition: what was charged to each alone
    analysts: Mapping[str, Allowance] = field(default_factory=dict)
    affordable: Fraction | None = None  # the largest single epsilon that is left, rounded down
    asker: Allowance | None = None

    def to_dict(self) -> dict[str, Any]:
        """All of it as strings."""
        found: dict[str, Any] = {
            "cap": as_strings(self.cap), "spent": as_strings(self.spent), "remaining": as_strings(self.remaining)
        }  # fmt: skip
        if self.cells:
            found["cells"] = {cell: as_strings(loss) for cell, loss in self.cells.items()}
        if self.analysts:
            found["analysts"] = {name: each.to_dict() for name, each in self.analysts.items()}
        if self.asker is not None:
            found["analyst"] = {"name": self.asker.name} | self.asker.to_dict()
        return found

    def __repr__(self) -> str:
        from discreet.answers.words import budget_in_words

        return budget_in_words(self)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import budget_as_html

        return budget_as_html(self)


@dataclass(frozen=True, slots=True)
class AnswerColumn:
    """A column's name, what it is, and labels of its values where the facts give some; ``is_drawn`` if noise is behind it.

    A key that stands for the lower end of a bin has the ``width`` of the bin.
    """

    name: str
    kind: str
    labels: Mapping[object, str] = field(default_factory=dict)
    is_drawn: bool = False
    width: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found: dict[str, Any] = {"name": self.name, "kind": self.kind}
        if self.labels:
            found["labels"] = {"null" if value is None else str(value): text for value, text in self.labels.items()}
        return found if self.width is None else found | {"width": self.width}


@dataclass(frozen=True, slots=True)
class PartPaid:
    """A part of a question: what it is, and its price; ``stored`` if it was bought before and nothing is charged for it now.

    The price of a stored part is what was paid for it with this very question; None where that was another one.
    """

    what: str
    price: Loss | None
    stored: bool

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"what": self.what, "stored": self.stored} | ({} if self.price is None else as_strings(self.price))


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """Released rows with an interval for every number; see DESIGN's answer shape.

    ``cost`` is what this ask has charged: nothing where the answer was there already, and then ``paid`` is what was charged when
    it was bought, None for what follows from other answers. ``parts`` has the price of each part, and whether it was stored.

    ``intervals`` has one entry per row: for every column but the keys, the (low, high) between which the exact value lies with
    the stated confidence, each by itself unless they are ``simultaneous``. It covers noise and rounding; ``left_out`` says what
    it does not. A quantile has one only if it was bought; ``rank_intervals`` has, for every quantile, how many rows its rank
    may be off from the one asked for. Where too few rows may be behind a number, as a released count says, neither is told:
    ``too_few`` has its name.
    """

    id: str
    table: str
    question: str
    columns: tuple[AnswerColumn, ...]
    rows: tuple[Mapping[str, Any], ...]
    intervals: tuple[Mapping[str, tuple[Any, Any]], ...]
    confidence: Fraction
    cost: Loss
    budget: BudgetState
    split: tuple[tuple[str, Loss], ...] = ()
    replayed: bool = False
    warnings: tuple[str, ...] = ()
    rank_intervals: tuple[Mapping[str, tuple[int, int]], ...] = ()  # per row, of values that were chosen by their rank
    receipt: Mapping[str, Any] | None = None  # a signed certificate; a rehearsal has none, nor has what others were answered
    rehearsed: bool = False
    simultaneous: bool = False  # whether all intervals hold at once with the confidence, or each by itself
    ranges: "tuple[RangeTotals, ...]" = ()  # behind running counts
    free: tuple[str, ...] = ()  # parts that were bought before
    left_out: tuple[str, ...] = ()  # what the intervals do not cover, in sentences
    too_few: tuple[tuple[str, ...], ...] = ()  # per row, columns without a value since too few rows are behind it; () if none
    paid: Loss | None = None  # what was charged when it was bought, where this ask has charged nothing

    @property
    def parts(self) -> tuple[PartPaid, ...]:
        """What the answer is made of: bought with it, now or before, and bought for other questions."""
        own = (PartPaid(what, price, self.replayed) for what, price in self.split)
        return (*own, *(PartPaid(what, None, stored=True) for what in self.free))

    def is_few(self, row: int, column: str) -> bool:
        """Whether a value is not shown because a released count says that there may be no rows behind it. Rule 28."""
        return bool(self.too_few) and column in self.too_few[row]

    @property
    def value(self) -> Any:
        """The only number of an answer that has just one."""
        numbers = [column.name for column in self.columns if column.kind != "key"]
        if len(self.rows) != 1 or len(numbers) != 1:
            raise ValueError("the answer has several numbers: see .rows")
        return self.rows[0][numbers[0]]

    @property
    def interval(self) -> tuple[Any, Any]:
        """The interval of the only number of an answer that has just one."""
        _ = self.value
        return next(iter(self.intervals[0].values()))

    def to_dict(self) -> dict[str, Any]:
        """The one answer shape, ready for JSON."""
        return {
            "id": self.id,
            "columns": [column.to_dict() for column in self.columns],
            "rows": [dict(row) for row in self.rows],
            "intervals": [{name: list(ends) for name, ends in row.items()} for row in self.intervals],
            "confidence": float(self.confidence),
            "cost": as_strings(self.cost),
            "parts": [part.to_dict() for part in self.parts],
            "budget": self.budget.to_dict(),
            "replayed": self.replayed,
            "left_out": list(self.left_out),
            "warnings": list(self.warnings),
        } | self._ranks() | self._told()

    def _told(self) -> dict[str, Any]:
        """What is said only where it is so."""
        said = {name: True for name in ("rehearsed", "simultaneous") if getattr(self, name)}
        few = {"too_few": [list(names) for names in self.too_few]} if self.too_few else {}
        paid = {} if self.paid is None else {"paid": as_strings(self.paid)}
        return said | ({"free": list(self.free)} if self.free else {}) | few | paid

    def _ranks(self) -> dict[str, Any]:
        found = [{name: list(ends) for name, ends in row.items()} for row in self.rank_intervals]
        return {"rank_intervals": found} if found else {}

    def to_columns(self) -> dict[str, list[Any]]:
        """Columns of values, each number followed by its ends: n, n_low, n_high.

        Values that were chosen by their rank have how many rows that may be off as well: q_rank_low, q_rank_high.
        """
        found: dict[str, list[Any]] = {}
        for column in self.columns:
            found[column.name] = [row[column.name] for row in self.rows]
            if column.kind != "key":
                found[f"{column.name}_low"] = [ends[column.name][0] for ends in self.intervals]
                found[f"{column.name}_high"] = [ends[column.name][1] for ends in self.intervals]
            if any(column.name in ends for ends in self.rank_intervals):
                off = [ends.get(column.name, (None, None)) for ends in self.rank_intervals]
                found[f"{column.name}_rank_low"], found[f"{column.name}_rank_high"] = [a for a, _ in off], [b for _, b in off]
        return found

    def to_csv(self) -> str:
        """The columns as CSV text with a header; texts that a spreadsheet would run as formulas begin with an apostrophe."""
        columns = self.to_columns()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(map(safe_cell, columns))
        writer.writerows(map(safe_cell, row) for row in zip(*columns.values(), strict=True))
        return text.getvalue()

    def to_pandas(self) -> Any:
        """The columns as a pandas DataFrame."""
        return library("pandas").DataFrame(self.to_columns())

    def to_polars(self) -> Any:
        """The columns as a polars DataFrame; whole numbers of more than 64 bits as floats."""
        columns = {name: [_in_64_bits(value) for value in values] for name, values in self.to_columns().items()}
        return library("polars").DataFrame(columns, strict=False)  # whole numbers and others in one column

    def to_arrow(self) -> Any:
        """The columns as an Arrow table."""
        return library("pyarrow").table(self.to_columns())

    def consistent(self, total: int | None = None, *, column: str | None = None) -> "ConsistentCounts":
        """The counts as whole numbers, none negative, summing to a public ``total`` (else to their own rounded sum).

        Free, since it only reads what was released. The intervals belong to the released counts, not to these.
        """
        from discreet.answers.consistent import consistent_rows

        return consistent_rows(self, total, column)

    def total(self, low: Number, high: Number, *, column: str | None = None, **group: Any) -> "Total":
        """How many rows are in the bins from ``low`` to below ``high``, with its interval: free where RUNNING_COUNT was asked.

        The range is half-open: ``high`` itself is not in it, and both ends are edges of bins, else the question is refused.
        ``group`` names a value for each of the other keys. Totals of any ranges agree with the bins and with each other.
        """
        found = [each for each in self.ranges if column in (None, each.column)]
        if len(found) != 1:
            raise QuestionError(
                "ranges have totals where one running count was asked for" if not found else "there are several running counts",
                hint="ask for RUNNING_COUNT(*) beside the bins" if not found else "name one: column='…'",
            )
        return found[0].total(low, high, group)

    def plot(self) -> Any:
        """A chart of the answer with its intervals: an Altair chart, or text where the plots extra is missing."""
        from discreet.plots import chart_of

        return chart_of(self)

    def __repr__(self) -> str:
        from discreet.answers.words import answer_in_words

        return answer_in_words(self)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import answer_as_html

        return answer_as_html(self)
