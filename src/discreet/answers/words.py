"""Answers, quotes, tables and budgets in plain text: what a terminal shows. Needs nothing but the standard library.

Digits follow the ±, and rounding does not narrow an interval. A loss is printed exactly wherever its exact text is short.
"""

from collections.abc import Iterable, Sequence
from itertools import groupby
from math import inf
from typing import TYPE_CHECKING, Any

from discreet.answers.losses import is_enough, letters, loss_in_words, share_left
from discreet.plots.lettering import clean, for_terminal, padded, shortened, width_of
from discreet.plots.numerals import TOO_FEW, Reading, drawn_without_width, grouped, percent, read_column, read_number, rough
from discreet.plots.view import as_bought, how_far, name_in_words, rank_interval, reads_whole

if TYPE_CHECKING:
    from discreet.answers.answer import Allowance, Answer, AnswerColumn, BudgetState
    from discreet.answers.quote import Quote, QuotedColumn, QuotedOffer
    from discreet.facts.model import Facts
    from discreet.privacy.losses import Loss

__all__ = [
    "MOST_ROWS",
    "NOT_COVERED",
    "aligned",
    "answer_in_words",
    "basis_in_words",
    "budget_in_words",
    "charge_in_words",
    "cost_in_words",
    "error_in_words",
    "groups_in_words",
    "intervals_in_words",
    "key_in_words",
    "left_in_words",
    "left_out_in_words",
    "numbers_of",
    "only_reading",
    "paid_in_words",
    "quote_in_words",
    "readings",
    "spending_in_words",
    "table_in_words",
]

MOST_ROWS = 30
NOT_COVERED = "not in the ±"
_MOST_COLUMNS_OF_TEXT = 40
_GAUGE = 20


# ---- answers


def answer_in_words(answer: "Answer") -> str:
    """One line for one number; a list for several; a table where there are keys."""
    numbers = numbers_of(answer)
    has_keys = len(numbers) < len(answer.columns)
    if len(answer.rows) == 1 and len(numbers) == 1 and not has_keys:
        lines = [_one_number(answer, numbers[0])]
    elif len(answer.rows) == 1 and not has_keys:
        lines = [*_listed(answer, numbers), _footer(answer)]
    else:
        lines = [*_tabled(answer), _footer(answer)]
    return for_terminal("\n".join([*lines, *left_out_in_words(answer.left_out), *_warned(answer.warnings)]))


def left_out_in_words(sentences: Sequence[str]) -> list[str]:
    """A line for each thing that the ± does not cover, behind a heading. Rule 28."""
    heads = [NOT_COVERED, *[" " * len(NOT_COVERED)] * len(sentences)]
    return [f"{head}  {clean(sentence)}" for head, sentence in zip(heads, sentences, strict=False)]


def numbers_of(answer: "Answer") -> list["AnswerColumn"]:
    """The columns that are not keys."""
    return [column for column in answer.columns if column.kind != "key"]


def key_in_words(column: "AnswerColumn", value: Any) -> str:
    """A key's value with its label beside it: ``1 Urban``."""
    label = column.labels.get(value)
    if value is None and label is not None:
        return clean(label)
    is_odd = isinstance(value, str) and value != value.strip()  # nobody sees blanks at an end, which make it another key
    shown = clean("none" if value is None else f"'{value}'" if is_odd else value)
    return shown if label is None or clean(label) == shown else f"{shown} {clean(label)}"


def readings(answer: "Answer", column: "AnswerColumn", most: int | None = None) -> list[Reading]:
    """The numbers of one column as people read them."""
    values = [row[column.name] for row in answer.rows[:most]]
    ends = [row[column.name] for row in answer.intervals[:most]]
    read = enumerate(zip(read_column(values, ends, whole=reads_whole(column, values)), ends, strict=True))
    return [TOO_FEW if answer.is_few(row, column.name) else _ranked(*each, answer, column) for row, each in read]


def only_reading(answer: "Answer", column: "AnswerColumn") -> Reading:
    """The number of one column where there is one row: it has as many digits as its own ± allows."""
    value, ends = answer.rows[0][column.name], answer.intervals[0][column.name]
    if answer.is_few(0, column.name):
        return TOO_FEW
    return _ranked(read_number(value, ends, whole=reads_whole(column, [value])), ends, answer, column)


