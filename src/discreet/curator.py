"""The curator: the only place where data meets budget.

A question becomes a plan without touching data; the plan is charged; only then is the table read; noise is added; and the
answer leaves. Nothing is ever refunded.
"""

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

from discreet.answers.answer import Answer, AnswerColumn, BudgetState
from discreet.answers.quote import Quote, QuotedColumn
from discreet.engines.wanted import Engine
from discreet.errors import AccessError, BudgetError, ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown
from discreet.facts.file import read_facts
from discreet.facts.make import facts_for_table
from discreet.facts.model import Column, Facts
from discreet.ledger import MemoryLedger
from discreet.mechanisms.accuracy import read_confidence
from discreet.planning.build import make_plan
from discreet.planning.expected import expected_errors, price_within, readable_group
from discreet.planning.outputs import answer_table
from discreet.planning.plan import Plan
from discreet.planning.price import Price, read_price
from discreet.planning.release import Released, release
from discreet.privacy.events import Neighbours
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.algebra import KeyOf, Question
from discreet.questions.builder import Asking, BinSpec, Rows, Statistic
from discreet.questions.check import checked
from discreet.questions.normal import fingerprint
from discreet.questions.sql import read_sql
from discreet.questions.words import to_text

__all__ = ["Curator", "open_table", "table"]

Within = Number | Mapping[str, Number]


class Curator:
    """Answers questions about one table until its budget is spent. Its budget lives in this process."""

    def __init__(self, facts: Facts, engine: Engine, ledger: MemoryLedger) -> None:
        self.facts = facts
        self._engine = engine
        self._ledger = ledger

    @property
    def budget(self) -> BudgetState:
        """Cap, spent and remaining."""
        return self._ledger.state()

    @property
    def all_rows(self) -> Rows:
        """Where questions in Python begin."""
        return Rows(self.facts, asker=self)

    def where(self, condition: str) -> Rows:
        """The rows that meet a condition in SQL."""
        return self.all_rows.where(condition)

    def group_by(self, *keys: str | BinSpec) -> Rows:
        """The rows in groups."""
        return self.all_rows.group_by(*keys)

    def select(self, **statistics: Statistic) -> Asking:
        """Named statistics of all rows."""
        return self.all_rows.select(**statistics)

    def count(self, of: str | None = None) -> Asking:
        """How many rows there are, or how many have a value of ``of``."""
        return self.all_rows.count(of)

    def sum(self, of: str) -> Asking:
        """The sum of ``of``."""
        return self.all_rows.sum(of)

    def mean(self, of: str) -> Asking:
        """The mean of ``of``."""
        return self.all_rows.mean(of)

    def variance(self, of: str, *, sample: bool = True) -> Asking:
        """The variance of ``of``."""
        return self.all_rows.variance(of, sample=sample)

    def stddev(self, of: str, *, sample: bool = True) -> Asking:
        """The standard deviation of ``of``."""
        return self.all_rows.stddev(of, sample=sample)

    def quote(
        self,
        question: str | Question,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        within: Within | None = None,
        confidence: Number = "0.95",
        assuming: int | None = None,
    ) -> Quote:
        """What ``question`` would cost and how good its answer would be. Spends nothing and reads no data."""
        asked, sure = self._read(question), read_confidence(confidence)
        price = self._price(asked, epsilon, delta, rho, within, sure, assuming)
        plan = make_plan(asked, self.facts, price)
        return Quote(
            table=self.facts.name,
            question=to_text(asked),
            cost=self._ledger.charge_for(plan.event),
            split=split_of(plan),
            columns=_quoted(plan, sure, assuming),
            confidence=sure,
            cells=plan.wanted.cells,
            readable_group=readable_group(plan, float(sure)),
            budget=self.budget,
            replay=self._ledger.answered(fingerprint(asked), price) is not None,
            warnings=warnings_for(plan),
        )

    def ask(
        self,
        question: str | Question,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        within: Within | None = None,
        confidence: Number = "0.95",
        assuming: int | None = None,
    ) -> Answer:
        """Answer ``question`` with noise worth the price, or again for free if it was answered at that price or a higher one."""
        asked, sure = self._read(question), read_confidence(confidence)
        price = self._price(asked, epsilon, delta, rho, within, sure, assuming)
        plan = make_plan(asked, self.facts, price)                           # may refuse; has read no data
        self._admit(price)
        key = fingerprint(asked)
        if (stored := self._ledger.answered(key, price)) is not None:
            again = replace(stored.plan, question=asked)                     # the names of this asker
            return self._answer(again, stored.released, sure, replayed=True)
        self._engine.check()                                                 # a source that is gone costs nothing
        self._ledger.reserve(plan)                                           # charged from here on, never refunded
        released = release(plan, self._engine.run(plan.wanted)) if plan.vectors else ()
        self._ledger.settle(key, plan, released)
        return self._answer(plan, released, sure, replayed=False)

    def close(self) -> None:
        """Let go of the table."""
        self._engine.close()

    def __repr__(self) -> str:
        from discreet.answers.words import table_in_words

        return table_in_words(self.facts, self.budget)

    def _repr_html_(self) -> str:
        from discreet.answers.pages import table_as_html

        return table_as_html(self.facts, self.budget)

    def _read(self, question: str | Question) -> Question:
        return read_sql(question, self.facts) if isinstance(question, str) else checked(question, self.facts)

    def _price(
        self,
        question: Question,
        epsilon: Number | None,
        delta: Number | None,
        rho: Number | None,
        within: Within | None,
        confidence: Fraction,
        assuming: int | None,
    ) -> Price:
        if within is None:
            return read_price(epsilon=epsilon, delta=delta, rho=rho)
        if epsilon is not None or delta is not None or rho is not None:
            raise ParameterError("a question has a price or a wish, not both", hint="write epsilon=0.1, or within=500")
        numbers = [output.name for output in question.outputs if not isinstance(output.value, KeyOf)]
        wishes = within if isinstance(within, Mapping) else dict.fromkeys(numbers, within)
        exact = {name: exact_positive(value, "within") for name, value in wishes.items()}
        return price_within(question, self.facts, exact, float(confidence), _rows(assuming))

    def _admit(self, price: Price) -> None:
        """Refuses what the facts' budget does not allow, whatever is left of it."""
        budget = self.facts.budget
        if budget.expires is not None and datetime.now(UTC).date() > budget.expires:
            raise AccessError(f"the budget of {self.facts.name} ended on {budget.expires}", hint="ask the curator for a new one")
        if (most := budget.max_epsilon_per_question) is None:
            return
        if isinstance(price, Concentrated):
            raise BudgetError("a question to this table is priced by epsilon", hint=f"write epsilon={shown(most)} or less")
        if price.epsilon > most:
            asked = f"the question costs epsilon {shown(price.epsilon)}"
            raise BudgetError(asked, hint=f"one question may cost at most {shown(most)}")

    def _answer(self, plan: Plan, released: Released, confidence: Fraction, *, replayed: bool) -> Answer:
        table = answer_table(plan, released, float(confidence))
        columns = table.columns
        return Answer(
            id=uuid.uuid4().hex[:12],
            table=self.facts.name,
            question=to_text(plan.question),
            columns=tuple(AnswerColumn(c.name, c.kind, c.labels) for c in columns),
            rows=tuple({c.name: c.values[i] for c in columns} for i in range(table.rows)),
            intervals=tuple({c.name: c.intervals[i] for c in columns if c.intervals is not None} for i in range(table.rows)),
            confidence=confidence,
            cost=self._ledger.charge_for(plan.event),
            budget=self.budget,
            split=split_of(plan),
            replayed=replayed,
            warnings=warnings_for(plan),
        )


