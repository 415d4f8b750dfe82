"""Views of a stored release of a million cells

`SELECT a, b, AVG(x) AS m FROM t GROUP BY a, b` over two keys of 1 000 values each is bought once; then other views of the same
release are asked: sorted and cut off, divided, as a sum, as a count. Each follows from the stored draws, costs nothing, and
reads no row of the table. Times are from the text of the question to the answer with its intervals, in this process, and ratios
are against the first answer, which reads 200 000 rows and draws two million numbers. *Best* is the shorter of two runs.
"""

from functools import partial
from typing import Any

import pandas as pd
from _record import Row, compared, record, target

import discreet as dc

SIDE, ROWS, REPEATS = 1000, 200_000, 2
FIRST = "SELECT a, b, AVG(x) AS m FROM t GROUP BY a, b"
VIEWS = {
    "the same again": FIRST,
    "sorted, the first ten": f"{FIRST} ORDER BY m DESC LIMIT 10",
    "divided by ten": "SELECT a, b, AVG(x) / 10 AS m FROM t GROUP BY a, b",
    "the sum": "SELECT a, b, SUM(x) AS s FROM t GROUP BY a, b",
    "the count, at half the price": "SELECT a, b, COUNT(x) AS n FROM t GROUP BY a, b",
}
MOST = 10.0  # seconds


def main() -> None:
    table = made()
    bought = compared({"first": lambda: table.ask(FIRST, epsilon="0.5", anew=True)}, repeats=REPEATS)["first"]
    spent = table.budget.spent
    views = compared({name: partial(table.ask, sql, epsilon=_price(name)) for name, sql in VIEWS.items()}, repeats=REPEATS)
    assert table.budget.spent == spent, "a view was charged"
    found = {"first answer, bought": bought, **views}
    rows: list[Row] = [{"view": name, "best, s": each.best, "÷ first answer": each.best / bought.best}
                       for name, each in found.items()]  # fmt: skip
    slowest = max(views.values(), key=lambda each: each.best)
    targets = [target("slowest view of 1 000 000 cells", slowest, at_most=MOST, unit="s")]
    record("views", {"Targets": targets, "Views": rows}, packages=("discreet", "duckdb", "numpy"))


def _price(view: str) -> str:
    return "0.25" if "half" in view else "0.5"


def made() -> Any:
    """A table whose budget lives in this process."""
    frame = pd.DataFrame({"a": [i * 7919 % SIDE for i in range(ROWS)], "b": [i * 104_729 // 7 % SIDE for i in range(ROWS)],
                          "x": [i % 101 for i in range(ROWS)]})  # fmt: skip
    columns = {"a": dc.integer(0, SIDE - 1), "b": dc.integer(0, SIDE - 1), "x": dc.integer(0, 100)}
    return dc.table(frame, columns=columns, unit="row", neighbours="add_remove", budget=100, rows_about=ROWS)


if __name__ == "__main__":
    main()
