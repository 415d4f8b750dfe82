"""Made-up tables with two doors: discreet's curator, and a bare database that answers exactly and protects nobody."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from discreet.answers.answer import Answer
from discreet.curator.asking import Curator
from discreet.curator.opening import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.wanted import Candidates, Counts, CountsWanted, CutWanted, Engine, KeysWanted, Sums, UnitsWanted, Wanted
from discreet.exact import Number
from discreet.facts.make import facts_for_table
from discreet.facts.model import Column, Facts
from discreet.private import Private

__all__ = ["World", "world", "world_of"]


class _Lasting:
    """An engine that outlives the curators in front of it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def at_once(self) -> AbstractContextManager[Engine]:
        """The same engine."""
        return nullcontext(self)

    def check(self) -> None:
        self._engine.check()

    def run(self, wanted: Wanted) -> Private[Sums]:
        return self._engine.run(wanted)

    def counts(self, wanted: CountsWanted | UnitsWanted | CutWanted) -> Private[Counts]:
        return self._engine.counts(wanted)

    def keys(self, wanted: KeysWanted) -> Private[Candidates]:
        return self._engine.keys(wanted)

    def close(self) -> None:
        """The world closes it."""


class World:
    """One made-up table. Each curator of it has a whole budget, so that a trial never pays for the one before."""

    def __init__(self, facts: Facts, file: Path) -> None:
        import duckdb  # the unprotected target, and the only driver outside of engines and ledger

        self._facts = facts
        self._engine = open_engine(facts, file)
        self._bare = duckdb.connect()
        self._bare.execute(f'CREATE TABLE "{facts.name}" AS SELECT * FROM read_csv($1, header = true)', [str(file)])
        self.errors: type[Exception] = duckdb.Error

    def curator(self) -> Curator:
        """A new curator with a budget of its own, to be closed."""
        return curator_in_memory(self._facts, _Lasting(self._engine))

    def answers(self, *questions: str, epsilon: Number, delta: Number | None = None) -> list[Answer]:
        """The questions, each at this price, to one new curator."""
        with closing(self.curator()) as curator:
            return [curator.ask(question, epsilon=epsilon, delta=delta) for question in questions]

    def bare(self, sql: str) -> list[tuple[Any, ...]]:
        """What a database without a curator answers to anyone. Its errors are ``errors``."""
        found: list[tuple[Any, ...]] = self._bare.execute(sql).fetchall()
        return found

    def number(self, sql: str) -> Any:
        """The only number of a bare answer."""
        return self.bare(sql)[0][0]

    def close(self) -> None:
        """Let go of both doors."""
        self._engine.close()
        self._bare.close()


@contextmanager
def world(
    columns: Mapping[str, Column],
    rows: Sequence[Sequence[object]],
    *,
    budget: Number | Mapping[str, Number],
    name: str = "t",
    public_size: bool = False,
) -> Iterator[World]:
    """A table of ``rows`` while the block lasts; where its size is public, neighbours change one row, else add or remove it."""
    if public_size:
        facts = facts_for_table(name, columns, unit="row", neighbours="change_one", budget=budget, rows=len(rows))
    else:
        facts = facts_for_table(name, columns, unit="row", neighbours="add_remove", budget=budget)
    with world_of(facts, list(columns), rows) as made:
        yield made


@contextmanager
def world_of(facts: Facts, header: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[World]:
    """The same for facts that are there already."""
    with TemporaryDirectory(prefix="discreet-attack-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "rows.csv"
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
        with closing(World(facts, file)) as made:
            yield made
