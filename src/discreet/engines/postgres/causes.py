"""Why a PostgreSQL cannot be asked, in words of ours, for the log of whoever holds the data: nothing that it says is quoted."""

__all__ = ["cause_of", "hint_for"]

_SAID = {  # what a server or libpq says before there is a connection, and with it no SQLSTATE
    "password authentication failed": "password refused",
    "no password supplied": "no password found",
    "authentication failed": "the server does not let this role in",
    "no pg_hba.conf entry": "the server does not let this role in from here",
    "definition of service": "no such service in the service file",
    "service file": "the service file cannot be read",
    "is not permitted to log in": "the role may not log in",
    "permission denied for database": "the role may not connect to the database",
    "certificate": "the certificate is not to be trusted",
    "server does not support ssl": "the server does not speak TLS",
    "too many clients": "the server has no connection left",
    "remaining connection slots": "the server has no connection left",
    "starting up": "the server is starting",
    "shutting down": "the server is stopping",
    "could not translate host name": "cannot connect: no such host",
    "failed to resolve host": "cannot connect: no such host",
    "name or service not known": "cannot connect: no such host",  # psycopg before 3.3, as the system says it
    "nodename nor servname": "cannot connect: no such host",
    "name resolution": "cannot connect: no such host",
    "connection refused": "cannot connect: refused",
    "timeout expired": "cannot connect: no answer in time",
    "no such file or directory": "cannot connect: no such socket",
}
_SECRET = "keep the password in the file ~/.pgpass, which nobody else may read, in a service file or in PGPASSWORD"
_SERVICE = "write the service into ~/.pg_service.conf, or into the file that PGSERVICEFILE names"
_PLACE = "look whether the server runs, and at host and port in postgresql://host:port/database#schema.table, seen from here"
_HINTS = {  # by how a cause begins
    "password": _SECRET,
    "no password": _SECRET,
    "no such service": _SERVICE,
    "the service file": _SERVICE,
    "no such role": "write the role into the address, role@host, or into a service file, and make it as docs/engines.md shows",
    "no such database": "write the name of the database after the host: postgresql://host/database#schema.table",
    "the role": "ask whoever runs the server to let this role in",
    "the server does not let": "ask whoever runs the server to let this role in",
    "the certificate": "sslrootcert in the address names the authority, and sslmode what is asked of it",
}
_MISSING = {"role": "no such role", "database": "no such database"}


def cause_of(error: Exception) -> str:
    """What is known of an error of the database and quotes nothing; empty if it is none of its own."""
    import psycopg

    if not isinstance(error, psycopg.Error):
        return ""
    if error.sqlstate:
        return f"{type(error).__name__}, SQLSTATE {error.sqlstate}"
    if not isinstance(error, psycopg.OperationalError):
        return type(error).__name__
    said = str(error).casefold()
    missing = [ours for word, ours in _MISSING.items() if f"fatal:  {word} " in said and "does not exist" in said]
    known = [*missing, *(ours for theirs, ours in _SAID.items() if theirs in said)]
    if known:
        return known[0]
    return "cannot connect" if error.pgconn is None or "connection failed" in said else "the connection was lost"


def hint_for(cause: str) -> str:
    """What to do about it, for whoever holds the data."""
    return next((hint for begins, hint in _HINTS.items() if cause.startswith(begins)), _PLACE)
