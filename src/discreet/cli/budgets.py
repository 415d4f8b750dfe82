"""``budget FILE`` and ``budget raise FILE``: one command with a word that may be left out."""

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from discreet.cli.options import As, Delta, Epsilon, FactsFile, Json, Reason, Rho, local, print_json
from discreet.cli.stopped import show_faults, show_stops, show_uncharged, state_of
from discreet.cli.tables import FileOrAddress, TokenFile, far_table, is_far
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.answers.answer import BudgetState

__all__ = ["ShowUnlessTold", "budgets", "raise_", "show"]


class ShowUnlessTold(TyperGroup):
    """A group whose command is ``show`` where none is named: ``budget people.toml``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the word in that was left out."""
        known = {*self.commands, "-h", "--help"}
        return super().parse_args(ctx, args if not args or known & {args[0]} else ["show", *args])


budgets = typer.Typer(
    cls=ShowUnlessTold,
    no_args_is_help=False,
    help="Show what is spent and left: `budget FILE`. Or raise the cap: `budget raise FILE`.",
    subcommand_metavar="FILE | raise FILE",
)


def _shape(state: "BudgetState") -> dict[str, Any]:
    """All parts, also where two are empty."""
    told = {"cells": {}, "analysts": {}} | state.to_dict()
    last = "analysts" if state.asker is None else "analyst"
    return {part: told[part] for part in ("cap", "spent", "remaining", "cells", last)}


@budgets.command("show")
def show(file: FileOrAddress, analyst: As = None, token_file: TokenFile = None, as_json: Json = False) -> None:
    """Show what may be spent, what is spent and left, and what stops asking: frozen, closed or ended."""
    if is_far(file):
        _show_far(file, token_file, as_json=as_json)
    else:
        _show_here(local(Path(file)), analyst, as_json=as_json)


def _show_far(file: str, token_file: Path | None, *, as_json: bool) -> None:
    with closing(far_table(file, token_file)) as table:
        state, stopped = table.budget, table.stopped_for()
    if as_json:
        reason = {} if stopped is None else {"reason": stopped.message}
        print_json(_shape(state) | {"state": "open" if stopped is None else "stopped"} | reason)
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_budget

    page = Page()
    show_budget(page, state, table.name)
    if stopped is not None:
        page.line((f"! {stopped.message}", "yellow"))


def _show_here(file: Path, analyst: str | None, *, as_json: bool) -> None:
    from discreet.curator import office, open_table

    with closing(open_table(file)) as curator:
        name, state = curator.facts.name, curator.budget if analyst is None else curator.budget_for(analyst)
    stops = [stop for stop in office.stops(file) if analyst is None or stop.analyst in (None, analyst)]
    faults = office.faults(file, name) if analyst is None else []
    uncharged = office.uncharged(file, name) if analyst is None else []
    if as_json:
        told = {"state": state_of(stops), "stops": [stop.to_dict() for stop in stops]}
        failed = {"faults": [each.to_dict() for each in faults], "uncharged": [each.to_dict() for each in uncharged]}
        print_json(_shape(state) | told | (failed if analyst is None else {}))
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_budget

    page = Page()
    show_budget(page, state, name)
    show_stops(page, stops, name, file)
    show_faults(page, faults)
    show_uncharged(page, uncharged, file)


@budgets.command("raise")
def raise_(
    file: FactsFile,
    reason: Reason,
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    as_json: Json = False,
) -> None:
    """Raise the cap to the figures given: a signed entry in the ledger. It is never lowered."""
    given = {name: value for name, value in (("epsilon", epsilon), ("delta", delta), ("rho", rho)) if value is not None}
    if not given:
        raise ParameterError("the new cap is missing", hint="write the whole new cap, such as --epsilon 3, not the difference")
    from discreet.curator import office

    state = office.raise_budget(local(file), given, reason=reason)
    if as_json:
        print_json(_shape(state))
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_budget
    from discreet.facts.file import read_facts

    show_budget(Page(), state, f"{read_facts(file).name}: raised")
