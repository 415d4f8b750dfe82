"""``history``: what you were answered by a service, and any of it again."""

from contextlib import closing
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import Json, print_json
from discreet.cli.tables import FileOrAddress, TokenFile, far_table, is_far
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.client import FarTable

__all__ = ["history"]

_PAGE = 100


def history(
    file: FileOrAddress,
    answer: Annotated[str | None, typer.Argument(metavar="ID", help="Show this answer again, whole; free.")] = None,
    most: Annotated[int, typer.Option("--most", metavar="N", min=1, help="How many, the newest first.")] = 20,
    token_file: TokenFile = None,
    as_json: Json = False,
) -> None:
    """List what you were answered about a table behind a service, or show one of these answers again. Free."""
    if not is_far(file):
        hint = "write https://host/TABLE; of a table that is kept here: discreet ledger show FILE"
        raise ParameterError("a service keeps a history for each analyst", hint=hint)
    with closing(far_table(file, token_file)) as table:
        if answer is not None:
            _show(table, answer, as_json=as_json)
            return
        found = _about(table, most)
    if as_json:
        print_json({"answers": found})
        return
    from discreet.answers.bodies import read_loss
    from discreet.answers.losses import loss_in_words
    from discreet.cli.page import Page
    from discreet.plots.lettering import clean, minute, shortened

    page = Page()
    if not found:
        page.line(f"nothing was answered to {clean(table.analyst)} about {clean(table.name)} yet")
        return
    rows = [(each["id"], minute(each["at"]), _paid(loss_in_words(read_loss(each["cost"]))),
             shortened(clean(each["question"]), 60)) for each in found]  # fmt: skip
    page.table("llll", ["answer", "at", "price", "question"], rows)


def _paid(words: str) -> str:
    return "free" if words in ("ε 0", "ρ 0") else words


def _about(table: "FarTable", most: int) -> list[dict[str, Any]]:
    """The newest answers about this table, page by page."""
    found: list[dict[str, Any]] = []
    before: str | None = None
    while len(found) < most and (page := table.history(_PAGE, before=before)):
        found += [each for each in page if each["table"] == table.name]
        before = page[-1]["id"]
    return found[:most]


def _show(table: "FarTable", identity: str, *, as_json: bool) -> None:
    answer = table.answer(identity)
    if as_json:
        print_json(answer.to_dict())
        return
    from discreet.cli.page import Page
    from discreet.cli.views import show_answer
    from discreet.plots.lettering import clean

    page = Page()
    page.line((clean(answer.question), "dim"))
    show_answer(page, answer)
