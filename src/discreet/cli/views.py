"""Answers, quotes and budgets on a page. Everything shown has been released or was public before."""

from typing import Any

from discreet.answers.answer import Answer, AnswerColumn, BudgetState, as_strings
from discreet.answers.losses import exactly, loss_in_words
from discreet.answers.quote import Quote
from discreet.answers.words import (
    cost_in_words,
    intervals_in_words,
    key_in_words,
    left_out_in_words,
    numbers_of,
    only_reading,
    quote_in_words,
    readings,
)
from discreet.cli.page import Cell, Page
from discreet.plots.lettering import clean, shortened
from discreet.plots.numerals import Reading, grouped, percent, read_number

__all__ = ["show_answer", "show_budget", "show_figures", "show_quote"]

_MOST_ROWS = 60
_LONGEST_NAME = 40


def show_answer(page: Page, answer: Answer) -> None:
    """The numbers with their intervals, what they cost, and what is left."""
    warnings = answer.warnings
    if answer.rehearsed:  # the first thing to know
        page.warn(warnings[:1])
        warnings = warnings[1:]
    show_figures(page, answer)
    page.gap()
    page.say(_footer(answer), style="dim")
    for line in left_out_in_words(answer.left_out):
        page.line((line, "dim"))
    if not answer.rehearsed:
        page.gauge(answer.budget)
    page.warn(warnings)


def show_figures(page: Page, answer: Answer, *, indent: int = 2) -> None:
    """The numbers alone: a list where there is one row without keys, else a table."""
    numbers = numbers_of(answer)
    if len(answer.rows) == 1 and len(numbers) == len(answer.columns):
        page.table("lrll", ["", "", "", ""], [_listed(answer, column) for column in numbers], indent=indent)
        return
    names: list[str] = []
    sides = ""
    columns: list[list[Cell]] = []
    for column in answer.columns:
        if column.kind == "key":
            names, sides = [*names, _name(column.name)], sides + ("r" if _is_numeric(answer, column) else "w")
            columns.append([key_in_words(column, row[column.name]) for row in answer.rows[:_MOST_ROWS]])
        else:
            read = readings(answer, column, _MOST_ROWS)
            names, sides = [*names, _name(column.name), percent(answer.confidence)], sides + "rl"
            columns += [[(each.value, "bold") for each in read], [_spread(each) for each in read]]
    page.table(sides, names, list(zip(*columns, strict=True)), indent=indent)
    if not answer.rows:
        page.line(("no rows", "dim"), indent=indent)
    if (more := len(answer.rows) - _MOST_ROWS) > 0:
        page.line((f"… {grouped(more)} more; --csv and --json print all", "dim"), indent=indent)


def _listed(answer: Answer, column: AnswerColumn) -> list[Cell]:
    """Name, value, ± and the two ends."""
    ends, read = answer.intervals[0][column.name], only_reading(answer, column)
    between = _ends(ends, whole=column.kind == "count") if read.shape == "both" else ""
    return [_name(column.name), (read.value, "bold"), _spread(read), (between and f"({between})", "dim")]


def _ends(ends: tuple[Any, Any], *, whole: bool) -> str:
    """``15 … 75``, rounded outwards: seen from one of its ends, an interval is read as two numbers."""
    return read_number(ends[0], ends, whole=whole).spread


def _spread(read: Reading) -> str:
    match read.shape:
        case "public":
            return "(public)"
        case "null":
            return ""
        case _:
            return read.spread


def _name(name: str) -> str:
    return shortened(clean(name), _LONGEST_NAME)


def _is_numeric(answer: Answer, column: AnswerColumn) -> bool:
    values = [row[column.name] for row in answer.rows]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return bool(values) and numeric and not column.labels


def _footer(answer: Answer) -> str:
    last = ["free"] if answer.rehearsed else [cost_in_words(answer), f"answer {answer.id}"]
    return " · ".join([intervals_in_words(answer), *last])


def show_quote(page: Page, quote: Quote) -> None:
    """What a question would cost and be worth."""
    page.line((f"quote for {clean(quote.table)}", "bold"), indent=0)
    page.say(quote.question, style="dim")
    for line in quote_in_words(quote).splitlines()[1:]:
        page.line(line, indent=0)
    page.gauge(quote.budget, quote.after if quote.affordable and not quote.replay else None)


def show_budget(page: Page, state: BudgetState, title: str) -> None:
    """Cap, spent and left; by cell and by analyst where there are some."""
    page.line((title, "bold"), indent=0)
    page.gauge(state)
    page.line(f"{loss_in_words(state.spent)} spent")
    if state.affordable is not None and set(as_strings(state.cap)) != {"epsilon"}:
        page.line(f"{exactly(state.affordable, up=False)} is the largest ε that one question may still cost")
    if state.cells:
        page.gap()
        page.table("ll", ["cell", "spent"], [(clean(name), loss_in_words(loss)) for name, loss in state.cells.items()])
    if state.analysts:
        page.gap()
        page.table(*_analysts(state))


def _analysts(state: BudgetState) -> tuple[str, list[str], list[list[Cell]]]:
    """Who has spent what, and what is left of their limits if there are some; of a closed account, that it is."""
    each = state.analysts.values()
    names, sides = ["analyst", "spent"], "ll"
    rows: list[list[Cell]] = [[clean(one.name), loss_in_words(one.spent)] for one in each]
    has_limits = any(one.limit is not None for one in each)
    if has_limits or any(one.closed for one in each):
        names, sides = [*names, "left"], "lll"
        for row, one in zip(rows, each, strict=True):
            row.append(one.closed or (loss_in_words(one.remaining, up=False) if has_limits else ""))
    if has_limits:
        names, sides = [*names, "limit"], "llll"
        for row, one in zip(rows, each, strict=True):
            row.append("" if one.limit is None else loss_in_words(one.limit))
    return sides, names, rows
