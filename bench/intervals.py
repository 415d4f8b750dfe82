"""How wide intervals are, beside the error that there is

The mean width of 95 % intervals over many releases of one question, divided by twice the error that 95 % of its values stay
within: 1 would be the shortest interval of one width that holds as often as it says. Of a median it is the width that half of all
intervals stay within: now and then one reaches to a bound of its column. *Held* is how often the interval holds the exact value;
never less than 95 %, whatever the data, is what was promised. *Before* was measured by the same script at the commit named there,
when the parts of an expression had an interval each, put together by interval arithmetic. The derivations are in
docs/proofs/intervals.md and docs/proofs/value-intervals.md.
"""

import json
import os
import sys
from functools import cache
from typing import Any

import numpy as np
from _record import RESULTS, Row, record

from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import Sums
from discreet.facts import parse_facts
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.private import Private
from discreet.questions.sql import read_sql
from discreet.releasing.run import release
from discreet.views.arithmetic import evaluated

RUNS, CHOICES = 20_000, 4_000
WITHIN = 1.3
BEFORE = RESULTS / "before" / "intervals.json"
QUESTIONS = {
    "difference of means": "AVG(x) FILTER (WHERE g = 'a') - AVG(x) FILTER (WHERE g = 'b')",
    "difference of two columns' means": "AVG(x) - AVG(y)",
    "STDDEV": "STDDEV(x)",
    "ratio of counts": "1.0 * COUNT(*) FILTER (WHERE x > 40) / COUNT(*)",
    "share of a sum": "SUM(x) FILTER (WHERE g = 'a') / SUM(x)",
}
MEDIAN = "MEDIAN(x, INTERVAL)"
SIZES = [(1_000, "1"), (5_000, "0.2")]

Measured = dict[str, float]


def main() -> None:
    found = {f"{what}; {rows}; {price}": each for rows, price in SIZES for what, each in measured_at(rows, price).items()}
    if sys.argv[1:] == ["--before"]:
        BEFORE.parent.mkdir(exist_ok=True)
        BEFORE.write_text(json.dumps({"commit": os.environ["DISCREET_COMMIT"], "measured": found}, indent=2) + "\n")
        return
    before = json.loads(BEFORE.read_text(encoding="utf-8"))
    rows = [row_of(name, each, before["measured"][name]) for name, each in found.items()]
    record("intervals", {"Targets": targets(rows), "Widths": rows}, notes={
        "Targets": "The least favourable of the tables and prices below.",
        "Widths": f"Of {RUNS:,} releases, {CHOICES:,} of a median. *Before* is commit {before['commit']}.",
    })  # fmt: skip


def row_of(name: str, now: Measured, before: Measured) -> Row:
    what, rows, price = name.split("; ")
    return {"statistic": what, "rows": int(rows), "ε": price, "before": before["ratio"], "now": now["ratio"], "held": now["held"]}


def targets(rows: list[Row]) -> list[Row]:
    found = []
    for what in dict.fromkeys(row["statistic"] for row in rows):
        worst = max((row for row in rows if row["statistic"] == what), key=lambda row: row["now"])
        found.append({"target": what, "wanted": f"≤ {WITHIN}", "before": worst["before"], "measured": worst["now"],
                      "holds": worst["now"] <= WITHIN})  # fmt: skip
    return found


# ---- one table


def measured_at(rows: int, price: str) -> dict[str, Measured]:
    table = made(rows)
    facts = parse_facts(FACTS, "t")
    engine = Reference(facts, [dict(zip(table, map(str, row), strict=True)) for row in zip(*table.values(), strict=True)])
    found = {}
    for what, sql in [*QUESTIONS.items(), ("median with its interval", MEDIAN)]:
        plan = make_plan(read_sql(f"SELECT {sql} AS v FROM t", facts), facts, read_price(epsilon=price))
        if sql == MEDIAN:
            ends = chosen(plan, engine)
        else:
            estimate = evaluated(plan, plan.question.outputs[0].value, release(plan, many_times(engine.run(plan.wanted))), 0.05)
            ends = np.stack([estimate.value, estimate.low, estimate.high])
        found[what] = compared_with(exact(what, table), *ends, typical=np.median if sql == MEDIAN else np.mean)
    return found


def compared_with(truth: float, value: Any, low: Any, high: Any, typical: Any = np.mean) -> Measured:
    error = np.quantile(np.abs(value - truth), 0.95)
    return {"ratio": float(typical(high - low) / (2 * error)), "held": float(((low <= truth) & (truth <= high)).mean())}


def chosen(plan: Any, engine: Any) -> Any:
    ends, counts = [], cache(engine.counts)  # rows are read once
    for _ in range(CHOICES):
        estimate = evaluated(plan, plan.question.outputs[0].value, release(plan, None, counts), 0.05)
        ends.append([estimate.value[0], estimate.low[0], estimate.high[0]])
    return np.array(ends).T


def many_times(sums: Private[Sums]) -> Private[Sums]:
    """The same exact sums in RUNS cells: one release is then RUNS independent ones."""
    found = sums.take()
    return Private(Sums(np.repeat(found.high, RUNS, axis=1), np.repeat(found.low, RUNS, axis=1)))


def made(rows: int) -> dict[str, list[Any]]:
    random = np.random.default_rng(14)
    x = np.round(100 * random.beta(2, 5, rows), 2)
    return {"x": x.tolist(), "y": np.round(100 * random.beta(3, 4, rows), 2).tolist(),
            "g": random.choice(["a", "b"], rows, p=[0.4, 0.6]).tolist()}  # fmt: skip


def exact(what: str, table: dict[str, list[Any]]) -> float:
    x, y, is_a = np.array(table["x"]), np.array(table["y"]), np.array(table["g"]) == "a"
    return float({
        "difference of means": x[is_a].mean() - x[~is_a].mean(), "difference of two columns' means": x.mean() - y.mean(),
        "STDDEV": x.std(ddof=1), "ratio of counts": (x > 40).mean(), "share of a sum": x[is_a].sum() / x.sum(),
        "median with its interval": np.median(x),
    }[what])  # fmt: skip


FACTS = """\
[table]
name = "t"
source = "t.csv"
version = "1"
unit = "row"
neighbours = "add_remove"

[budget]
epsilon = 1

[columns.x]
type = "number"
lower = 0
upper = 100
null = 0
[columns.y]
type = "number"
lower = 0
upper = 100
null = 0
[columns.g]
type = "category"
values = ["a", "b"]
"""


if __name__ == "__main__":
    main()
