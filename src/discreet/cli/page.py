"""Standard output as a page: 72 to 100 columns, plain where there is no colour, ASCII where our letters cannot be shown."""

import textwrap
from collections.abc import Sequence

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discreet.answers.answer import BudgetState
from discreet.answers.losses import exactly, letters, share_left
from discreet.plots.lettering import clean, for_terminal

__all__ = ["Cell", "Page", "gauge_in_words"]

_NARROWEST, _WIDEST = 72, 100
_GAUGE = 20
_INDENT = 2
_FOLDED = 20  # columns that a text keeps, however often it is folded

Cell = str | tuple[str, str]  # a text, or a text and its style


class Page:
    """Where commands print what people read."""

    def __init__(self, console: Console | None = None) -> None:
        self.console = console or Console(highlight=False, markup=False, emoji=False)
        self.console.width = self.width = max(_NARROWEST, min(self.console.width, _WIDEST))

    def line(self, *cells: Cell, indent: int = _INDENT) -> None:
        """One line, cut nowhere."""
        self.console.print(Text(" " * indent).append_text(self.text(*cells)), soft_wrap=True)

    def text(self, *cells: Cell) -> Text:
        """Cells one after the other, in letters that can be shown."""
        found = Text()
        for cell in cells:
            words, style = cell if isinstance(cell, tuple) else (cell, "")
            found.append(self.letters(words), style=style)
        return found

    def letters(self, text: str) -> str:
        """``text`` without what steers a terminal, in ASCII where that is all that can be shown."""
        return for_terminal(text, ascii_only=self.console.options.ascii_only)

    def gap(self) -> None:
        """An empty line."""
        self.console.print()

    def head(self, title: str) -> None:
        """A rule with a title."""
        self.gap()
        self.console.rule(self.text((title, "bold")), align="left", style="dim")
        self.gap()

    def say(self, text: str, *, indent: int = _INDENT, style: str = "") -> None:
        """A paragraph; ``ε = 1`` and ``ε 1`` stay on one line."""
        kept = self.letters(text).replace(" = ", "\u00a0=\u00a0").replace("ε ", "ε\u00a0").replace("± ", "±\u00a0")
        margin = " " * indent
        lines = textwrap.wrap(kept, self.width - _INDENT, initial_indent=margin, subsequent_indent=margin,
                              break_long_words=False, break_on_hyphens=False)  # fmt: skip
        self.console.print(Text("\n".join(lines).replace("\u00a0", " "), style=style), soft_wrap=True)

    def table(self, aligned: str, names: Sequence[str], rows: Sequence[Sequence[Cell]], *, indent: int = _INDENT) -> None:
        """A light table; ``aligned`` has an l or an r for each column, or a w for one that may wrap. No names: no header.

        Figures are never cut: a table that is too wide is too wide.
        """
        drawn = Table(box=box.SIMPLE_HEAD if any(names) else None, header_style="dim", show_edge=False, show_header=any(names),
                      pad_edge=False)  # fmt: skip
        cells = [[self.text(cell) for cell in row] for row in rows]
        least = indent
        for place, side in enumerate(aligned):
            name = self.letters(names[place]) if names else ""
            widest = max([cell_len(name), *(row[place].cell_len for row in cells)])
            width = min(widest, _FOLDED) if side == "w" else widest
            drawn.add_column(name, justify="right" if side == "r" else "left", min_width=width, no_wrap=side != "w")
            least += width + 3  # with what stands between two columns
        for row in cells:
            drawn.add_row(*row)
        self.console.width = max(self.width, least)
        self.console.print(Padding(drawn, (0, 0, 0, indent), expand=False), crop=False)
        self.console.width = self.width

    def gauge(self, state: BudgetState, after: BudgetState | None = None, *, indent: int = _INDENT) -> None:
        """``██████░░░░ ε 0.4 of 1 left``; what is taken until ``after`` is shaded."""
        full = _cells(share_left(state), is_some=bool(share_left(state)), is_all=not any(letters(state.spent).values()))
        rest = full
        if after is not None:
            rest = min(full, _cells(share_left(after), is_some=bool(share_left(after)), is_all=False))
        bar = ("█" * rest, "cyan"), ("▒" * (full - rest), "yellow"), ("░" * (_GAUGE - full), "dim")
        marks = str.maketrans("▒", "=") if self.console.options.ascii_only else {}
        self.line(*((part.translate(marks), style) for part, style in bar), f" {gauge_in_words(state)}", indent=indent)

    def warn(self, warnings: Sequence[str]) -> None:
        """Advice, marked as such."""
        for warning in warnings:
            self.line((f"! {warning}", "yellow"))


def gauge_in_words(state: BudgetState) -> str:
    """``ε 0.4 of 1 left``, and for whoever asks, if they have a limit: ``; for alice ε 0.1 of 0.2``."""
    caps = letters(state.cap)
    parts = [f"{letter} {exactly(left, up=False)} of {exactly(caps[letter], up=True)}"
             for letter, left in letters(state.remaining).items()]  # fmt: skip
    asker = state.asker
    if asker is None or asker.limit is None:
        return f"{', '.join(parts)} left"
    limits = letters(asker.limit)
    theirs = [f"{letter} {exactly(left, up=False)} of {exactly(limits[letter], up=True)}"
              for letter, left in letters(asker.remaining).items()]  # fmt: skip
    return f"{', '.join(parts)} left; for {clean(asker.name)} {', '.join(theirs)}"


def _cells(share: float, *, is_some: bool, is_all: bool) -> int:
    """How many cells of the gauge; none and all only where that is meant."""
    return max(1 if is_some else 0, min(_GAUGE if is_all else _GAUGE - 1, round(_GAUGE * share)))
