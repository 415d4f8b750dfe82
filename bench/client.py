"""Questions through dc.connect over loopback, beside the same questions asked of a table that is here

One worker, on loopback; a table of 5 000 rows; answers delivered as soon as they are there: the time grid of the service is
off. Every question is new, so that each is charged, read and settled; both kinds take turns. *Beyond* is the difference of
medians, and of the best of each. The client sends every question with a key of its own, so that each is written down before it
is worked on. The import is that of `discreet.connect` in a new process, with modules compiled before.
"""

import json
import random
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from statistics import median

from _record import BENCH, ROOT, Row, Times, in_fresh_processes, record, target

import discreet as dc
from discreet.curator import accounts, office

ROWS, ASKED, IMPORTS = 5_000, 100, 15
FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 5000
[budget]
epsilon = 1_000_000
[columns.age]
type = "integer"
lower = 0
upper = 100
[columns.income]
type = "number"
lower = 0
upper = 100_000
"""
QUESTION = "SELECT AVG(income) AS m FROM people WHERE age < 70 AND income > {}"
fresh = count()


def main() -> None:
    imports = in_fresh_processes("_client_import.py", IMPORTS)
    assert not any(each["heavy"] for each in imports)
    with tempfile.TemporaryDirectory(dir=ROOT, prefix="build-client-") as name:
        token = made(Path(name))
        words = [sys.executable, str(BENCH / "_service_server.py"), name]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            try:
                address = json.loads(server.stdout.readline())["address"]
                taken = taking_turns(Path(name), address, token)
            finally:
                server.terminate()
    write(imports, taken)


def made(folder: Path) -> str:
    draw = random.Random(1)
    rows = "\n".join(f"{draw.randrange(100)},{draw.randrange(100_000)}" for _ in range(ROWS))
    (folder / "people.csv").write_text(f"age,income\n{rows}\n", encoding="utf-8")
    (folder / "people.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "people.toml")
    token = accounts.add(folder, "alice")
    accounts.grant(folder, "alice", ["people"])
    return token


def taking_turns(folder: Path, address: str, token: str) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    with dc.open(folder / "people.toml") as here, dc.connect(f"{address}/people", token=token) as there:
        acts = {"ask, here": here.ask, "ask, dc.connect": there.ask, "quote, here": here.quote, "quote, dc.connect": there.quote}
        for turn in range(ASKED + 3):
            for what, verb in acts.items():
                start = time.perf_counter()
                verb(QUESTION.format(next(fresh)), epsilon="0.001")
                if turn >= 3:  # the first ones read the file
                    found.setdefault(what, []).append(time.perf_counter() - start)
    return found


def write(imports: list[dict], taken: dict[str, list[float]]) -> None:
    clock, busy = ([each[kind] * 1000 for each in imports] for kind in ("clock", "processor"))
    here, there = taken["ask, here"], taken["ask, dc.connect"]
    beyond = Times((min(there) - min(here)) * 1000, (median(there) - median(here)) * 1000)
    wanted = [
        target("ask through dc.connect, beyond asking here", beyond, at_most=8, unit="ms"),
        target("import of the client", Times.of(clock), at_most=60, unit="ms"),
    ]
    rows: list[Row] = [{"": what, "ms, best": min(found) * 1000, "ms, median": median(found) * 1000}
                       for what, found in taken.items()]
    rows += [{"": "import, by the clock", "ms, best": min(clock), "ms, median": median(clock)},
             {"": "import, processor", "ms, best": min(busy), "ms, median": median(busy)}]
    record("client", {"Targets": wanted, "Times": rows}, packages=("discreet", "duckdb", "uvicorn"))


if __name__ == "__main__":
    main()
