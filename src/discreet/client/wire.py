"""Requests that may be repeated, and are: a connection that is cut costs nothing but time.

All that is sent here is safe to send twice: reading is, quoting is, and a question that is charged carries a key by which the
service knows it again.
"""

import json
import os
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from socket import gaierror
from ssl import SSLCertVerificationError, SSLError
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

from discreet.client.addresses import Place
from discreet.client.failures import error_from
from discreet.errors import ServiceFault

__all__ = ["Reply", "Wire", "path_of"]

_PAUSES = (0.0, 0.1, 0.5, 2.0)  # seconds before each further attempt on a connection that was cut or is not there
_BUSY = frozenset({429, 502, 503, 504})
_ELSEWHERE = 300  # and above: no service of ours sends anybody elsewhere
_MOST_KEPT = 8  # connections


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back: a status and JSON, and when to look again."""

    status: int
    body: Any
    after: float = 1.0


class _Cut(Exception):
    """A response that is not whole."""


def path_of(*parts: str) -> str:
    """An address within the service."""
    return "/api/" + "/".join(quote(part, safe="") for part in parts)


class Wire:
    """Connections to one service, kept open. Safe for threads."""

    def __init__(self, place: Place, token: str, *, timeout: float = 60.0, patience: float = 60.0) -> None:
        self.place = place
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json", "User-Agent": "discreet"}
        self._timeout = timeout
        self._patience = patience  # seconds for which a service that has too much to do is asked again
        self._idle: deque[HTTPConnection] = deque()
        self._process = os.getpid()

    def get(self, path: str) -> Any:
        """What is there. Raises the error that the service tells."""
        return self.send("GET", path).body

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What comes of something that may be sent twice. Raises the error that the service tells."""
        return self.send("POST", path, body).body

    def send(self, method: str, path: str, body: Mapping[str, Any] | None = None, key: str | None = None) -> Reply:
        """One request, repeated until it is answered or there is no hope. Raises the error that the service tells."""
        sent = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        headers = self._headers | ({} if sent is None else {"Content-Type": "application/json"})
        headers |= {} if key is None else {"Idempotency-Key": key}
        until = monotonic() + self._patience
        while True:
            reply = self._tried(lambda: self._exchange(method, self.place.path + path, sent, headers))
            if reply.status < _ELSEWHERE:
                return reply
            is_ours = isinstance(reply.body, dict) and "error" in reply.body
            is_busy = reply.status in _BUSY and not (is_ours and reply.body["error"] in ("fault", "crash"))
            if not is_busy or monotonic() + reply.after > until:
                raise error_from(reply.status, reply.body, str(self.place))
            sleep(reply.after)

    def _tried(self, exchange: Callable[[], Reply]) -> Reply:
        """An exchange that is tried again where the connection breaks."""
        for pause in (*_PAUSES, None):
            try:
                return exchange()
            except (OSError, HTTPException, _Cut) as error:
                if pause is None or _is_hopeless(error):
                    raise _unreachable(self.place, error) from None
                sleep(pause)
        raise AssertionError("the last attempt returns or raises")

    def _exchange(self, method: str, path: str, sent: bytes | None, headers: Mapping[str, str]) -> Reply:
        if self._process != os.getpid():  # after a fork: two would read each other's answers
            self._idle, self._process = deque(), os.getpid()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = self._connected()
        try:
            connection.request(method, path, sent, dict(headers))
            response = connection.getresponse()
            if response.length is None and not response.chunked:  # a head that was cut: what ends then is no response
                raise _Cut
            told = response.read()
            after = response.headers.get("Retry-After", "")
            reply = Reply(response.status, _read(told, response.status), float(after) if after.isdigit() else 1.0)
        except BaseException:
            connection.close()
            raise
        if response.will_close or len(self._idle) >= _MOST_KEPT:
            connection.close()
        else:
            self._idle.append(connection)
        return reply

    def _connected(self) -> HTTPConnection:
        if not self.place.is_tls:
            return HTTPConnection(self.place.host, self.place.port, timeout=self._timeout)
        return HTTPSConnection(self.place.host, self.place.port, timeout=self._timeout)  # certificate and name are checked

    def __del__(self) -> None:
        """Whoever forgets to close it leaves no socket open."""
        self.close()

    def close(self) -> None:
        """Let go of all connections."""
        while self._idle:
            self._idle.pop().close()


def _read(told: bytes, status: int) -> Any:
    try:
        return json.loads(told)
    except ValueError:
        if status < _ELSEWHERE:
            raise _Cut from None
        return None  # of a proxy, perhaps


def _is_hopeless(error: Exception) -> bool:
    """Whether trying again cannot help: the certificate is wrong, there is no such host, or no TLS there."""
    return isinstance(error, SSLCertVerificationError | gaierror) or _is_plain(error)


def _is_plain(error: Exception) -> bool:
    """Whether something was said that is not TLS."""
    return isinstance(error, SSLError) and error.reason in ("WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE")


def _unreachable(place: Place, error: Exception) -> ServiceFault:
    match error:
        case SSLCertVerificationError():
            hint = "ask whoever runs it; SSL_CERT_FILE names further authorities"
            return ServiceFault(f"the certificate of {place} is not to be trusted", hint=hint)
        case SSLError() if _is_plain(error):
            hint = f"look at the address; a service on this machine that speaks none is at http://{place.host}:{place.port}"
            return ServiceFault(f"what answers at {place} does not speak TLS", hint=hint)
        case _Cut():
            what = f"what answers at {place} is no service of discreet, or its responses are cut"
            return ServiceFault(what, hint="look at the address")
        case TimeoutError():
            why = "it took too long"
        case OSError(strerror=str(said)):
            why = said.lower()
        case _:
            why = "the connection was cut"
    tls = "" if place.is_tls or isinstance(error, TimeoutError | ConnectionRefusedError) else ", or write https if it speaks TLS"
    hint = f"look at the address{tls}, and whether the service runs; what was asked is not charged twice when it is asked again"
    return ServiceFault(f"{place} cannot be reached: {why}", hint=hint)
