"""Answers, quotes, tables and budgets as small pages of HTML for notebooks.

Self-contained: no script, no style sheet, nothing fetched. Colours are those of the page around it, so that light and dark
both work. Every text that is not ours is escaped.
"""

from collections.abc import Iterable, Sequence
from html import escape
from itertools import groupby
from math import isfinite
from typing import TYPE_CHECKING, Any

from discreet.answers.losses import share_left
from discreet.answers.words import (
    NOT_COVERED,
    basis_in_words,
    charge_in_words,
    error_in_words,
    groups_in_words,
    intervals_in_words,
    key_in_words,
    left_in_words,
    numbers_of,
    offer_in_words,
    only_reading,
    paid_in_words,
    parts_in_words,
    readings,
    spending_in_words,
)
from discreet.plots.lettering import clean
from discreet.plots.numerals import Reading, grouped, percent
from discreet.plots.view import name_in_words

if TYPE_CHECKING:
    from discreet.answers.answer import Answer, AnswerColumn, BudgetState
    from discreet.answers.quote import Quote
    from discreet.facts.model import Facts

__all__ = ["MOST_ROWS", "answer_as_html", "budget_as_html", "quote_as_html", "table_as_html"]

MOST_ROWS = 60
_BLUE = "#4c8dd6"  # readable on white and on black
_AMBER = "#c98a1b"
_FRAME = "display:inline-block;max-width:100%;overflow-x:auto;line-height:1.5;font-variant-numeric:tabular-nums"
_DIM = "opacity:.65;font-size:.9em"
_BAR = (160, 14)  # width and height of a bar with its error bar


# ---- answers


def answer_as_html(answer: "Answer") -> str:
    """One number large, several as a list, and with keys a table; counts get a bar with its error bar."""
    numbers = numbers_of(answer)
    if len(answer.rows) == 1 and len(numbers) == len(answer.columns):
        body = "".join(_single(answer, column) for column in numbers)
    else:
        body = _tabled(answer, numbers)
    foot = f"{intervals_in_words(answer)} · {paid_in_words(answer)}"
    gauge = "" if answer.rehearsed else _gauge(answer.budget)
    return _frame(_question(answer.question), body, gauge, _note(foot), _left_out(answer.left_out), _warned(answer.warnings))


def _single(answer: "Answer", column: "AnswerColumn") -> str:
    read = only_reading(answer, column)
    extra = {"ends": f"({read.spread})", "public": "(public)", "null": "no value"}.get(read.shape, read.spread)
    value = f'<b style="font-size:1.4em">{escape(read.value)}</b> {escape(extra)}'
    return f'<div><span style="{_DIM}">{escape(name_in_words(column))}</span> {value}</div>'


def _tabled(answer: "Answer", numbers: Sequence["AnswerColumn"]) -> str:
    drawn = next((column for column in numbers if column.kind == "count"), None)
    heads, cells = [], []
    for column in answer.columns:
        if column.kind == "key":
            heads.append(_cell(clean(column.name), head=True))
            cells.append([_cell(key_in_words(column, row[column.name])) for row in answer.rows[:MOST_ROWS]])
            continue
        heads.append(_cell(clean(column.name), head=True, right=True))
        cells.append([_figure(read) for read in readings(answer, column, MOST_ROWS)])
        if column is drawn:
            heads.append(_cell("", head=True))
            cells.append([f'<td style="padding:.1em .7em">{bar}</td>' for bar in _bars(answer, column)])
    more = len(answer.rows) - MOST_ROWS
    if not answer.rows:
        rest = _note("no rows")
    else:
        rest = _note(f"… {grouped(more)} more {'row' if more == 1 else 'rows'}") if more > 0 else ""
    return _table(heads, zip(*cells, strict=True)) + rest


def _figure(read: Reading) -> str:
    spread = f"({read.spread})" if read.shape == "ends" else read.spread
    dim = f' <span style="opacity:.65">{escape(spread)}</span>' if spread else ""
    return f'<td style="text-align:right;white-space:nowrap;padding:.1em .7em">{escape(read.value)}{dim}</td>'


def _bars(answer: "Answer", column: "AnswerColumn") -> list[str]:
    """For every row a bar from 0 to the count with its interval, all on one scale."""
    rows = [(row[column.name], *ends[column.name]) for row, ends in zip(answer.rows[:MOST_ROWS], answer.intervals, strict=False)]
    numbers = [float(each) for row in rows for each in row if _is_number(each)]
    low, high = min([0.0, *numbers]), max([0.0, *numbers])
    return [_bar(*row, low, high) if all(map(_is_number, row)) and high > low else "" for row in rows]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and (isinstance(value, int) or isfinite(value))