def _ranked(read: Reading, ends: tuple[Any, Any], answer: "Answer", column: "AnswerColumn") -> Reading:
    """The reading of a value that was chosen by its rank: ``37 (rank ± 12)``, or the ends that were bought, equal ones too."""
    far = rank_interval(answer, column)
    if far is None and read.shape == "public" and column.is_drawn:  # noise so narrow that the interval has no width. Rule 28
        return drawn_without_width(read)
    if far is None or read.shape == "null":
        return read
    if read.shape == "public":
        return Reading(read.value, f"{read.value} … {read.value}", "ends")
    if ends != (None, None):
        return as_bought(column, read, ends)
    return Reading(_labelled(read.value, column), how_far(column, far), "ends")


def _labelled(value: str, column: "AnswerColumn") -> str:
    """A value of a list with its label beside it."""
    return next((f"{value} {clean(label)}" for each, label in column.labels.items() if clean(each) == value), value)


def cost_in_words(answer: "Answer") -> str:
    """What was paid for the answer: ``ε 0.1``, or that it was free this time."""
    if not answer.replayed:
        return loss_in_words(answer.cost)
    if answer.paid is None or not any(letters(answer.paid).values()):
        return "free, a view of what was bought before"
    return f"{loss_in_words(answer.paid)}, replayed, free"


def paid_in_words(answer: "Answer") -> str:
    """What was paid and what is left: ``ε 0.1 · 0.9 left``; a rehearsal took nothing."""
    return "a rehearsal, free" if answer.rehearsed else f"{cost_in_words(answer)} · {left_in_words(answer.budget)}"


def left_in_words(state: "BudgetState") -> str:
    """``0.9 left``, or ``0.9 left, 0.2 of it for alice`` who has a limit."""
    theirs = "" if state.asker is None or state.asker.limit is None else _theirs(state.asker)
    return f"{_rest(state.remaining)} left{theirs}"


def _theirs(asker: "Allowance") -> str:
    return f", {_rest(asker.remaining)} of it for {clean(asker.name)}"


def _rest(loss: "Loss") -> str:
    """What is left, with letters where there is more than one."""
    return loss_in_words(loss, named=len(letters(loss)) > 1, up=False)


def _one_number(answer: "Answer", column: "AnswerColumn") -> str:
    read, sure = only_reading(answer, column), percent(answer.confidence)
    match read.shape:
        case "both":
            figure = f"{read} ({sure})"
        case "ends":
            figure = f"{read.value} ({read.spread}, {sure})"
        case "public":
            figure = f"{read.value} (public)"
        case "null":
            figure = "has no value"
        case "few":
            figure = f"has {read.spread}"
    return f"{name_in_words(column)} {figure} · {paid_in_words(answer)}"


def _listed(answer: "Answer", columns: Sequence["AnswerColumn"]) -> list[str]:
    read = [only_reading(answer, column) for column in columns]
    names = [shortened(clean(column.name), _MOST_COLUMNS_OF_TEXT) for column in columns]
    values = aligned([each.value for each in read], right=True)
    texts = [f"{value} {_spread(each)}".rstrip() for value, each in zip(values, read, strict=True)]
    return [f"{name}  {text}" for name, text in zip(aligned(names), texts, strict=True)]


def _spread(read: Reading) -> str:
    if read.shape == "public":
        return "(public)"
    return f"({read.spread})" if read.shape == "ends" else read.spread


def _tabled(answer: "Answer") -> list[str]:
    columns = [_key_column(answer, c) if c.kind == "key" else _number_column(answer, c) for c in answer.columns]
    head, *body = [("  ".join(cells)).rstrip() for cells in zip(*columns, strict=True)]
    lines = [head, "─" * max(width_of(line) for line in [head, *body]), *body]
    if not answer.rows:
        lines.append("no rows")
    if (more := len(answer.rows) - MOST_ROWS) > 0:
        lines.append(f"… {grouped(more)} more {'row' if more == 1 else 'rows'}")
    return lines


def _key_column(answer: "Answer", column: "AnswerColumn") -> list[str]:
    """The header and every key, values and labels aligned each by themselves."""
    values = [row[column.name] for row in answer.rows[:MOST_ROWS]]
    missing = column.labels.get(None, "none")
    shown = [shortened(clean(missing if value is None else value), _MOST_COLUMNS_OF_TEXT) for value in values]
    known = [value for value in values if value is not None]
    numeric = bool(known) and all(isinstance(value, int | float) and not isinstance(value, bool) for value in known)
    texts = aligned(shown, right=numeric)
    if any(value is not None for value in column.labels):
        labels = ["" if value is None else column.labels.get(value, "") for value in values]
        texts = [f"{text} {shortened(clean(label), _MOST_COLUMNS_OF_TEXT)}" for text, label in zip(texts, labels, strict=True)]
        numeric = False
    return aligned([shortened(clean(column.name), _MOST_COLUMNS_OF_TEXT), *texts], right=numeric)


