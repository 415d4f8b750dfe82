"""Totals of units with many rows, and shares

How far from the truth is the sum of all that people spend, if nobody may count for more than so much? *Rows*: of each unit at
most so many rows count (`PER UNIT n ROWS`), and the noise is that of so many rows at the upper bound. *Per unit*: what a unit
comes to is brought into a range (`SUM(x) PER UNIT BETWEEN 0 AND b`), and the noise is that of b. *Subquery*: the same as a
sum of values per unit. Shops are made up: 2 469 households with 60 000 receipts between 0 and 100, whose totals are as
unequal as those of a retail panel (the largest is some ten times the mean). Restaurants are the visits of one week in a data
set of lessons, if `DISCREET_DATA` says where that is.

*Bias* is what caps and ranges leave out, as a part of the true sum; *95 % error* is what the distance from the true sum, bias
included, exceeds in 5 of 100 draws. The share of rows that meet a condition is asked as COUNT(*) FILTER over COUNT(*) and as
the mean that it is. All at ε = 1, errors against exact sums; 100 draws of each sum and 2 000 of
each share. Times do not matter here.
"""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _record import Row, Times, record, target

import discreet as dc

DRAWS, HOMES, RECEIPTS = 100, 2469, 60_000
SHARE_DRAWS = 2000  # a ratio of errors is then known to some 4 %; with 100 draws it came out anywhere from 0.85 to 1.23
SHARES = {
    "COUNT(*) FILTER over COUNT(*)": "COUNT(*) FILTER (WHERE x > 20) / COUNT(*)",
    "100.0 * SUM(CASE …) / COUNT(*)": "100.0 * SUM(CASE WHEN x > 20 THEN 1 ELSE 0 END) / COUNT(*)",
    "AVG(condition)": "AVG(x > 20)",
}


def main() -> None:
    shops = totals("shops", made_shops(), upper=100, rows=(24, 100), most=(800, 1600))
    week = restaurants()
    restaurant = [] if week is None else totals("restaurants", week, upper=120, rows=(2, 4), most=(150,))
    told, best = shares(), min((row for row in shops if row["form"] == "per unit"), key=lambda row: row["95 % error, %"])
    worst = max(row["error"] / told[-1]["error"] for row in told)
    record(
        "totals",
        {
            "Targets": [
                target("total sales, 95 % error with bias, at the better of two bounds per unit", _one(best["95 % error, %"]),
                       at_most=5, unit="%"),
                target("a share written as a quotient, error over that of AVG(condition)", _one(worst), at_most=1.1, unit="×"),
            ],
            "Total sales": [*shops, *restaurant],
            "A share of rows": [{"written as": row["form"], "error (root mean square)": row["error"],
                                 "÷ AVG(condition)": row["error"] / told[-1]["error"]} for row in told],
        },
        packages=("discreet", "duckdb", "numpy"),
    )  # fmt: skip


def _one(number: float) -> Times:
    return Times(number, number)


def totals(table: str, frame: pd.DataFrame, *, upper: int, rows: tuple[int, ...], most: tuple[int, ...]) -> list[Row]:
    """The same sum in three forms, at several caps or ranges."""
    asked = dc.table(frame, columns={"x": dc.number(0, upper)}, unit={"column": "who"}, neighbours="add_remove", budget=10**6)
    forms = [("rows", cap, f"SELECT SUM(x) AS s FROM t PER UNIT {cap} ROWS") for cap in rows]
    forms += [("per unit", end, f"SELECT SUM(x) PER UNIT BETWEEN 0 AND {end} AS s FROM t") for end in most]
    one = "(SELECT who, SUM(x) AS s FROM t GROUP BY who)"
    forms += [("subquery", end, f"SELECT SUM(CLAMP(s, 0, {end})) AS s FROM {one}") for end in most]
    truth = float(frame["x"].sum())
    found = []
    for form, bound, sql in forms:
        errors = drawn(asked, sql, "s") / truth - 1
        reach = float(np.quantile(np.abs(errors), 0.95))
        found.append({"table": table, "form": form, "bound": bound, "bias, %": 100 * float(np.median(errors)),
                      "95 % error, %": 100 * reach})  # fmt: skip
    asked.close()
    return found


def drawn(table: Any, sql: str, name: str, draws: int = DRAWS) -> np.ndarray[Any, Any]:
    """The answers of as many draws."""
    return np.array([float(table.ask(sql, epsilon=1, anew=True).rows[0][name]) for _ in range(draws)])


def made_shops() -> pd.DataFrame:
    """Households with unequal totals: how many receipts one has is lognormal, and so is what is on each."""
    random = np.random.default_rng(15)
    weights = random.lognormal(0.0, 0.9, HOMES)
    who = random.choice(HOMES, RECEIPTS, p=weights / weights.sum())
    return pd.DataFrame({"who": who, "x": np.clip(np.round(random.lognormal(2.3, 0.9, RECEIPTS), 2), 0, 100)})


def restaurants() -> pd.DataFrame | None:
    """A week of visits, if it is at hand."""
    folder = os.environ.get("DISCREET_DATA")
    file = Path(folder) / "multi_row_users" / "restaurant_week_data.csv" if folder else None
    if file is None or not file.exists():
        return None
    read = pd.read_csv(file)
    return pd.DataFrame({"who": read["VisitorId"], "x": read["Money spent (euros)"].astype(float)})


def shares() -> list[Row]:
    """One share of 5 000 rows, written in three ways."""
    frame = pd.DataFrame({"x": np.random.default_rng(9).lognormal(2.3, 0.9, 5000)})
    asked = dc.table(frame, columns={"x": dc.number(0, 100)}, unit="row", neighbours="add_remove", budget=10**6)
    truth = float((frame["x"] > 20).mean())
    found: list[Row] = []
    for form, written in SHARES.items():
        scale = 100 if written.startswith("100") else 1
        errors = drawn(asked, f"SELECT {written} AS v FROM t", "v", SHARE_DRAWS) / scale - truth
        found.append({"form": form, "error": float(np.sqrt(np.mean(errors**2)))})
    return found


if __name__ == "__main__":
    main()
