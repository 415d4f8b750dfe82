"""SQLAlchemy's view of a service: ``create_engine("discreet://host", connect_args={"token": …, "epsilon": "0.1"})``.

Plain http is spoken to this machine alone, TLS to every other. Charged once means charged for good: what SQLAlchemy calls a
rollback, when it takes a connection back, does nothing here.
"""

from types import ModuleType
from typing import Any

from sqlalchemy import types
from sqlalchemy.engine import URL, Connection
from sqlalchemy.engine.default import DefaultDialect
from sqlalchemy.engine.interfaces import ReflectedColumn
from sqlalchemy.exc import NoSuchTableError

from discreet.client.addresses import is_loopback
from discreet.errors import MissingError
from discreet.facts.model import Boolean, Category, Column, Date, Integer, Number, Text, Timestamp

__all__ = ["DiscreetDialect"]


_SWITCHES = {"true": True, "false": False}  # an address has texts only


class DiscreetDialect(DefaultDialect):
    """Questions only: no schema is made, no row is written."""

    name = "discreet"
    driver = "dbapi"
    default_paramstyle = "qmark"
    supports_statement_cache = True
    supports_alter = False
    supports_native_boolean = True
    supports_sane_rowcount = True

    @classmethod
    def import_dbapi(cls) -> ModuleType:
        """PEP 249."""
        from discreet import dbapi

        return dbapi

    def create_connect_args(self, url: URL) -> tuple[list[str], dict[str, Any]]:
        """``discreet://:token@host:port/prefix?epsilon=0.1``: the token stands where a password does, which is not printed."""
        host = url.host or "localhost"
        port = "" if url.port is None else f":{url.port}"
        scheme = "http" if is_loopback(host) else "https"
        named = f"[{host}]" if ":" in host else host
        token = {} if url.password is None else {"token": url.password}
        words = {name: _SWITCHES.get(str(value).casefold(), value) for name, value in url.query.items()}
        return [f"{scheme}://{named}{port}/{url.database or ''}"], token | words

    def initialize(self, connection: Connection) -> None:
        """Nothing to find out."""

    def do_rollback(self, dbapi_connection: Any) -> None:
        """Nothing is undone, and nothing has to be."""

    def do_ping(self, dbapi_connection: Any) -> bool:
        """Whether the service is there."""
        dbapi_connection.tables()
        return True

    def has_table(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> bool:  # noqa: ARG002
        """Whether a table may be asked."""
        return table_name in self.get_table_names(connection)

    def get_table_names(self, connection: Connection, schema: str | None = None, **kw: Any) -> list[str]:  # noqa: ARG002
        """The tables that may be asked."""
        found: list[str] = _far(connection).tables()
        return found

    def get_view_names(self, connection: Connection, schema: str | None = None, **kw: Any) -> list[str]:  # noqa: ARG002
        """None."""
        return []

    def get_schema_names(self, connection: Connection, **kw: Any) -> list[str]:  # noqa: ARG002
        """None: tables have one name each."""
        return []

    def get_columns(
        self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any  # noqa: ARG002
    ) -> list[ReflectedColumn]:  # fmt: skip
        """What is public about the columns of a table."""
        try:
            columns = _far(connection).table(table_name).facts.columns
        except MissingError:
            raise NoSuchTableError(table_name) from None
        return [{"name": each.name, "type": _type(each), "nullable": True, "default": None} for each in columns]

    def get_pk_constraint(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> Any:  # noqa: ARG002
        """None: rows have no names."""
        return {"constrained_columns": [], "name": None}

    def get_foreign_keys(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> Any:  # noqa: ARG002
        """None."""
        return []

    def get_indexes(self, connection: Connection, table_name: str, schema: str | None = None, **kw: Any) -> Any:  # noqa: ARG002
        """None."""
        return []


def _far(connection: Connection) -> Any:
    return connection.connection.dbapi_connection


def _type(column: Column) -> types.TypeEngine[Any]:
    match column:
        case Number():
            return types.Float()
        case Integer():
            return types.Integer()
        case Boolean():
            return types.Boolean()
        case Date():
            return types.Date()
        case Timestamp():
            return types.DateTime()
        case Category(values=values):
            return types.Integer() if all(isinstance(each, int) for each in values) else types.String()
        case Text():
            return types.String()
