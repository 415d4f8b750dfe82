"""Tables that the suite of this room is run on: made from the same rows and facts, they differ in where they are."""

import pandas as pd
import pytest

import discreet as dc
from discreet.curator import office

ROWS = [{"income": i % 50 * 1000.0, "age": 20 + i * 7 % 60, "race": 1 + i % 3, "city": f"c{i % 4}"} for i in range(600)]
FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 600
[budget]
epsilon = 10
delta = "1e-3"
[columns.income]
type = "number"
lower = 0
upper = 50000
[columns.age]
type = "integer"
lower = 0
upper = 100
null = 40
[columns.race]
type = "category"
null = "drop"
values = [1, 2, 3]
labels = ["a", "b", "c"]
[columns.city]
type = "text"
max_length = 10
"""


def in_memory(_folder):
    columns = {
        "income": dc.number(0, 50_000), "age": dc.integer(0, 100, null=40), "city": dc.text(max_length=10),
        "race": dc.category(1, 2, 3, labels=["a", "b", "c"], null="drop"),
    }  # fmt: skip
    budget = dc.Approximate(epsilon=10, delta="1e-3")
    return dc.table(pd.DataFrame(ROWS), name="people", columns=columns, unit="row", neighbours="add_remove", budget=budget,
                    rows_about=600)  # fmt: skip


def registered(folder):
    pd.DataFrame(ROWS).to_csv(folder / "people.csv", index=False)
    (folder / "people.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "people.toml")
    return dc.open(folder / "people.toml")


MADE = [pytest.param(in_memory, id="in memory"), pytest.param(registered, id="registered", marks=pytest.mark.slow)]


@pytest.fixture(params=MADE)
def table(request, tmp_path):
    found = request.param(tmp_path)
    yield found
    found.close()
