"""Quantiles: rank errors beside others, and time beside DuckDB without privacy

Rank error is how many rows the chosen value is from the rank that was asked for; 0 if the rank falls into rows that have that
value. A neighbour adds or removes a row. Means are exact, from the probabilities of all values, unless they say of how many runs.

*Independent* releases nine quantiles one by one, each by discreet's own mechanism for one quantile at a ninth of ε; discreet
itself finds the middle one first and then those below and above it among the rows on their side (Kaplan, Schnapp and Stemmer,
2022), on four levels among which ε is shared.

OpenDP chooses among candidates that the user lists. The comparison is with a list as fine as discreet's own, up to a hundred
thousand; beside it is one of a thousand evenly spread values, which hardly errs if it happens to have the right one, and if not
errs by the distance at any price. discreet has all values, and gives round ones more weight. OpenDP takes the best score after
exponential noise, which is permute-and-flip; its mean is computed from that, with its own scores and scale, and the mean of its
runs shows that this is its law. diffprivlib chooses among gaps, as discreet does, at twice the sensitivity; its mean is of runs,
and the ratio has their 99 % bound. Errors below a hundredth of a row are taken for none. Tumult Analytics needs Spark and was
not run.

The weights were chosen while looking at the first four tables; the others were not looked at. On *Adult fnlwgt* at ε = 1 OpenDP
is better: the numbers are dense and not round, so that few candidates matter, and there permute-and-flip errs less.

Medians of many cells are those of `ask` on a table in memory of ten rows to a cell, every time at a new price.

The time of a median is that of `ask`, over a Parquet file of 20 million rows, every time at a new price; beside it, in turn,
DuckDB's own `quantile_cont` over the same file.
"""

import csv
import json
import os
import tempfile
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
from _quantiles_errors import at_most, rank_error, summary
from _questions_tables import make_table
from _record import Row, Times, clocked, in_peer, record, target

import discreet as dc
from discreet.facts.make import facts_for_table
from discreet.lessons.samples import sample
from discreet.mechanisms.quantile import Quantile, Ranking
from discreet.mechanisms.tally import Tally
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.questions.sql import read_sql
from discreet.statistics.ranks import Ranks

NINE_RUNS, REPEATS = 600, 5
ROWS = 20_000_000
PRICES = ["0.1", "1"]
NINE = [Fraction(i, 10) for i in range(1, 10)]
NOTHING = 0.01                                                 # rows: a mean error that is none
OTHERS = "not looked at"                                       # marks tables by which no weight was chosen
NINE_TITLE, ONE_TITLE, TIME_TITLE, TARGETS = "Nine quantiles", "One median", f"A median of {ROWS:,} rows", "Targets"
CELLS, CELLS_TITLE = (100, 1_000, 10_000), "Medians of many cells"

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
    judged = [row["of the best, at most"] for row in rows if not row["table"].startswith("Adult")]
    behind = max(judged) if ran else None
    apart = max(found["apart"] for found in ran["opendp"]["errors"].values()) if "opendp" in ran else None
    targets = [
        target("nine quantiles: rank error beside independent ones, worst table", Times(worst, worst), at_most=0.5, unit="×"),
        target("a median: rank error beside the best peer, 99 % bound, worst table of PUMS and CE",
               behind and Times(behind, behind), at_most=1.05, unit="×"),
        target("OpenDP's runs beside its law, worst table", apart and Times(apart, apart), at_most=4, unit="standard errors"),
        target("a median of 20 million rows beside quantile_cont", ratio, at_most=2, unit="×"),
    ]
    record("quantiles", {TARGETS: targets, NINE_TITLE: nine, ONE_TITLE: rows, TIME_TITLE: speed, CELLS_TITLE: many_cells()},
           packages=("discreet", "numpy", "duckdb"), peers={name: found["version"] for name, found in ran.items()})


# ---- tables


def real_tables() -> dict[str, Table] | None:
    """Columns of PUMS and CE, and others, where the data is."""
    folder = Path(os.environ.get("DISCREET_DATA", "")) if os.environ.get("DISCREET_DATA") else None
    if folder is None or not (folder / "pums" / "FultonPUMS5full.csv").exists():
        return None
    pums, ce = read(folder / "pums" / "FultonPUMS5full.csv"), read(folder / "CEdata_5133_slides.csv")
    california, book = read(folder / "pums" / "PUMS5extract10000.csv"), read(folder / "CEdata_994_book.csv")
    adult = read(folder / "adult_with_pii_rejoined.csv")
    return {
        "PUMS age": column(pums, "age", 0, 120),
        "PUMS income": column(pums, "income", 0, 1_000_000),
        "CE income": column(ce, "Income", 0, 1_000_000),
        "CE expenditure": column(ce, "Expenditure", 0, 200_000),
        f"PUMS California income ({OTHERS})": column(california, "income", 0, 1_000_000),
        f"CE 2017 income ({OTHERS})": column(book, "Income", 0, 1_000_000),
        f"CE 2017 expenditure ({OTHERS})": column(book, "Expenditure", 0, 200_000),
        f"Adult fnlwgt ({OTHERS})": column(adult, "fnlwgt", 0, 1_000_000),
    }


