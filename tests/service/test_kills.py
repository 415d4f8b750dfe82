"""Workers are killed while they charge, read and settle, over and over: nothing is lost, and nothing is charged twice."""

import os
import random
import signal
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from threading import Event

import httpx
import pytest
from tests.service.conftest import Caller, made_home
from tests.service.outside import Outside

from discreet.curator import office

pytestmark = pytest.mark.slow

HIT = ("reserve", "run", "settle")
CLIENTS = 8
SECONDS = 240  # for all kills; a tenth of it is enough
STRETCHED = Path(__file__).with_name("stretched.py")


class Stretched(Outside):
    """A service whose workers take their time and tell what they are at."""

    def __init__(self, folder: Path, workers: int) -> None:
        super().__init__(folder, workers=workers)
        self._words = [sys.executable, str(STRETCHED), str(folder), str(workers)]

    def kill_one(self, until: float) -> Counter[str]:
        """What a worker was at when it died: all are at work before."""
        while len(at_work := [each for each in self.workers if self._phases(each)]) < 2:
            assert time.monotonic() < until, self.log[-1000:]
            time.sleep(0.01)
        time.sleep(random.uniform(0, 0.2))
        worker = random.choice(at_work)
        os.kill(worker, signal.SIGKILL)
        while worker in self.workers:
            time.sleep(0.01)
        return Counter(self._phases(worker).values())

    def _phases(self, worker: int) -> dict[str, str]:
        """By threads of a worker, what each is at."""
        place = self.folder / f"phases-{worker}"
        return dict(line.split(" ") for line in place.read_text().splitlines()) if place.exists() else {}


class Asking:
    """Clients who ask one question after the other, each with a key and until there is an answer."""

    def __init__(self, server: Outside, token: str) -> None:
        self._caller = Caller(server, token)
        self._numbers, self._ended = count(20), Event()
        self._threads = ThreadPoolExecutor(CLIENTS)
        self.answers: dict[int, dict] = {}

    def _client(self) -> None:
        while not self._ended.is_set():
            number = next(self._numbers)
            self.answers[number] = self.answer(number)

    def answer(self, number: int) -> dict:
        """As a careful client gets it: the same key again, whatever becomes of connections."""
        body = {"sql": f"SELECT COUNT(*) AS n FROM people WHERE age > {number}/100", "epsilon": "1/8"}
        for _ in range(1000):
            try:
                told = self._caller.post("/api/tables/people/ask", body, headers={"Idempotency-Key": f"key-{number}"})
                if told.status_code == 200:
                    return told.json()
                assert told.status_code in (202, 429, 503), told.text
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError(number)

    def wait_for(self, more: int, until: float) -> bool:
        """Whether so many more were answered in time."""
        before = len(self.answers)
        while len(self.answers) < before + more and time.monotonic() < until:
            for each in self._clients:
                if each.done():
                    each.result()
            time.sleep(0.01)
        return len(self.answers) >= before + more

    def __enter__(self) -> "Asking":
        self._clients = [self._threads.submit(self._client) for _ in range(CLIENTS)]
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._threads.shutdown()
        for each in self._clients:
            each.result()


def test_workers_killed_in_every_phase_lose_and_double_nothing(tmp_path):
    home, hits, kills = made_home(tmp_path, epsilon=10_000), Counter(), 0
    with Stretched(home.folder, workers=2) as server:
        with Asking(server, home.alice) as asking:
            until = time.monotonic() + SECONDS
            while (kills < 4 or min(hits[phase] for phase in HIT) < 3) and asking.wait_for(CLIENTS, until):
                hits += server.kill_one(until)
                kills += 1
        for number in list(asking.answers)[::20]:                            # each key has one answer, whenever it is asked
            again = asking.answer(number)
            assert (again["id"], again["rows"]) == (asking.answers[number]["id"], asking.answers[number]["rows"])
    entries = office.entries(home.folder)
    charges, settled = ([entry for entry in entries if entry.kind == kind] for kind in ("charge", "settle"))
    resumed = sum(entry.body["attempt"] > 1 for entry in settled)
    print(f"\n  {kills} kills hit {dict(hits)}; {len(charges)} charges, {resumed} of them resumed")
    assert min(hits[phase] for phase in HIT) >= 3
    assert resumed
    assert len(charges) == len(asking.answers) == len({entry.body["question"] for entry in charges})
    assert sorted(entry.body["charge"] for entry in settled) == [entry.number for entry in charges]
    verified = office.verify(home.folder)
    assert verified.ok, verified.problems
