"""The demo on a terminal: short sections at 80 to 100 columns, plain where there is no colour."""

import math
import textwrap
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from discreet.cli.story import Answer, Auction, Release, Singled, Story, Worth

__all__ = ["show"]

_LONGEST_BAR = 24


def show(story: Story, console: Console | None = None) -> None:
    """Print ``story`` to ``console``, or to the terminal."""
    page = console or Console(highlight=False)
    page.width = max(72, min(page.width, 100))
    page.print("\n  [bold]discreet[/] · a trusted curator for confidential tables\n")
    _say(
        page,
        "Every row below is made up; only the totals are those of the texts. The exact answers stand beside the noisy ones "
        "for that reason alone: a curator never shows them.",
    )
    _printed(page, story.printed)
    _exact(page, story.exact)
    _worth(page, story.worth)
    _singled(page, story.singled)
    _auction(page, story.auction)
    _next(page)


def _printed(page: Console, releases: Sequence[Release]) -> None:
    _head(page, 1, "The releases that the texts print")
    _say(
        page,
        "Laplace noise of scale sensitivity/ε from R's generator after set.seed(123). Whoever knows the seed can take the "
        "noise off again, so this is for reading along.",
    )
    table = _table("llrrrr", "text", "question", "exact answer", "ε", "noise scale", "release")
    for release in releases:
        table.add_row(*_asked(release), f"{release.scale:.6g}", f"[bold]{_figure(release.answer)}[/]")
    _put(page, table)


def _exact(page: Console, answers: Sequence[Answer]) -> None:
    _head(page, 2, "The same questions, as a curator answers them")
    _say(
        page,
        "Noise drawn exactly, in whole steps, under a fresh key from the operating system: run this again and the answers "
        "change. The interval holds the exact answer at least 95 times in 100.",
    )
    table = _table("llrrrr", "text", "question", "exact answer", "ε", "answer", "95 % interval")
    for answer in answers:
        table.add_row(*_asked(answer.release), f"[bold]{_figure(answer.release.answer)}[/]", _interval(answer))
    _put(page, table)


def _worth(page: Console, rungs: Sequence[Worth]) -> None:
    _say(
        page,
        "What ε buys on 994 rows: the count is good at once. The mean of incomes that may reach a million is not; at "
        "ε = 0.1 it can be off by tens of thousands. More rows, tighter bounds or more ε help, and nothing else does.",
    )
    table = _table("rrr", "ε", "rural units ±", "mean income ±")
    for rung in rungs:
        table.add_row(rung.epsilon, f"{rung.count_plus_minus:.0f}", f"{rung.mean_plus_minus:.0f}")
    _put(page, table)


def _singled(page: Console, found: Singled) -> None:
    release = found.answer.release
    _head(page, 3, "A malicious question")
    _say(
        page,
        f"How many people are called {found.person} and earn 50K or less? The exact count is {_figure(release.truth)}, and "
        f"would tell her income. The question is not refused; it is answered at ε = {release.epsilon}:",
    )
    page.print(f"    [bold]{_figure(release.answer)}[/], with the interval {_interval(found.answer)}\n")
    _say(page, "Is she counted or not? Ten more draws for each case:")
    table = _table("l" + "r" * len(found.if_one), *[""] * (1 + len(found.if_one)))
    table.show_header, table.box = False, None
    table.add_row("  if the count is 1", *map(str, found.if_one))
    table.add_row("  if the count is 0", *map(str, found.if_zero))
    _put(page, table)
    _say(
        page,
        f"The rows look alike, and that is the guarantee: no answer is more than e^{release.epsilon} times as likely in one "
        f"case as in the other. Whoever thought 50 : 50 before is at {_percent(found.belief)} after it at most.",
    )


def _auction(page: Console, found: Auction) -> None:
    _head(page, 4, "A price by the exponential mechanism")
    most = _money(found.sensitivity)
    _say(
        page,
        f"The bids are {', '.join(map(_money, found.bids))}. One cent too much and the revenue collapses, so noise on the "
        f"best price is no use. Instead a price is chosen with probability in proportion to exp(ε · revenue / (2 · {most})), "
        f"where {most} is the most that one bidder can move any revenue.",
    )
    solid = "#" if page.options.ascii_only else "█"
    table = _table("rr" + "l" * len(found.epsilons), "price", "revenue", *(f"chosen at ε = {at}" for at in found.epsilons))
    for price in found.prices:
        bars = (f"{_percent(chance):>6} [cyan]{solid * round(_LONGEST_BAR * chance)}[/]" for chance in price.probabilities)
        table.add_row(_money(price.price), _money(price.revenue), *bars)
    _put(page, table)
    chosen = (f"{_money(cents)} at ε = {epsilon}" for cents, epsilon in zip(found.chosen, found.epsilons, strict=True))
    _say(page, f"Chosen this time: {', '.join(chosen)}. Three bidders are few: at ε = 1 they hardly steer the choice.")


def _next(page: Console) -> None:
    _head(page, 5, "Your turn")
    page.print("  discreet sample ce_book --out tables    [dim]a made-up table and its facts file[/]")
    page.print("  python                                  [dim]and then:[/]")
    page.print("  >>> import discreet as dc")
    page.print('  >>> dc.Laplace(epsilon="0.1", sensitivity=1).release(51)\n')


def _head(page: Console, number: int, title: str) -> None:
    page.rule(Text(f"{number} · {title}", style="bold"), align="left", style="dim")
    page.print()


def _say(page: Console, text: str) -> None:
    """A paragraph, indented; ``ε = 1`` stays on one line."""
    kept = text.replace(" = ", "\u00a0=\u00a0")
    lines = textwrap.wrap(kept, page.width - 2, initial_indent="  ", subsequent_indent="  ", break_long_words=False)
    page.print("\n".join(lines).replace("\u00a0", " ") + "\n", markup=False)


def _table(aligned: str, *names: str) -> Table:
    """A light table; ``aligned`` has an l or an r for each column."""
    table = Table(box=box.SIMPLE_HEAD, header_style="dim", show_edge=False)
    for name, side in zip(names, aligned, strict=True):
        table.add_column(name, justify="right" if side == "r" else "left", no_wrap=True)
    return table


def _put(page: Console, table: Table) -> None:
    page.print(Padding(table, (0, 0, 1, 2), expand=False))


def _asked(release: Release) -> tuple[str, str, str, str]:
    return release.table, release.question, _figure(release.truth), release.epsilon


def _interval(answer: Answer) -> str:
    """Whole numbers are enough, rounded outwards."""
    return f"{math.floor(answer.low)} … {math.ceil(answer.high)}"


def _figure(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.2f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"
