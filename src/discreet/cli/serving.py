"""``serve``: the tables of a folder over HTTP, for people who are not trusted."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.options import Json, print_json
from discreet.cli.printing import say
from discreet.errors import ParameterError

if TYPE_CHECKING:
    from discreet.service.settings import Settings

__all__ = ["serve", "service"]


def serve(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the facts files, with its ledger.")],
    host: Annotated[str, typer.Option("--host", help="Where to listen; beyond this machine it needs TLS.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; 0 takes any that is free.")] = 8000,
    workers: Annotated[int, typer.Option("--workers", help="How many processes answer.")] = 1,
    behind_proxy: Annotated[
        bool, typer.Option("--behind-proxy", help="A proxy that speaks TLS stands before it, and says who comes.")
    ] = False,
    tls_cert: Annotated[Path | None, typer.Option("--tls-cert", metavar="FILE", help="The certificate, PEM.")] = None,
    tls_key: Annotated[Path | None, typer.Option("--tls-key", metavar="FILE", help="Its key, PEM.")] = None,
    max_upload: Annotated[int, typer.Option("--max-upload", metavar="MB", min=1, help="The largest file that is taken.")] = 200,
    metrics: Annotated[
        list[str] | None, typer.Option("--metrics", metavar="NAME", help="An account that may read /metrics, too.")
    ] = None,
    log_file: Annotated[
        Path | None, typer.Option("--log-file", metavar="PATH", help="Where the log goes, instead of stderr; may be rotated.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Answer questions about the tables of a folder over HTTP, until it is interrupted. Needs the service extra."""
    serving, settings_of = service()
    settings = settings_of(folder, host, port, workers, behind_proxy, tls_cert, tls_key, max_upload * 1_000_000,
                           tuple(metrics or ()), log_file)  # fmt: skip
    serving(settings, lambda address: _say(address, as_json=as_json))


def service() -> "tuple[Callable[[Settings, Callable[[str], None]], None], type[Settings]]":
    """What serves, and its settings. Raises ParameterError where the extra is not installed."""
    try:
        from discreet.service.serving import serve as serving
        from discreet.service.settings import Settings
    except ImportError:
        raise ParameterError("serving needs the service extra", hint="pip install 'discreet[service]'") from None
    return serving, Settings


def _say(address: str, *, as_json: bool) -> None:
    """Where it listens, at once: whoever started it may be a program that waits for the line."""
    if as_json:
        print_json({"address": address})
    else:
        say(f"listening on {address}; {address}/api/docs says how to ask")
    sys.stdout.flush()
