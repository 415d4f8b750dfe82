"""A crowd that asks a service, each question with a key and until there is an outcome, while its workers are killed."""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.service.light import Light

from discreet.curator import accounts, office

FACTS = """\
[table]
name = "scores"
source = "scores.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 300
[budget]
epsilon = {epsilon}
[columns.score]
type = "integer"
lower = 0
upper = 1_000_000
"""
ANALYSTS = 200
PRICE = 64  # each answer costs one part in so many of epsilon
LITTLE = 16  # answers that every tenth analyst may buy
AGAIN = (202, 429, 503)


@dataclass(frozen=True)
class Outcome:
    """What became of one key."""

    number: int
    question: int
    analyst: int
    status: int
    told: dict[str, Any]


def made_crowd(folder: Path, cap: int, analysts: int = ANALYSTS) -> list[str]:
    """A small table, and the tokens of those who may ask it."""
    (folder / "scores.csv").write_text("score\n" + "".join(f"{row * 7919 % 1_000_000}\n" for row in range(300)))
    (folder / "scores.toml").write_text(FACTS.format(epsilon=cap))
    office.register(folder / "scores.toml")
    tokens = []
    for place in range(analysts):
        tokens.append(accounts.add(folder, f"analyst{place}"))
        accounts.grant(folder, f"analyst{place}", ["scores"])
        if place % 10 == 0:
            accounts.limit(folder, f"analyst{place}", "scores", {"epsilon": f"{LITTLE}/{PRICE}"})
    return tokens


def question_of(number: int) -> int:
    """Two asks in five are of a question of their own; the others of one shortly before, bought or not."""
    draw = random.Random(number)
    return number if draw.random() < 0.4 or number < 10 else draw.randrange(max(0, number - 5000), number)


class Crowd:
    """All of them, each with one question after the other."""

    def __init__(self, server: Any, tokens: list[str], asks: int, minutes: float) -> None:
        self._server, self._tokens, self._asks = server, tokens, asks
        self._until = time.monotonic() + 60 * minutes
        self._began = time.monotonic()
        self._numbers = iter(range(asks))
        self._light = Light(server.address)
        self.outcomes: list[Outcome] = []
        self.counted: Counter[str] = Counter()
        self.differ: list[Outcome] = []  # keys that were answered otherwise when they came again

    async def ask(self) -> None:
        """Everything, and some of it once more at the end."""
        killing = asyncio.create_task(self._kill())
        await asyncio.gather(*(self._analyst(place) for place in range(len(self._tokens))))
        killing.cancel()
        for each in self.outcomes[-len(self._tokens):]:
            again = await self._outcome(each.number, each.question, each.analyst)
            same = all(again.told.get(part) == each.told.get(part) for part in ("id", "rows", "error"))
            self.differ += [] if same else [each]
        await self._light.close()

    async def _analyst(self, place: int) -> None:
        for number in self._numbers:
            if time.monotonic() > self._until:
                return
            found = await self._outcome(number, question_of(number), place)
            self.outcomes.append(found)
            self.counted[str(found.status)] += 1
            self.counted["bought"] += found.status == 200 and not found.told["replayed"]
            if len(self.outcomes) % max(1, self._asks // 20) == 0:
                minutes = (time.monotonic() - self._began) / 60
                print(f"  {len(self.outcomes):,} asks in {minutes:.1f} minutes: {dict(self.counted)}", flush=True)

    async def _outcome(self, number: int, question: int, place: int) -> Outcome:
        """As a careful client does: the same key until it is told what became of it."""
        body = {"sql": f"SELECT COUNT(*) AS n FROM scores WHERE score > {question}", "epsilon": f"1/{PRICE}"}
        for _ in range(400):
            try:
                status, told = await self._light.post("/api/tables/scores/ask", body, self._tokens[place], f"key-{number}")
                if status not in AGAIN:
                    return Outcome(number, question, place, status, told)
                self.counted[f"{status}, sent again"] += 1
            except (OSError, EOFError):
                self.counted["connections cut"] += 1
            await asyncio.sleep(1.0)  # as Retry-After says
        return Outcome(number, question, place, 0, {})

    async def _kill(self) -> None:
        """By how much was answered since the last one, and some moments later: a slow machine is not killed to a halt."""
        draw, next_at = random.Random(3), 0
        while True:
            next_at += draw.randint(max(100, self._asks // 200), max(400, self._asks // 50))
            while len(self.outcomes) < next_at:
                await asyncio.sleep(0.1)
            await asyncio.sleep(draw.uniform(0, 1))
            if workers := self._server.workers:
                os.kill(draw.choice(workers), signal.SIGKILL)
                self.counted["kills"] += 1


def resumed_in(folder: Path) -> int:
    """Charges that were gone on with after whoever had begun them was killed, and answered."""
    return sum(entry.kind == "settle" and entry.body["attempt"] > 1 for entry in office.entries(folder))


def problems_with(folder: Path, crowd: Crowd, cap: int) -> list[str]:
    """What of ledger and answers is not as it must be."""
    entries = office.entries(folder)
    charges = [entry for entry in entries if entry.kind == "charge"]
    settled = [entry.body["charge"] for entry in entries if entry.kind == "settle"]
    verified = office.verify(folder)
    spent = Counter(entry.body["analyst"] for entry in charges)
    numbers: dict[int, set[str]] = {}
    for each in crowd.outcomes:
        if each.status == 200:
            numbers.setdefault(each.question, set()).add(str(each.told["rows"]))
    asked = {entry.body["question"] for entry in charges}
    print(f"  {len(crowd.outcomes):,} asks: {dict(crowd.counted)}", flush=True)
    print(f"  {len(charges):,} charges, {len(settled):,} settled, {resumed_in(folder)} of them resumed after a kill; "
          f"{len(entries):,} entries, verified: {verified.ok}", flush=True)
    found = {
        "the ledger does not verify": not verified.ok,
        "more was spent than there was": len(charges) > cap * PRICE,
        "somebody spent more than they may": any(spent[f"analyst{place}"] > LITTLE for place in range(0, ANALYSTS, 10)),
        "a question was charged twice": len(asked) != len(charges),
        "a charge was not settled once": sorted(settled) != [entry.number for entry in charges],
        "a key has no outcome": any(each.status not in (200, 409) for each in crowd.outcomes),
        "a question has two answers": any(len(each) > 1 for each in numbers.values()),
        "an answer has no charge": len(numbers) > len(charges),
        "a key was answered otherwise when it came again": bool(crowd.differ),
        "fewer were bought than charged": crowd.counted["bought"] > len(charges),
    }
    return [what for what, is_so in found.items() if is_so]
