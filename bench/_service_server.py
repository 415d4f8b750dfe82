"""The service without its time grid, for benchmarks and for the test that finds out what the grid hides.

FOLDER [SECONDS] [--grid] [--workers=N]. With SECONDS, every reading of rows takes that much longer if the table has an odd number
of them: a leak that was planted. Workers begin by reading this file, with the same words: so it is done to each of them.
"""

import json
import sys
import time
from pathlib import Path

from discreet.curator import desk
from discreet.curator.folder import Folder
from discreet.service.serving import serve
from discreet.service.settings import Limits, Settings

FREE = 10**9


def main() -> None:
    limits = Limits(requests_per_minute=FREE, requests_at_once=FREE, requests_at_once_of_one=FREE, asks_waiting=FREE,
                    asks_waiting_of_one=FREE)
    settings = Settings(Path(sys.argv[1]), port=0, workers=workers, limits=limits)
    serve(settings, lambda address: print(json.dumps({"address": address}), flush=True))


def plant(seconds: float) -> None:
    """As an engine would that has more to do for one table than for its neighbour."""
    before = desk.released_parts

    def slower(plan, bought, engine):
        released = before(plan, bought, engine)
        rows = Path(plan.facts.located.place).read_bytes().count(b"\n") - 1
        time.sleep(seconds if rows % 2 else 0)
        return released

    desk.released_parts = slower


Folder._is_paced = "--grid" in sys.argv
workers = next((int(word.partition("=")[2]) for word in sys.argv if word.startswith("--workers=")), 1)
for word in sys.argv[2:]:
    if not word.startswith("--"):
        plant(float(word))

if __name__ == "__main__":
    main()
