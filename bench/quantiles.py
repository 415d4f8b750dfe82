"""Quantiles: rank errors beside others, and time beside DuckDB without privacy

Rank error is how many rows the chosen value is from the rank that was asked for; 0 if the rank falls into rows that have that
value. *Independent* releases nine quantiles one by one, each by discreet's own mechanism for one quantile at a ninth of ε;
discreet itself finds the middle one first and then those below and above it among the rows on their side (Kaplan, Schnapp and
Stemmer, 2022), at a quarter of ε for each of four levels. A neighbour adds or removes a row.

OpenDP chooses among candidates that the user lists. Incomes are round numbers, and a list of a thousand evenly spread ones that
happens to have the right one hardly errs, where one that has not errs by the distance, at any price; the comparison is with the
list that is as fine as discreet's own, up to a hundred thousand, and the other is shown beside it. diffprivlib chooses among
gaps, as discreet does, at twice the sensitivity. Tumult Analytics needs Spark and was not run.

The time of a median is that of `ask`, over a Parquet file of 20 million rows, every time at a new price; beside it, in turn,
DuckDB's own `quantile_cont` over the same file.
"""

import csv
import json
import os
import tempfile
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from _quantiles_errors import at_most, rank_error, summary
from _questions_tables import make_table
from _record import Row, Times, clocked, in_peer, record, target

import discreet as dc
from discreet.facts.make import facts_for_table
from discreet.lessons.samples import sample
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.tally import Tally
from discreet.planning.build import make_plan
from discreet.planning.plan import Ranks
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql

RUNS, NINE_RUNS, REPEATS = 2_000, 100, 5
ROWS = 20_000_000
PRICES = ["0.1", "1"]
NINE = [Fraction(i, 10) for i in range(1, 10)]
NINE_TITLE, ONE_TITLE, TIME_TITLE, TARGETS = "Nine quantiles", "One median", f"A median of {ROWS:,} rows", "Targets"

Table = dict[str, Any]                                         # whole values, and their bounds


def main() -> None:
    tables = real_tables() or sample_tables()
    nine, one = nine_quantiles(tables), one_median(tables)
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "tables.json"
        told.write_text(json.dumps({"tables": tables, "prices": PRICES}), encoding="utf-8")
        peers = {name: in_peer(name, f"_quantiles_{name}.py", str(told)) for name in ("opendp", "diffprivlib")}
        wall, busy = median_times(Path(folder))
    ran = {name: found for name, found in peers.items() if found is not None}
    rows = [one_row(name, price, one[name, price], ran) for name in tables for price in PRICES]
    speed = [time_row(who, wall, busy) for who in wall]
    ratio = Times(wall["discreet"].best / wall["DuckDB"].best, wall["discreet"].median / wall["DuckDB"].median)
    worst = max(row["ratio"] for row in nine)
    behind = [row["of the best, at most"] for row in rows if row["of the best, at most"] is not None]
    targets = [
        target("nine quantiles: rank error beside independent ones, worst table", Times(worst, worst), at_most=0.5, unit="×"),
        target("a median: rank error beside the best peer, 99 % bound, worst table",
               Times(max(behind), max(behind)) if behind else None, at_most=1.05, unit="×"),
        target("a median of 20 million rows beside quantile_cont", ratio, at_most=2, unit="×"),
    ]
    record("quantiles", {TARGETS: targets, NINE_TITLE: nine, ONE_TITLE: rows, TIME_TITLE: speed},
           packages=("discreet", "numpy", "duckdb"), peers={name: found["version"] for name, found in ran.items()})


# ---- tables


def real_tables() -> dict[str, Table] | None:
    """Columns of PUMS and CE, where the data is."""
    folder = Path(os.environ.get("DISCREET_DATA", "")) if os.environ.get("DISCREET_DATA") else None
    if folder is None or not (folder / "pums" / "FultonPUMS5full.csv").exists():
        return None
    pums, ce = read(folder / "pums" / "FultonPUMS5full.csv"), read(folder / "CEdata_5133_slides.csv")
    return {
        "PUMS age": column(pums, "age", 0, 120),
        "PUMS income": column(pums, "income", 0, 1_000_000),
        "CE income": column(ce, "Income", 0, 1_000_000),
        "CE expenditure": column(ce, "Expenditure", 0, 200_000),
    }


def sample_tables() -> dict[str, Table]:
    """The same from made-up samples."""
    made = [sample(name) for name in ("fulton", "ce_slides")]
    pums, ce = ([dict(zip(each.header, row, strict=True)) for row in each.rows] for each in made)
    return {"PUMS age, made up": column(pums, "age", 0, 120), "CE income, made up": column(ce, "Income", 0, 1_000_000)}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def column(rows: Any, name: str, lower: int, upper: int) -> Table:
    values = [min(max(round(float(row[name])), lower), upper) for row in rows if row[name] not in ("", None, "NA")]
    return {"values": sorted(values), "lower": lower, "upper": upper}


