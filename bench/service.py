"""Questions over HTTP, beside the same questions asked in the process

One worker on loopback, a table of a million rows, answers delivered as soon as they are there: the time grid of the service
is off, since it is meant to hide what is measured here. *Overhead* is the median of one client that asks one question after the
other, less the median of the same kind of questions asked of a curator in this process; each question is new, so that each is
charged, read and settled. *Capacity* is how many questions a second eight clients get answered who ask as fast as they can. *At
half of it* questions and quotes arrive at random times, as many of each, whether or not those before them are answered: that is
what a crowd of people does.
"""

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from statistics import median, quantiles

import httpx
from _record import BENCH, ROOT, Row, Times, record, target

from discreet.curator import accounts, office, open_table

ROWS = int(os.environ.get("DISCREET_BENCH_ROWS", "1000000"))
SECONDS = float(os.environ.get("DISCREET_BENCH_SECONDS", "60"))
CLIENTS, SINGLES = 8, 60
FACTS = """
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 1_000_000
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
fresh = count()


def main() -> None:
    with tempfile.TemporaryDirectory(dir=ROOT, prefix="build-service-") as name:
        folder = Path(name)
        token = made(folder)
        local = in_process(folder)
        words = [sys.executable, str(BENCH / "_service_server.py"), name]
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
            address = json.loads(server.stdout.readline())["address"]
            try:
                found = asyncio.run(measured(address, token))
            finally:
                server.terminate()
    write(local, *found)


def made(folder: Path) -> str:
    """A table, registered; the token of somebody who may ask it."""
    draw = random.Random(1)
    with (folder / "people.csv").open("w", encoding="utf-8") as file:
        file.write("age,income\n")
        file.writelines(f"{draw.randrange(100)},{draw.randrange(100_000)}\n" for _ in range(ROWS))
    (folder / "people.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "people.toml")
    token = accounts.add(folder, "alice")
    accounts.grant(folder, "alice", ["people"])
    return token


def question() -> dict[str, str]:
    """One that nobody has asked before."""
    return {"sql": f"SELECT AVG(income) AS m FROM people WHERE age < 70 AND income > {next(fresh)}", "epsilon": "0.001"}


def in_process(folder: Path) -> list[float]:
    curator = open_table(folder / "people.toml")
    curator.ask(question()["sql"], epsilon="0.001")                 # which reads the file
    taken = []
    for _ in range(SINGLES):
        asked, start = question(), time.perf_counter()
        curator.ask(asked["sql"], epsilon=asked["epsilon"], analyst="bob")
        taken.append(time.perf_counter() - start)
    curator.close()
    return taken


async def measured(address: str, token: str) -> tuple[list[float], float, dict[str, list[float]], int]:
    headers, limits = {"Authorization": f"Bearer {token}"}, httpx.Limits(max_connections=1000)
    async with httpx.AsyncClient(base_url=address, headers=headers, timeout=120, limits=limits) as client:
        for _ in range(100):
            try:
                await client.get("/api/me")
                break
            except httpx.TransportError:
                await asyncio.sleep(0.1)
        await asked(client, "ask")
        single = [await asked(client, "ask") for _ in range(SINGLES)]
        capacity = await closed_loop(client)
        taken, errors = await open_loop(client, capacity / 2)
    return single, capacity, taken, errors


async def asked(client: httpx.AsyncClient, verb: str) -> float:
    start = time.perf_counter()
    told = await client.post(f"/api/tables/people/{verb}", json=question())
    told.raise_for_status()
    return time.perf_counter() - start


async def closed_loop(client: httpx.AsyncClient) -> float:
    """Answers a second, to clients that ask as fast as they can."""
    end, done = time.perf_counter() + SECONDS / 3, 0

    async def client_of_many() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await asked(client, "ask")
            done += 1

    start = time.perf_counter()
    await asyncio.gather(*(client_of_many() for _ in range(CLIENTS)))
    return done / (time.perf_counter() - start)


async def open_loop(client: httpx.AsyncClient, rate: float) -> tuple[dict[str, list[float]], int]:
    """Seconds of quotes and of questions that arrive at random, so many of each a second; and how many failed."""
    taken: dict[str, list[float]] = {"quote": [], "ask": []}
    draw, errors, tasks = random.Random(2), 0, []

    async def one(verb: str) -> None:
        nonlocal errors
        try:
            taken[verb].append(await asked(client, verb))
        except httpx.HTTPError:
            errors += 1

    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        await asyncio.sleep(draw.expovariate(2 * rate))
        tasks.append(asyncio.create_task(one(draw.choice(["quote", "ask"]))))
    await asyncio.gather(*tasks)
    return taken, errors


def write(local: list[float], single: list[float], capacity: float, taken: dict[str, list[float]], errors: int) -> None:
    high = {verb: quantiles(found, n=20)[-1] for verb, found in taken.items()}
    beyond = median(single) - median(local)
    named = {"asked in the process": local, "asked over HTTP, one client": single}
    named |= {f"{verb} at half of the capacity": found for verb, found in taken.items()}
    rows: list[Row] = [{"": what, "ms, median": median(found) * 1000, "ms, 95 of 100": quantiles(found, n=20)[-1] * 1000}
                       for what, found in named.items()]
    wanted = [
        target("overhead over asking in the process", Times(beyond * 1000, beyond * 1000), at_most=5, unit="ms"),
        target("95 of 100 quotes at half of the capacity", Times(*[high["quote"] * 1000] * 2), at_most=50, unit="ms"),
        target("95 of 100 questions there, over one's", Times(*[high["ask"] / median(single)] * 2), at_most=3, unit="medians"),
        target("errors", Times(float(errors), float(errors)), at_most=0, unit="errors"),
    ]
    about = [{"": "answers a second", "capacity": capacity, "rows": ROWS, "seconds at half": SECONDS}]
    tables = {"Targets": wanted, "Times": rows, "Capacity": about}
    record("service", tables, packages=("discreet", "fastapi", "uvicorn", "duckdb"))


if __name__ == "__main__":
    main()
