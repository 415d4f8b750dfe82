"""The service at length: a crowd while workers are killed, and what time tells about one row."""

import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import wilcoxon
from tests.service.conftest import FACTS
from tests.service.light import Light
from tests.service.outside import SOURCE, Outside
from tests.soak.crowd import PRICE, Crowd, made_crowd, problems_with, resumed_in

from discreet.curator import accounts, office

pytestmark = pytest.mark.soak
ASKS = int(os.environ.get("DISCREET_SOAK_ASKS", "100000"))
MINUTES = float(os.environ.get("DISCREET_SOAK_MINUTES", "90"))
REQUESTS = int(os.environ.get("DISCREET_SOAK_REQUESTS", "2000"))
TABLES = {200: "people_a", 201: "people_b"}  # rows and names
WORKERS = (1, 2)
ALPHA = 1e-3 / len(WORKERS)  # that any of them is thought to tell something: one run in a thousand
SERVER = Path(__file__).resolve().parents[2] / "bench" / "_service_server.py"


def test_a_hundred_thousand_asks_of_200_analysts_with_kills_overspend_and_lose_nothing(tmp_path):
    cap = max(1, ASKS * 3 // 10 // PRICE)                                     # spent after half of the asks
    tokens = made_crowd(tmp_path, cap)
    print(flush=True)
    with Outside(tmp_path, workers=2) as server:
        crowd = Crowd(server, tokens, ASKS, MINUTES)
        asyncio.run(crowd.ask())
    assert problems_with(tmp_path, crowd, cap) == []
    assert len(crowd.outcomes) == ASKS, f"{len(crowd.outcomes)} asks in {MINUTES} minutes"
    assert crowd.counted["409"] > 0                                          # the budget was used up
    assert crowd.counted["kills"] > 0
    assert resumed_in(tmp_path) > 0                                          # and some died between a charge and its answer


def neighbours(folder: Path) -> str:
    """Two tables that differ by a row and have names of one length; the token of somebody who may ask both."""
    folder.mkdir()
    for rows, name in TABLES.items():
        (folder / f"{name}.csv").write_text("age,town\n" + "".join(f"{row % 90},north\n" for row in range(rows)))
        (folder / f"{name}.toml").write_text(FACTS.format(name=name, epsilon=10**6))
        office.register(folder / f"{name}.toml")
    token = accounts.add(folder, "alice")
    accounts.grant(folder, "alice", list(TABLES.values()))
    return token


async def pairs(address: str, token: str) -> list[tuple[float, float]]:
    """Seconds of the same question to both tables, one right after the other in an order by chance, each through a door."""
    light, found, draw = Light(address, uses=1), [], random.Random(5)

    async def asked(name: str, number: int) -> float:
        question = f"SELECT COUNT(*) AS n FROM {name} WHERE age > {(number + 20) / 100}"
        start = time.perf_counter()
        status, told = await light.post(f"/api/tables/{name}/ask", {"sql": question, "epsilon": "0.01"}, token)
        assert status == 200, told
        assert not told["replayed"]
        return time.perf_counter() - start

    for number in range(-20, REQUESTS):
        taken = {}
        for rows in draw.sample(sorted(TABLES), 2):
            taken[rows] = await asked(TABLES[rows], number)
        if number >= 0:                                                       # the first ones warm up
            found.append((taken[200], taken[201]))
    await light.close()
    return found


def timed(folder: Path, workers: int, *words: str) -> float:
    """How likely times of the two tables are to differ as much by chance: by the ranks of differences within pairs."""
    token = neighbours(folder)
    command = [sys.executable, str(SERVER), str(folder), f"--workers={workers}", *words]
    ours = {"PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | ours) as server:
        try:
            address = json.loads(server.stdout.readline())["address"]
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2]))).close()
                    break
                except OSError:
                    time.sleep(0.1)
            found = np.array(asyncio.run(pairs(address, token)))
        finally:
            server.terminate()
    differences = (found[:, 1] - found[:, 0]) * 1000
    likely = float(wilcoxon(differences).pvalue)
    print(f"\n  {workers} workers, {' '.join(words)}: {len(found):,} pairs, medians {np.median(found, axis=0) * 1000} ms, "
          f"of the differences {np.median(differences):.3f} ms; p = {likely:.3g}", flush=True)
    return likely


@pytest.mark.parametrize("workers", WORKERS)
def test_the_grid_hides_five_milliseconds_that_are_seen_without_it(tmp_path, workers):
    assert timed(tmp_path / "without", workers, "0.005") < ALPHA
    assert timed(tmp_path / "with", workers, "0.005", "--grid") > ALPHA
