"""The service at length: a crowd while workers are killed, and what time tells about one row."""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import httpx
import numpy as np
import pytest
from scipy.stats import mannwhitneyu
from tests.service.conftest import FACTS, made_home
from tests.service.outside import SOURCE, Outside

from discreet.curator import accounts, office

pytestmark = pytest.mark.soak
ASKS = int(os.environ.get("DISCREET_SOAK_ASKS", "100000"))
REQUESTS = int(os.environ.get("DISCREET_SOAK_REQUESTS", "2000"))
ANALYSTS = 200
SERVER = Path(__file__).resolve().parents[2] / "bench" / "_service_server.py"


def test_a_hundred_thousand_asks_of_200_analysts_with_kills_overspend_and_lose_nothing(tmp_path):
    home = made_home(tmp_path, epsilon=40)
    tokens = [accounts.add(home.folder, f"analyst{place}") for place in range(ANALYSTS)]
    for place in range(ANALYSTS):
        accounts.grant(home.folder, f"analyst{place}", ["people"])
    with Outside(home.folder, workers=2) as server:
        counted = asyncio.run(crowd(server, tokens))
    verified = office.verify(home.folder)
    charges = [entry for entry in office.entries(home.folder) if entry.kind == "charge"]
    spent = office.entries(home.folder)[-1]
    print(f"\n  {counted} of {ASKS} asks, {len(charges)} charges, last entry {spent.number}")
    assert verified.ok, verified.problems
    assert {name for name in counted if counted[name]} <= {200, 409, "kills"}, counted
    assert counted[409] > 0                                               # the budget was used up
    assert len(charges) <= 40 * 64                                        # each took a 64th
    assert len({(entry.body["question"], json.dumps(entry.body["price"])) for entry in charges}) == len(charges)


async def crowd(server, tokens) -> dict[object, int]:
    """Everybody asks with keys of their own, and again until there is an outcome, while workers die."""
    counted: dict[object, int] = {"lost": 0, "kills": 0}
    left, ended = iter(range(ASKS)), asyncio.Event()

    async def analyst(client, token, place) -> None:
        for number in left:
            body = {"sql": f"SELECT COUNT(*) AS n FROM people WHERE age > {number % 97}", "epsilon": f"1/{64 + number % 7}"}
            status = await outcome(client, token, body, f"{place}-{number}")
            counted[status] = counted.get(status, 0) + 1

    async def killer() -> None:
        draw = random.Random(3)
        while not ended.is_set():
            await asyncio.sleep(draw.uniform(2, 10))
            if workers := server.workers:
                os.kill(draw.choice(workers), signal.SIGKILL)
                counted["kills"] += 1

    async with httpx.AsyncClient(base_url=server.address, timeout=60, limits=httpx.Limits(max_connections=64)) as client:
        killing = asyncio.create_task(killer())
        await asyncio.gather(*(analyst(client, token, place) for place, token in enumerate(tokens)))
        ended.set()
        await killing
    return counted


async def outcome(client, token, body, key) -> object:
    headers = {"Authorization": f"Bearer {token}", "Idempotency-Key": key}
    for _ in range(600):
        try:
            told = await client.post("/api/tables/people/ask", json=body, headers=headers)
            if told.status_code not in (202, 429, 503):
                return told.status_code
        except httpx.TransportError:
            pass
        await asyncio.sleep(0.2)
    return "lost"


def neighbours(folder: Path) -> dict[int, str]:
    """Two tables that differ by a row, each in a folder of its own; the token of somebody who may ask it."""
    tokens = {}
    for rows in (200, 201):
        home = folder / str(rows)
        home.mkdir()
        (home / "people.csv").write_text("age,town\n" + "".join(f"{row % 90},north\n" for row in range(rows)))
        (home / "people.toml").write_text(FACTS.format(name="people", epsilon=10**6))
        office.register(home / "people.toml")
        tokens[rows] = accounts.add(home, "alice")
        accounts.grant(home, "alice", ["people"])
    return tokens


def timed(folder: Path, *words: str) -> float:
    """How likely times of the two tables are to differ as much by chance: requests take turns."""
    folder.mkdir()
    tokens, servers, taken = neighbours(folder), {}, {200: [], 201: []}
    try:
        for rows in tokens:
            command, ours = [sys.executable, str(SERVER), str(folder / str(rows)), *words], {"PYTHONPATH": str(SOURCE)}
            servers[rows] = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                             env=os.environ | ours)
        clients = {rows: httpx.Client(base_url=json.loads(each.stdout.readline())["address"], timeout=60,
                                      headers={"Authorization": f"Bearer {tokens[rows]}"}) for rows, each in servers.items()}
        time.sleep(3)
        for number in range(REQUESTS):
            for rows in random.sample([200, 201], 2):
                question = f"SELECT COUNT(*) AS n FROM people WHERE age > {number % 97} AND age < {number}"
                body = {"sql": question, "epsilon": "0.01"}
                start = time.perf_counter()
                clients[rows].post("/api/tables/people/ask", json=body).raise_for_status()
                taken[rows].append(time.perf_counter() - start)
    finally:
        for each in servers.values():
            each.terminate()
            each.wait()
            each.stdout.close()
    print(f"\n  {words}: medians {[float(np.median(each)) for each in taken.values()]} s")
    return float(mannwhitneyu(taken[200][5:], taken[201][5:]).pvalue)


def test_the_grid_hides_five_milliseconds_that_are_seen_without_it(tmp_path):
    seen, hidden = timed(tmp_path / "without", "0.005"), timed(tmp_path / "with", "0.005", "--grid")
    print(f"\n  p = {seen:.3g} without the grid, {hidden:.3g} with it")
    assert seen < 1e-3
    assert hidden > 1e-3