def _quoted(plan: Plan, confidence: Fraction, assuming: int | None) -> tuple[QuotedColumn, ...]:
    found = expected_errors(plan, float(confidence), _rows(assuming))
    return tuple(QuotedColumn(each.name, each.plus_minus, each.basis, each.rows) for each in found)


def _rows(assuming: int | None) -> int | None:
    return None if assuming is None else exact_whole(assuming, "assuming", at_least=1)


def split_of(plan: Plan) -> tuple[tuple[str, Loss], ...]:
    """What each released vector costs of the price."""
    match plan.price:
        case Pure(epsilon=epsilon):
            return tuple((vector.what, Pure(epsilon=epsilon * vector.share)) for vector in plan.vectors)
        case Concentrated(rho=rho):
            return tuple((vector.what, Concentrated(rho=rho * vector.share)) for vector in plan.vectors)
        case Approximate():
            return ((", ".join(vector.what for vector in plan.vectors), plan.price),) if plan.vectors else ()


def warnings_for(plan: Plan) -> tuple[str, ...]:
    """Advice that follows from public facts alone. Rule 35."""
    found = []
    epsilon = getattr(plan.price, "epsilon", Fraction(0))
    if epsilon > 10:
        found.append("an epsilon above 10 hardly protects anyone")
    size = plan.facts.rows or plan.facts.rows_about
    if isinstance(plan.price, Approximate) and size and plan.price.delta > Fraction(1, size):
        found.append(f"a delta above 1/rows (about 1/{size}) may give single rows away")
    return tuple(found)


def table(
    frame: Any,
    *,
    columns: Mapping[str, Column],
    unit: str,
    neighbours: Neighbours,
    budget: Any,
    name: str = "t",
    rows: int | None = None,
    rows_about: int | None = None,
) -> Curator:
    """A curator of a data frame in memory (pandas, polars or Arrow). Its budget lives in this process and is gone with it."""
    facts = facts_for_table(
        name=name, columns=columns, unit=unit, neighbours=neighbours, budget=budget, rows=rows, rows_about=rows_about
    )
    from discreet.engines import open_engine  # a driver is loaded when there is something to drive

    return Curator(facts, open_engine(facts, frame), MemoryLedger(facts.budget))


def open_table(path: str | Path) -> Curator:
    """A curator of the table that a facts file describes. For now its budget lives in this process and is gone with it."""
    from discreet.engines import open_engine

    facts = read_facts(Path(path))
    return Curator(facts, open_engine(facts), MemoryLedger(facts.budget))
