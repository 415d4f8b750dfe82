"""The side that dies: a nursery with everything imported, whose children ask question after question until they are killed.

A child tells the phase it is in through one byte of a file, which outlives it. It sleeps a little inside each phase, so that
phases are long enough to be hit: in the middle of transactions, before and after them, and while the table is read.
"""

import json
import os
import random
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from discreet.curator import Curator, curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.errors import BudgetError
from discreet.facts import read_facts
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.signing import SigningKey
from discreet.ledger.folder import place_of
from discreet.ledger.records import AnswerRecord, ChargeRecord
from discreet.ledger.sqlite.database import Database
from discreet.ledger.sqlite.store import SQLite

START, RESERVE, RUN, SETTLE, DELIVER = b"?", b"R", b"U", b"S", b"D"
PRICE = "1/100"


class Phases:
    """The byte that tells where a child is."""

    def __init__(self, file):
        self._handle = os.open(file, os.O_RDWR | os.O_CREAT)

    def enter(self, phase):
        os.pwrite(self._handle, phase, 0)


def pause(most=0.003):
    time.sleep(random.uniform(0, most))


class SlowStore(SQLite):
    """Takes its time inside transactions."""

    @contextmanager
    def writing(self):
        with super().writing() as transaction:
            yield SlowTransaction(transaction)


class SlowTransaction:
    """Charged, resumed or settled, and not committed."""

    def __init__(self, transaction):
        self._transaction = transaction

    def add(self, record):
        self._transaction.add(record)
        if isinstance(record, ChargeRecord | AnswerRecord):
            pause()

    def change(self, record, **fields):
        self._transaction.change(record, **fields)
        if isinstance(record, ChargeRecord):
            pause()

    def __getattr__(self, name):
        return getattr(self._transaction, name)


class SlowLedger(Ledger):
    """Takes its time outside transactions as well."""

    def __init__(self, place, phases):
        super().__init__(SlowStore(Database(place / "ledger.db")), SigningKey.read(place / "key.pem"))
        self._phases = phases

    def reserve(self, *words):
        self._phases.enter(RESERVE)
        pause()
        found = super().reserve(*words)
        pause()
        return found

    def settle(self, *words):
        self._phases.enter(SETTLE)
        pause()
        found = super().settle(*words)
        pause()
        return found


class SlowEngine(Reference):
    """Takes its time to read."""

    def __init__(self, facts, phases):
        super().__init__(facts, [{"x": str(number), "place": "1"} for number in range(20)])
        self._phases = phases

    def run(self, wanted):
        self._phases.enter(RUN)
        pause(0.01)
        found = super().run(wanted)
        pause(0.01)
        return found


def work(file, seed):
    """Ask: first what the last child was asking when it died, then new questions. What is delivered is written down."""
    random.seed(seed)
    folder, facts = file.parent, read_facts(file)
    phases = Phases(folder / "phase")
    curator = Curator(facts, lambda: SlowEngine(facts, phases), SlowLedger(place_of(file), phases), place_of(file))
    asked = os.open(folder / "asked", os.O_RDWR | os.O_CREAT)
    delivered = os.open(folder / "delivered", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    number = int(os.pread(asked, 20, 0) or b"1")
    while True:
        os.pwrite(asked, b"%20d" % number, 0)
        try:
            answer = curator.ask(f"SELECT COUNT(*) AS n FROM t WHERE x > {number}", epsilon=PRICE)
        except BudgetError:
            phases.enter(START)
            time.sleep(0.01)
            continue
        phases.enter(DELIVER)
        told = {"number": number, "id": answer.id, "value": answer.value, "entry": answer.receipt["entry"]}
        os.write(delivered, json.dumps(told).encode() + b"\n")
        os.fsync(delivered)
        number += 1


def nursery(file):
    """Fork a child for every line that comes in, and answer with its process; reap it when the next line comes."""
    facts = read_facts(file)
    curator_in_memory(facts, Reference(facts, [])).ask("SELECT COUNT(*) FROM t", epsilon=PRICE)     # loads all that asking needs
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            try:
                work(file, int(line))
            finally:
                os._exit(1)                          # only a kill ends it as it should
        print(process, flush=True)
        sys.stdin.readline()
        _, status = os.waitpid(process, 0)
        print(os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0, flush=True)


if __name__ == "__main__":
    nursery(Path(sys.argv[1]))
