"""``publish``: a whole release from one file, and ``release verify``: whether a folder is still what was published."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import Json, print_json
from discreet.cli.printing import say
from discreet.cli.unwritten import told_if_unwritten

if TYPE_CHECKING:
    from discreet.curator.certificates import VerifiedRelease

__all__ = ["publish", "releases", "verify"]

releases = typer.Typer(no_args_is_help=False, help="Published folders: verify.")


def publish(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release file: questions, prices, derived tables.")],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="The folder to write tables, receipts and a page to.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what it would cost; spend and write nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Ask all questions of a release at once and write tables with intervals, receipts and a page."""
    from discreet.cli.waiting import waiting
    from discreet.publishing.publish import publish as make

    with waiting(f"publishing {release.stem}") as tell:
        made = make(release, out, dry_run=dry_run, progress=lambda what, done, every: tell(_step(what, done, every)))
    with told_if_unwritten("nothing was spent: ask again" if dry_run else f"the release is in {out}; publishing again is free"):
        if as_json:
            print_json(made.to_dict())
        else:
            say(str(made))


def _step(what: str, done: int, every: int) -> str:
    return f"{what}, {done} of {every}" if every > 1 else what


@releases.command("verify")
def verify(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a release, as `publish` wrote it.")],
    key: Annotated[
        Path | None, typer.Option("--key", metavar="PATH", help="The curator's public key, from elsewhere than DIR.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a release offline: signature, every file, nothing missing or extra, receipts. Exit code 1 if it does not hold."""
    from discreet.cli.receipts import public_key
    from discreet.curator import office

    found = office.verify_release(folder, None if key is None else public_key(key))
    if as_json:
        whose = str(folder / "public.pem" if key is None else key)
        told = {"ok": found.ok, "key": whose, "signed_by": found.signed_by, "files": found.files, "receipts": found.receipts}
        print_json(told | {"problems": list(found.problems)})
    else:
        _show_verdict(found, key)
    if not found.ok:
        raise typer.Exit(1)


def _show_verdict(found: "VerifiedRelease", key: Path | None) -> None:
    from discreet.cli.page import Page

    page = Page()
    if not found.ok:
        page.line(("the release does not hold", "bold red"), indent=0)
        for problem in found.problems:
            page.say(f"- {problem}", indent=2)
        return
    page.line(("the release holds", "bold green"), f": {found.files} files, {found.receipts} receipts", indent=0)
    if key is None:
        note = f"signed with the key in the folder, {found.signed_by}; whose it is takes --key PATH, a key from elsewhere"
        page.say(note, indent=0, style="dim")
    else:
        page.line((f"signed with {key}, {found.signed_by}", "dim"), indent=0)
