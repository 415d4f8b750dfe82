"""Tables that the suite of this room is run on: made from the same rows and facts, they differ in where they are."""

from contextlib import closing

import pandas as pd
import pytest
from tests.service.listening import Listening

import discreet as dc
from discreet.curator import accounts, office

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


def made(folder):
    """A folder with the table registered in it."""
    pd.DataFrame(ROWS).to_csv(folder / "people.csv", index=False)
    (folder / "people.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "people.toml")
    return folder


class Here:
    """A table that is here: names of askers stand beside their questions."""

    def __init__(self, table):
        self.table = table

    def asking_as(self, name):
        return lambda sql, **words: self.table.ask(sql, analyst=name, **words)


class Far:
    """A table behind a service on this machine: every asker has a token and a connection."""

    def __init__(self, folder, address):
        self.folder, self.address = folder, address
        self.connections = {}
        self.table = self.connected("anna")

    def connected(self, name):
        if name not in self.connections:
            token = accounts.add(self.folder, name)
            accounts.grant(self.folder, name, ["people"])
            self.connections[name] = dc.connect(f"{self.address}/people", token=token)
        return self.connections[name]

    def asking_as(self, name):
        return self.connected(name).ask


@pytest.fixture
def in_memory_place():
    with closing(in_memory(None)) as table:
        yield Here(table)


@pytest.fixture
def registered_place(tmp_path):
    with closing(dc.open(made(tmp_path) / "people.toml")) as table:
        yield Here(table)


@pytest.fixture
def connected_place(tmp_path):
    with Listening(made(tmp_path)) as service:
        far = Far(tmp_path, service.address)
        yield far
        for each in far.connections.values():
            each.close()


PLACES = [
    pytest.param("in_memory_place", id="in memory"),
    pytest.param("registered_place", id="registered", marks=pytest.mark.slow),
    pytest.param("connected_place", id="connected", marks=pytest.mark.slow),
]


@pytest.fixture(params=PLACES)
def place(request):
    return request.getfixturevalue(request.param)


@pytest.fixture
def table(place):
    return place.table
