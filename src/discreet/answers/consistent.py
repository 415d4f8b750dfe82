"""Counts made consistent: whole, not negative, and summing to a public total. Post-processing, so it costs nothing.

The result is the point of {x ≥ 0, Σx = total} nearest to the released counts, rounded to whole numbers that keep the sum;
it is then the nearest of all such whole points too. Intervals stay with the released counts. Rule 9.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.plots.lettering import for_terminal
from discreet.plots.numerals import grouped
from discreet.privacy.losses import Pure

if TYPE_CHECKING:
    from discreet.answers.answer import Answer, AnswerColumn

__all__ = ["ConsistentCounts", "consistent_counts", "consistent_rows"]

_FREE = "ε 0: worked out from released counts, so it costs nothing; intervals belong to those"


@dataclass(frozen=True, slots=True, repr=False)
class ConsistentCounts:
    """Counts of an answer made consistent: whole, none negative, with the sum ``total``. Free, and without intervals."""

    columns: tuple["AnswerColumn", ...]
    rows: tuple[dict[str, Any], ...]
    total: int

    @property
    def cost(self) -> Pure:
        """Nothing: post-processing of what was released."""
        return Pure(epsilon=0)

    def to_dict(self) -> dict[str, Any]:
        """As data for JSON."""
        columns = [{"name": column.name, "kind": column.kind} for column in self.columns]
        return {"columns": columns, "rows": list(self.rows), "total": self.total, "cost": {"epsilon": "0"}}

    def to_pandas(self) -> Any:
        """The rows as a pandas DataFrame."""
        from discreet.answers.answer import library

        return library("pandas").DataFrame(list(self.rows), columns=[column.name for column in self.columns])

    def __repr__(self) -> str:
        from discreet.answers.words import MOST_ROWS, aligned, key_in_words

        shown = self.rows[:MOST_ROWS]
        lines = [
            aligned([column.name, *(_cell(column, row, key_in_words) for row in shown)], right=column.kind != "key")
            for column in self.columns
        ]
        more = [f"… {grouped(len(self.rows) - MOST_ROWS)} more"] if len(self.rows) > MOST_ROWS else []
        texts = [*("  ".join(parts).rstrip() for parts in zip(*lines, strict=True)), *more]
        return for_terminal("\n".join([*texts, f"sum {grouped(self.total)} · {_FREE}"]))


def _cell(column: "AnswerColumn", row: dict[str, Any], key_in_words: Any) -> str:
    return str(key_in_words(column, row[column.name]) if column.kind == "key" else grouped(row[column.name]))


def consistent_rows(answer: "Answer", total: int | None = None, column: str | None = None) -> ConsistentCounts:
    """The keys of every row with its consistent count, under the name of the column it replaces."""
    name = _count_column(answer, column)
    counts = [row[name] for row in answer.rows]
    if any(count is None for count in counts):
        raise ParameterError(f"{name} has cells without a value", hint="leave them out, for instance by HAVING")
    whole = [round(count) for count in counts]
    wanted = max(0, sum(whole)) if total is None else exact_whole(total, "total", at_least=0)
    keys = [each.name for each in answer.columns if each.kind == "key"]
    fixed = consistent_counts(whole, wanted)
    rows = tuple({key: row[key] for key in keys} | {name: count} for row, count in zip(answer.rows, fixed, strict=True))
    return ConsistentCounts(tuple(each for each in answer.columns if each.name in (*keys, name)), rows, wanted)


def _count_column(answer: "Answer", column: str | None) -> str:
    found = [each.name for each in answer.columns if each.kind == "count"]
    if column is not None:
        if column not in found:
            raise ParameterError(f"the answer has no count column {column!r}", hint=f"name one of: {', '.join(found) or 'none'}")
        return column
    if len(found) != 1:
        hint = f"choose one by column=: {', '.join(found)}" if found else "ask for COUNT(*)"
        raise ParameterError(f"the answer has {len(found) or 'no'} count columns", hint=hint)
    return found[0]


def consistent_counts(counts: Sequence[int], total: int) -> list[int]:
    """Whole numbers, none negative, that sum to ``total``; among these the nearest to ``counts`` by squared distance."""
    if not counts:
        if total:
            raise ParameterError(f"there is no cell to hold a total of {total}", hint="write a total of 0")
        return []
    kept, excess = _level(counts, total)
    # the nearest real point is (kept * count - excess) / kept where that is positive, else 0
    scaled = [max(0, kept * count - excess) for count in counts]
    floors = [each // kept for each in scaled]
    missing = total - sum(floors)
    largest = sorted(range(len(counts)), key=lambda place: -(scaled[place] % kept))  # a stable sort: ties by order
    for place in largest[:missing]:
        floors[place] += 1
    return floors


def _level(counts: Sequence[int], total: int) -> tuple[int, int]:
    """(how many cells stay positive, how much these lose together), by sorted prefix sums: Held, Wolfe and Crowder (1974)."""
    largest = sorted(counts, reverse=True)
    found = (1, largest[0] - total)
    for kept, (count, prefix) in enumerate(zip(largest, accumulate(largest), strict=True), start=1):
        if kept * count - (prefix - total) > 0:
            found = (kept, prefix - total)
    return found