def _bar(value: float, low: float, high: float, first: float, last: float) -> str:
    width, height = _BAR
    middle = height / 2

    def at(number: float) -> float:
        return round(1 + (width - 2) * (number - first) / (last - first), 1)

    start, end = sorted((at(0), at(value)))
    whiskers = "".join(f"M{at(x)} {middle - 4}V{middle + 4}" for x in (low, high))
    bar = f'<rect x="{start}" y="2" width="{round(end - start, 1)}" height="{height - 4}" fill="{_BLUE}" fill-opacity=".55"/>'
    lines = f"M{at(low)} {middle}H{at(high)}{whiskers}M{at(0)} 0V{height}"
    path = f'<path d="{lines}" stroke="currentColor" stroke-opacity=".8" fill="none"/>'
    size = f'width="{width}" height="{height}"'
    return f'<svg {size} role="img" aria-label="{value}, from {low} to {high}" style="vertical-align:middle">{bar}{path}</svg>'


# ---- quotes


def quote_as_html(quote: "Quote") -> str:
    """Cost, split, expected ± and what would be left; nothing has been spent."""
    rows = [("costs", charge_in_words(quote))]
    if shares := [f"{what.strip()}: {cost}" for what, cost in parts_in_words(quote)]:
        rows += zip(["split"] + [""] * len(shares), shares, strict=False)
    rows += [("or for free", offer_in_words(each)) for each in quote.offers]
    rows += groups_in_words(quote)
    facts = _table([], [(f'<th style="text-align:left;padding:.1em .7em;{_DIM}">{escape(k)}</th>', _cell(v)) for k, v in rows])
    told = _left_out(quote.left_out), _warned(quote.warnings)
    return _frame(_question(quote.question), facts, _expected(quote), _gauge(quote.budget, quote), *told)


def _expected(quote: "Quote") -> str:
    heads = [_cell("column", head=True), _cell(f"± at {percent(quote.confidence)}", head=True, right=True), _cell("", head=True)]
    rows = []
    for name, group in groupby(quote.columns, key=lambda column: column.name):
        each = list(group)
        errors = " / ".join(error_in_words(column) for column in each)
        rows.append((_cell(clean(name)), _cell(errors, right=True), _cell(basis_in_words(each, quote.cells))))
    return _table(heads, rows) if rows else ""


# ---- tables and budgets


def table_as_html(facts: "Facts", budget: "BudgetState") -> str:
    """What is public about a table, and what is left of its budget."""
    from discreet.answers.public import about, columns_of

    name, *rest = about(facts)
    here = _note("the budget lives in this process and is gone with it") if facts.is_held else ""
    heads = [_cell(text, head=True) for text in ("column", "type", "values", "", "")]
    rows = [[_cell(clean(cell)) for cell in cells] for cells in columns_of(facts)]
    title = f'<div><b>{escape(name)}</b> <span style="{_DIM}">{escape(" · ".join(rest))}</span></div>'
    return _frame(title, _gauge(budget), _note(spending_in_words(budget)), here, _table(heads, rows))


def budget_as_html(state: "BudgetState") -> str:
    """The budget as a gauge with its numbers."""
    return _frame(_gauge(state), _note(spending_in_words(state)))


def _gauge(state: "BudgetState", quote: "Quote | None" = None) -> str:
    """A bar of what is left; what a quote would take of it is amber."""
    left = kept = 100 * share_left(state)
    if quote is not None and not quote.replay and quote.affordable:
        kept = 100 * share_left(quote.after)
    parts = [(kept, _BLUE), (left - kept, _AMBER)]
    filled = "".join(f'<div style="width:{share:.2f}%;background:{colour}"></div>' for share, colour in parts if share > 0)
    track = "display:flex;width:14em;height:.5em;margin:.4em 0;border-radius:.25em;overflow:hidden;background:#8885"
    return f'<div role="img" aria-label="{escape(left_in_words(state))}" style="{track}">{filled}</div>'


# ---- pieces


def _frame(*parts: str) -> str:
    return f'<div style="{_FRAME}">{"".join(parts)}</div>'


def _question(text: str) -> str:
    return f'<div style="{_DIM}"><code>{escape(clean(text))}</code></div>'


def _note(text: str) -> str:
    return f'<div style="{_DIM}">{escape(text)}</div>'


def _left_out(sentences: Iterable[str]) -> str:
    """What the ± does not cover, as a list behind its heading."""
    points = "".join(f"<li>{escape(clean(sentence))}</li>" for sentence in sentences)
    return f'<div style="{_DIM}">{NOT_COVERED}:<ul style="margin:.1em 0;padding-left:1.4em">{points}</ul></div>' if points else ""


def _warned(warnings: Iterable[str]) -> str:
    return "".join(f'<div style="color:{_AMBER}">! {escape(clean(warning))}</div>' for warning in warnings)


def _cell(text: str, *, head: bool = False, right: bool = False) -> str:
    tag, dim = ("th", f";{_DIM}") if head else ("td", "")
    side = "right" if right else "left"
    return f'<{tag} style="text-align:{side};white-space:nowrap;padding:.1em .7em{dim}">{escape(text)}</{tag}>'


def _table(heads: Sequence[str], rows: Iterable[Iterable[str]]) -> str:
    head = f"<thead><tr>{''.join(heads)}</tr></thead>" if heads else ""
    body = "".join(f"<tr>{''.join(cells)}</tr>" for cells in rows)
    return f'<table style="border-collapse:collapse;margin:.3em 0">{head}<tbody>{body}</tbody></table>'
