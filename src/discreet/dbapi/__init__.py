"""Tables behind a service as a database, by PEP 249: for pandas, polars, SQLAlchemy and whatever else speaks it.

    from discreet import dbapi
    with dbapi.connect("https://host", token="dsc_…", epsilon="0.1") as connection:
        pandas.read_sql("SELECT town, COUNT(*) AS n FROM people GROUP BY town", connection)

Only questions can be executed. Each is charged before it is answered, at the price of the connection or of ``execute``; what was
bought before is free. Nothing is ever undone: there are no transactions, ``commit`` does nothing and ``rollback`` is refused.
"""

from discreet.dbapi.connection import Connection, connect
from discreet.dbapi.cursor import Cursor
from discreet.dbapi.exceptions import (
    DatabaseError,
    DataError,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Warning,  # noqa: A004 - as the standard calls it
)
from discreet.dbapi.types import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    Date,
    DateFromTicks,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
)

__all__ = [
    "BINARY", "Binary", "Connection", "Cursor", "DATETIME", "DataError", "DatabaseError", "Date", "DateFromTicks", "Error",
    "IntegrityError", "InterfaceError", "InternalError", "NUMBER", "NotSupportedError", "OperationalError", "ProgrammingError",
    "ROWID", "STRING", "Time", "TimeFromTicks", "Timestamp", "TimestampFromTicks", "Warning", "apilevel", "connect",
    "paramstyle", "threadsafety",
]  # fmt: skip

apilevel = "2.0"
threadsafety = 2  # threads may share the module and connections
paramstyle = "qmark"
