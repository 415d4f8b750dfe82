"""Where a table's rows are kept, read from the ``source`` of its facts."""

import glob
import re
from pathlib import Path
from urllib.parse import unquote

from discreet.errors import ParameterError
from discreet.facts.model import Source
from discreet.facts.values import said, text

__all__ = ["has_commas", "parse_source"]

_FORMS = (
    "write a .csv, .csv.gz or .parquet file or a pattern of them, "
    '"x.duckdb#table", "postgresql://…#schema.table" or "spark:catalog.table"'
)
_CSV = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_PARQUET, _DUCKDB = (".parquet", ".pq"), (".duckdb", ".ddb", ".db")
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]+):", re.IGNORECASE)  # one letter would be a drive
_LOGIN = re.compile(r"[^/@\[:]*:(?!\d+(,[^/@]*)?/).*@|[^/@]*:[^/@]*@")  # user:password@, where no port and / come before the @
# of libpq's parameters those that hold no secret: a later one may be another way to write one
_PARAMETERS = frozenset((
    "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname", "fallback_application_name",
    "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives", "keepalives_count", "keepalives_idle",
    "keepalives_interval", "krbsrvname", "load_balance_hosts", "max_protocol_version", "min_protocol_version",
    "oauth_client_id", "oauth_issuer", "oauth_scope", "options", "passfile", "port", "require_auth", "requirepeer", "service",
    "servicefile", "ssl", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression",
    "sslcrl", "sslcrldir", "sslkey", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs",
    "tcp_user_timeout", "user",
))  # fmt: skip
_ODD = {"dbname": ":/=@", "user": ":", "host": "@"}  # what is part of an address, and of no name of these; @ may begin a socket
_TABLE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*){0,2}")


def parse_source(value: object, folder: Path, key: str = "source") -> Source:
    """The source that ``value`` names; a relative path starts in ``folder``, which is that of the facts file."""
    written = text(value, key)
    if not written.isprintable() or written != written.strip() or not written:
        raise ParameterError(f"{key} is {_shown(written)}, not a place", hint=_FORMS)
    if scheme := _SCHEME.match(written):
        return _address(written, scheme[1].lower(), key)
    if written.startswith("~"):
        raise ParameterError(f"{key} starts with ~, which is not read", hint="write a whole path, or one from the facts file")
    path, mark, table = written.rpartition("#")
    if mark and path.lower().endswith(_DUCKDB):
        return Source("duckdb", str(folder.absolute() / path), _table(table, key))
    if written.lower().endswith(_DUCKDB):
        instead = f'write {key} = "{"…" if _may_hold_secrets(written) else written}#table"'
        raise ParameterError(f"{key} names a DuckDB file but no table in it", hint=instead)
    if not written.lower().endswith(_CSV + _PARQUET):
        raise ParameterError(f"{key} is {_shown(written)}, whose kind is not known", hint=_FORMS)
    pattern = glob.has_magic(written)
    start = Path(glob.escape(str(folder.absolute()))) if pattern else folder.absolute()
    return Source("csv" if written.lower().endswith(_CSV) else "parquet", str(start / written), glob=pattern)


def has_commas(written: str) -> bool:
    """Whether the name of a source tells that commas stand between its fields."""
    return written.lower().endswith((".csv", ".csv.gz"))


def _address(written: str, scheme: str, key: str) -> Source:
    place, _, table = written.partition("#")
    if scheme == "spark":
        return Source("spark", "spark", _table(written.partition(":")[2], key))
    if scheme not in ("postgresql", "postgres"):
        raise ParameterError(f"{key} is an address of an unknown kind, {said(scheme)}", hint=_FORMS)
    if _has_password(written):
        raise ParameterError(
            f"{key} holds a password, and facts are public",
            hint="take it out, and keep it in the file ~/.pgpass, in a service file or in PGPASSWORD",
        )
    if not place.startswith(("postgresql://", "postgres://")):
        raise ParameterError(f"{key} is not a sound address", hint=_FORMS)
    if not _PARAMETERS.issuperset(name for name, _ in _parameters(place)):
        raise ParameterError(
            f"{key} has a parameter that is not known to hold no secret, and facts are public",
            hint="take it out, or write it into a service file",
        )
    return Source("postgresql", place, _table(table, key))


def _has_password(written: str) -> bool:
    """Whether an address holds one: as libpq reads it, which goes on to the first @ or /, or as somebody meant it, who may have
    written a sign by its number, or a / inside of it, or all of another address in the place of a name.
    """
    where, meant = written.partition("//")[2].partition("?")[0], unquote(written)
    told = _parameters(written.partition("#")[0])
    return (
        any(_LOGIN.match(each.partition("//")[2]) for each in (written, meant))
        or "@" in where.partition("#")[0].partition("/")[2]
        or any(set(_ODD.get(name, "")) & set(value[1:]) for name, value in told)
        or "password=" in meant.casefold()
    )


def _parameters(place: str) -> list[tuple[str, str]]:
    """What stands after the ?, as libpq reads it."""
    pairs = [each.partition("=") for each in place.partition("?")[2].split("&") if each]
    return [(unquote(name), unquote(value)) for name, _, value in pairs]


def _may_hold_secrets(written: str) -> bool:
    """Whether it looks like an address, by whatever mistake it is none: then it is in no message."""
    return "//" in written or "@" in written or "=" in written


def _shown(written: str) -> str:
    return "what may be an address" if _may_hold_secrets(written) else said(written)


def _table(table: str, key: str) -> str:
    if not _TABLE.fullmatch(table):
        raise ParameterError(f"{key} names no table, or not by a plain name", hint=_FORMS)
    return table
