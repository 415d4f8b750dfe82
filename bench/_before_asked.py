"""The questions of questions.py with whatever discreet is first on the path: seconds of processor by name, as JSON.

Words: how often each is asked. Only what both commits have may be used here.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from pathlib import Path

from _questions_tables import QUESTION, make_table

import discreet as dc

QUESTIONS = {
    "count and sum of 50 groups": QUESTION,
    "mean": "SELECT AVG(x) AS m FROM t",
    "count": "SELECT COUNT(*) AS n FROM t",
    "variance of 50 groups": "SELECT g, VAR_SAMP(x) AS v FROM t GROUP BY g",
}


def main() -> None:
    repeats = int(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        facts = make_table(Path(folder), "t", 5000)
        dc.register(facts)
        found = {name: seconds for question in QUESTIONS for name, seconds in measured(facts, question, repeats).items()}
    print(json.dumps(found))


def measured(facts: Path, name: str, repeats: int) -> dict[str, float]:
    curator, prices, sql = dc.open(facts), count(1), QUESTIONS[name]
    found = {name: best(lambda: curator.ask(sql, epsilon=1 + Fraction(next(prices), 10_000)), repeats),
             f"{name}, quote": best(lambda: curator.quote(sql, epsilon=1), repeats)}  # fmt: skip
    curator.close()
    return found


def best(act: Callable[[], object], repeats: int) -> float:
    act()
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        act()
        taken.append(time.process_time() - start)
    return min(taken)


if __name__ == "__main__":
    main()
