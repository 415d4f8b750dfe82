"""Answers, quotes and budgets as they travel over HTTP: the service writes them, its clients read them back whole."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from math import inf
from typing import TYPE_CHECKING, Any

from discreet.answers.answer import Allowance, Answer, AnswerColumn, BudgetState, as_strings
from discreet.answers.quote import Quote, QuotedColumn, QuotedOffer
from discreet.exact import exact, shown
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

if TYPE_CHECKING:
    from discreet.answers.ranges import RangeTotals

__all__ = ["answer_body", "budget_body", "quote_body", "read_answer", "read_budget", "read_loss", "read_quote"]

Body = Mapping[str, Any]
_READERS: dict[str, Callable[[str], object]] = {"date": date.fromisoformat, "timestamp": datetime.fromisoformat}


# ---- losses and budgets


def read_loss(written: Mapping[str, str]) -> Loss:
    """``{"epsilon": "0.1"}`` as a loss."""
    if "rho" in written:
        return Concentrated(rho=written["rho"])
    if "delta" in written:
        return Approximate(epsilon=written["epsilon"], delta=written["delta"])
    return Pure(epsilon=written["epsilon"])


def budget_body(state: BudgetState) -> dict[str, Any]:
    """What may be spent, is spent and is left, with the largest ε that one question may still cost."""
    return state.to_dict() | ({} if state.affordable is None else {"largest_epsilon": shown(state.affordable)})


def read_budget(body: Body) -> BudgetState:
    """A budget as it was."""
    largest = body.get("largest_epsilon")
    return BudgetState(
        cap=read_loss(body["cap"]), spent=read_loss(body["spent"]), remaining=read_loss(body["remaining"]),
        cells={cell: read_loss(loss) for cell, loss in body.get("cells", {}).items()},
        analysts={name: _allowance(name, each) for name, each in body.get("analysts", {}).items()},
        affordable=None if largest is None else exact(largest),
        asker=_allowance(body["analyst"]["name"], body["analyst"]) if "analyst" in body else None,
    )  # fmt: skip


def _allowance(name: str, body: Body) -> Allowance:
    limit = read_loss(body["limit"]) if "limit" in body else None
    return Allowance(name, read_loss(body["spent"]), read_loss(body["remaining"]), limit, body.get("state", ""))


# ---- answers


def answer_body(answer: Answer) -> dict[str, Any]:
    """The one answer shape, what it answers, all else that it has in Python, and ±s, so that no client has to work one out."""
    columns = [each.to_dict() | {"drawn": each.is_drawn} | _type_of(answer, each.name) for each in answer.columns]
    found = answer.to_dict() | {
        "table": answer.table, "question": answer.question, "columns": columns, "budget": budget_body(answer.budget),
        "split": [{"what": what} | as_strings(loss) for what, loss in answer.split], "half_widths": _half_widths(answer),
    }  # fmt: skip
    if answer.receipt is not None:
        found["receipt"] = dict(answer.receipt)
    return found | ({"ranges": [_ranges(each) for each in answer.ranges]} if answer.ranges else {})


def _half_widths(answer: Answer) -> list[dict[str, float | None]]:
    """Row by row, as intervals are; None where there is none, or where ends that are not equally far say more."""
    from discreet.plots.numerals import half_width  # which clients do not need

    counts = {column.name for column in answer.columns if column.kind == "count"}
    return [{name: half_width(row[name], pair, whole=name in counts) for name, pair in ends.items()}
            for row, ends in zip(answer.rows, answer.intervals, strict=True)]  # fmt: skip


def _type_of(answer: Answer, column: str) -> dict[str, str]:
    """What texts of a column stand for, where JSON has none of its kind."""
    value = next((row[column] for row in answer.rows if row[column] is not None), None)
    if not isinstance(value, date):
        return {}
    return {"type": "timestamp" if isinstance(value, datetime) else "date"}


def read_answer(body: Body) -> Answer:
    """An answer as it was."""
    types = {each["name"]: each["type"] for each in body["columns"] if "type" in each}
    rows = tuple({name: _read(value, types.get(name)) for name, value in row.items()} for row in body["rows"])
    answer = Answer(
        id=body["id"], table=body["table"], question=body["question"],
        columns=tuple(_column(each, rows) for each in body["columns"]),
        rows=rows,
        intervals=tuple({n: _pair(ends, types.get(n)) for n, ends in row.items()} for row in body["intervals"]),
        confidence=exact(body["confidence"]), cost=read_loss(body["cost"]), budget=read_budget(body["budget"]),
        split=_split(body.get("split", ())), replayed=body["replayed"], warnings=tuple(body["warnings"]),
        rank_intervals=tuple({n: _pair(ends, None) for n, ends in row.items()} for row in body.get("rank_intervals", ())),
        receipt=body.get("receipt"), rehearsed=body.get("rehearsed", False), simultaneous=body.get("simultaneous", False),
        free=tuple(body.get("free", ())), left_out=tuple(body.get("left_out", ())),
        too_few=tuple(map(tuple, body.get("too_few", ()))), paid=read_loss(body["paid"]) if "paid" in body else None,
    )  # fmt: skip
    ranges = tuple(_read_ranges(each, answer, types) for each in body.get("ranges", ()))
    return replace(answer, ranges=ranges) if ranges else answer


def _column(body: Body, rows: tuple[Mapping[str, Any], ...]) -> AnswerColumn:
    values = {"null" if value is None else str(value): value for value in (row[body["name"]] for row in rows)}
    whole = bool(values) and all(isinstance(value, int | None) for value in values.values())
    labels = {values.get(text, _key(text, whole=whole)): label for text, label in body.get("labels", {}).items()}
    return AnswerColumn(body["name"], body["kind"], labels, body.get("drawn", False), body.get("width"))


def _key(text: str, *, whole: bool) -> object:
    """The value of a label that no row of the answer has."""
    if text == "null":
        return None
    return int(text) if whole and text.lstrip("-").isdecimal() else text


def _read(value: Any, kind: str | None) -> Any:
    return _READERS[kind](value) if kind is not None and isinstance(value, str) else value


def _pair(ends: list[Any], kind: str | None) -> tuple[Any, Any]:
    low, high = ends
    return _read(low, kind), _read(high, kind)


def _split(written: Any) -> tuple[tuple[str, Loss], ...]:
    return tuple((each["what"], read_loss({name: part for name, part in each.items() if name != "what"})) for each in written)


def _ranges(ranges: "RangeTotals") -> dict[str, Any]:
    """The bins behind a running count, so that totals over them are free for clients too."""
    return {
        "column": ranges.column, "edges": [shown(edge) for edge in ranges.edges], "keys": list(ranges.keys),
        "groups": [list(each) for each in ranges.groups], "bins": ranges.bins.tolist(), "runs": list(ranges.tree.runs),
        "law": {"linear": shown(ranges.law.linear), "quadratic": shown(ranges.law.quadratic)},
    }  # fmt: skip


def _read_ranges(body: Body, answer: Answer, types: Mapping[str, str]) -> "RangeTotals":
    import numpy as np

    from discreet.answers.ranges import RangeTotals
    from discreet.noise.law import Law
    from discreet.statistics.trees import Tree

    keys, bins = tuple(body["keys"]), np.array(body["bins"], dtype=np.float64)
    groups = tuple(tuple(_read(v, types.get(k)) for k, v in zip(keys, each, strict=True)) for each in body["groups"])
    law = Law(Fraction(body["law"]["linear"]), Fraction(body["law"]["quadratic"]))
    edges, tree = tuple(exact(edge) for edge in body["edges"]), Tree(len(body["bins"]), tuple(body["runs"]))
    return RangeTotals(body["column"], edges, keys, groups, bins, tree, law, answer.confidence)


# ---- quotes


def quote_body(quote: Quote) -> dict[str, Any]:
    """The one shape of quotes, and all else that a quote has in Python."""
    return quote.to_dict() | {
        "table": quote.table, "question": quote.question, "empty": quote.is_empty, "counted": quote.counted,
        "budget": budget_body(quote.budget), "after": budget_body(quote.after), "groups": [list(each) for each in quote.groups],
    }  # fmt: skip


def read_quote(body: Body) -> Quote:
    """A quote as it was."""
    return Quote(
        table=body["table"], question=body["question"], cost=read_loss(body["cost"]), split=_split(body["split"]),
        columns=tuple(_quoted(each) for each in body["columns"]), confidence=exact(body["confidence"]), cells=body["cells"],
        readable_group=body["smallest_readable_group"], budget=read_budget(body["budget"]), after=read_budget(body["after"]),
        affordable=body["affordable"], replay=body["replay"], warnings=tuple(body["warnings"]), counted=body["counted"],
        free=tuple(body["free"]),
        offers=tuple(QuotedOffer(o["name"], o["free"], o["bought"], read_loss(o["at"])) for o in body.get("offers", ())),
        left_out=tuple(body["left_out"]), is_empty=body["empty"], groups=tuple(tuple(each) for each in body.get("groups", ())),
        takes=read_loss(body["takes"]) if "takes" in body else None,
    )  # fmt: skip


def _quoted(body: Body) -> QuotedColumn:
    wide = inf if body["plus_minus"] is None else body["plus_minus"]
    return QuotedColumn(body["name"], wide, body["basis"], body.get("rows"))
