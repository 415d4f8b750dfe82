"""What a PostgreSQL says of itself and of one table, before anything is charged: versions, privileges, columns. No row is read.

Refused are servers and tables on which the same integers cannot be promised, and roles that may do more than read: see
docs/engines.md. Every name here is looked up in pg_catalog alone.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from discreet.engines.postgres.stored import ENDLESS, Described
from discreet.engines.sql.names import quoted
from discreet.errors import FactsError

if TYPE_CHECKING:
    from psycopg import Connection

__all__ = ["Table", "described", "is_rewritten", "table_name"]

_OLDEST = 160000
_SHORTEST = 5  # of types with a length, which is counted from 4; without one it is -1
_SERVER = """
SELECT CAST(current_setting('server_version_num') AS int), current_setting('server_encoding'), current_user,
       (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user)
"""
_RELATION = """
SELECT c.oid, c.relkind, c.relrowsecurity OR c.relforcerowsecurity,
       has_table_privilege(c.oid, 'INSERT') OR has_table_privilege(c.oid, 'UPDATE') OR has_table_privilege(c.oid, 'DELETE')
         OR has_table_privilege(c.oid, 'TRUNCATE') OR has_any_column_privilege(c.oid, 'INSERT')
         OR has_any_column_privilege(c.oid, 'UPDATE') OR pg_has_role(c.relowner, 'USAGE'),
       has_any_column_privilege(c.oid, 'SELECT')
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s AND c.relname = %s
"""
_EVERY_PART = """
WITH RECURSIVE part (oid) AS (
  SELECT CAST(%s AS oid) UNION SELECT i.inhrelid FROM part JOIN pg_inherits i ON i.inhparent = part.oid
) SELECT count(*) FROM part JOIN pg_class c ON c.oid = part.oid WHERE
"""
_ELSEWHERE = f"{_EVERY_PART} c.relkind NOT IN ('r', 'p')"
# what SELECT finds is of the transaction's moment, and what the function finds is of now
_REWRITTEN = f"{_EVERY_PART} NULLIF(c.relfilenode, 0) IS DISTINCT FROM pg_relation_filenode(c.oid)"
_COLUMNS = """
WITH RECURSIVE base (attnum, name, generated, readable, oid, typmod) AS (
  SELECT a.attnum, a.attname, a.attgenerated, has_column_privilege(a.attrelid, a.attnum, 'SELECT'), a.atttypid, a.atttypmod
  FROM pg_attribute a WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT b.attnum, b.name, b.generated, b.readable, t.typbasetype, t.typtypmod
  FROM base b JOIN pg_type t ON t.oid = b.oid WHERE t.typtype = 'd'
) SELECT b.name, t.typname, t.typtype = 'e', n.nspname = 'pg_catalog', b.typmod, b.generated = 'v', b.readable
FROM base b JOIN pg_type t ON t.oid = b.oid JOIN pg_namespace n ON n.oid = t.typnamespace WHERE t.typtype <> 'd' ORDER BY b.attnum
"""
# the functions that stand for arithmetic which never raises, the hash of units, and powers of NUMERIC, on numbers that tell
_PROBE = """
SELECT float8_avg(ARRAY[3, 1, 0]) = CAST('0.3333333333333333' AS float8)
   AND float8_regr_intercept(ARRAY[1, -CAST('1e308' AS float8), 1, 0, 0, 10]) = CAST('Infinity' AS float8)
   AND float8_regr_intercept(ARRAY[1, -CAST('1e-200' AS float8), 1, 0, 0, CAST('1e-200' AS float8)]) = 0
   AND float8_regr_intercept(ARRAY[1, -CAST('0.1' AS float8), 1, 0, 0, CAST('0.7' AS float8)]) * 1e17 = 6999999999999999
   AND float8_regr_intercept(ARRAY[1, -CAST('0.2' AS float8), 1, CAST('0.1' AS float8), 0, 1]) > CAST('0.3' AS float8)
   AND md5(convert_to('ä', 'UTF8')) = '8419b71c87a225a2c70b50486fbee545'
   AND pg_input_is_valid('1e5', 'float8') AND NOT pg_input_is_valid('1e400', 'float8')
   AND 'a' < 'B' COLLATE "C" IS FALSE
