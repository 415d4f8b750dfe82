"""``attack``: attacks from the literature, on an unprotected target and on discreet. Every row is made up."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import Json, picture_file, print_json
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.attacks import Outcome
    from discreet.cli.page import Cell, Page

__all__ = ["attack"]

_ALL = "all"


def attack(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The attack, or all; see --list.")] = None,
    listing: Annotated[bool, typer.Option("--list", help="Print the names of the attacks.")] = False,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="PATH", help="Write the chart of one attack to a .svg, .png or .txt file.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Watch an attack succeed on an unprotected target and fail on discreet. Exits with 1 if discreet did not stop it."""
    if listing or name is None:
        _show_list(as_json=as_json)
        return
    if save is not None:
        if name == _ALL:
            raise ParameterError("a chart is of one attack", hint="name one of them before --save; see discreet attack --list")
        picture_file(save)  # before anything is run
    outcomes = _carried_out(name)
    failed = _print_json(outcomes) if as_json else _print(outcomes, save, brief=name == _ALL)
    if failed:
        raise typer.Exit(1)


def _carried_out(name: str) -> Iterator["Outcome"]:
    from discreet.attacks import ATTACKS
    from discreet.attacks import attack as carry_out

    if name not in ATTACKS and name != _ALL:
        raise ParameterError(f"there is no attack called {name!r}", hint=f"choose one of {', '.join(ATTACKS)}, or all")
    return (carry_out(each) for each in (ATTACKS if name == _ALL else [name]))


def _show_list(*, as_json: bool) -> None:
    from discreet.attacks import ATTACKS

    if as_json:
        print_json({"attacks": {name: about for name, (_, about) in ATTACKS.items()}})
        return
    from discreet.cli.page import Page

    page = Page()
    page.table("ll", [], [((name, "bold"), about) for name, (_, about) in ATTACKS.items()], indent=0)
    page.gap()
    page.line("discreet attack NAME", ("   one of them; discreet attack all: a line for each", "dim"), indent=0)


def _print_json(outcomes: Iterator["Outcome"]) -> bool:
    found = list(outcomes)
    print_json({"outcomes": [outcome.to_dict() for outcome in found]})
    return not all(outcome.is_stopped for outcome in found)


def _print(outcomes: Iterator["Outcome"], save: Path | None, *, brief: bool) -> bool:
    from discreet.cli.page import Page

    page = Page()
    if brief:
        return _show_lines(page, outcomes)
    (outcome,) = outcomes
    _show(page, outcome)
    if save is not None:
        from discreet.attacks import save_picture

        page.line(f"written to {save_picture(outcome, save)}")
    return not outcome.is_stopped


def _show(page: "Page", outcome: "Outcome") -> None:
    """What happens, the figures as a chart, what discreet said, and the lesson."""
    from discreet.attacks import picture

    page.line((outcome.title, "bold"), indent=0)
    page.gap()
    page.say(outcome.attacker)
    page.gap()
    page.table("lrl", [], [
        ("unprotected", (_share(outcome.unprotected.share), "bold red"), f"of {outcome.success}"),
        ("discreet", (_share(outcome.discreet.share), "bold green" if outcome.is_stopped else "bold red"), _lucky(outcome)),
        ("at most", _share(outcome.most), ("what the ε spent allows anyone", "dim")),
        ("chance", _share(outcome.chance), ("without any answer", "dim")),
    ])  # fmt: skip
    page.gap()
    drawn = picture(outcome).draw(width=page.width - 4, ascii_only=page.console.options.ascii_only)
    for line in drawn.splitlines()[3:]:
        page.line(line, indent=4)
    page.gap()
    for note in outcome.notes:
        page.say(f"· {note}", style="dim")
    page.gap()
    page.say(outcome.lesson)
    page.say(outcome.source, style="dim")


def _show_lines(page: "Page", outcomes: Iterator["Outcome"]) -> bool:
    """A line for each attack, printed when all are done."""
    found = list(outcomes)
    rows = [_line(outcome) for outcome in found]
    page.table("lrrrrl", ["attack", "unprotected", "discreet", "at most", "chance", ""], rows, indent=0)
    page.gap()
    page.say("Success of each attack: how often a guess is right, or how many bits or members are found. "
             "At most: what the ε spent allows anyone.", indent=0, style="dim")  # fmt: skip
    return not all(outcome.is_stopped for outcome in found)


def _line(outcome: "Outcome") -> list["Cell"]:
    shares = [_share(share) for share in (outcome.unprotected.share, outcome.discreet.share, outcome.most, outcome.chance)]
    return [(outcome.name, "bold"), *shares, (_verdict(outcome), "" if outcome.is_stopped else "bold red")]


def _share(value: float) -> str:
    return f"{value * 100:.3g} %"


def _verdict(outcome: "Outcome") -> str:
    return "stopped" if outcome.is_stopped else "NOT stopped: more than the ε spent allows"


def _lucky(outcome: "Outcome") -> str:
    """How far the share of so many tries may be off: it may be above what is allowed by luck."""
    low, high = outcome.discreet.interval()
    return f"{_verdict(outcome)}; in {outcome.discreet.trials:,} tries, so the chance is {100 * low:.1f} to {100 * high:.1f} %"
