"""Questions now, beside the same questions on a commit of before

The questions of `questions.py` about 5 000 rows of a registered table, and their quotes, with the code as it is and with that of
a named commit, in turn, each in processes of their own that share one environment. Seconds of processor, the least of all runs:
what else the machine does hardly disturbs it.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from _record import BENCH, ROOT, Times, record, target

import discreet

BEFORE = "2059095"  # the last one on which a question was bought whole
TURNS, REPEATS, MOST = 4, 100, 1.10


def main() -> None:
    commit = sys.argv[1] if len(sys.argv) > 1 else BEFORE
    with tempfile.TemporaryDirectory() as folder:
        then = Path(folder) / "then"
        git("worktree", "add", "--detach", str(then), commit)
        try:
            now, before = least({"now": Path(discreet.__file__).parents[1], "before": then / "src"}).values()
        finally:
            git("worktree", "remove", "--force", str(then))
    rows = [{"question": name, "before, ms": before[name] * 1e3, "now, ms": now[name] * 1e3, "÷ before": now[name] / before[name]}
            for name in now]  # fmt: skip
    targets = [target(f"{row['question']}, beside {commit}", Times(row["÷ before"], row["÷ before"]), at_most=MOST, unit="×")
               for row in rows]  # fmt: skip
    record("before", {"Targets": targets, f"Processor, beside {commit}": rows}, packages=("discreet", "duckdb", "numpy"))


def least(sources: dict[str, Path]) -> dict[str, dict[str, float]]:
    """The least seconds of each question with each source, in turn."""
    runs: dict[str, list[dict[str, float]]] = {name: [] for name in sources}
    for _ in range(TURNS):
        for name, source in sources.items():
            runs[name].append(asked(source))
    return {name: {key: min(run[key] for run in some) for key in some[0]} for name, some in runs.items()}


def asked(source: Path) -> Any:
    command = [sys.executable, str(BENCH / "_before_asked.py"), str(REPEATS)]
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": str(source)}, check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def git(*words: str) -> None:
    subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True)


if __name__ == "__main__":
    main()
