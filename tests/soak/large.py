"""A process that asks a table under a limit that the system enforces: `large.py FACTS QUESTION BYTES`, a line of JSON at the end.

Memory of its own beyond the limit is refused to it, and it fails. How far it is goes to a list, as else to a holder's terminal.
"""

import json
import re
import resource
import sys
import time
from pathlib import Path


def most_bytes() -> int:
    """The most memory that this process has held, by the system's own record."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text(encoding="utf-8"))
    assert found
    return int(found[1]) * 1024


def main(facts: str, question: str, limit: str) -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (int(limit), int(limit)))

    import discreet as dc
    from discreet.engines.progress import telling

    told: list[float] = []
    table = dc.open(facts)
    start = time.perf_counter()
    with telling(told.append):
        answer = table.ask(question, epsilon=1)
    seconds = time.perf_counter() - start
    total = sum(answer.to_columns()["n"])
    print(json.dumps({"seconds": seconds, "most": most_bytes(), "told": [round(each) for each in told], "total": total}))


if __name__ == "__main__":
    main(*sys.argv[1:])
