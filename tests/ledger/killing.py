"""The side that kills: SIGKILL from another process at random instants. After each the ledger is read by hand and verified."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from fractions import Fraction
from pathlib import Path

from tests.ledger import killed
from tests.ledger.made import charged_by_hand, entries_by_hand, sql, write_table

from discreet.curator import office, open_table

PHASES = {killed.RESERVE: "reserve", killed.RUN: "run", killed.SETTLE: "settle", killed.DELIVER: "deliver", killed.START: "start"}
HIT = ("reserve", "run", "settle")
MORE = 500  # kills, only if chance left a phase out: of a phase that one kill in twenty hits, fewer than 3 with odds of 1 in 10^8
ROOT = Path(__file__).parents[2]


class Nursery:
    """Children of another process, to be killed."""

    def __init__(self, file):
        self.folder = file.parent
        (self.folder / "phase").write_bytes(killed.START)
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", str(Path(killed.__file__)), str(file)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
        )  # fmt: skip

    def kill_one(self):
        """Let a child live for a random while after it is at work; the phase in which it died."""
        (self.folder / "phase").write_bytes(killed.START)
        child = int(self._said(str(random.randrange(2**32))))
        until = time.monotonic() + 60
        while self.phase() == "start" and time.monotonic() < until and random.random() > 0.002:   # now and then earlier
            time.sleep(0.001)
        time.sleep(random.uniform(0, 0.2))
        os.kill(child, signal.SIGKILL)
        assert int(self._said("reap")) == signal.SIGKILL, "the child ended by itself"
        return self.phase()

    def phase(self):
        return PHASES[(self.folder / "phase").read_bytes()]

    def close(self):
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def _said(self, words):
        self._process.stdin.write(words + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline()


def delivered(folder):
    place = folder / "delivered"
    lines = place.read_text().split("\n")[:-1] if place.exists() else []          # a torn last line was never delivered whole
    return [json.loads(line) for line in lines]


def check_by_hand(folder):
    """Everything that must hold after a crash, from the file alone."""
    entries = entries_by_hand(folder)
    kinds = {number: (kind, body, hash_) for number, kind, body, hash_ in entries}
    settled = {}
    for number, kind, body, hash_ in entries:
        if kind == "settle":
            assert body["charge"] not in settled, "a charge was answered twice"
            assert kinds[body["charge"]][0] == "charge"
            settled[body["charge"]] = number, hash_
    values = {}
    for told in delivered(folder):
        entry = told["entry"]
        assert settled[entry["charge"]] == (entry["number"], entry["hash"]), "an answer was delivered that is not settled"
        assert kinds[entry["charge"]][1]["question"].endswith(f" x > {told['number']}")
        assert values.setdefault(told["number"], told["value"]) == told["value"], "one question has two answers"
    charged = charged_by_hand(folder)
    ((total,),) = sql(folder, "SELECT amount FROM totals WHERE who = ''") or [("0",)]
    ((cap,),) = sql(folder, "SELECT cap FROM accounts")
    assert charged == Fraction(total)
    assert charged <= Fraction(cap)
    return charged, Fraction(cap)


def registered(folder):
    """A table with a small cap, which is raised whenever it is spent."""
    file = write_table(folder, budget="epsilon = 0.25")
    office.register(file)
    return file


def killing(file, kills):
    """Kill so many children, checking after each; hits per phase."""
    hits, nursery = Counter(), Nursery(file)
    try:
        for turn in range(kills + MORE):
            if turn >= kills and min(hits[phase] for phase in HIT) >= 3:
                break
            hits[nursery.kill_one()] += 1
            charged, cap = check_by_hand(file.parent)
            if turn % 10 == 9 or kills <= 40:
                found = office.verify(file)
                assert found.ok, found.problems
            if charged == cap:                       # children wait at the end of the budget until there is more
                office.raise_budget(file, str(cap + Fraction(1, 4)), reason="the test goes on")
    finally:
        nursery.close()
    return hits


def check_the_end(file, hits):
    counted = Counter(kind for _, kind, _, _ in entries_by_hand(file.parent))
    print(f"\n  kills: {dict(hits)}; entries: {dict(counted)}; delivered: {len(delivered(file.parent))}")
    assert min(hits[phase] for phase in HIT) >= 3
    assert min(counted["resume"], len(delivered(file.parent))) >= 3
    before = charged_by_hand(file.parent)
    office.recover(file)
    assert charged_by_hand(file.parent) == before                                 # what crashes left is paid for
    assert not sql(file.parent, "SELECT 1 FROM charges WHERE state = 'running'")
    check_by_hand(file.parent)
    assert office.verify(file).ok
    curator = open_table(file)
    for told in delivered(file.parent):
        again = curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE x > {told['number']}", epsilon=killed.PRICE)
        assert (again.value, again.replayed) == (told["value"], True)
    curator.close()
