"""What the demo shows, step by step, as frozen data: printed as it happens, or collected as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.answers.answer import Answer, BudgetState
from discreet.answers.quote import Quote
from discreet.facts.model import Facts
from discreet.ledger.verify import Verified

__all__ = ["Asked", "Chart", "Checked", "Derived", "Example", "Opened", "Refusal", "Replay", "Rung", "Step", "Worth"]


@dataclass(frozen=True, slots=True)
class Opened:
    """Two tables, registered."""

    tables: tuple[tuple[Facts, BudgetState], ...]

    def to_dict(self) -> dict[str, Any]:
        return {"step": "registered", "tables": {facts.name: state.to_dict() for facts, state in self.tables}}


@dataclass(frozen=True, slots=True)
class Example:
    """One question at one price. ``truth`` is by row and column, known because the rows are made up; ``printed`` by the texts."""

    what: str
    quote: Quote
    answer: Answer
    truth: tuple[Mapping[str, float], ...]
    printed: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "quote": self.quote.to_dict(),
            "answer": self.answer.to_dict(),
            "exact": [dict(row) for row in self.truth],
            **({"printed_in_the_text": self.printed} if self.printed else {}),
        }


@dataclass(frozen=True, slots=True)
class Asked:
    """An exercise of the texts: a question, or a few, each at its price."""

    exercise: str
    title: str
    questions: tuple[str, ...]
    examples: tuple[Example, ...]
    remark: str = ""

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": self.exercise,
            "title": self.title,
            "questions": list(self.questions),
            "asked": [example.to_dict() for example in self.examples],
        }


@dataclass(frozen=True, slots=True)
class Rung:
    """What ε buys: the ± of a count and of a mean, by quotes alone."""

    epsilon: str
    count: float
    mean: float


@dataclass(frozen=True, slots=True)
class Worth:
    """The ladder of ε."""

    rungs: tuple[Rung, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": "what epsilon buys",
            "plus_minus": [{"epsilon": rung.epsilon, "count": rung.count, "mean": rung.mean} for rung in self.rungs],
        }


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that the budget does not cover."""

    table: str
    question: str
    epsilon: str
    message: str
    hint: str
    budget: BudgetState

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": "refused",
            "table": self.table,
            "question": self.question,
            "epsilon": self.epsilon,
            "error": {"error": "budget", "message": self.message, "hint": self.hint},
            "budget": self.budget.to_dict(),
        }


@dataclass(frozen=True, slots=True)
class Replay:
    """A question asked a second time, in other words."""

    question: str
    answer: Answer

    def to_dict(self) -> dict[str, Any]:
        return {"step": "replayed", "question": self.question, "answer": self.answer.to_dict()}


@dataclass(frozen=True, slots=True)
class Derived:
    """Numbers worked out from answers, which is free: what, and the number as text."""

    numbers: tuple[tuple[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        return {"step": "derived", "numbers": dict(self.numbers)}


@dataclass(frozen=True, slots=True)
class Checked:
    """The ledger and a receipt, verified."""

    verified: Verified
    receipt: dict[str, Any]
    receipt_file: Path
    problems: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        return {
            "step": "verified",
            "ledger": self.verified.to_dict(),
            "receipt": {"ok": not self.problems, "file": self.receipt_file.name, "problems": list(self.problems)},
        }


@dataclass(frozen=True, slots=True)
class Chart:
    """An answer, drawn."""

    answer: Answer
    file: Path

    def to_dict(self) -> dict[str, Any]:
        return {"step": "chart", "answer": self.answer.id, "file": self.file.name}


Step = Opened | Asked | Worth | Refusal | Replay | Derived | Checked | Chart
