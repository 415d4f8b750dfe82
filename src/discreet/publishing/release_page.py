"""The page of a release: one HTML file that fetches nothing, reads well on paper and to a screen reader, in light and in dark.

Every number of every table is on it with its interval. Every text that is not ours is escaped, and the page forbids itself
scripts and addresses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any

from discreet.answers.losses import loss_in_words
from discreet.curator.together import Worth
from discreet.facts.model import Facts
from discreet.plots.numerals import TOO_FEW, Reading, drawn_without_width, percent
from discreet.publishing.accounted import checking, paid_for, promises, spending
from discreet.publishing.bars import bars_of, example
from discreet.publishing.pictures import mark_of
from discreet.publishing.readings import key_in_words, many, readings, text
from discreet.publishing.sheets import Sheet, SheetColumn
from discreet.publishing.style import style

__all__ = ["ReleasePage", "page_of"]

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_MOST_ROWS = 5000  # of a table; the file beside the page has all of them
_MOST_MARKS = 4  # columns of a table that get a picture beside each number


@dataclass(frozen=True, slots=True)
class ReleasePage:
    """What a page shows. ``receipts`` are by the name of their question."""

    title: str
    description: str
    derived: tuple[Sheet, ...]
    asked: tuple[Sheet, ...]
    cost: tuple[Worth, ...]
    facts: tuple[Facts, ...]
    receipts: Mapping[str, Mapping[str, Any]]


def page_of(page: ReleasePage) -> str:
    """The whole page. The same for the same answers: nothing in it depends on when it was made."""
    sheets = [*page.derived, *page.asked]
    parts = [
        '<a class="skip" href="#main">Skip to the release</a><main id="main" class="release">',
        _top(page),
        _how(sheets),
        _contents(sheets),
        *(_section(sheet, page.receipts.get(sheet.name)) for sheet in sheets),
        spending(page.asked, page.cost, page.facts, page.receipts, has_derived=bool(page.derived)),
        promises(page.asked, has_derived=bool(page.derived)),
        checking(page.receipts),
        _end(page),
        "</main>",
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><meta name="referrer" content="no-referrer">'
        f'<meta name="color-scheme" content="light dark"><title>{text(page.title)}</title><style>{style()}</style>'
    )
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


# ---- the top


def _top(page: ReleasePage) -> str:
    tables = ", ".join(f"<code>{text(each.name)}</code>, version {text(each.version)}" for each in page.facts)
    words = "".join(f'<p class="lede">{text(part)}</p>' for part in page.description.split("\n\n") if part.strip())
    return (
        f'<header class="title"><p class="small quiet">Answered {text(_when(page))} · {tables}</p>'
        f"<h1>{text(page.title)}</h1>{words}{_summary(page)}</header>"
    )


def _when(page: ReleasePage) -> str:
    days = sorted(str(receipt["entry"]["at"])[:10] for receipt in page.receipts.values())
    return days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"


def _summary(page: ReleasePage) -> str:
    """What the release cost, in one line for each budget."""
    lines = [f"<li><strong>{text(loss_in_words(each.loss))}</strong> spent on {text(', '.join(each.tables))}</li>"
             for each in page.cost]  # fmt: skip
    derived = f", {many(len(page.derived), 'derived table')}" if page.derived else ""
    kinds = many(len(page.asked), "question") + derived
    errors = f"<li>{chip}</li>" if (chip := _errors([*page.derived, *page.asked])) else ""
    return f'<ul class="summary">{"".join(lines)}<li>{kinds}</li>{errors}</ul>'


def _errors(sheets: Sequence[Sheet]) -> str:
    """What every number of the page comes with, if it is the same for all."""
    drawn = [column for sheet in sheets for column in sheet.columns if column.kind != "key" and not column.is_public]
    if not drawn or not all(column.has_error for column in drawn):
        return ""
    by_rank = [not column.has_interval for column in drawn]
    if all(by_rank):
        return "every number with the error of its rank"
    return "every number with its error, or that of its rank" if any(by_rank) else "every number with its error"


def _how(sheets: Sequence[Sheet]) -> str:
    """How to read a bar, where there are bars."""
    if not any(column.has_interval for sheet in sheets for column in sheet.columns):
        return ""
    sure = {Fraction(sheet.confidence) for sheet in sheets if sheet.confidence}
    times = f"{float(100 * sure.pop()):g} of 100 cases" if len(sure) == 1 else "as many of 100 cases as its table says"
    return (
        f'<figure class="how" aria-labelledby="how-head">{example()}'
        '<figcaption><h2 id="how-head">How to read a bar</h2>'
        f"<p>The dot is the published number. In {times} the number without noise is within the bar. If two bars overlap "
        "widely, do not call one number larger.</p></figcaption></figure>"
    )


def _contents(sheets: Sequence[Sheet]) -> str:
    links = [f'<li><a href="#{_id(sheet)}">{text(sheet.title)}</a></li>' for sheet in sheets]
    rest = [("privacy", "What was spent"), ("intervals", "What the intervals say"), ("check", "Check it yourself")]
    links += [f'<li><a href="#about-{anchor}">{words}</a></li>' for anchor, words in rest]
    return f'<nav class="contents" aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


# ---- one table


def _section(sheet: Sheet, paid: Mapping[str, Any] | None) -> str:
    """A table with its chart and its receipt; a derived one has none. With a chart the table is opened on demand."""
    is_derived = paid is None
    chart = bars_of(sheet)
    told = f"Chart of {text(sheet.title)}; its numbers are in the table below"
    figure = f'<figure class="plot" role="img" aria-label="{told}">{chart}</figure>' if chart else ""
    price = "derived, free" if paid is None else paid_for(sheet, paid)
    bare = [column.name for column in sheet.columns if not column.has_error]
    has_errors = sheet.confidence and any(column.has_error and column.kind != "key" for column in sheet.columns)
    sure = f" · {percent(Fraction(sheet.confidence))} intervals" if has_errors else ""
    sure += f" · without its error: {text(', '.join(bare))}" if bare else ""
    file = f'<a href="{text(sheet.name)}.csv" download>{text(sheet.name)}.csv</a>'
    receipt = "" if is_derived else f' · <a href="receipts/{text(sheet.name)}.json">receipt</a>'
    how = "How it was derived from the tables on this page" if is_derived else "The question"
    sql = f'<pre class="code" tabindex="0" role="region" aria-label="{how}"><code>{escape(sheet.sql)}</code></pre>'
    table = _table(sheet, with_marks=not chart)
    words = "".join(f'<p class="sub">{text(part)}</p>' for part in sheet.description.split("\n\n") if part.strip())
    more = (f"<details><summary>Table and SQL</summary>{table}{sql}</details>" if chart
            else f"{table}<details><summary>{how}</summary>{sql}</details>")  # fmt: skip
    return (
        f'<section id="{_id(sheet)}" class="finding" aria-labelledby="{_id(sheet)}-title">'
        f'<h2 id="{_id(sheet)}-title">{text(sheet.title)}</h2>{words}{figure}'
        f'<p class="tags">{text(price)}{sure} · {file}{receipt}</p>{_left_out(sheet)}{_warned(sheet)}{more}</section>'
    )


def _left_out(sheet: Sheet) -> str:
    """What the intervals of this table do not cover."""
    points = "".join(f"<li>{text(sentence)}</li>" for sentence in sheet.left_out)
    return f'<div class="left-out"><p>The intervals of this table do not cover:</p><ul>{points}</ul></div>' if points else ""


def _warned(sheet: Sheet) -> str:
    """What else is to be known of its numbers, as a terminal says it."""
    points = "".join(f"<li>{text(sentence)}</li>" for sentence in sheet.warnings)
    return f'<div class="left-out"><p>To be read beside it:</p><ul>{points}</ul></div>' if points else ""


def _table(sheet: Sheet, *, with_marks: bool) -> str:
    marked = [column.name for column in sheet.columns if column.has_interval and with_marks][:_MOST_MARKS]
    heads, cells = [], []
    for place, column in enumerate(sheet.columns):
        is_key = column.kind == "key"
        heads.append(_head(column, right=not is_key))
        cells.append(_keys(column, is_head=place == 0) if is_key else _figures(column))
        if column.name in marked:
            heads.append('<td class="mark"></td>')
            cells.append([f'<td class="mark" aria-hidden="true">{mark}</td>' for mark in mark_of(column)])
    rows = list(zip(*cells, strict=True))
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows[:_MOST_ROWS])
    more = f'<p class="tags">{many(len(rows) - _MOST_ROWS, "more row")} in the file</p>' if len(rows) > _MOST_ROWS else ""
    caption = f"{text(sheet.title)}, {many(sheet.rows, 'row')}"
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{caption}"><table class="data"><caption>{caption}</caption>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _head(column: SheetColumn, *, right: bool) -> str:
    meaning = f"<small>{text(column.in_words)}</small>" if column.in_words else ""
    side = ' class="num"' if right else ""
    return f'<th scope="col"{side}>{text(column.name)}{meaning}</th>'


def _keys(column: SheetColumn, *, is_head: bool) -> list[str]:
    words = [text(key_in_words(column, value)) for value in column.values]
    return [f'<th scope="row">{each}</th>' if is_head else f"<td>{each}</td>" for each in words]


def _figures(column: SheetColumn) -> list[str]:
    """Rounded as far as the interval allows; the exact ends are told on demand. What was chosen from a list is as in keys."""
    if column.kind == "mode":
        few, chosen = set(column.too_few), _keys(column, is_head=False)
        return [_figure(TOO_FEW, None, None, is_public=False) if row in few else cell for row, cell in enumerate(chosen)]
    if not column.has_interval:
        return [f'<td class="num">{text(str(read))}</td>' for read in readings(column)]
    ends = zip(column.lows, column.highs, strict=True)
    return [_figure(each, low, high, column.is_public) for each, (low, high) in zip(readings(column), ends, strict=True)]


def _figure(read: Reading, low: Any, high: Any, is_public: bool) -> str:
    alone = "public" if is_public else drawn_without_width(read).spread  # no width is no reason to call it public. Rule 28
    spread = {"ends": f"({read.spread})", "public": alone, "null": "no value"}.get(read.shape, read.spread)
    if read.shape == "few":
        return f'<td class="num few">{text(read.value)} <span class="spread">{text(spread)}</span></td>'
    exact = f"from {'−∞' if low is None else low} to {'∞' if high is None else high}"
    return f'<td class="num" title="{exact}">{text(read.value)} <span class="spread">{text(spread)}</span></td>'


# ---- the end


def _end(page: ReleasePage) -> str:
    software = sorted({str(receipt.get("software", "")) for receipt in page.receipts.values()})
    return (
        '<p class="quiet small end"><a href="data-dictionary.csv">Data dictionary</a> · <a href="release.json">All files</a> · '
        f'<a href="public.pem">public.pem</a> · made with {text(", ".join(software))}</p>'
    )


def _id(sheet: Sheet) -> str:
    return f"table-{text(sheet.name)}"
