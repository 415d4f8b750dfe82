"""Seconds that the client takes to import, by the clock and of processor, in a process that did nothing else. Prints JSON."""

import json
import sys
import time

start, busy = time.perf_counter(), time.process_time()
import discreet  # noqa: E402 - what is measured

discreet.connect  # noqa: B018 - names are imported when they are first used
print(json.dumps({"clock": time.perf_counter() - start, "processor": time.process_time() - busy,
                  "heavy": sorted({"duckdb", "sqlglot", "numpy"} & set(sys.modules))}))
