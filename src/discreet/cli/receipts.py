"""``receipt show`` and ``receipt verify``: certificates of answers, which need no data to be checked."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.ledgers import read_document
from discreet.cli.options import FactsFile, Json, local, print_json
from discreet.cli.printing import json_text
from discreet.cli.tables import is_far
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.cli.page import Page

__all__ = ["public_key", "receipts", "show", "show_verdict", "verify"]

receipts = typer.Typer(no_args_is_help=False, help="Signed certificates of answers: show, verify.")


@receipts.command("show")
def show(
    file: FactsFile,
    answer: Annotated[str, typer.Argument(metavar="ANSWER", help="The id that was printed with the answer.")],
    as_json: Json = False,  # noqa: ARG001 - it is JSON, whatever is asked for
) -> None:
    """Print the receipt of an answer: question, mechanism, loss, budget before and after, signature."""
    from discreet.curator import office

    if is_far(file.as_posix()):
        hint = "in Python it is answer.receipt; over HTTP, /api/answers/{id}/receipt; discreet ask --receipt PATH writes it"
        raise ParameterError("whoever asks a service gets the receipt with the answer", hint=hint)
    typer.echo(json_text(office.receipt(local(file), answer), indent=2))


@receipts.command("verify")
def verify(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A receipt, as --receipt or `receipt show` wrote it.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="PATH", help="The curator's public key, .discreet/public.pem.")
    ] = None,
    answer: Annotated[
        Path | None, typer.Option("--answer", metavar="PATH", help="The answer's JSON: are its numbers those that were signed?")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a receipt's signature and arithmetic, offline. Exit code 1 if it does not hold.

    That the numbers of an answer are those that were signed is checked with --answer.
    """
    from discreet.curator import office

    receipt, place = read_document(file, "a receipt"), key or _beside(file)
    problems = office.verify_receipt(receipt, public_key(place))
    notes: tuple[str, ...] = ()
    if answer is not None and not problems:
        matched = office.match_answer(receipt, read_document(answer, "an answer"))
        problems = matched.problems
        notes = () if problems else ("the numbers of the answer are those that were signed", *matched.notes)
    if as_json:
        told = {"ok": not problems, "key": str(place), "problems": list(problems)}
        print_json(told | ({"notes": list(notes)} if notes else {}))
    else:
        from discreet.cli.page import Page

        page = Page()
        show_verdict(page, receipt, problems, key=str(place), indent=0)
        for note in notes:
            page.say(note, indent=0)
    if problems:
        raise typer.Exit(1)


def show_verdict(page: "Page", receipt: dict[str, Any], problems: tuple[str, ...], *, key: str, indent: int = 2) -> None:
    """What checking a receipt found, on a page."""
    if problems:
        page.line(("the receipt does not hold", "bold red"), f", by the key {key}", indent=indent)
        for problem in problems:
            page.say(f"- {problem}", indent=indent + 2)
        return
    page.line(("the receipt holds", "bold green"), f": signed with {key}", indent=indent)
    if isinstance(question := receipt.get("question"), str):
        page.say(question, indent=indent, style="dim")


def public_key(place: Path) -> bytes:
    """The key at ``place``."""
    try:
        return place.read_bytes()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ParameterError(f"there is no public key at {place}: {why.lower()}",
                             hint="write --key PATH, the public.pem of the curator who signed it") from None  # fmt: skip


def _beside(receipt: Path) -> Path:
    """Where the key is if the receipt lies beside the facts."""
    return receipt.parent / ".discreet" / "public.pem"
