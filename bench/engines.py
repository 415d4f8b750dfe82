"""DuckDB's engine, beside DuckDB without privacy

The integers of a plan are read from a Parquet file, and beside it, in turn, DuckDB itself is asked without privacy and with its
own settings: `COUNT` and `SUM` of 50 groups; the same by unit (a tenth as many units as rows, each in some nine of 50 groups, at
most 5 of which count) beside its own `GROUP BY unit, group`; and counts of a million declared keys beside its own `GROUP BY`.

*The noisy table* is the last of these from the text of the question to what is stored: its plan, the counts, a million draws of
noise, and the bytes that the ledger keeps. *The whole answer* is that through a registered table: charged, with an interval for
every key, a document of all that was shown, signed, written, read again and handed over. It has no target here.

`DISCREET_BENCH_ROWS` says how many rows, 20 million if it does not. *Best* is the shortest of several runs after one that warms
up; ratios and targets go by it. *Processor* is the time of all threads and processes together, which is disturbed less by others.
"""

import tempfile
from fractions import Fraction
from itertools import count
from pathlib import Path

import duckdb
from _engines_asked import BY_GROUP, BY_KEY, BY_UNIT, KEYS, MADE, ROWS, Held, both, measured
from _record import Row, Times, compared, record, target

import discreet as dc
from discreet.facts.model import Source
from discreet.ledger.entries.packed import packed_to
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.releasing.stages import released_from

MOST = {BY_GROUP: 1.4, BY_UNIT: 2.0, BY_KEY: 1.5}
REPEATS = {BY_GROUP: 40, BY_UNIT: 3, BY_KEY: 5}
QUESTION = "SELECT k, COUNT(*) AS n FROM t GROUP BY k"
FACTS = f"""\
[table]
name = "t"
source = "rows.parquet"
version = "1"
unit = "row"
neighbours = "add_remove"

[budget]
epsilon = 1_000_000

[columns.k]
type = "integer"
lower = 0
upper = {KEYS - 1}
"""


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        file = Path(folder) / "rows.parquet"
        connection.execute(f"COPY ({MADE} FROM range({ROWS})) TO '{file}' (FORMAT parquet)")
        held = Held(*both(Source("parquet", str(file))), lambda sql: connection.execute(sql.format(f"'{file}'")).fetchnumpy())
        tables = measured(held, MOST, REPEATS)
        noisy, seconds = noisy_table(Path(folder), held)
        tables[f"{ROWS:,} rows"].append(noisy)
        tables[f"{KEYS:,} keys"] = seconds
    record("engines", tables, packages=("discreet", "duckdb", "numpy"))


def noisy_table(folder: Path, held: Held) -> tuple[Row, list[Row]]:
    """A million keys with noise, bought anew each time, beside the counts alone."""
    facts = folder / "t.toml"
    facts.write_text(FACTS, encoding="utf-8")
    dc.register(facts)
    table, prices = dc.open(facts), count(1)
    table.open()
    engine, known, kept = table.desk.engine, table.facts, []

    def price() -> Fraction:
        return 1 + Fraction(next(prices), 10_000)

    def noisy() -> None:
        plan = make_plan(read_sql(QUESTION, known), known, read_price(epsilon=price()))
        kept.append(len(packed_to(released_from(plan, engine))))

    acts = {
        "the noisy table, packed": noisy,
        "its own query": lambda: held.raw("SELECT k, COUNT(*) FROM {} GROUP BY k"),
        "the whole answer": lambda: table.ask(QUESTION, epsilon=price()),
    }
    found = compared(acts, repeats=REPEATS[BY_KEY])
    table.close()
    ours, alone = found["the noisy table, packed"], found["its own query"]
    ratio = Times(ours.best / alone.best, ours.median / alone.median)
    rows = [{"what": what, "s, best": each.best, "s, median": each.median, "packed, MB": kept[-1] / 1e6 if each is ours else None}
            for what, each in found.items()]
    return target(f"the noisy table of {KEYS:,} keys, packed", ratio, at_most=1.5, unit="times its own query"), rows


if __name__ == "__main__":
    main()
