"""The demo on a terminal: each step as it happens, at 80 to 100 columns."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import assert_never

from discreet.answers.answer import AnswerColumn
from discreet.answers.losses import exactly, letters
from discreet.answers.words import cost_in_words, key_in_words, numbers_of, only_reading, readings
from discreet.cli.demo.steps import Asked, Chart, Checked, Derived, Example, Opened, Refusal, Replay, Step, Worth
from discreet.cli.ledgers import show_verified
from discreet.cli.options import typed
from discreet.cli.page import Cell, Page
from discreet.cli.receipts import show_verdict
from discreet.plots.numerals import Reading, grouped, read_number, rough
from discreet.plots.text_chart import text_chart
from discreet.privacy.losses import Loss

__all__ = ["show_end", "show_start", "show_step"]

_REMARKS = {
    "E1": "Each question is quoted first, which is free and reads no row; then it is charged; then it is answered. The exact "
          "figure stands here only because every row is made up: a curator never shows it. In the last column is what the "
          "text prints: R's noise after set.seed(123).",
    "E2": "994 incomes that may reach a million: at ε 0.1 their mean is good to about ± 30 000, hardly a figure at all, and the "
          "quote said so before anything was spent. With that, exactly nothing is left of ce_book.",
    "E3": "The noise is that of E1: it hides one person, and one person weighs as much among five thousand as among 994.",
    "E4": "ε is the price of the whole question. Mean and variance of a column come from the same noisy sums, so these four "
          "take two shares of 0.05, not four of 0.025 as on the slides. The means survive; the variances hardly do: one income "
          "near a million moves a variance far.",
    "E5": "Two means at ε 0.1 each, and the second took nothing from the budget: nobody is in both cells, so it is the fullest "
          "cell that counts, not the sum. (Where a neighbour changes a row, someone could move from one cell to the other, and "
          "the two would cost 0.2.)",
    "E6": "Six counts for the price of one, since everyone is in one group. Every group is released, empty ones too.",
}  # fmt: skip


def show_start(page: Page) -> None:
    """The title."""
    page.gap()
    page.line(("discreet", "bold"), " · a trusted curator for confidential tables")
    page.gap()
    page.say("A table is asked until its budget is spent. Every answer has noise and says how much; every charge is written "
             "down first. All rows below are made up; only their totals are those of the texts.")  # fmt: skip


def show_step(page: Page, step: Step) -> None:
    """One step of the story."""
    match step:
        case Opened():
            _opened(page, step)
        case Asked():
            _asked(page, step)
        case Worth():
            _worth(page, step)
        case Refusal():
            _refusal(page, step)
        case Replay():
            _replay(page, step)
        case Derived():
            _derived(page, step)
        case Checked():
            _checked(page, step)
        case Chart():
            _chart(page, step)
        case _:
            assert_never(step)


def _opened(page: Page, step: Opened) -> None:
    page.head("1 · Two tables are registered")
    for facts, state in step.tables:
        size = f"{grouped(facts.rows)} rows, a public number" if facts.rows else f"about {grouped(facts.rows_about or 0)} rows"
        how = "changed" if facts.neighbours == "change_one" else "added or removed"
        page.line((f"{facts.name:<11}", "bold"), f"{size}; nobody can tell if a row was {how}")
        page.gauge(state, indent=13)


def _asked(page: Page, step: Asked) -> None:
    if step.exercise == "E1":
        page.head("2 · A chapter's questions, to ce_book")
    if step.exercise == "E3":
        page.head("3 · The slides' questions, to ce_slides")
    costs = dict.fromkeys(exactly(_epsilon(example.quote.cost), up=True) for example in step.examples)
    price = f" · ε {next(iter(costs))}" if len(costs) == 1 else ""
    each = " each" if price and len(step.examples) > 1 else ""
    page.line((f"{step.exercise}  ", "bold cyan"), (f"{step.title}{price}{each}", "bold"))
    for sql in step.questions:
        page.say(sql, indent=6, style="dim")
    lines = [line for example in step.examples for line in _lines(example, priced=not price)]
    columns = [place for place in range(len(_NAMES)) if any(_words(line[place]) for line in lines)]
    page.table("".join(_SIDES[place] for place in columns), [_NAMES[place] for place in columns],
               [[line[place] for place in columns] for line in lines], indent=6)  # fmt: skip
    page.gauge(step.examples[-1].answer.budget, indent=6)
    page.say(_REMARKS[step.exercise], indent=6)
    page.gap()


_NAMES = ("", "ε", "quoted", "answer", "95 %", "left", "exact", "in the text")
_SIDES = "lrlrlrrr"


def _words(cell: Cell) -> str:
    return cell if isinstance(cell, str) else cell[0]


def _epsilon(loss: Loss) -> Fraction:
    return next(iter(letters(loss).values()))


def _lines(example: Example, *, priced: bool) -> Iterator[tuple[Cell, ...]]:
    """A line of the table for every number of an answer; one that stands alone says its price and what is left."""
    answer, columns = example.answer, numbers_of(example.answer)
    keys = [column for column in answer.columns if column.kind == "key"]
    quoted = {column.name: f"± {rough(column.plus_minus)}" for column in example.quote.columns}
    read = {column.name: _read(example, column) for column in columns}
    is_alone = len(columns) == len(answer.rows) == 1
    price = exactly(_epsilon(example.quote.cost), up=True) if priced else ""
    left = exactly(_epsilon(answer.budget.remaining), up=False) if is_alone else ""
    for place, row in enumerate(answer.rows):
        for column in columns:
            what = " ".join(key_in_words(key, row[key.name]) for key in keys) or example.what or ("" if is_alone else column.name)
            number, exact = read[column.name][place], grouped(round(example.truth[place][column.name]))
            yield (what, price, quoted[column.name], (number.value, "bold"), number.spread, left, (exact, "dim"),
                   (example.printed, "dim"))  # fmt: skip


def _read(example: Example, column: AnswerColumn) -> list[Reading]:
    if len(example.answer.rows) > 1:
        return readings(example.answer, column)
    return [only_reading(example.answer, column)]


def _worth(page: Page, step: Worth) -> None:
    page.line(("What ε buys", "bold"), " on 994 rows, by quotes, which are free even when nothing is left")
    rows = [(rung.epsilon, f"± {rough(rung.count)}", f"± {rough(rung.mean)}") for rung in step.rungs]
    page.table("rll", ["ε", "rural units", "mean income"], rows, indent=6)
    page.say("More rows, narrower bounds or more ε help, and nothing else does.", indent=6)
    page.gap()


def _replay(page: Page, step: Replay) -> None:
    answer = step.answer
    read = read_number(answer.rows[0]["n"], answer.intervals[0]["n"], whole=True)
    page.line(("Asked again", "bold"), " in other words: the same answer, free, though nothing is left")
    page.line((step.question, "dim"), indent=6)
    page.line((str(read), "bold"), f"  ({cost_in_words(answer)})", indent=6)
    page.gap()


def _refusal(page: Page, step: Refusal) -> None:
    page.line(("One question more", "bold"), f", for ε {step.epsilon}: {step.table} has exactly nothing left")
    page.line((step.question, "dim"), indent=6)
    page.line(("error: ", "bold red"), step.message, indent=6)
    page.say(f"hint: {step.hint}", indent=6, style="cyan")
    page.gauge(step.budget, indent=6)


def _derived(page: Page, step: Derived) -> None:
    page.line(("Free", "bold"), ": whatever is worked out from answers alone")
    page.table("ll", [], [(what, (number, "bold")) for what, number in step.numbers], indent=6)
    page.gap()


def _checked(page: Page, step: Checked) -> None:
    page.head("4 · How it adds up, and how to check it")
    page.table("lll", [], [
        ("in sequence", "E1, E2, each at 0.1 and 1", ("0.1 + 1 + 0.1 + 1 = 2.2", "bold")),
        ("at once", "E4, four statistics", ("0.05 + 0.05 = 0.1", "bold")),
        ("in cells", "E5, rural and urban", ("max(0.1, 0.1) = 0.1", "bold")),
        ("in groups", "E6, six counts", ("0.1", "bold")),
        ("in all", "E3 to E6", ("1.1 + 0.1 + 0.1 + 0.1 = 1.4", "bold")),
        ("free", "quotes, replays, sums, charts", ("0", "bold")),
    ])  # fmt: skip
    page.gap()
    page.say("Nobody has to believe this. The ledger is a chain of entries that can be added up again, and every answer has a "
             "signed receipt that is checked without the data.")  # fmt: skip
    page.gap()
    page.line(("$ discreet ledger verify .", "bold"))
    show_verified(page, step.verified, indent=4)
    page.line((f"$ discreet receipt verify {step.receipt_file.name}", "bold"))
    show_verdict(page, step.receipt, step.problems, key=".discreet/public.pem", indent=4)


def _chart(page: Page, step: Chart) -> None:
    page.gap()
    page.line(f"E6 drawn, with its intervals; also written to {step.file.name}")
    page.gap()
    drawn = text_chart(step.answer).draw(width=page.width - 4, ascii_only=page.console.options.ascii_only)
    for line in drawn.splitlines()[3:]:
        page.line(line, indent=4)


def show_end(page: Page, kept: Path | None) -> None:
    """What to do next."""
    page.head("5 · Your turn")
    if kept is None:
        page.line("discreet demo --keep DIR          ", ("the same, with tables and ledger to look at", "dim"))
        page.line("discreet sample ce_slides         ", ("a made-up table and its facts file", "dim"))
        page.line("discreet register ce_slides.toml  ", ("opens its budget", "dim"))
        page.line('discreet ask ce_slides.toml "SELECT COUNT(*) AS n FROM ce_slides" -e 0.1')
    else:
        page.line(f"discreet budget {typed(kept / 'ce_slides.toml')}")
        page.line(f"discreet ledger show {typed(kept / 'ce_slides.toml')}")
        page.line(f"discreet budget raise {typed(kept / 'ce_slides.toml')} --epsilon 2 --reason 'to go on'")
    page.line("discreet init people.csv          ", ("a table of your own: drafts its facts", "dim"))
    page.gap()
