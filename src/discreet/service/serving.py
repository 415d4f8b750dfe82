"""Listening: one process, or several that share one socket and one ledger. Whoever dies is replaced."""

import gc
import logging
import os
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from logging.handlers import WatchedFileHandler

import uvicorn
from uvicorn.supervisors import Multiprocess

from discreet.curator.folder import Folder
from discreet.errors import ParameterError
from discreet.service.app import make_guarded
from discreet.service.guard import Guard
from discreet.service.patience import Patient
from discreet.service.seats import take_seat
from discreet.service.settings import Settings

__all__ = ["serve"]

_SWITCH = 0.0003  # seconds that a thread has to itself while others wait: each statement of a ledger comes back to that line
_LOOP = "discreet.service.loops:Loop"
_WORKER_SILENT = 60  # seconds after which a worker that does not move is replaced


def serve(settings: Settings, said: Callable[[str], None]) -> None:
    """Serve a folder until the process is told to end; ``said`` is told where, once it listens."""
    Folder(settings.folder).close()  # what is wrong with it is told before anything listens
    _handler(settings).close()
    listening = _socket(settings)
    config = uvicorn.Config(
        partial(worker, settings), factory=True, interface="asgi3", lifespan="on",
        http=partial(Patient, limits=settings.limits.of_one(settings.workers)), ws="none",  # type: ignore[arg-type]
        workers=settings.workers, loop="asyncio" if settings.workers == 1 else _LOOP, log_config=None, access_log=False,
        server_header=False, timeout_keep_alive=int(settings.limits.idle_seconds),
        timeout_graceful_shutdown=int(settings.limits.seconds_to_end), timeout_worker_healthcheck=_WORKER_SILENT,
        proxy_headers=settings.behind_proxy, forwarded_allow_ips="127.0.0.1" if settings.is_loopback else "*",
        ssl_certfile=settings.tls_cert, ssl_keyfile=settings.tls_key,
    )  # fmt: skip
    host, port = listening.getsockname()[:2]
    named = f"[{host}]" if ":" in host else host
    said(f"http{'' if settings.tls_cert is None else 's'}://{named}:{port}")
    if settings.workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        Multiprocess(config, [listening]).run()


def worker(settings: Settings) -> Guard:
    """The application of one worker, with its log, its core and as many connections as the system lets it have."""
    log = logging.getLogger("discreet.service")
    if not log.handlers:
        handler = _handler(settings)
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
        log.addHandler(handler)
        log.setLevel(logging.INFO)
        log.propagate = False
    os.environ["DISCREET_WORKERS"] = str(settings.workers)  # their engines share the memory
    if settings.workers > 1:
        take_seat(settings.workers)
    _more_files()
    sys.setswitchinterval(_SWITCH)
    app = make_guarded(settings)
    gc.collect()
    gc.freeze()  # what was imported stays: to look through all of it now and then stops everybody for 80 ms
    return app


def _handler(settings: Settings) -> logging.Handler:
    """Where the log goes. A file that was moved away, by whatever rotates logs, is opened again under its name."""
    if settings.log_file is None:
        return logging.StreamHandler(sys.stderr)
    try:
        return WatchedFileHandler(settings.log_file, encoding="utf-8")
    except OSError as error:
        why, hint = (error.strerror or "it cannot be opened").lower(), "write another path after --log-file"
        raise ParameterError(f"{settings.log_file} cannot be written: {why}", hint=hint) from None


def _more_files() -> None:
    with suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _socket(settings: Settings) -> socket.socket:
    try:
        family, kind, number, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, number)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
    except (OSError, OverflowError) as error:
        why = (getattr(error, "strerror", None) or "no such address").lower()
        hint = "write another --port, or --host 127.0.0.1"
        raise ParameterError(f"{settings.host}:{settings.port} cannot be listened on: {why}", hint=hint) from None
    listening.set_inheritable(True)
    return listening