"""


@dataclass(frozen=True, slots=True)
class Table:
    """A table as the catalogue has it."""

    name: str  # quoted, with its schema
    columns: tuple[Described, ...]
    number: int  # its oid: another table of that name has another


def table_name(table: str) -> tuple[str, str]:
    """Schema and name of what stands after # in an address."""
    *before, name = table.split(".")
    if len(before) > 1:
        raise FactsError(f"the source names the table {table!r}", hint="write postgresql://…#schema.table", key="table.source")
    return (before[0] if before else "public"), name


def described(connection: "Connection[Any]", table: str) -> Table:
    """The table, if its rows can be read as everywhere else. Raises FactsError if not."""
    _check_server(connection)
    schema, name = table_name(table)
    found = connection.execute(_RELATION, (schema, name)).fetchone()
    if found is None or not found[4]:
        instead = f"write the name of a table, and GRANT SELECT ON {schema}.{name} to the role"
        raise FactsError(f"there is no table {schema}.{name} that the role may read", hint=instead, key="table.source")
    oid, kind, is_secured, may_write, _ = found
    _check_table(connection, f"{schema}.{name}", oid, _letter(kind), is_secured=is_secured, may_write=may_write)
    rows = connection.execute(_COLUMNS, (oid,)).fetchall()
    return Table(f"{quoted(schema)}.{quoted(name)}", tuple(_column(*row) for row in rows), oid)


def is_rewritten(connection: "Connection[Any]", table: Table) -> bool:
    """Whether it was truncated or rewritten after the moment that a transaction sees: rows of now would be missed in silence."""
    return connection.execute(_REWRITTEN, (table.number,)).fetchone() != (0,)


def _check_server(connection: "Connection[Any]") -> None:
    row = connection.execute(_SERVER).fetchone()
    assert row is not None
    version, encoding, role, is_super = row
    if version < _OLDEST:
        raise FactsError(f"this is PostgreSQL {version // 10000}, and only 16 and later can ask whether a text is a number",
                         hint="use a server of version 16 or later", key="table.source")  # fmt: skip
    if encoding != "UTF8":
        raise FactsError(f"the database is encoded in {encoding}", hint="use a database in UTF8", key="table.source")
    if is_super:
        raise FactsError(f"the role {role} may do everything, or read around row security", hint=_ROLE, key="table.source")
    if connection.execute(_PROBE).fetchone() != (True,):
        raise FactsError("this server computes differently from those that were tried", hint="use PostgreSQL 16, 17 or 18",
                         key="table.source")  # fmt: skip


_ROLE = "make a role of its own: CREATE ROLE reader LOGIN; GRANT USAGE ON SCHEMA …; GRANT SELECT ON … TO reader"


def _check_table(connection: "Connection[Any]", name: str, oid: int, kind: str, *, is_secured: bool, may_write: bool) -> None:
    if kind not in ("r", "p"):
        what = {"v": "a view", "m": "a view", "f": "a foreign table"}.get(kind, "no table")
        raise FactsError(f"{name} is {what}", hint="name a table, whose rows are stored in this database", key="table.source")
    if is_secured:
        raise FactsError(f"{name} is under row security, so that some of its rows are not seen",
                         hint="ask about a table without it", key="table.source")  # fmt: skip
    if may_write:
        raise FactsError(f"the role may write to {name}", hint=_ROLE, key="table.source")
    if connection.execute(_ELSEWHERE, (oid,)).fetchone() != (0,):
        raise FactsError(f"a part of {name} is kept elsewhere", hint="name a table, whose rows are stored in this database",
                         key="table.source")  # fmt: skip


def _letter(kind: str | bytes) -> str:
    return kind.decode() if isinstance(kind, bytes) else kind


def _column(name: str, kind: str, is_enum: bool, is_ours: bool, typmod: int, is_virtual: bool, is_readable: bool) -> Described:
    digits = None
    if kind == "numeric" and typmod >= 4:
        precision, scale = (typmod - 4) >> 16 & 0xFFFF, ((typmod - 4 & 0x7FF) ^ 1024) - 1024
        digits = (precision - scale, scale)
    shown = ENDLESS if kind == "bpchar" and typmod < _SHORTEST else kind if is_ours or is_enum else f"{kind} of an extension"
    return Described(name, shown, is_enum, digits, is_virtual, is_readable)
