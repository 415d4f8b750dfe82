"""A folder with two tables and three accounts, and the service on it: in this process, or as processes of its own."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.service.inside import Inside

from discreet.curator import accounts, office
from discreet.service.settings import Settings

CANARY = "Xanthippe-7919"
FACTS = """\
[table]
name = "{name}"
source = "{name}.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 200
description = "made-up people"
[budget]
epsilon = {epsilon}
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.town]
type = "category"
values = ["north", "south"]
other = true
"""


@dataclass(frozen=True)
class Home:
    """A folder, and the tokens of those who may come."""

    folder: Path
    alice: str
    bob: str
    holder: str


def made_home(folder: Path, *, epsilon: int = 100, rows: int = 200) -> Home:
    for name in ("people", "others"):
        towns = ("north", "south", CANARY)
        lines = [f"{20 + row % 60},{towns[row % 3]}" for row in range(rows + (name == "others"))]
        (folder / f"{name}.csv").write_text("age,town\n" + "\n".join(lines) + "\n")
        (folder / f"{name}.toml").write_text(FACTS.format(name=name, epsilon=epsilon))
        office.register(folder / f"{name}.toml")
    tokens = {who: accounts.add(folder, who) for who in ("alice", "bob")}
    holder = accounts.add(folder, "holder", "holder")
    accounts.grant(folder, "alice", ["people"])
    accounts.grant(folder, "bob", ["people", "others"])
    return Home(folder, tokens["alice"], tokens["bob"], holder)


class Caller:
    """Somebody who calls with a token of theirs."""

    def __init__(self, client, token: str | None) -> None:
        self.client = client
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def get(self, path: str, **more):
        return self.client.request("GET", path, headers=self.headers | more.pop("headers", {}), **more)

    def post(self, path: str, body: object = None, **more):
        return self.client.request("POST", path, json=body, headers=self.headers | more.pop("headers", {}), **more)

    def later(self, sent):
        """What is at the address that a 202 gave, once it is no 202 any more: a minute is waited for it."""
        until = time.monotonic() + 60
        while (found := self.get(sent.headers["location"])).status_code == 202 and time.monotonic() < until:
            time.sleep(0.05)
        return found


@pytest.fixture(scope="module")
def home(tmp_path_factory) -> Home:
    return made_home(tmp_path_factory.mktemp("home"))


@pytest.fixture(scope="module")
def client(home) -> Iterator[Inside]:
    with Inside(Settings(home.folder)) as client:
        yield client


@pytest.fixture(scope="module")
def alice(client, home) -> Caller:
    return Caller(client, home.alice)


@pytest.fixture(scope="module")
def bob(client, home) -> Caller:
    return Caller(client, home.bob)


@pytest.fixture(scope="module")
def holder(client, home) -> Caller:
    return Caller(client, home.holder)