# ---- errors


def ranks_for(table: Table, sql: str, price: str) -> Ranks:
    facts = facts_for_table(name="t", columns={"x": dc.integer(table["lower"], table["upper"])}, unit="row",
                            neighbours="add_remove", budget=dc.Pure(epsilon=10))
    (ranks,) = make_plan(read_sql(sql, facts), facts, read_price(epsilon=price)).vectors
    assert isinstance(ranks, Ranks)
    return ranks


def tally_of(table: Table, bits: int) -> Tally:
    points, rows = np.unique(np.array(table["values"]) - table["lower"], return_counts=True)
    return Tally(table["upper"] - table["lower"] + 1, points, rows, bits=bits)


def one_median(tables: dict[str, Table]) -> dict[tuple[str, str], dict[str, float]]:
    found = {}
    for name, table in tables.items():
        for price in PRICES:
            ranks, tally = ranks_for(table, "SELECT MEDIAN(x) AS v FROM t", price), tally_of(table, 0)
            chosen = [ranks.mechanism.select(tally)[0] + table["lower"] for _ in range(RUNS)]
            found[name, price] = summary(rank_error(np.array(table["values"]), np.array(chosen), 0.5))
    return found


def nine_quantiles(tables: dict[str, Table]) -> list[Row]:
    asked = "SELECT " + ", ".join(f"QUANTILE(x, {float(q)}) AS q{i}" for i, q in enumerate(NINE)) + " FROM t"
    rows = []
    for name, table in tables.items():
        values = np.array(table["values"])
        for price in PRICES:
            ranks = ranks_for(table, asked, price)
            together = np.array([ranks.mechanism.select(tally_of(table, ranks.mechanism.bits)) for _ in range(NINE_RUNS)])
            tally = tally_of(table, 0)
            alone = [Quantile(epsilon=Fraction(price) / 9, sensitivity=max(q, 1 - q), q=q) for q in NINE]
            apart = np.array([[each.select(tally) for each in alone] for _ in range(NINE_RUNS)])
            errors = [np.mean([rank_error(values, found[:, i] + table["lower"], float(q)) for i, q in enumerate(NINE)], axis=0)
                      for found in (together, apart)]
            ours, theirs = (summary(each) for each in errors)
            rows.append({"table": name, "rows": len(values), "ε": price, "discreet": ours["mean"], "independent": theirs["mean"],
                         "ratio": ours["mean"] / theirs["mean"]})
    return rows


def one_row(name: str, price: str, ours: dict[str, float], peers: dict[str, Any]) -> Row:
    keys = {"OpenDP": ("opendp", f"{name}, {price}, 100001"), "diffprivlib": ("diffprivlib", f"{name}, {price}"),
            "OpenDP, 1 001 listed": ("opendp", f"{name}, {price}, 1001")}
    theirs = {who: peers[peer]["errors"][key] for who, (peer, key) in keys.items() if peer in peers}
    best = min((theirs[who] for who in ("OpenDP", "diffprivlib") if who in theirs), key=lambda each: each["mean"], default=None)
    shown = {who: theirs[who]["mean"] if who in theirs else None for who in keys}
    bound = None if best is None or not ours["mean"] or not best["mean"] else at_most(ours, best)
    bound = 0.0 if best is not None and not ours["mean"] else bound
    return {"table": name, "ε": price, "discreet": ours["mean"], **shown, "of the best, at most": bound}


# ---- time


def median_times(folder: Path) -> tuple[dict[str, Times], dict[str, Times]]:
    facts = make_table(folder, "many", ROWS)
    dc.register(facts)
    curator, prices = dc.open(facts), count(1)
    connection = duckdb.connect()
    alone = f"SELECT quantile_cont(x, 0.5) FROM read_parquet('{facts.with_suffix('.parquet')}')"
    acts = {
        "discreet": lambda: curator.ask("SELECT MEDIAN(x) AS m FROM t", epsilon=1 + Fraction(next(prices), 10**6)),
        "DuckDB": lambda: connection.execute(alone).fetchall(),
    }
    found = clocked(acts, repeats=REPEATS)
    curator.close()
    return found


def time_row(who: str, wall: dict[str, Times], busy: dict[str, Times]) -> Row:
    return {"who": who, "best, s": wall[who].best, "median, s": wall[who].median, "processor, s": busy[who].best,
            "× DuckDB": wall[who].best / wall["DuckDB"].best}


if __name__ == "__main__":
    main()
