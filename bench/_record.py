"""What every benchmark needs: a clock, other interpreters, targets, and one way to write results down.

A result is made of tables, lists of rows that all have the same keys, so that `_page.py` can print any of them. Only the
standard library is used here: the scripts that peers run in their own environments read the clock here too.
"""

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
BENCH = ROOT / "bench"
RESULTS = BENCH / "results"

_TINY = 1e-4  # smaller numbers are written with their exponent

Row = dict[str, Any]


def load() -> list[float] | None:
    """How many processes wanted a core in the last 1, 5 and 15 minutes, where the system says so."""
    return [round(value, 2) for value in os.getloadavg()] if hasattr(os, "getloadavg") else None


LOAD_BEFORE = load()


# ---- the clock


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds of several runs: the best is least disturbed by the rest of the machine, the median is what to expect."""

    best: float
    median: float

    @classmethod
    def of(cls, seconds: list[float]) -> "Times":
        return cls(min(seconds), median(seconds))

    def each(self, count: int) -> "Times":
        """The share of one among ``count``."""
        return Times(self.best / count, self.median / count)


def times(act: Callable[[], object], *, repeats: int) -> Times:
    """Seconds of ``act``, after one run that warms up."""
    return compared({"": act}, repeats=repeats)[""]


def compared(acts: dict[str, Callable[[], object]], *, repeats: int) -> dict[str, Times]:
    """Seconds of each act. They take turns, so that what else the machine does falls on all of them."""
    return clocked(acts, repeats=repeats)[0]


def clocked(
    acts: dict[str, Callable[[], object]], *, repeats: int, processor: Callable[[], float] = time.process_time
) -> tuple[dict[str, Times], dict[str, Times]]:
    """Seconds of each act by the clock, and seconds of processor on all its threads, which others disturb less.

    ``processor`` tells these seconds where the work is done in another process.
    """
    for act in acts.values():
        act()
    seconds: dict[str, list[float]] = {name: [] for name in acts}
    busy: dict[str, list[float]] = {name: [] for name in acts}
    for _ in range(repeats):
        for name, act in acts.items():
            start, start_busy = time.perf_counter(), processor()
            act()
            seconds[name].append(time.perf_counter() - start)
            busy[name].append(processor() - start_busy)
    return tuple({name: Times.of(taken) for name, taken in each.items()} for each in (seconds, busy))


def processor_of(process: int) -> float:
    """Seconds of processor of a process, of those that it started and of those of them that ended, as Linux tells them."""
    def spent(number: str, *, ended: bool) -> int:
        try:
            words = Path(f"/proc/{number}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            return 0
        return sum(map(int, words[11:15] if ended else words[11:13]))

    started = Path(f"/proc/{process}/task/{process}/children").read_text(encoding="utf-8").split()
    return (spent(str(process), ended=True) + sum(spent(each, ended=False) for each in started)) / os.sysconf("SC_CLK_TCK")


# ---- other interpreters


def in_peer(name: str, script: str, *words: str) -> Any:
    """What bench/SCRIPT prints as JSON when the peer's own interpreter runs it with ``words``; None if it is not installed."""
    python = os.environ.get(f"DISCREET_PEER_{name.upper().replace('-', '_')}")
    if python is None:
        print(f"{name} is not installed; run this through `make bench`", file=sys.stderr)
        return None
    return _printed(python, script, *words)


def in_fresh_processes(script: str, count: int, *words: str) -> list[Any]:
    """What bench/SCRIPT prints as JSON in each of ``count`` new processes, with files read and modules compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = {"PYTHONPYCACHEPREFIX": folder, "PYTHONDONTWRITEBYTECODE": ""}    # an empty word is as good as none
        return [_printed(sys.executable, script, *words, **compiled) for _ in range(count + 1)][1:]


def _printed(python: str, script: str, *words: str, **extra: str) -> Any:
    done = subprocess.run([python, str(BENCH / script), *words], env=os.environ | extra, check=True, stdout=subprocess.PIPE,
                          text=True, encoding="utf-8")
    return json.loads(done.stdout)


# ---- results


def target(what: str, measured: Times | None, *, at_least: float | None = None, at_most: float | None = None, unit: str) -> Row:
    """One row of a table of targets. It is judged by the best of the runs; None says that there was nothing to measure."""
    wanted = f"≥ {at_least:g} {unit}" if at_least is not None else f"≤ {at_most:g} {unit}"
    holds = None
    if measured is not None:
        holds = measured.best >= at_least if at_least is not None else measured.best <= at_most
    return {"target": what, "wanted": wanted, "measured": measured and measured.best, "by medians": measured and measured.median,
            "holds": holds}


def record(
    name: str,
    tables: dict[str, list[Row]],
    *,
    notes: dict[str, str] | None = None,
    packages: tuple[str, ...] = ("discreet", "numpy", "cryptography"),
    peers: dict[str, str] | None = None,
) -> None:
    """Write bench/results/NAME.json, tables by title, each with a note if there is one, and print the tables.

    Beside them: versions of ``packages`` here and of ``peers`` elsewhere, the commit, and the machine's size and load.
    """
    result = {
        "tables": [{"title": title, "note": (notes or {}).get(title, ""), "rows": [_rounded(row) for row in rows]}
                   for title, rows in tables.items()],
        "versions": {"python": platform.python_version(), **{package: version(package) for package in packages}, **(peers or {})},
        "commit": commit(),
        "machine": {"system": platform.system(), "processor": platform.machine(), "cores": os.cpu_count(), "memory_gb": memory()},
        "load": {"before": LOAD_BEFORE, "after": load()},
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
    }
    RESULTS.mkdir(parents=True, exist_ok=True)
    file = RESULTS / f"{name}.json"
    file.write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")
    for title, rows in tables.items():
        print(f"\n{title}")
        for row in rows:
            print("  " + " · ".join(f"{key}: {shown(value)}" for key, value in row.items()))
    print(f"\nload {LOAD_BEFORE} before, {load()} after; written to {file.relative_to(ROOT).as_posix()}")


def _rounded(row: Row) -> Row:
    return {key: float(f"{value:.6g}") if isinstance(value, float) else value for key, value in row.items()}


def shown(value: Any) -> str:
    """A cell of a table: three digits of a measured number, a word for a yes or no, a dash for nothing."""
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float() if 0 < abs(value) < _TINY:
            return f"{value:.0e}"
        case float() if value and abs(value) < 1000:
            return f"{float(f'{value:.3g}'):.{max(0, 2 - exponent(value))}f}"
        case int() | float():
            return f"{value:,.0f}"
        case _:
            return str(value)


def exponent(value: float) -> int:
    """The power of ten of the first digit, once rounded to three."""
    return int(f"{value:.2e}".partition("e")[2])


def commit() -> str:
    """The commit that was measured, marked if anything but results differs from it."""
    try:
        head = _git("rev-parse", "--short", "HEAD")
        changed = _git("status", "--porcelain", "--", ".", ":!bench/results", ":!docs/benchmarks.md")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return f"{head}-dirty" if changed else head


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, check=True, text=True, capture_output=True).stdout.strip()


def memory() -> int | None:
    """Gigabytes of memory, where the system says so."""
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return round(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30)
    return None