def _number_column(answer: "Answer", column: "AnswerColumn") -> list[str]:
    """The header and every number, aligned at the ± or at the first of two ends."""
    read = readings(answer, column, MOST_ROWS)
    values = aligned([each.value for each in read], right=True)
    spreads = aligned([_both_ends(each) for each in read])
    texts = [f"{value} {spread}".rstrip() for value, spread in zip(values, spreads, strict=True)]
    return aligned([shortened(clean(column.name), _MOST_COLUMNS_OF_TEXT), *aligned(texts)], right=True)


def _both_ends(read: Reading) -> str:
    return f"({read.spread})" if read.shape == "ends" else read.spread


def _footer(answer: "Answer") -> str:
    return f"{intervals_in_words(answer)} · {paid_in_words(answer)}"


def intervals_in_words(answer: "Answer") -> str:
    """What the intervals promise. Rule 28."""
    return f"{percent(answer.confidence)} intervals, noise only, {'all at once' if answer.simultaneous else 'each by itself'}"


def _warned(warnings: Iterable[str]) -> list[str]:
    return [f"! {clean(warning)}" for warning in warnings]


def aligned(texts: Sequence[str], *, right: bool = False) -> list[str]:
    """The texts, all as wide as the widest."""
    widest = max(map(width_of, texts), default=0)
    return [padded(text, widest, right=right) for text in texts]


# ---- quotes


def quote_in_words(quote: "Quote") -> str:
    """Cost, split, expected ± and what would be left; nothing has been spent."""
    parts = [
        ("costs", [charge_in_words(quote)]),
        ("split", [f"{what}  {cost}" for what, cost in parts_in_words(quote)]),
        (f"± at {percent(quote.confidence)}", _expected_lines(quote)),
        ("or for free", [offer_in_words(each) for each in quote.offers]),
        *((name, [line]) for name, line in groups_in_words(quote)),
        (NOT_COVERED, [clean(sentence) for sentence in quote.left_out]),
    ]
    shown = [(name, line) for name, lines in parts for name, line in zip([name] + [""] * len(lines), lines, strict=False)]
    names = aligned([name for name, _ in shown])
    head = f"quote for {clean(quote.table)} · {shortened(clean(quote.question), 100)}"
    body = [f"  {name}  {line}" for name, (_, line) in zip(names, shown, strict=True)]
    return for_terminal("\n".join([head, *body, *(f"  {line}" for line in _warned(quote.warnings))]))


def charge_in_words(quote: "Quote") -> str:
    """What the question would take from the budget, and what it would leave."""
    cost, left = loss_in_words(quote.cost), left_in_words(quote.budget)
    if quote.replay:
        return f"nothing: it was bought before, at this price or more; {left}"
    if not quote.affordable:
        return f"{cost}, more than {_who_has_too_little(quote)}: {left}"
    why = "" if quote.takes is None else ": other cells of the table have cost as much, and no unit is in both"
    then, asker = quote.after, quote.after.asker
    rest = f"{_rest(then.remaining)}{'' if asker is None or asker.limit is None else _theirs(asker)}"
    return f"{cost}; {left} before, {rest} after{why}"


def _who_has_too_little(quote: "Quote") -> str:
    asker = quote.after.asker
    if asker is not None and asker.limit is not None and not is_enough(asker.limit, asker.spent):
        return f"{clean(asker.name)} has"
    return "one question may cost" if is_enough(quote.budget.remaining, quote.cost) else "the budget has"


def groups_in_words(quote: "Quote") -> list[tuple[str, str]]:
    """How many groups there will be, and from what size on their counts are worth reading, each beside its heading."""
    lines = [("groups", f"{grouped(quote.cells)}, all of them released, empty ones too")] if quote.cells > 1 else []
    lines += [("groups", "0: no row that meets WHERE can be in one, and asking is refused")] if quote.is_empty else []
    if quote.readable_group is not None:
        least = grouped(quote.readable_group)
        lines.append(("counts", f"are reliable above about {least} {quote.counted}: there the ± is a tenth of the count"))
    return lines


