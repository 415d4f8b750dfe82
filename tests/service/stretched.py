"""A service whose workers take their time over each question, and write down what they are at: FOLDER WORKERS.

It is killed by a test. What a worker wrote outlives it: for each thread, the phase it is in. It sleeps a little in each, so that
phases are long enough to be hit: in the middle of transactions, before and after them, and while the table is read. Workers begin
by reading this file.
"""

import json
import os
import random
import sys
import threading
import time
from pathlib import Path

from discreet.curator import desk
from discreet.ledger import charging
from discreet.ledger.charging import Ledger
from discreet.ledger.reserving import Reserving
from discreet.service.serving import serve
from discreet.service.settings import Settings

FOLDER = Path(sys.argv[1])
NOTES = os.open(FOLDER / f"phases-{os.getpid()}", os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def note(phase):
    os.write(NOTES, f"{threading.get_ident()} {phase}\n".encode())


def pause(most):
    time.sleep(random.uniform(0, most))


def in_phase(phase, verb):
    """Before and after a verb as well, it is in its phase: when it has committed, nobody has been told yet."""

    def told(*words, **more):
        note(phase)
        try:
            pause(0.1)
            found = verb(*words, **more)
            pause(0.1)
        finally:
            note("nothing")
        return found

    return told


def slowly(verb):
    """What is done inside a transaction, which is held for a moment more."""

    def told(*words, **more):
        found = verb(*words, **more)
        pause(0.005)
        return found

    return told


Reserving.outcomes = slowly(Reserving.outcomes)
charging.settled = slowly(charging.settled)
Ledger.reserve = in_phase("reserve", Ledger.reserve)
Ledger.settle = in_phase("settle", Ledger.settle)
desk.released_parts = in_phase("run", desk.released_parts)

if __name__ == "__main__":
    settings = Settings(FOLDER, port=0, workers=int(sys.argv[2]))
    serve(settings, lambda address: print(json.dumps({"address": address}), flush=True))
