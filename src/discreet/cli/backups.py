"""``backup``, ``restore`` and ``forget``: copies of a ledger with its keys and facts, the way back, what is kept no longer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.entries import named
from discreet.cli.ledgers import read_document
from discreet.cli.options import Json, print_json, typed
from discreet.cli.unwritten import file_unwritten

if TYPE_CHECKING:
    from discreet.cli.page import Page
    from discreet.curator.backups import Restored
    from discreet.ledger.restoring import Mended

__all__ = ["backup", "forget", "restore"]


def backup(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the facts files, with its ledger.")],
    to: Annotated[Path, typer.Argument(metavar="TO", help="A new folder for the copy.")],
    witness: Annotated[
        Path | None, typer.Option("--witness", metavar="PATH", help="Write or renew the witness here: where nobody reaches both.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Copy ledger, keys and facts of a folder, while it may be asked; not the rows."""
    from discreet.cli.waiting import waiting
    from discreet.cli.witnesses import keep_witness, witness_in
    from discreet.curator.backups import backup as copied

    before = None if witness is None else witness_in(witness)
    try:
        with waiting("copying"):
            found = copied(folder, to, witness=before)
    except OSError as error:
        raise file_unwritten(error, f"cannot write {to}", "write a folder that can be written to, with room in it") from None
    if witness is not None:
        keep_witness(found.witness, witness)
    if as_json:
        print_json(found.to_dict())
        return
    from discreet.cli.page import Page

    page = Page()
    many = "entry" if found.verified.entries == 1 else "entries"
    page.line(("copied", "bold green"), f": {found.verified.entries} {many}, chain and totals recomputed, in {found.folder}")
    page.say("the copy holds answers and the signing key, and not the rows: keep it as carefully as the folder itself")
    kept = typed(witness if witness is not None else found.folder / "witness.json")
    page.say(f"keep {kept} where nobody who can write to the ledger can: by it an old copy is known")


def restore(
    copy: Annotated[Path, typer.Argument(metavar="COPY", help="A folder that backup made.")],
    to: Annotated[Path, typer.Argument(metavar="DIR", help="The folder to put it into, which has no ledger.")],
    against: Annotated[
        Path | None, typer.Option("--witness", metavar="PATH", help="The latest witness kept elsewhere: finds an old copy.")
    ] = None,
    older: Annotated[bool, typer.Option("--older", help="Put back a copy older than the witness; needs a reason.")] = False,
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why: it is signed and stays in the ledger.")] = "",
    as_json: Json = False,
) -> None:
    """Put a copy back where no ledger is. Its tables are frozen until somebody has looked. Exit code 1 if it is too old."""
    from discreet.cli.waiting import waiting
    from discreet.curator.backups import restore as restored

    kept = None if against is None else read_document(against, "a witness")
    try:
        with waiting("restoring"):
            found = restored(copy, to, witness=kept, older=older, reason=reason)
    except OSError as error:
        raise file_unwritten(error, f"cannot write {to}", "write a folder that can be written to, with room in it") from None
    if as_json:
        print_json(found.to_dict())
    else:
        from discreet.cli.page import Page

        _show(Page(), found, has_witness=kept is not None)
    if not found.is_done:
        raise typer.Exit(1)


def forget(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the facts files, with its ledger.")],
    days: Annotated[
        int, typer.Option("--older-than", metavar="DAYS", min=0, max=36_500, help="What was shown more than so many days ago.")
    ],
    as_json: Json = False,
) -> None:
    """Forget what analysts were shown long ago, by anybody's history. What was bought stays, and is free to ask again."""
    from discreet.cli.printing import say
    from discreet.curator.retention import forget as forgotten

    found = forgotten(folder, days=days)
    if as_json:
        print_json({"forgotten": found})
    else:
        say(f"{found} {'line' if found == 1 else 'lines'} of histories forgotten; what was bought is kept")


def _show_lost(page: "Page", mended: "Mended") -> None:
    """What the witness knows of that the copy does not."""
    from discreet.answers.losses import loss_in_words
    from discreet.plots.lettering import clean

    page.say("older than the witness: entries are missing. What the witness had seen spent counts as spent", style="yellow")
    for budget, loss in mended.lost.items():
        page.line(f"{clean(named(budget))}: {loss_in_words(loss)} more than the copy knows of", indent=4)
    for budget in mended.uncounted:
        page.say(f"{clean(named(budget))}: registered after the copy was made. There is nothing to count it in: "
                 "to register it again would be a second budget", indent=4, style="yellow")  # fmt: skip


def _show(page: "Page", found: "Restored", *, has_witness: bool) -> None:
    from discreet.plots.lettering import minute

    if not found.is_done:
        page.line(("not restored", "bold red"), f": the copy of {minute(found.at)}")
        for problem in found.verified.problems:
            page.say(f"- {problem}", indent=4)
        if found.is_sound:
            page.say("what was charged since would be given back; --older --reason TEXT puts it back all the same, frozen")
        else:
            page.say("it cannot be put back: take another copy")
        return
    assert found.mended is not None
    page.line(("restored", "bold green"), f": {found.folder}, as of {minute(found.at)}")
    if found.verified.ok:
        page.line(f"rollback {'excluded up to the witness' if has_witness else 'not excluded: that takes a witness'}")
    else:
        _show_lost(page, found.mended)
    if found.mended.written_off:
        page.say(f"{len(found.mended.written_off)} charges that were running then are written off, and never drawn again")
    for name in found.kept:
        page.say(f"! {name} was there already and differs from the copy: it was left as it is", style="yellow")
    page.say(f"frozen until you have looked: {', '.join(found.mended.tables)}")
    since = "after the copy was made" if found.verified.ok else "after the witness"
    page.say(f"what was charged {since} is not in it, and accounts that were revoked since the copy are there again: "
             "see discreet ledger show and discreet analyst list, then run discreet unfreeze")  # fmt: skip
