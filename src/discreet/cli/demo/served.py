"""``demo --serve``: made-up tables behind the service, one analyst and one data holder, each with a link that lets them in."""

import sys
from pathlib import Path

from discreet.cli.options import print_json
from discreet.cli.printing import say
from discreet.cli.serving import service
from discreet.curator import accounts, office
from discreet.lessons.samples import write_sample

__all__ = ["serve_demo"]

TABLES = ("adult", "ce_slides", "devices")


def serve_demo(folder: Path, port: int, *, as_json: bool) -> None:
    """Serve the samples until it is interrupted. A link holds a token: whoever has it may come in."""
    serving, settings = service()
    for name in TABLES:
        office.register(write_sample(name, folder)[1])
    tokens = {"alice": accounts.add(folder, "alice"), "dana": accounts.add(folder, "dana", "holder")}
    accounts.grant(folder, "alice", list(TABLES))
    serving(settings(folder, port=port), lambda address: _links(address, tokens, as_json=as_json))


def _links(address: str, tokens: dict[str, str], *, as_json: bool) -> None:
    links = {name: f"{address}/#{token}" for name, token in tokens.items()}
    if as_json:
        print_json({"address": address, "links": links})
    else:
        say(f"{len(TABLES)} made-up tables on {address}, until you press Ctrl-C")
        say(f"  alice, an analyst      {links['alice']}")
        say(f"  dana, the data holder  {links['dana']}")
    sys.stdout.flush()