def parts_in_words(quote: "Quote") -> list[tuple[str, str]]:
    """What each part costs, if there are several; those that were bought before are free."""
    parts = [(what, loss_in_words(loss)) for what, loss in quote.split] + [(what, "free: bought before") for what in quote.free]
    whats = aligned([shortened(clean(what), 60) for what, _ in parts])
    return [(what, cost) for what, (_, cost) in zip(whats, parts, strict=True)] if len(parts) > 1 else []


def offer_in_words(offer: "QuotedOffer") -> str:
    """What is there already, less precisely: ``n ± 42 instead of ± 30, at ε 0.07 or less``."""
    at = loss_in_words(offer.at, up=False)
    return f"{clean(offer.name)} ± {rough(offer.free)} instead of ± {rough(offer.bought)}, at {at} or less"


def _expected_lines(quote: "Quote") -> list[str]:
    by_name = [(name, list(each)) for name, each in groupby(quote.columns, key=lambda column: column.name)]
    names = aligned([clean(name) for name, _ in by_name])
    errors = aligned([" / ".join(error_in_words(column) for column in each) for _, each in by_name])
    bases = [basis_in_words(each, quote.cells) for _, each in by_name]
    return [f"{name}  {error}  {basis}".rstrip() for name, error, basis in zip(names, errors, bases, strict=True)]


def error_in_words(column: "QuotedColumn") -> str:
    """``± 30``; noise that is hardly ever there is no reason to call a number exact."""
    return "± < 1" if not column.plus_minus and column.basis != "public" else f"± {rough(column.plus_minus)}"


def basis_in_words(columns: Sequence["QuotedColumn"], cells: int) -> str:
    """What the ± of one column rests on: ``if about 5 000 rows``. Rule 29."""
    sizes = " / ".join(grouped(column.rows) for column in columns if column.rows is not None)
    where = " in a group" if cells != 1 else ""
    match columns[0].basis:
        case "rows":
            return f"for the {sizes} rows that are public"
        case "released":
            return f"for at least {sizes} row{'' if sizes == '1' else 's'}{where}, by a count already released"
        case "assuming":
            return f"assuming {sizes} rows{where}"
        case "rows_about" | "rows_kept" as known:
            left, more = ("the caps leave ", ", and more if they cut some") if known == "rows_kept" else ("", "")
            return f"if {left}about {sizes} rows{where}{more}"
        case "rank" | "rank_of_units" as by:
            return f"{'rows' if by == 'rank' else 'units'} in rank, whatever the data"
        case "count":
            return "rows fewer than any other value has, at most, whatever the data"
        case "range" if any(column.plus_minus == inf for column in columns):
            return "depends on the bounds found"
        case "range":
            return f"of the range found{f', for {sizes} rows{where}' if sizes else ''}"
        case "table":
            return f"for {sizes} rows{where}"
        case "units" | "table_of_units":
            return f"for {sizes} units{where}"
        case basis:
            return basis if basis == "public" else ""


# ---- tables and budgets


def budget_in_words(state: "BudgetState") -> str:
    """Cap, spent and left, with a gauge of what is left."""
    full = round(_GAUGE * share_left(state))
    return for_terminal(f"{spending_in_words(state)}  {'█' * full}{'░' * (_GAUGE - full)}")


def spending_in_words(state: "BudgetState") -> str:
    """``budget ε 1 · 0.1 spent · 0.9 left``."""
    spent = loss_in_words(state.spent, named=len(letters(state.spent)) > 1)
    return f"budget {loss_in_words(state.cap)} · {spent} spent · {left_in_words(state)}"


def table_in_words(facts: "Facts", budget: "BudgetState") -> str:
    """What is public about a table, and what is left of its budget."""
    from discreet.answers.public import about, columns_of

    described = [[*(shortened(clean(cell), _MOST_COLUMNS_OF_TEXT) for cell in cells), last] for *cells, last in columns_of(facts)]
    columns = [aligned(cells) for cells in zip(*described, strict=True)]
    head = [" · ".join(about(facts)), budget_in_words(budget)]
    if facts.is_held:
        head.append("the budget lives in this process and is gone with it")
    body = [("  " + "  ".join(cells)).rstrip() for cells in zip(*columns, strict=True)]
    return for_terminal("\n".join([*head, "", *body]))
