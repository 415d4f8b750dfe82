"""What a terminal shows of a release: its quote, and what was published."""

from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from discreet.answers.losses import is_enough, loss_in_words
from discreet.answers.words import NOT_COVERED, basis_in_words, error_in_words
from discreet.curator.together import Foreseen
from discreet.plots.lettering import clean, for_terminal, padded, width_of
from discreet.plots.numerals import grouped, percent

if TYPE_CHECKING:
    from discreet.publishing.published import Published, QuotedQuestion, ReleaseQuote

__all__ = ["published_in_words", "quote_in_words"]


def quote_in_words(quote: "ReleaseQuote") -> str:
    """What every question costs and how good it will be, then every budget before and after."""
    lines = [f"quote for {clean(quote.title)}: nothing is spent, read or written", ""]
    rows = [("question", "costs", "groups", "± to expect")]
    for each in quote.questions:
        shared = "nothing: bought with others" if each.is_shared else loss_in_words(each.cost)
        cost = "nothing: bought before" if each.is_free else shared
        groups = grouped(each.cells) if each.cells else "not public"  # keys that no list names
        rows += [(each.name, cost, groups, first) if not i else ("", "", "", first)
                 for i, first in enumerate(_expected(each))]  # fmt: skip
    rows += [(name, "nothing", "", "derived from what is released") for name in quote.derived]
    lines += _aligned(rows)
    lines += ["", *(_budget(each) for each in quote.budgets), *_left_out(quote.questions)]
    lines += [f"! {clean(text)}" for text in quote.warnings]
    return for_terminal("\n".join(lines))


def _expected(question: "QuotedQuestion") -> list[str]:
    sure = percent(question.confidence)
    found = []
    for name, group in groupby(question.columns, key=lambda column: column.name):
        each = list(group)
        errors = " / ".join(error_in_words(column) for column in each)
        found.append(f"{clean(name)} {errors} at {sure} {basis_in_words(each, question.cells)}".rstrip())
    return found or ["public numbers only"]


def _left_out(questions: "Sequence[QuotedQuestion]") -> list[str]:
    """What the ± does not cover: each sentence once, behind the questions that it is about."""
    about: dict[str, list[str]] = {}
    for each in questions:
        for sentence in each.left_out:
            about.setdefault(sentence, []).append(each.name)
    told = [f"  {clean(', '.join(names))}: {clean(sentence)}" for sentence, names in about.items()]
    return [f"{NOT_COVERED}:", *told] if told else []


def _budget(budget: Foreseen) -> str:
    tables = ", ".join(budget.tables)
    if not budget.is_enough:
        return (f"{tables}: the release takes {loss_in_words(budget.takes)}, more than the budget has: "
                f"{loss_in_words(budget.before)} of {loss_in_words(budget.cap)} is spent")  # fmt: skip
    return (f"{tables}: the release takes {loss_in_words(budget.takes)}; {loss_in_words(budget.before)} spent before, "
            f"{loss_in_words(budget.after)} after, of {loss_in_words(budget.cap)}")  # fmt: skip


def published_in_words(made: "Published") -> str:
    """Where it is, what is in it, what it cost."""
    state = "is published" if made.is_new else "was published already, to the letter"
    lines = [f"{clean(made.title)} {state}: {made.out}", ""]
    lines += _aligned([("table", "rows"), *((f"{name}.csv", grouped(rows)) for name, rows in made.tables)])
    lines.append("")
    for each, budget, now in zip(made.cost, made.budgets, made.charged, strict=True):
        some = "" if now == each.loss or not is_enough(each.loss, now) else f", of which {loss_in_words(now)} was charged now"
        paid = ", all of it paid before" if made.is_free else some
        spent = f"{loss_in_words(budget.before)} of {loss_in_words(budget.cap)} is spent"
        lines.append(f"{', '.join(each.tables)}: the release costs {loss_in_words(each.loss)}{paid}; {spent}")
    lines.append(f"open {made.out / 'index.html'}")
    return for_terminal("\n".join([*lines, *(f"! {clean(text)}" for text in made.warnings)]))


def _aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(padded(cell, width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    return [f"  {line}" for line in [lines[0], "─" * max(map(width_of, lines)), *lines[1:]]]
