"""``analyst add|list|grant|ungrant|limit|rotate|revoke``: who may come in by a token, what they may ask, what they may spend."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from discreet.cli.options import Delta, Epsilon, Json, Rho, print_json, typed
from discreet.cli.printing import say
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.curator.accounts import Account

__all__ = ["add", "analysts", "grant", "limit", "listed", "revoke", "rotate", "ungrant"]

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the tables, or one of its facts files.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Letters, digits and . _ - + @, such as alice.")]
Tables = Annotated[list[str], typer.Argument(metavar="TABLE…", help="Registered tables, by name.")]
Until = Annotated[str | None, typer.Option("--expires", metavar="DAY", help="The token's last day, such as 2027-01-31, or none.")]

analysts = typer.Typer(no_args_is_help=False, help="Accounts for the service: add, list, grant, ungrant, limit, rotate, revoke.")


@analysts.command("add")
def add(
    folder: Folder,
    name: Name,
    holder: Annotated[bool, typer.Option("--holder", help="They act for the data holder: all tables, all acts.")] = False,
    expires: Until = None,
    as_json: Json = False,
) -> None:
    """Make an account and print its token, this once. An analyst may ask nothing until tables are granted."""
    from discreet.curator import accounts

    token = accounts.add(folder, name, "holder" if holder else "analyst", expires=expires)
    _show_token(accounts.named(folder, name), token, as_json=as_json)
    if not holder and not as_json:
        say(f"discreet analyst grant {typed(folder)} {name} TABLE   lets them ask a table", err=True)


@analysts.command("rotate")
def rotate(folder: Folder, name: Name, expires: Until = None, as_json: Json = False) -> None:
    """Print a new token, this once. The old one ends at once; its last day stays, unless another is given."""
    from discreet.curator import accounts

    token = accounts.rotate(folder, name, expires=expires)
    _show_token(accounts.named(folder, name), token, as_json=as_json)


def _show_token(account: "Account", token: str, *, as_json: bool) -> None:
    """The token alone on standard output, so that it can be led somewhere; what to know of it on stderr."""
    if as_json:
        print_json({"name": account.name, "token": token, "expires": account.expires})
        return
    typer.echo(token)
    name, until = account.name, f"its last day is {account.expires}" if account.expires else "it has no last day"
    say(f"the token of {name}, shown this once: nobody can find it out again, and who has it is {name}; {until}", err=True)


@analysts.command("list")
def listed(folder: Folder, as_json: Json = False) -> None:
    """List all accounts: their tables and limits, last days, and who was revoked. Tokens are not kept, and not shown."""
    from discreet.curator import accounts

    found = accounts.listed(folder)
    if as_json:
        print_json({"accounts": [each.to_dict() for each in found]})
        return
    from discreet.cli.page import Page

    if not found:
        say(f"there are no accounts; discreet analyst add {typed(folder)} NAME makes one")
        return
    Page().table("lllww", ["name", "role", "state", "tables", "limits"], [_row(each) for each in found], indent=0)


def _row(account: "Account") -> list[Any]:
    from discreet.answers.losses import loss_in_words
    from discreet.plots.lettering import clean

    limits = ", ".join(f"{clean(table)} {loss_in_words(loss)}" for table, loss in account.limits.items())
    until = f", until {account.expires}" if account.expires and account.state == "open" else ""
    tables = "all" if account.is_holder else ", ".join(map(clean, account.grants)) or "none"
    return [clean(account.name), account.role, f"{account.state}{until}", tables, limits]


@analysts.command("grant")
def grant(folder: Folder, name: Name, tables: Tables, as_json: Json = False) -> None:
    """Let them ask these tables too."""
    from discreet.curator import accounts

    _show_account(accounts.grant(folder, name, tables), as_json=as_json)


@analysts.command("ungrant")
def ungrant(folder: Folder, name: Name, tables: Tables, as_json: Json = False) -> None:
    """Let them ask these tables no more. What they were answered stays theirs to read."""
    from discreet.curator import accounts

    _show_account(accounts.ungrant(folder, name, tables), as_json=as_json)


@analysts.command("limit")
def limit(
    folder: Folder,
    name: Name,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A registered table, by name.")],
    epsilon: Epsilon = None,
    delta: Delta = None,
    rho: Rho = None,
    none: Annotated[bool, typer.Option("--none", help="Take the limit away.")] = False,
    as_json: Json = False,
) -> None:
    """Set what they may spend on a table, and on others about the same people. The stricter of this and per_analyst counts."""
    from discreet.curator import accounts

    given = {key: text for key, text in (("epsilon", epsilon), ("delta", delta), ("rho", rho)) if text is not None}
    if bool(given) == none:
        raise ParameterError("a limit is an amount or none", hint="write --epsilon 0.5, or --none to take it away")
    _show_account(accounts.limit(folder, name, table, given or None), as_json=as_json)


def _show_account(account: "Account", *, as_json: bool) -> None:
    if as_json:
        print_json(account.to_dict())
        return
    _, _, _, tables, limits = _row(account)
    if account.is_holder:
        say(f"{account.name} acts for the data holder, and may ask all tables without a grant")
        return
    say(f"{account.name} may ask {tables}" + (f"; limits: {limits}" if limits else ""))


@analysts.command("revoke")
def revoke(folder: Folder, name: Name, as_json: Json = False) -> None:
    """End an account, at once and for good. Its name is not used again; to replace a lost token, rotate it instead."""
    from discreet.curator import accounts

    accounts.revoke(folder, name)
    if as_json:
        print_json({"name": name, "state": "revoked"})
    else:
        say(f"{name} is revoked; it is in the ledger")
