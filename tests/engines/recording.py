"""A DuckDB whose statements are checked before they run: whatever is asked through it, whether it can fail is written down."""

import re
from collections import Counter

from tests.engines import total
from tests.engines.rules_duckdb import DUCKDB, census, duckdb_census

MADE = re.compile(r"CREATE (OR REPLACE )?(TABLE|VIEW) (?P<name>\w+) AS (?P<select>SELECT .*)", re.DOTALL)
OUR_OWN = (
    "SET ",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "DROP ",
    "ATTACH ",
    "DETACH ",
    "DESCRIBE ",
    "CREATE TEMP TABLE raw (",
    "INSERT INTO raw ",
)
ABOUT_ITSELF = (
    "duckdb_tables()",
    "duckdb_views()",
    "duckdb_databases()",
    "parquet_schema(",
    "ORDER BY n DESC, k LIMIT 1",
)  # of a lookup: public
VIEWS = (
    "CREATE VIEW data",
    "CREATE TEMP VIEW raw",
    "CREATE TABLE values",
)  # stored types become ours before any question: see ``stored``


class Record:
    """What was met, and what could fail, of all statements of all connections."""

    def __init__(self):
        self.statements, self.problems, self.met, self.seen = 0, [], Counter(), set()

    def connect(self, connect):
        """A replacement for duckdb.connect."""
        return lambda *given, **named: Checked(connect(*given, **named), self)


class Checked:
    """A connection, or a cursor of it, that checks before it executes."""

    def __init__(self, connection, record, tables=None):
        self._connection, self._record, self._tables = connection, record, {} if tables is None else tables

    def execute(self, sql, parameters=None):
        """Run a statement, once it has been looked at."""
        if not sql.startswith((*OUR_OWN, *VIEWS)) and not any(word in sql for word in ABOUT_ITSELF):
            self._look_at(sql)
        return self._connection.execute(sql, parameters)

    def cursor(self):
        return Checked(self._connection.cursor(), self._record, self._tables)

    def _look_at(self, sql):
        record = self._record
        record.statements += 1
        try:
            made, select = self._made(sql)
            self._tables.pop(made, None)
            columns = total.check(select, _Known(self._connection, self._tables), DUCKDB)
            self._as_duckdb_reads_it(select, columns)
            if made:
                self._tables[made] = columns
        except total.NotTotal as error:
            record.problems.append((str(error), sql))

    def _made(self, sql):
        """The name of the table that a statement makes, if it does, and its SELECT."""
        made = MADE.fullmatch(sql)
        return (made["name"], made["select"]) if made else (None, sql)

    def _as_duckdb_reads_it(self, select, columns):
        """The same casts and operators, and the same types of columns."""
        ((tree,),) = self._connection.execute("SELECT json_serialize_sql($1)", [select]).fetchall()
        theirs, ours = duckdb_census(tree), census(select)
        self._record.met.update(theirs)
        if theirs != ours:
            raise total.NotTotal(f"DuckDB reads {theirs - ours} more, and sqlglot {ours - theirs}")
        types = {row[0]: row[1] for row in self._connection.execute(f"DESCRIBE {select}").fetchall()}
        told = {name: value.kind for name, value in columns.items()}
        if wrong := {name: (kind, told.get(name)) for name, kind in types.items() if told.get(name) not in (kind, "NULL")}:
            raise total.NotTotal(f"the types of columns are not what they seem: {wrong}")

    def __getattr__(self, name):
        return getattr(self._connection, name)

    def __enter__(self):
        self._connection.__enter__()
        return self

    def __exit__(self, *error):
        return self._connection.__exit__(*error)


class _Known(dict):
    """The tables of a database: those that were made by a checked statement, and all others with every value of their types."""

    def __init__(self, connection, made):
        super().__init__(made)
        self._connection = connection

    def __contains__(self, name):
        return super().__contains__(name) or self._described(name)

    def _described(self, name):
        import duckdb

        try:
            rows = self._connection.execute(f'DESCRIBE "{name}"').fetchall()
        except duckdb.CatalogException:
            return False
        self[name] = {row[0]: DUCKDB.every(row[1].partition("(")[0]) for row in rows}
        if name.startswith("values"):  # declared values of a category: public constants
            self[name] = {"value": self._of_constants(name, self[name]["value"])}
        return True

    def _of_constants(self, name, value):
        if value.kind == "VARCHAR":
            return value
        ((low, high),) = self._connection.execute(f'SELECT MIN(value), MAX(value) FROM "{name}"').fetchall()
        return total.Value(value.kind, low, high)