def sample_tables() -> dict[str, Table]:
    """The same from made-up samples."""
    made = [sample(name) for name in ("fulton", "ce_slides")]
    pums, ce = ([dict(zip(each.header, row, strict=True)) for row in each.rows] for each in made)
    return {"PUMS age, made up": column(pums, "age", 0, 120), "CE income, made up": column(ce, "Income", 0, 1_000_000)}


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig") as file:               # one of them has bare carriage returns
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


def mean_error(mechanism: Quantile, table: Table) -> float:
    """The mean rank error of one choice, from the probabilities of all values; no draws."""
    tally = tally_of(table, 0)
    ranking = Ranking(mechanism, tally, tally.whole)
    known, behind = ranking.looked_at_closely()
    weights = np.diff(ranking.prior.before(np.append(known.start, known.start[-1] + known.width[-1]))).astype(float)
    chances = weights * np.exp(-float(mechanism.factor) * (behind - behind.min()))
    return float((chances * behind).sum() / chances.sum() / mechanism.unit)


def one_median(tables: dict[str, Table]) -> dict[tuple[str, str], float]:
    """The mean rank error of a median at each price."""
    asked = "SELECT MEDIAN(x) AS v FROM t"
    return {(name, price): mean_error(ranks_for(table, asked, price).mechanism.mechanisms[0], table)
            for name, table in tables.items() for price in PRICES}


def nine_quantiles(tables: dict[str, Table]) -> list[Row]:
    asked = "SELECT " + ", ".join(f"QUANTILE(x, {float(q)}) AS q{i}" for i, q in enumerate(NINE)) + " FROM t"
    rows = []
    for name, table in tables.items():
        values, (median,) = np.array(table["values"]), ranks_for(table, "SELECT MEDIAN(x) AS v FROM t", "1").mechanism.mechanisms
        for price in PRICES:
            mechanism = ranks_for(table, asked, price).mechanism
            tally = tally_of(table, mechanism.bits)
            found = np.array([mechanism.select(tally) for _ in range(NINE_RUNS)]) + table["lower"]
            errors = summary(np.mean([rank_error(values, found[:, i], float(q)) for i, q in enumerate(NINE)], axis=0))
            alone = [Quantile(epsilon=Fraction(price) / 9, sensitivity=max(q, 1 - q), q=q, prior=median.prior) for q in NINE]
            apart = float(np.mean([mean_error(each, table) for each in alone]))
            rows.append({"table": name, "rows": len(values), "ε": price, f"discreet, {NINE_RUNS:,} runs": errors["mean"],
                         "independent": apart, "ratio": errors["mean"] / apart, "± (1 standard error)": errors["error"] / apart})
    return rows


def one_row(name: str, price: str, ours: float, peers: dict[str, Any]) -> Row:
    fine, coarse = (peers.get("opendp", {}).get("errors", {}).get(f"{name}, {price}, {count}") for count in (100_001, 1_001))
    gaps = peers.get("diffprivlib", {}).get("errors", {}).get(f"{name}, {price}")
    theirs = [{"mean": fine["law"], "error": 0.0}] if fine else []
    theirs += [gaps] if gaps else []
    return {"table": name, "ε": price, "discreet": ours, "OpenDP": fine and fine["law"],
            "OpenDP, runs": fine and f"{fine['mean']:.3g} ({fine['runs']})", "OpenDP, 1 001 listed": coarse and coarse["law"],
            "diffprivlib, runs": gaps and gaps["mean"], "of the best, at most": max(map(bound(ours), theirs), default=None)}


def bound(ours: float) -> Callable[[dict[str, float]], float]:
    """What discreet's mean error is of another's, at most and with 99 % confidence; 1 if neither errs."""
    def beside(theirs: dict[str, float]) -> float:
        if ours < NOTHING:
            return 1.0 if theirs["mean"] < NOTHING else 0.0
        return at_most({"mean": ours, "error": 0.0}, theirs) if theirs["mean"] else float("inf")

    return beside


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


def many_cells() -> list[Row]:
    """Medians of 100 to 10 000 cells, the time of one question."""
    rows = []
    for cells in CELLS:
        drawn = np.random.default_rng(cells)
        frame = pd.DataFrame({"g": drawn.integers(0, cells, 10 * cells), "x": drawn.random(10 * cells) * 100})
        curator = dc.table(frame, name="t", unit="row", neighbours="add_remove", budget=10**6,
                           columns={"g": dc.integer(0, cells - 1), "x": dc.number(0, 100)})
        acts = {"ask": medians_asked(curator)}
        wall, busy = clocked(acts, repeats=REPEATS)
        rows.append({"cells": cells, "best, s": wall["ask"].best, "median, s": wall["ask"].median,
                     "processor, s": busy["ask"].best})
    return rows


def medians_asked(curator: Any) -> Callable[[], object]:
    prices = count(1)
    return lambda: curator.ask("SELECT g, MEDIAN(x) AS m FROM t GROUP BY g", epsilon=1 + Fraction(next(prices), 10**6))


def time_row(who: str, wall: dict[str, Times], busy: dict[str, Times]) -> Row:
    return {"who": who, "best, s": wall[who].best, "median, s": wall[who].median, "processor, s": busy[who].best,
            "× DuckDB": wall[who].best / wall["DuckDB"].best}


if __name__ == "__main__":
    main()
