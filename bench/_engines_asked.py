"""What engines.py and postgres.py ask: the integers of three plans, beside the same in the database itself, without privacy."""

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from _record import Row, Times, clocked, target

from discreet.engines import open_engine
from discreet.engines.wanted import Bound, ByStep, ByValue, Engine, Grid, Measure, Wanted
from discreet.facts.model import Budget, ByColumn, Category, EachRow, Facts, Integer, Number, Source
from discreet.privacy import Pure
from discreet.questions.algebra import Column

__all__ = ["BY_GROUP", "BY_KEY", "BY_UNIT", "GROUPS", "KEYS", "MADE", "ROWS", "UNITS", "Held", "both", "measured"]

ROWS = int(os.environ.get("DISCREET_BENCH_ROWS", "20000000"))
UNITS, GROUPS, KEYS = ROWS // 10, 50, 1_000_000
MADE = (  # all independent of each other, so that a unit with ten rows is in nine groups
    f"SELECT CAST(floor(random() * {GROUPS}) AS integer) AS g, random() * 100 AS x, "
    f"CAST(floor(random() * {UNITS}) AS bigint) AS u, CAST(floor(random() * {KEYS}) AS bigint) AS k"
)
BY_GROUP, BY_UNIT, BY_KEY = "count and sum, 50 groups", "by unit, 50 groups, at most 5 each", "counts of a million keys"

_GRID = Grid(Fraction(1, 2**14), 0, 100 << 14)
_GROUP = ByValue(Column("g"), tuple(map(Fraction, range(GROUPS))))
_KEY = ByStep(Column("k"), Fraction(1), Fraction(0), 0, KEYS)
_SUMS = (Measure(0), Measure(1, Column("x"), _GRID))
_CLAMPED = (Measure(0, within=(0, 2)), Measure(1, Column("x"), _GRID, within=(0, 2 * (100 << 14))))
_WANTED = {
    BY_GROUP: (Wanted(None, (_GROUP,), _SUMS), "SELECT g, COUNT(*), SUM(x) FROM {} GROUP BY g"),
    BY_UNIT: (
        Wanted(None, (_GROUP,), _CLAMPED, Bound(7, groups=5)),
        "SELECT g, COUNT(*), SUM(s) FROM (SELECT u, g, COUNT(*) AS n, SUM(x) AS s FROM {} GROUP BY u, g) AS p GROUP BY g",
    ),
    BY_KEY: (Wanted(None, (_KEY,), (Measure(0),)), "SELECT k, COUNT(*) FROM {} GROUP BY k"),
}
_FACTS = Facts(
    "t", "", EachRow(), "add_remove",
    (Category("g", tuple(range(GROUPS))), Number("x", Fraction(0), Fraction(100)), Integer("k", 0, KEYS - 1)),
    Budget(Pure(epsilon=1)),
)  # fmt: skip


@dataclass(frozen=True)
class Held:
    """An engine with rows and with units, and the database itself."""

    by_row: Engine
    by_unit: Engine
    raw: Callable[[str], Any]
    processor: Callable[[], float] = time.process_time


def both(place: Source) -> tuple[Engine, Engine]:
    """The table with every row a unit of its own, and by its units."""
    facts = replace(_FACTS, located=place)
    return open_engine(facts), open_engine(replace(facts, unit=ByColumn("u")))


def measured(held: Held, most: dict[str, float], repeats: dict[str, int]) -> dict[str, list[Row]]:
    """Targets and seconds, both sides in turn."""
    targets, seconds = [], []
    for what, (wanted, sql) in _WANTED.items():
        engine = held.by_row if wanted.unit is None else held.by_unit
        acts = {"discreet": lambda e=engine, w=wanted: e.run(w), "raw": lambda s=sql: held.raw(s)}
        found, busy = clocked(acts, repeats=repeats[what], processor=held.processor)
        ours, alone = found["discreet"], found["raw"]
        ratio = Times(ours.best / alone.best, ours.median / alone.median)
        targets.append(target(what, ratio, at_most=most[what], unit="times its own query"))
        seconds.append({"question": what, "discreet, s, best": ours.best, "median": ours.median,
                        "its own query, s, best": alone.best, "its median": alone.median,
                        "÷, processor": busy["discreet"].best / busy["raw"].best, "runs": repeats[what]})  # fmt: skip
        print(f"{what}: {ours.best:.2f} s beside {alone.best:.2f} s, {ratio.best:.2f} times", flush=True)
    return {f"{ROWS:,} rows": targets, "Seconds": seconds}
