"""Listening: one process or several that share one socket and one ledger, and one that stands over them."""

import gc
import os
import socket
import ssl
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import uvicorn

from discreet.curator import accounts
from discreet.curator.folder import Folder
from discreet.errors import ParameterError
from discreet.service.logs import check_log, log_to
from discreet.service.loops import Alone, Loop
from discreet.service.seats import take_seat
from discreet.service.settings import Limits, Settings
from discreet.service.supervising import Supervisor, Worker

if TYPE_CHECKING:
    from discreet.service.guard import Guard
    from discreet.service.patience import Patient

__all__ = ["serve", "worker"]

_SWITCH = 0.0003  # seconds that a thread has to itself while others wait: each statement of a ledger comes back to that line
_ENOUGH_FILES = 10_240  # where a system has no limit, and takes no number that is larger
_PROXIES = "127.0.0.1,::1"


def serve(settings: Settings, said: Callable[[str], None]) -> None:
    """Serve a folder until the process is told to end; ``said`` is told where, once it listens.

    Raises ParameterError for what is wrong with the settings, before anything listens; Fault if it cannot begin.
    """
    _check_folder(settings)
    check_log(settings.log_file)
    _check_certificate(settings)
    listening = _socket(settings)
    seconds = settings.limits.seconds_to_end
    config = uvicorn.Config(
        partial(worker, settings), factory=True, interface="asgi3", lifespan="on", ws="none",
        http=partial(_connection, settings.limits.of_one(settings.workers)),  # type: ignore[arg-type]
        loop=partial(Alone if settings.workers == 1 else Loop, settings.limits.idle_seconds),  # type: ignore[arg-type]
        workers=settings.workers, log_config=None, access_log=False, server_header=False,
        timeout_keep_alive=int(settings.limits.idle_seconds), timeout_graceful_shutdown=int(seconds),
        proxy_headers=settings.behind_proxy, forwarded_allow_ips=_PROXIES if settings.is_loopback else "*",
        ssl_certfile=settings.tls_cert, ssl_keyfile=settings.tls_key,
    )  # fmt: skip
    host, port = listening.getsockname()[:2]
    named = f"[{host}]" if ":" in host else host
    address = f"http{'' if settings.tls_cert is None else 's'}://{named}:{port}"
    log_to(settings.log_file)
    begun = partial(Worker, config, [listening], settings.log_file)
    Supervisor(begun, settings.workers, seconds, listening.close).run(lambda: said(address))


def worker(settings: Settings) -> "Guard":
    """The application of one worker, with its core and as many connections as the system lets it have."""
    from discreet.service.app import make_guarded

    os.environ["DISCREET_WORKERS"] = str(settings.workers)  # their engines share the memory
    if settings.workers > 1:
        take_seat(settings.workers)
    _more_files()
    sys.setswitchinterval(_SWITCH)
    app = make_guarded(settings)
    gc.collect()
    gc.freeze()  # what was imported stays: to look through all of it now and then stops everybody for 80 ms
    return app


def _connection(limits: Limits, *args: Any, **kwargs: Any) -> "Patient":
    """One connection of a worker. Web code is not for the process that stands over it."""
    from discreet.service.patience import Patient

    return Patient(*args, limits=limits, **kwargs)


def _more_files() -> None:
    """As many as may be open; macOS takes no infinite number, even where it says that there is no limit."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        if now != resource.RLIM_INFINITY:
            wanted = max(now, _ENOUGH_FILES) if most == resource.RLIM_INFINITY else most
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _check_folder(settings: Settings) -> None:
    """Raises DiscreetError if there is no ledger to be opened; ParameterError for an account that is not there."""
    Folder(settings.folder).close()
    state = {each.name: each.state for each in accounts.listed(settings.folder)}
    for name in settings.metrics:
        if state.get(name, "revoked") == "revoked":
            what = "was revoked" if name in state else "is not there"
            hint = "discreet analyst add DIR NAME makes one; data holders see the numbers without --metrics"
            raise ParameterError(f"the account {name[:64]!r} that may see the metrics {what}", hint=hint)


def _check_certificate(settings: Settings) -> None:
    """Raises ParameterError if TLS cannot be spoken with the certificate and its key."""
    if settings.tls_cert is None or settings.tls_key is None:
        return
    for file in (settings.tls_cert, settings.tls_key):
        try:
            file.open("rb").close()
        except OSError as error:
            why, hint = (error.strerror or "it cannot be opened").lower(), "write --tls-cert FILE --tls-key FILE"
            raise ParameterError(f"{file} cannot be read: {why}", hint=hint) from None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, password=lambda: "")
    except (OSError, ValueError):  # its words name places inside of OpenSSL
        raise ParameterError(
            f"{settings.tls_cert} and {settings.tls_key} are no certificate and its key",
            hint="both are PEM files, and the key is that of the certificate, without a password",
        ) from None


def _socket(settings: Settings) -> socket.socket:
    try:
        family, kind, number, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        with ExitStack() as closing:
            listening = closing.enter_context(socket.socket(family, kind, number))
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind(address)
            closing.pop_all()
    except (OSError, OverflowError, UnicodeError) as error:  # the last of a name that is none
        why = (getattr(error, "strerror", None) or "no such address").lower()
        hint = "write another --port, or --host 127.0.0.1"
        raise ParameterError(f"{settings.host}:{settings.port} cannot be listened on: {why}", hint=hint) from None
    listening.set_inheritable(True)
    return listening
