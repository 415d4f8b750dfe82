"""What a release accounts for: what was spent on it and what that means, what its intervals say, and how to check it."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import ceil, exp
from typing import Any

from discreet.answers.answer import as_strings
from discreet.answers.losses import exactly, loss_in_words
from discreet.answers.odds import guesses_in_100
from discreet.answers.public import about
from discreet.curator.together import Worth
from discreet.facts.model import ByColumn, Facts
from discreet.privacy.losses import Pure
from discreet.publishing.parts import meter, table_of_texts
from discreet.publishing.readings import text
from discreet.publishing.sheets import Sheet

__all__ = ["checking", "paid_for", "promises", "spending"]

Receipts = Mapping[str, Mapping[str, Any]]
_SHORT = 15  # letters that stay on one line


def spending(
    asked: Sequence[Sheet], cost: Sequence[Worth], facts: Sequence[Facts], receipts: Receipts, *, has_derived: bool
) -> str:  # fmt: skip
    """Prices, noise and budgets, and what all of it together means for one unit."""
    rows = []
    for sheet in asked:
        receipt = receipts[sheet.name]
        budget = receipt["budget"]
        noise = "; ".join(dict.fromkeys(map(str, sheet.noise))) or "none: public numbers only"
        rows.append((sheet.title, receipt["table"], paid_for(sheet, receipt), noise,
                     f"{_loss(budget['before'])} → {_loss(budget['after'])} of {_loss(budget['cap'])}"))  # fmt: skip
    heads = ("question", "table", "price", "noise", "budget, before → after")
    told = [*(_worth(each, facts) for each in cost), *(" · ".join(about(each)) for each in facts)]
    if any("stored" in receipt for receipt in receipts.values()):
        told.append("Some of it was released before, for other questions. All that these have cost is in the whole, and not in "
                    "the prices of the tables: these add up to less.")  # fmt: skip
    words = "".join(f"<p>{text(each)}</p>" for each in told)
    free = "<p>Derived tables cost nothing: they are worked out from released numbers alone.</p>" if has_derived else ""
    meters = "".join(_meter(each, receipts) for each in cost)
    listed = table_of_texts("Questions and prices", heads, rows, short=_SHORT)
    return f'<section id="about-privacy" class="prose"><h2>What was spent</h2>{words}{free}{meters}{listed}</section>'


def _meter(cost: Worth, receipts: Receipts) -> str:
    """The part of a budget that is on this page, as a bar."""
    caps = [receipt["budget"]["cap"] for receipt in receipts.values() if receipt["table"] in cost.tables]
    worth = as_strings(cost.loss)
    kind = next((name for name in ("epsilon", "rho") if name in worth and caps and name in caps[-1]), None)
    if kind is None or not (cap := Fraction(caps[-1][kind])):
        return ""
    sign, now = {"epsilon": "ε", "rho": "ρ"}[kind], Fraction(worth[kind])
    whole = f"of {sign} {exactly(cap, up=False)} over the life of {text(', '.join(cost.tables))}"
    return meter(float(now / cap), f"on this page: {sign} {exactly(now, up=True)}", whole)


def paid_for(sheet: Sheet, receipt: Mapping[str, Any]) -> str:
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
    unit, one = "any one row", "one row"
    if isinstance(theirs.unit, ByColumn):
        unit, one = f"all rows of any one {theirs.unit.column}", f"one {theirs.unit.column}"
    other, guess = "been different", f"which of two values {one} has"
    if theirs.neighbours == "add_remove":
        other, guess = "not been in the table", f"whether {one} is in it"
    said = (
        f"Everything on this page together costs {loss_in_words(cost.loss)} of the privacy budget of {tables}. Someone who would "
        f"guess right 50 times in 100 {guess} can get to at most {guesses_in_100(cost.loss)} in 100 with all of it."
    )
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


def promises(asked: Sequence[Sheet], *, has_derived: bool) -> str:
    """What intervals cover and what not, and what it means that a group is listed."""
    whole = any(sheet.is_simultaneous for sheet in asked)
    each = "each interval holds by itself" + (", unless its table says that all hold at once" if whole else "")
    derived = (
        "<li>Intervals of derived tables are those that their SQL works out; the confidence is their author's claim.</li>"
        "<li>Derived tables show the rows that their SQL chooses, which may be few of those released.</li>"
        if has_derived
        else ""
    )
    return (
        '<section id="about-intervals" class="prose"><h2>What the intervals say</h2><ul>'
        f"<li>An interval covers the noise that was added on purpose, and rounding to the grid: {each}, with the confidence that "
        "is written above its table.</li>"
        "<li>It does not cover what was wrong or missing in the data, or the luck of a sample. What else was cut or left out is "
        "written below each table.</li>"
        "<li>Counts can come out below zero, and parts need not add up to the whole: nothing was smoothed over. "
        "Small numbers beside a large ± say little.</li>"
        f"{''.join(f'<li>{each}</li>' for each in _groups(asked, has_derived=has_derived))}"
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
    return ", ".join(text(sheet.title) for sheet in sheets)


def checking(receipts: Receipts) -> str:
    """How receipts are verified."""
    first = next(iter(receipts))
    signed = sorted({str(receipt.get("signed_by", "")) for receipt in receipts.values()})
    commands = "\n".join(f"discreet receipt verify receipts/{name}.json --key public.pem" for name in receipts)
    return (
        '<section id="about-check" class="prose"><h2>Check it yourself</h2>'
        "<p>Every question has a signed receipt that states the question, the mechanism and its scale, the loss, and the budget "
        "before and after. Checking one needs neither the data nor a connection:</p>"
        f'<pre class="code" tabindex="0" role="region" aria-label="Commands"><code>{_lines(commands)}</code></pre>'
        f"<p>The key <code>public.pem</code> is that of the curator, number <code>{text(', '.join(signed))}</code>; compare it "
        "with one that you have from elsewhere. "
        f'<a href="receipts/{text(first)}.json">The first receipt</a>, '
        '<a href="data-dictionary.csv">the data dictionary</a> and '
        '<a href="release.json">the list of all files with their hashes</a> lie beside this page.</p></section>'
    )


def _lines(said: str) -> str:
    return "\n".join(map(text, said.splitlines()))
