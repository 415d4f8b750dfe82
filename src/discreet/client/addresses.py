"""Where a service is, and the token that opens it: read before anything is sent."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import unquote, urlsplit

from discreet.errors import ParameterError, TokenError

__all__ = ["Place", "is_address", "is_loopback", "read_address", "read_token", "token_in"]

_HOW = "write https://host/TABLE; plain http reaches this machine only, such as http://127.0.0.1:8000/people"
_SERVER = "write https://host, and no table; plain http reaches this machine only, such as http://127.0.0.1:8000"
_WHERE = "set DISCREET_TOKEN to what the data holder has told you, or write token='dsc_…'; in a terminal --token-file PATH"


@dataclass(frozen=True, slots=True)
class Place:
    """A service: host and port, the path before its addresses, and whether it speaks TLS."""

    host: str
    port: int
    path: str
    is_tls: bool

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == (443 if self.is_tls else 80) else f":{self.port}"
        return f"http{'s' if self.is_tls else ''}://{host}{port}{self.path}"


def is_address(written: str) -> bool:
    """Whether this is meant to be behind a service."""
    return written.casefold().startswith(("https:", "http:"))


def read_address(address: str, *, with_table: bool = True) -> tuple[Place, str]:
    """A service and the name of a table in it. Refused where a token would cross a network in the open."""
    how = _HOW if with_table else _SERVER
    try:
        parts = urlsplit(address)
        host, port, name = parts.hostname or "", parts.port, parts.username
    except ValueError:
        raise ParameterError("this is not an address", hint=how) from None
    if parts.scheme not in ("https", "http") or not host or parts.query or parts.fragment or name is not None:
        raise ParameterError("this is not the address of a table" if with_table else "this is not an address", hint=how)
    is_tls = parts.scheme == "https"
    if not is_tls and not is_loopback(host):
        raise ParameterError(f"the token would cross the network to {host} in the open", hint=how)
    path, _, table = parts.path.rstrip("/").rpartition("/") if with_table else (parts.path.rstrip("/"), "", "")
    if with_table and not table:
        raise ParameterError("the address names no table", hint=_HOW)
    return Place(host, port or (443 if is_tls else 80), path, is_tls), unquote(table)


def is_loopback(host: str) -> bool:
    """Whether nobody beyond this machine is reached."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def read_token(token: str | None) -> str:
    """The token that was given, or that of ``DISCREET_TOKEN``."""
    found = (token if token is not None else os.environ.get("DISCREET_TOKEN", "")).strip()
    if not found:
        raise TokenError("a token is needed", hint=_WHERE)
    if not found.isascii() or not found.isprintable() or " " in found:
        raise TokenError("this is not a token", hint=_WHERE)
    return found


def token_in(file: Path) -> str:
    """The token that is in a file of its own."""
    try:
        return read_token(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise ParameterError(f"{file} cannot be read: {why}", hint="write a file that holds the token and nothing else") from None
