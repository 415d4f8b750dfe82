"""The page of a release: one HTML file that fetches nothing, reads well on paper and to a screen reader, in light and in dark.

Every number of every table is on it with its interval. Every text that is not ours is escaped, and the page forbids itself
scripts and addresses.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from math import ceil, exp
from typing import Any

from discreet.answers.losses import exactly, loss_in_words
from discreet.answers.public import about
from discreet.curator.together import Worth
from discreet.facts.model import ByColumn, Facts
from discreet.plots.lettering import clean
from discreet.plots.numerals import TOO_FEW, Reading, grouped, percent, read_column
from discreet.privacy.losses import Pure
from discreet.publishing.pictures import chart_of_sheet, mark_of
from discreet.publishing.sheets import Sheet, SheetColumn
from discreet.publishing.style import STYLE

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
        f"<header><h1>{_text(page.title)}</h1>{_paragraphs(page.description)}{_summary(page)}</header>",
        _contents(sheets),
        "<main>",
        *(_section(sheet, page.receipts.get(sheet.name)) for sheet in sheets),
        _spending(page),
        _promises(page),
        _checking(page),
        "</main>",
        _footer(page),
    ]
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}"><meta name="referrer" content="no-referrer">'
        f"<title>{_text(page.title)}</title><style>{STYLE}</style>"
    )
    body = "\n".join(parts)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


# ---- the top


def _summary(page: ReleasePage) -> str:
    """What the release cost, in one line for each budget."""
    lines = [f"<li><strong>{_text(loss_in_words(each.loss))}</strong> spent on {_text(', '.join(each.tables))}</li>"
             for each in page.cost]  # fmt: skip
    kinds = f"{_many(len(page.asked), 'question')}, {_many(len(page.derived), 'derived table')}"
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


def _contents(sheets: Sequence[Sheet]) -> str:
    links = [f'<li><a href="#{_id(sheet)}">{_text(sheet.title)}</a></li>' for sheet in sheets]
    rest = [("privacy", "What was spent"), ("intervals", "What the intervals say"), ("check", "Check it yourself")]
    links += [f'<li><a href="#about-{anchor}">{words}</a></li>' for anchor, words in rest]
    return f'<nav aria-label="Contents"><ul>{"".join(links)}</ul></nav>'


# ---- one table


def _section(sheet: Sheet, paid: Mapping[str, Any] | None) -> str:
    """A table with its receipt; a derived one has none."""
    is_derived = paid is None
    chart = chart_of_sheet(sheet)
    told = f"Chart of {_text(sheet.title)}; its numbers are in the table below"
    figure = f'<figure class="chart" role="img" aria-label="{told}">{chart}</figure>' if chart else ""
    price = "derived, free" if paid is None else _paid(sheet, paid)
    bare = [column.name for column in sheet.columns if not column.has_error]
    has_errors = sheet.confidence and any(column.has_error and column.kind != "key" for column in sheet.columns)
    sure = f" · {percent(Fraction(sheet.confidence))} intervals" if has_errors else ""
    sure += f" · without its error: {_text(', '.join(bare))}" if bare else ""
    file = f'<a href="{_text(sheet.name)}.csv" download>{_text(sheet.name)}.csv</a>'
    receipt = "" if is_derived else f' · <a href="receipts/{_text(sheet.name)}.json">receipt</a>'
    how = "How it was derived from the tables on this page" if is_derived else "The question"
    return (
        f'<section id="{_id(sheet)}" aria-labelledby="{_id(sheet)}-title"><h2 id="{_id(sheet)}-title">{_text(sheet.title)}</h2>'
        f'<p class="tags">{_text(price)}{sure} · {file}{receipt}</p>'
        f"{_paragraphs(sheet.description)}{figure}{_table(sheet, with_marks=not chart)}{_left_out(sheet)}{_warned(sheet)}"
        f"<details><summary>{how}</summary><pre><code>{escape(sheet.sql)}</code></pre></details></section>"
    )


def _left_out(sheet: Sheet) -> str:
    """What the intervals of this table do not cover."""
    points = "".join(f"<li>{_text(sentence)}</li>" for sentence in sheet.left_out)
    return f'<div class="left-out"><p>The intervals of this table do not cover:</p><ul>{points}</ul></div>' if points else ""


def _warned(sheet: Sheet) -> str:
    """What else is to be known of its numbers, as a terminal says it."""
    points = "".join(f"<li>{_text(sentence)}</li>" for sentence in sheet.warnings)
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
    more = f'<p class="tags">{_many(len(rows) - _MOST_ROWS, "more row")} in the file</p>' if len(rows) > _MOST_ROWS else ""
    caption = f"{_text(sheet.title)}, {_many(sheet.rows, 'row')}"
    return (
        f'<div class="table" role="region" tabindex="0" aria-label="{caption}"><table><caption>{caption}</caption>'
        f"<thead><tr>{''.join(heads)}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _head(column: SheetColumn, *, right: bool) -> str:
    meaning = f'<small>{_text(column.in_words)}</small>' if column.in_words else ""
    side = ' class="number"' if right else ""
    return f'<th scope="col"{side}>{_text(column.name)}{meaning}</th>'


def _keys(column: SheetColumn, *, is_head: bool) -> list[str]:
    found = []
    for value in column.values:
        shown = "none" if value is None else str(value).casefold() if isinstance(value, bool) else str(value)
        label = column.labels.get(value)
        words = label if value is None and label else shown if label is None or label == shown else f"{shown} {label}"
        found.append(f'<th scope="row">{_text(words)}</th>' if is_head else f"<td>{_text(words)}</td>")
    return found


def _figures(column: SheetColumn) -> list[str]:
    """Rounded as far as the interval allows; the exact ends are told on demand."""
    whole = column.kind == "count" or all(value is None or isinstance(value, int) for value in column.values)
    if not column.has_interval:
        ends = [(value, value) for value in column.values]
        alone = _marked(read_column(column.values, ends, whole=whole), column)
        return [f'<td class="number">{_text(str(read))}</td>' for read in alone]
    ends = list(zip(column.lows, column.highs, strict=True))
    read = _marked(read_column(column.values, ends, whole=whole), column)
    return [_figure(each, low, high, column.is_public) for each, (low, high) in zip(read, ends, strict=True)]


def _marked(read: list[Reading], column: SheetColumn) -> list[Reading]:
    """The readings, and where too few rows are behind a number, that."""
    few = set(column.too_few)
    return [TOO_FEW if row in few else each for row, each in enumerate(read)]


def _figure(read: Reading, low: Any, high: Any, is_public: bool) -> str:
    alone = "public" if is_public else "± 0"  # an interval without width is no reason to call a number public. Rule 28
    spread = {"ends": f"({read.spread})", "public": alone, "null": "no value"}.get(read.shape, read.spread)
    if read.shape == "few":
        return f'<td class="number">{_text(read.value)} <span class="spread">{_text(spread)}</span></td>'
    exact = f"from {'−∞' if low is None else low} to {'∞' if high is None else high}"
    return f'<td class="number" title="{exact}">{_text(read.value)} <span class="spread">{_text(spread)}</span></td>'


# ---- what it all means


def _spending(page: ReleasePage) -> str:
    rows = []
    for sheet in page.asked:
        receipt = page.receipts[sheet.name]
        budget = receipt["budget"]
        noise = "; ".join(dict.fromkeys(map(str, sheet.noise))) or "none: public numbers only"
        rows.append((sheet.title, receipt["table"], _paid(sheet, receipt), noise,
                     f"{_loss(budget['before'])} → {_loss(budget['after'])} of {_loss(budget['cap'])}"))  # fmt: skip
    heads = ("question", "table", "price", "noise", "budget, before → after")
    head = "".join(f'<th scope="col">{each}</th>' for each in heads)
    body = "".join(f'<tr><th scope="row">{_text(first)}</th>{"".join(f"<td>{_text(each)}</td>" for each in rest)}</tr>'
                   for first, *rest in rows)  # fmt: skip
    told = [*(_worth(each, page.facts) for each in page.cost), *(" · ".join(about(each)) for each in page.facts)]
    if any("stored" in receipt for receipt in page.receipts.values()):
        told.append("Some of it was released before, for other questions. All that these have cost is in the whole, and not in "
                    "the prices of the tables: these add up to less.")  # fmt: skip
    words = "".join(f"<p>{_text(text)}</p>" for text in told)
    free = ("<p>Derived tables cost nothing: they are worked out from released numbers alone.</p>" if page.derived else "")
    return (
        f'<section id="about-privacy"><h2>What was spent</h2>{words}{free}'
        f'<div class="table"><table class="plain"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></section>'
    )


def _paid(sheet: Sheet, receipt: Mapping[str, Any]) -> str:
    """The price of a question; where stored numbers are behind some of its answer, what the rest has cost."""
    if "stored" not in receipt:
        return _loss(receipt["price"])
    if not receipt["mechanisms"]:
        return "nothing: all was released before"
    return f"{_letters(sheet.cost)}, the rest was released before"


def _worth(cost: Worth, facts: Sequence[Facts]) -> str:
    """What the loss means for one unit."""
    tables = ", ".join(cost.tables)
    theirs = next(each for each in facts if each.name in cost.tables)
    unit = f"all rows of any one {theirs.unit.column}" if isinstance(theirs.unit, ByColumn) else "any one row"
    other = "not been in the table" if theirs.neighbours == "add_remove" else "been different"
    said = f"Everything on this page together costs {loss_in_words(cost.loss)} of the privacy budget of {tables}."
    if not isinstance(cost.loss, Pure):
        return said
    factor = ceil(exp(float(cost.loss.epsilon)) * 1000) / 1000
    return (f"{said} Whatever is concluded from it would have come out with a probability at most {factor:g} times as large, or "
            f"as small, had {unit} {other}.")  # fmt: skip


def _loss(parts: Mapping[str, str]) -> str:
    """In this order, whatever order they were kept in."""
    letters = {"epsilon": "ε", "delta": "δ", "rho": "ρ"}
    given = {letter: Fraction(parts[name]) for name, letter in letters.items() if name in parts}
    return ", ".join(f"{letter} {exactly(part, up=True)}" for letter, part in given.items() if part or letter != "δ")


def _letters(cost: str) -> str:
    """``epsilon 1 delta 1e-6``, as a sheet has it."""
    words = cost.split()
    return _loss(dict(zip(words[::2], words[1::2], strict=True)))


def _promises(page: ReleasePage) -> str:
    whole = any(sheet.is_simultaneous for sheet in page.asked)
    each = "each interval holds by itself" + (", unless its table says that all hold at once" if whole else "")
    derived = (
        "<li>Intervals of derived tables are those that their SQL works out; the confidence is their author's claim.</li>"
        "<li>Derived tables show the rows that their SQL chooses, which may be few of those released.</li>"
        if page.derived
        else ""
    )
    return (
        '<section id="about-intervals"><h2>What the intervals say</h2><ul>'
        f"<li>An interval covers the noise that was added on purpose, and rounding to the grid: {each}, with the confidence that "
        "is written above its table.</li>"
        "<li>It does not cover what was wrong or missing in the data, or the luck of a sample. What else was cut or left out is "
        "written below each table.</li>"
        "<li>Counts can come out below zero, and parts need not add up to the whole: nothing was smoothed over. "
        "Small numbers beside a large ± say little.</li>"
        f"{''.join(f'<li>{each}</li>' for each in _groups(page.asked, has_derived=bool(page.derived)))}"
        f"{derived}</ul></section>"
    )


def _groups(asked: Sequence[Sheet], *, has_derived: bool) -> list[str]:
    """What it means that a group is listed, or is not: it depends on the kinds of tables that there are."""
    told = [sheet for sheet in asked if any(column.kind == "key" and column.noise for column in sheet.columns)]
    chosen = [sheet for sheet in asked if sheet.is_chosen and sheet not in told]
    found = []
    if len(told) + len(chosen) < len(asked):
        only = " that are not derived" if has_derived else ""
        where = f"In the other tables{only}, every" if told or chosen else f"In tables{only}, every" if only else "Every"
        found.append(f"{where} group that could be there is shown, empty ones too: that a group is listed says nothing "
                     "about the data.")  # fmt: skip
    if chosen:
        found.insert(0, f"Of {_titles(chosen)} only groups are shown that were chosen by their released numbers.")
    if told:
        found.insert(0, f"Of {_titles(told)} no public list has all groups: only those with enough people are released. That a "
                        "group is missing does not mean that nobody is in it.")  # fmt: skip
    return found


def _titles(sheets: Sequence[Sheet]) -> str:
    return ", ".join(_text(sheet.title) for sheet in sheets)


def _checking(page: ReleasePage) -> str:
    first = next(iter(page.receipts))
    signed = sorted({str(receipt.get("signed_by", "")) for receipt in page.receipts.values()})
    commands = "\n".join(f"discreet receipt verify receipts/{name}.json --key public.pem" for name in page.receipts)
    return (
        '<section id="about-check"><h2>Check it yourself</h2>'
        "<p>Every question has a signed receipt that states the question, the mechanism and its scale, the loss, and the budget "
        "before and after. Checking one needs neither the data nor a connection:</p>"
        f"<pre><code>{_lines(commands)}</code></pre>"
        f"<p>The key <code>public.pem</code> is that of the curator, number <code>{_text(', '.join(signed))}</code>; compare it "
        "with one that you have from elsewhere. "
        f'<a href="receipts/{_text(first)}.json">The first receipt</a>, '
        '<a href="data-dictionary.csv">the data dictionary</a> and '
        '<a href="release.json">the list of all files with their hashes</a> lie beside this page.</p></section>'
    )


def _footer(page: ReleasePage) -> str:
    software = sorted({str(receipt.get("software", "")) for receipt in page.receipts.values()})
    days = sorted(str(receipt["entry"]["at"])[:10] for receipt in page.receipts.values())
    when = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    return f"<footer><p>Answered {_text(when)} by {_text(', '.join(software))}.</p></footer>"


# ---- pieces


def _id(sheet: Sheet) -> str:
    return f"table-{_text(sheet.name)}"


def _many(count: int, what: str) -> str:
    return f"{grouped(count)} {what}" if count == 1 else f"{grouped(count)} {what}s"


def _text(text: str) -> str:
    return escape(clean(text))


def _lines(text: str) -> str:
    return "\n".join(map(_text, text.splitlines()))


def _paragraphs(text: str) -> str:
    parts = [part for part in text.split("\n\n") if part.strip()]
    return "".join(f"<p>{_text(part)}</p>" for part in parts)
