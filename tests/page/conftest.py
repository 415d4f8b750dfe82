"""A browser, and the service as a process of its own on a folder with one made-up table."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from discreet.curator import accounts, office

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--no-first-run"]  # fmt: skip
FACTS = """\
[table]
name = "homes"
source = "homes.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 900
description = "Made-up <b>homes</b>"
[budget]
epsilon = 2
partition = "town"
[columns.rent]
type = "number"
lower = 0
upper = 2000
null = "drop"
[columns.town]
type = "category"
values = ["North", "South", "<img src=x onerror=alert(1)>"]
null = "drop"
"""


VISITS = """\
[table]
name = "visits"
source = "visits.csv"
unit = {{ column = "who", max_rows = 4, max_groups = 2 }}
neighbours = "add_remove"
rows_about = 800
[budget]
{budget}
[columns."<script>alert(1)</script>"]
type = "integer"
lower = 0
upper = 50
null = "drop"
[columns.ward]
type = "category"
values = ["east", "west"]
labels = ["East", "West"]
null = "drop"
[columns.town]
type = "text"
"""
BUDGETS = {"visits": "epsilon = 3\ndelta = 1e-6", "trips": "rho = 0.5", "purse": "epsilon = 0.3"}


@dataclass(frozen=True)
class Site:
    """Where the service listens, and the tokens of those who may come; vera asks every table but the first."""

    address: str
    folder: Path
    alice: str
    nobody: str
    holder: str
    vera: str


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("homes")
    lines = [f"{500 + 7 * (row % 90)},{'North' if row % 3 else 'South'}" for row in range(900)]
    (folder / "homes.csv").write_text("rent,town\n" + "\n".join(lines) + "\n", encoding="utf-8")
    (folder / "homes.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "homes.toml")
    for place, (name, budget) in enumerate(BUDGETS.items()):
        rows = ["<script>alert(1)</script>,ward,town,who"]
        rows += [f"{row % 40},{'we'[row % 3 > 0]}ast,{'Elm' if row % 2 else 'Oak'},p{row // 2}" for row in range(800 + place)]
        (folder / f"{name}.csv").write_text("\n".join(rows).replace(",wast,", ",west,") + "\n", encoding="utf-8")
        (folder / f"{name}.toml").write_text(VISITS.replace('"visits', f'"{name}').format(budget=budget), encoding="utf-8")
        office.register(folder / f"{name}.toml")
    alice, nobody, holder = accounts.add(folder, "alice"), accounts.add(folder, "nobody"), accounts.add(folder, "dana", "holder")
    vera = accounts.add(folder, "vera")
    accounts.grant(folder, "alice", ["homes"])
    accounts.grant(folder, "vera", list(BUDGETS))
    with serving(folder) as address:
        yield Site(address, folder, alice, nobody, holder, vera)


class serving:  # noqa: N801 - used as a word: with serving(folder)
    """The service on a free port of loopback, ended by its own process id."""

    def __init__(self, folder: Path) -> None:
        words = [sys.executable, "-c", "from discreet.cli.app import main; main()", "serve", str(folder), "--port", "0"]
        said = os.environ | {"NO_COLOR": "1"}
        self._process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=said)

    def __enter__(self) -> str:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                return found[0]
        raise AssertionError("the service did not start")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(timeout=60)
        self._process.stdout.close()


@pytest.fixture(scope="module")  # as long as it is open its event loop runs here, and others cannot start theirs
def browser():
    if CHROMIUM is None:
        pytest.skip("missing part: chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()
