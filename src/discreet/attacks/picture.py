"""An outcome as a chart: every way with its interval, unprotected beside discreet."""

from os import PathLike
from pathlib import Path

from discreet.attacks.outcome import Line, Outcome
from discreet.plots.charts import save_view
from discreet.plots.numerals import grouped, read_column
from discreet.plots.text_chart import TextChart
from discreet.plots.view import Key, Panel, View

__all__ = ["picture", "save_picture", "view_of_outcome"]


def picture(outcome: Outcome) -> TextChart:
    """The outcome as bars in letters."""
    return TextChart(view_of_outcome(outcome))


def save_picture(outcome: Outcome, path: str | PathLike[str]) -> Path:
    """Write the chart to ``path``, as its ending says: .svg, .png or .txt."""
    return save_view(view_of_outcome(outcome), path)


def view_of_outcome(outcome: Outcome) -> View:
    """What the plots room needs to draw the outcome."""
    lines = outcome.lines
    return View(
        title=outcome.title,
        question=f"{outcome.attacker} Chance: {outcome.chance:.3g}; the ε spent allows {outcome.most:.3g}.",
        sure="95 %",
        keys=(Key("target", None, tuple(line.target for line in lines)), Key(outcome.along, None, tuple(map(_way, lines)))),
        panels=(_panel(outcome),),
        rows=len(lines),
        left_out=0,
    )


def _way(line: Line) -> str:
    return line.way if line.at is None else f"{grouped(line.at)} {line.way}"


def _panel(outcome: Outcome) -> Panel:
    values = tuple(line.rate.share for line in outcome.lines)
    ends = [line.rate.interval() for line in outcome.lines]
    lows, highs = (tuple(end[side] for end in ends) for side in (0, 1))
    return Panel(f"share of {outcome.success}", True, values, lows, highs, tuple(read_column(values, ends)))
