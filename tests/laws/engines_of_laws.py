"""The engines that every law is held to: the reference by itself, and DuckDB and PostgreSQL beside it.

A law that holds on one engine says nothing about another: units were once counted in too many groups by DuckDB alone. Beside
DuckDB every exact answer is compared with that of the reference, so that a law on both is a law of agreement too.
"""

from collections import Counter
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from itertools import count

import numpy as np
import pandas as pd
from tests import postgres_server

from discreet.engines.duckdb.engine import DuckDB, started
from discreet.engines.reference.engine import Reference
from discreet.engines.rules.choice import unit_of
from discreet.facts.model import Companion, Source

ENGINES = ("reference", "both", "postgres")
TIMES = 1  # how many times as many examples: soak asks for more


def examples(engine, many, both):
    """How many examples a law tries: ``many`` on the reference, where they are cheap, and ``both`` beside DuckDB."""
    return TIMES * (many if engine == "reference" else both if engine == "both" else max(3, both // 3))


@contextmanager
def opened(engine, facts, rows, lookups=None):
    """An engine on these rows, two of which can be held at the same time. Beside DuckDB, both have said the same in the end."""
    reference = Reference(facts, rows, lookups or {})
    if engine == "reference":
        yield reference
        return
    if engine == "postgres":
        compared = Compared(in_postgres(facts, *framed(facts, rows, lookups or {})), reference)
    else:
        compared = Compared(Shared(facts, *framed(facts, rows, lookups or {})), reference)
    yield compared
    assert not compared.differences, f"two engines differ about {compared.differences[0]}"


def framed(facts, rows, lookups):
    """Rows and lookups as frames of objects, which have all declared columns even where no row has them."""
    unit = getattr(facts.unit, "column", None)
    frames = {}
    for join in facts.joins:
        frames[join.name] = _frame(lookups[join.name], [join.match, *(column.name for column in join.columns)])
    return _frame(rows, [*(column.name for column in facts.columns), *([unit] if unit else [])]), frames


def _frame(rows, names):
    names = list(dict.fromkeys(names))
    return pd.DataFrame([[row.get(name) for name in names] for row in rows], columns=names, dtype=object)


def in_postgres(facts, rows, beside):
    """The rows as texts in a table of PostgreSQL; those of other confidential tables in tables of their own."""
    joins, lookups = [], {}
    for join in facts.joins:
        if isinstance(join, Companion):
            place = Source("postgresql", postgres_server.reader(), _as_texts(beside[join.name]))
            join = replace(join, facts=replace(join.facts, located=place))  # noqa: PLW2901 - the same, where it is now
        else:
            lookups[join.name] = beside[join.name]
        joins.append(join)
    return postgres_server.opened(replace(facts, joins=tuple(joins)), _as_texts(rows), lookups)


def _as_texts(frame):
    texts = [[_text(value) for value in row] for row in frame.itertuples(index=False)]
    return postgres_server.stored(dict.fromkeys(frame.columns, "text"), texts)


def _text(value):
    if value is None or value is pd.NaT:
        return None
    return unit_of(value) if isinstance(value, float) else postgres_server.without_nul(str(value))


class Shared(DuckDB):
    """DuckDB in one of two databases that all examples share: to start one takes longer than to ask."""

    _turns = count()

    def _start(self):
        self._connection, self._let_go = _database(next(self._turns) % 2), lambda: None
        for kind in ("view", "table"):
            for (name,) in self._connection.execute(f"SELECT {kind}_name FROM duckdb_{kind}s() WHERE NOT internal").fetchall():
                self._connection.execute(f"DROP {kind} {name}")

    def _locked(self):
        """It is not: the next example loads its rows."""


@cache
def _database(_number):
    return started()[0]


@dataclass
class Compared:
    """An engine that asks two others the same, answers as the first does, and keeps what they disagreed about."""

    first: object
    second: object
    compares: bool = True

    def __post_init__(self):
        self.differences, self.asked = [], Counter()

    def at_once(self):
        return nullcontext(self)

    def check(self):
        self.first.check()

    def run(self, wanted):
        return self._both("run", wanted, ("high", "low"))

    def counts(self, wanted):
        return self._both("counts", wanted, ("cell", "bin", "rows"))

    def keys(self, wanted):
        return self._both("keys", wanted, ("values", "units"))

    def close(self):
        self.first.close()
        self.second.close()

    def _both(self, method, wanted, parts):
        self.asked[method, type(wanted).__name__] += 1
        found = getattr(self.first, method)(wanted)
        if self.compares:
            these, those = found.take(), getattr(self.second, method)(wanted).take()
            if not all(np.array_equal(getattr(these, part), getattr(those, part)) for part in parts):
                self.differences.append(wanted)
        return found
