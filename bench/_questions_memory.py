"""The most memory that a new process takes to answer once, for questions.py: `_questions_memory.py WHO FACTS`, in megabytes.

What it takes with everything imported and no table open is told as well. Read from the system's own record of the process
since it began; `getrusage` would count what the process that started it had taken.
"""

import json
import os
import re
import sys
from pathlib import Path


def most_megabytes() -> float | None:
    record = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", record.read_text(encoding="utf-8")) if record.exists() else None
    return int(found[1]) / 1024 if found else None


who, facts = sys.argv[1], Path(sys.argv[2])
import duckdb  # noqa: E402
import numpy as np  # noqa: E402, F401 - in which DuckDB answers
from _questions_tables import QUESTION, without_privacy  # noqa: E402

if who == "discreet":
    import cryptography.hazmat.primitives.ciphers  # noqa: F401 - what discreet imports when it opens a table and answers
    import sqlglot.dialects.duckdb  # noqa: F401

    import discreet.curator
    import discreet.engines.duckdb.engine

    before = most_megabytes()
    at_a_new_price = f"2.{os.getpid():09}"  # above all others: else it would be a replay, which reads no row
    discreet.curator.open_table(facts).ask(QUESTION, epsilon=at_a_new_price)
else:
    before = most_megabytes()
    duckdb.connect().execute(without_privacy(facts)).fetchnumpy()
print(json.dumps({"before": before, "most": most_megabytes()}))
