"""SQL over released tables only: a DuckDB of its own, in memory, that knows nothing but what was released.

What it computes is post-processing and costs nothing (rule 9). Two walls stand between the SQL and everything else. Its text
must be one SELECT that names released tables and functions whose result depends on their arguments alone, so that it comes out
the same on every run. And the database has no access to files or addresses, loads nothing, and its settings are locked.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from math import isfinite
from threading import Timer
from typing import TYPE_CHECKING, Any, Literal

from discreet.engines.sql.names import quoted
from discreet.errors import QuestionError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["Columns", "MOST_ROWS", "ReleasedDatabase", "ReleasedTable", "SqlType"]

Columns = Mapping[str, Sequence[Any]]  # by name, in order, all as long as each other
SqlType = Literal["BIGINT", "BOOLEAN", "DATE", "DOUBLE", "TIMESTAMP", "VARCHAR"]

MOST_ROWS = 1_000_000
_SECONDS = 120.0
_SETTINGS = {
    "allow_community_extensions": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "ieee_floating_point_ops": "true",
    "max_memory": "1GB",
    "python_enable_replacements": "false",
    "temp_directory": "",
    "threads": "1",  # sums of floats come out the same on every run
}
_ROWS_FROM = ("generate_series", "range", "unnest")  # the only functions that may stand in FROM
_MACROS = (
    "date_add", "days_in_month", "fdiv", "fmod", "geomean", "geometric_mean", "if", "list_avg", "list_count", "list_first",
    "list_last", "list_max", "list_median", "list_min", "list_sum", "nullif", "split_part", "wavg", "weighted_avg",
)  # fmt: skip
_ABOUT_HERE = ("current_", "duckdb_", "pg_", "inet_", "has_", "getenv", "version", "which_", "txid_", "in_search_path", "age")
_BARE = {  # functions that are written like columns
    "current_catalog", "current_date", "current_role", "current_schema", "current_time", "current_timestamp", "current_user",
    "localtime", "localtimestamp", "session_user", "user",
}  # fmt: skip
_HOW = "write one SELECT over the released tables"


@dataclass(frozen=True, slots=True)
class ReleasedTable:
    """A table of released values under the name that SQL gives it. Its types follow from the question, not from the values."""

    name: str
    columns: Columns
    types: Mapping[str, SqlType]


class ReleasedDatabase:
    """Released tables, and those that are derived from them one after the other. Raises QuestionError, and no other error."""

    def __init__(self, tables: Sequence[ReleasedTable]) -> None:
        import duckdb

        self._tables = [table.name for table in tables]
        self._connection = duckdb.connect(":memory:", config=dict(_SETTINGS))
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")
        for table in tables:
            _load(self._connection, table)

    def derive(self, name: str, sql: str) -> dict[str, list[Any]]:
        """The columns that ``sql`` makes of the tables so far; from then on ``name`` is one of them."""
        _check(self._connection, sql, self._tables)
        columns = _run(self._connection, name, sql)
        self._tables.append(name)
        return columns

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()


# ---- the text


def _check(connection: "DuckDBPyConnection", sql: str, tables: Sequence[str]) -> None:
    import duckdb

    try:
        statements = connection.extract_statements(sql)
    except duckdb.Error as error:
        raise _refused(error) from None
    if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
        raise QuestionError(f"a derived table is one SELECT, not {len(statements)} statements" if len(statements) != 1
                            else "a derived table is a SELECT, and nothing else", hint=_HOW)  # fmt: skip
    found = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchone()
    tree = json.loads(found[0]) if found else {"error": True}
    if tree.get("error"):
        raise QuestionError("this kind of SELECT is not read here", hint=_HOW)
    nodes = list(_nodes(tree))
    _check_tables(nodes, tables)
    _check_functions(connection, nodes)


def _nodes(tree: object) -> Iterator[dict[str, Any]]:
    if isinstance(tree, dict):
        yield tree
        tree = list(tree.values())
    if isinstance(tree, list):
        for each in tree:
            yield from _nodes(each)


def _check_tables(nodes: Sequence[dict[str, Any]], tables: Sequence[str]) -> None:
    """Only released tables, and what the SELECT itself names in WITH."""
    own = {str(node["key"]).casefold() for node in nodes if "key" in node and "value" in node}
    own |= {str(node["cte_name"]).casefold() for node in nodes if "cte_name" in node}
    known = {name.casefold() for name in tables} | own
    for node in nodes:
        kind = node.get("type")
        if kind == "BASE_TABLE":
            name = str(node.get("table_name"))
            if node.get("schema_name") or node.get("catalog_name") or name.casefold() not in known:
                raise QuestionError(f"there is no released table {name[:60]!r}", hint=_those(tables))
        if kind == "TABLE_FUNCTION":
            name = str((node.get("function") or {}).get("function_name")).casefold()
            if name not in _ROWS_FROM:
                raise QuestionError(f"{name[:60]} may not stand in FROM", hint=_those(tables))
        if kind in ("SHOW_REF", "PIVOT", "DELIM_GET", "COLUMN_DATA"):
            raise QuestionError("this kind of table may not stand in FROM", hint=_HOW)
        if node.get("sample") is not None:
            raise QuestionError("a sample is another one on every run", hint="leave SAMPLE out")


def _check_functions(connection: "DuckDBPyConnection", nodes: Sequence[dict[str, Any]]) -> None:
    """Only functions of their arguments: no clock, no chance, no setting, nothing about this machine."""
    used = {str(node["function_name"]).casefold() for node in nodes if node.get("function_name")} - set(_ROWS_FROM)
    bare = {str(node["column_names"][0]).casefold() for node in nodes if len(node.get("column_names") or ()) == 1} & _BARE
    rows = connection.execute(
        "SELECT DISTINCT lower(function_name), function_type, coalesce(stability, '') FROM duckdb_functions()"
    ).fetchall()
    unsteady = {name for name, kind, stability in rows if kind not in ("macro", "table") and stability != "CONSISTENT"}
    macros = {name for name, kind, _ in rows if kind in ("macro", "table_macro", "pragma")} - set(_MACROS)
    for name in sorted(used | bare):
        if name in unsteady | macros | bare or name.startswith(_ABOUT_HERE):
            what = f"{name[:60]} may not be used in a derived table"
            raise QuestionError(what, hint="use functions of the released values only")


def _those(tables: Sequence[str]) -> str:
    return f"the released tables are {', '.join(tables)}"


# ---- the tables


def _load(connection: "DuckDBPyConnection", table: ReleasedTable) -> None:
    columns = ", ".join(f"{quoted(name)} {table.types[name]}" for name in table.columns)
    connection.execute(f"CREATE TABLE {quoted(table.name)} ({columns})")
    lists = ", ".join(f"unnest(?::{table.types[name]}[])" for name in table.columns)
    connection.execute(f"INSERT INTO {quoted(table.name)} SELECT {lists}", [list(each) for each in table.columns.values()])


def _run(connection: "DuckDBPyConnection", table: str, sql: str) -> dict[str, list[Any]]:
    import duckdb

    watch = Timer(_SECONDS, connection.interrupt)
    watch.daemon = True
    watch.start()
    try:
        found = connection.sql(sql)
        names = [str(name) for name in found.columns]
        if len({name.casefold() for name in names}) < len(names):
            raise QuestionError("two columns of the derived table have one name", hint="name each with AS")
        found.create(table)
        rows = connection.execute(f"SELECT * FROM {quoted(table)}").fetchmany(MOST_ROWS + 1)
    except duckdb.Error as error:
        raise _refused(error) from None
    finally:
        watch.cancel()
    if len(rows) > MOST_ROWS:
        raise QuestionError(f"the derived table has more than {MOST_ROWS} rows", hint="group its rows, or leave some out")
    return {name: [_plain(row[place]) for row in rows] for place, name in enumerate(names)}


def _plain(value: object) -> object:
    """A value as tables and files hold it; what is no number is no value."""
    match value:
        case float():
            return value if isfinite(value) else None
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case None | bool() | int() | str() | date():
            return value
    what = "a derived table has numbers, texts, truth values, days and moments only"
    raise QuestionError(what, hint="CAST other values AS VARCHAR")


def _refused(error: Exception) -> QuestionError:
    """DuckDB's own words: it has seen nothing but released values. The first line says what, the others where."""
    said = str(error).splitlines()[0] if str(error) else type(error).__name__
    return QuestionError(f"the SQL does not work: {said[:300]}", hint=_HOW)
