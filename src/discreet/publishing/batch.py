"""The questions of a release, planned, quoted and asked together: one reserve for all of them, over all their tables.

A plan follows from the release file and the facts alone, so that the same file has the same price on every run: a second run
finds every answer stored and costs nothing, and what a crash left behind is resumed without a charge.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.answers.answer import Answer, as_strings
from discreet.answers.losses import is_enough
from discreet.answers.quote import QuotedColumn
from discreet.curator.asking import Curator
from discreet.curator.opening import open_table
from discreet.curator.orders import Order, answered, crossed
from discreet.curator.results import answer_from, quoted_columns
from discreet.curator.statements import statement_about
from discreet.errors import ParameterError, QuestionError
from discreet.facts.model import Facts
from discreet.ledger.charging import Ledger
from discreet.ledger.entries.charges import Request
from discreet.ledger.folder import place_of
from discreet.planning.build import make_plan
from discreet.planning.plan import Plan, Vector
from discreet.planning.purchase import bought_whole
from discreet.planning.shares import weights_behind
from discreet.privacy.losses import Loss
from discreet.publishing.release_file import PricedQuestion, Release
from discreet.questions.normal import fingerprint

__all__ = ["Answered", "Batch", "Planned", "Progress", "opened"]

Progress = Callable[[str, int, int], None]  # what is done now, how much of it is done, how much there is


@dataclass(frozen=True)
class Planned:
    """A question of a release with its plan. No data has been read."""

    question: PricedQuestion
    curator: Curator
    plan: Plan

    @property
    def order(self) -> Order:
        """What is asked for, by the data holder."""
        asked = self.question
        return Order(self.curator, self.plan, asked.confidence, asked.simultaneous, is_holders=True)

    @property
    def table(self) -> str:
        """The table it is asked of."""
        return self.plan.facts.name

    @property
    def cost(self) -> Loss:
        """What it costs in the money of its table's budget if nothing is stored."""
        return self.curator._ledger.cost(self.table, self.plan.event)

    @cached_property
    def request(self) -> Request:
        """What is to be charged: nothing for what is stored."""
        return crossed(self.order, waits=False).request

    @property
    def is_free(self) -> bool:
        """Whether it is answered already, or paid for and left by a crash."""
        if self.request.is_free or self.request.bought is None:
            return True
        same = [each for each in self.curator._ledger.abandoned(self.table) if each.fingerprint == self.request.fingerprint]
        return any(type(each.price) is type(self.plan.price) and is_enough(each.price, self.plan.price) for each in same)

    def expected(self) -> tuple[QuotedColumn, ...]:
        """The ± that every column will have."""
        return quoted_columns(self.plan, self.question.confidence, self.question.assuming, {})

    def specimen(self) -> "Answered":
        """An answer of the right shape about nothing, with all that its receipt will state: to try the whole release on."""
        cap = as_strings(self.curator.budget.cap)
        rest = {"budget": {"before": cap, "after": cap, "cap": cap}, "entry": {"at": ""}}
        stated = statement_about(bought_whole(self.plan), self.request)
        return Answered(self, replace(self._made_up(), receipt=stated | rest), {0: replace(self.request, event=self.plan.event)})

    def _made_up(self) -> Answer:
        plain = [each for each in self.plan.vectors if isinstance(each, Vector) and each.tree is None]
        if len(plain) < len(self.plan.vectors):  # chosen values and keys: a rehearsal has them
            weights, sure = weights_behind(self.plan), self.question.confidence
            return self.curator._rehearsed(self.plan.question, self.plan.price, weights, sure, self.question.simultaneous)
        made = tuple(_made_up(vector, self.plan.wanted.cells) for vector in plain)
        return answer_from(
            bought_whole(self.plan), made, self.question.confidence, self.question.simultaneous,
            id="specimen", cost=self.cost, budget=self.curator.budget, replayed=False, receipt=None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Answered:
    """An answer, and all charges whose draws are in it, made now or before."""

    planned: Planned
    answer: Answer
    charges: Mapping[int, Request]

    @property
    def receipt(self) -> dict[str, Any]:
        """The signed certificate."""
        return dict(self.answer.receipt or {})


@dataclass(frozen=True, slots=True)
class Batch:
    """All questions of a release, over the tables of one folder."""

    planned: tuple[Planned, ...]

    @property
    def ledger(self) -> Ledger:
        """The one ledger of the folder, opened for the first table."""
        return self.planned[0].curator._ledger

    @property
    def facts(self) -> tuple[Facts, ...]:
        """What is public about each table."""
        return tuple(curator.facts for curator in self._curators())

    def ask(self, progress: Progress) -> list[Answered]:
        """Every answer, in order; charged all together or not at all. What is paid for is worked off even if a part fails."""
        names = [each.question.name for each in self.planned]
        found = answered([each.order for each in self.planned], lambda done: progress(f"asking {names[done]}", done, len(names)))
        return [Answered(each, each.curator.answer(one), one.charges) for each, one in zip(self.planned, found, strict=True)]

    def _curators(self) -> list[Curator]:
        return list({id(each.curator): each.curator for each in self.planned}.values())


@contextmanager
def opened(release: Release) -> Iterator[Batch]:
    """The questions of a release, planned. Raises FactsError at the place in the file that is wrong; reads no data."""
    _check_folder(release)
    curators: dict[Path, Curator] = {}
    try:
        for table in release.tables:
            curators[table] = open_table(table)
        planned = [_planned(release, place, curators[each.table]) for place, each in enumerate(release.questions)]
        _refuse_repeats(release, planned)
        yield Batch(tuple(planned))
    finally:
        for curator in curators.values():
            curator.close()


def _check_folder(release: Release) -> None:
    homes = {place_of(table.resolve()) for table in release.tables}
    if len(homes) > 1:
        place = next(i for i, each in enumerate(release.questions) if each.table.parent != release.questions[0].table.parent)
        wrong = ParameterError("the tables of a release lie in one folder: one ledger charges them all or none",
                               hint="put the facts files side by side, or write two releases")  # fmt: skip
        raise release.wrong(("question", place, "table"), wrong)


def _planned(release: Release, place: int, curator: Curator) -> Planned:
    question = release.questions[place]
    at = "sql"
    try:
        asked = question.ask.read(curator.facts)
        at = question.priced_by
        price = question.ask.price(asked, curator.facts, None)  # not by counts released before: a second run has the same price
        at = "weights" if question.weights else "sql"
        plan = make_plan(asked, curator.facts, price, question.weights)
        at = question.priced_by
        _check_money(curator, plan)
        at = "columns"
        _check_columns(question.columns, [output.name for output in asked.outputs])
    except (ParameterError, QuestionError) as error:
        raise release.wrong(("question", place, at), error) from None
    return Planned(question, curator, plan)


def _check_money(curator: Curator, plan: Plan) -> None:
    """Refuses a price that the budget of the table does not count."""
    try:
        curator._ledger.cost(curator.facts.name, plan.event)
    except ParameterError:
        counts = ", ".join(as_strings(curator.budget.cap))
        raise QuestionError(f"the budget of {curator.facts.name} counts {counts}, not this kind of price",
                            hint=f"write a price in {counts}") from None  # fmt: skip


def _check_columns(meanings: Iterable[str], names: Sequence[str]) -> None:
    """Refuses meanings of columns that are not there, and columns that the ends of an interval would overwrite."""
    for each in meanings:
        if each not in names:
            raise QuestionError(f"there is no column {each!r}", hint=f"the columns are {', '.join(names)}")
    every = [name.casefold() for name in names]
    for name in every:
        if every.count(name) > 1 or any(name == f"{other}{end}" for other in every for end in ("_low", "_high")):
            raise QuestionError(f"a column called {name} would stand beside another one of that name", hint="name it with AS")


def _refuse_repeats(release: Release, planned: Sequence[Planned]) -> None:
    """One question has one price."""
    seen: dict[tuple[str, str], str] = {}
    for place, each in enumerate(planned):
        key = each.table, fingerprint(each.plan.question)
        if key in seen:
            error = QuestionError(f"{seen[key]} asks the same", hint="ask it once, and derive other forms of it for free")
            raise release.wrong(("question", place, "sql"), error)
        seen[key] = each.question.name


def _made_up(vector: Vector, cells: int) -> NDArray[Any]:
    """Some rows in every cell, their values anywhere in the range."""
    value = 1000 if vector.grid is None else 1000 * vector.grid.width**vector.degree
    kept = min(value, 1 << 60)
    return np.full((vector.coordinates, len(vector.filters), cells), kept, dtype=object if vector.are_few else np.int64)
