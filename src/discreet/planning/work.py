"""What it takes to answer a plan, in public steps, and the most that is taken on. Rule 17.

A step is about ten microseconds on a small machine, rows not counted: how many there are may be private. A plan beyond the limit
is refused before anything is charged, whatever the table holds; what is accepted takes a minute or so at most.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from discreet.errors import QuestionError
from discreet.planning.plan import Plan
from discreet.questions.algebra import Expression, Like
from discreet.questions.spans import longest
from discreet.questions.walk import every

__all__ = ["MOST_STEPS", "Work", "check_work", "work_of"]

MOST_STEPS = 6_000_000
_CHOICE = 30  # steps that one value takes which is chosen by its rank
_PARTS = 20  # parts of an expression over released numbers that take a step in each cell
_SQUARES = 300  # of parts of a condition over rows, to a step: engines compare all parts of a condition with each other
_LETTERS = 6  # steps that comparing a letter of a pattern with a letter of a text counts for: it is done again for every row
_KEYS = 1000  # of those that nobody listed, so many are reckoned with


@dataclass(frozen=True, slots=True)
class Work:
    """Steps: for the numbers of all cells, for the values chosen by rank, and for conditions and terms that rows are read by."""

    numbers: int
    choices: int
    terms: int

    @property
    def steps(self) -> int:
        return self.numbers + self.choices + self.terms


def work_of(plan: Plan) -> Work:
    """What the plan takes: cells x numbers, cells x choices, and readings x terms."""
    cells = plan.wanted.cells or _KEYS * prod(key.cells for key in plan.wanted.keys if key.cells)
    question = plan.question
    after = [output.value for output in question.outputs] + [order.by for order in question.order]
    after += [question.having] if question.having is not None else []
    shown = cells * (len(question.outputs) + sum(map(_parts, after)) // _PARTS)
    released = sum(each.numbers(cells) for each in plan.vectors)
    choices = sum(each.choices(cells) for each in plan.vectors)
    return Work(shown + released, choices * _CHOICE, _read(plan) // _SQUARES + _letters(plan) * _LETTERS)


def _read(plan: Plan) -> int:
    """Squares of the parts of every condition and term, once for each reading of the rows."""
    return sum(_parts(term) ** 2 for reading in _readings(plan) for term in reading)


def _readings(plan: Plan) -> Iterator[tuple[Expression | None, ...]]:
    """The terms of each reading: that of all sums at once, and those of parts that are read by themselves."""
    wanted = plan.wanted
    sums = [part for measure in wanted.measures for part in (measure.filter, measure.of, measure.and_of)]
    yield wanted.where, *(key.of for key in wanted.keys), *sums
    units = () if wanted.per_unit is None else tuple(part for each in wanted.per_unit.values for part in (each.filter, each.of))
    if wanted.per_unit is not None:
        yield wanted.per_unit.where, *units
    for part in plan.vectors:
        yield from part.readings(wanted)
        if wanted.per_unit is not None:
            yield from [(wanted.per_unit.where, *units) for _ in part.readings(wanted)]  # each time anew


def _letters(plan: Plan) -> int:
    """How many letters of patterns meet how many of texts in one row, at most."""
    read = [term for reading in _readings(plan) for term in reading]
    likes = {one for part in read if part is not None for one in every(part) if isinstance(one, Like)}
    return sum(len(like.pattern) * int(longest(like.of, plan.facts)) for like in likes)


def _parts(expression: Expression | None) -> int:
    return 0 if expression is None else sum(1 for _ in every(expression))


def check_work(plans: Sequence[Plan]) -> None:
    """Refuses plans that take too much together, and says by how much and what would do."""
    works = [work_of(plan) for plan in plans]
    if (steps := sum(work.steps for work in works)) <= MOST_STEPS:
        return
    plan, work = max(zip(plans, works, strict=True), key=lambda each: each[1].steps)
    raise QuestionError(f"this takes {steps:,} steps, and {MOST_STEPS:,} are the most", hint=_hint(plan, work, len(plans)))


def _hint(plan: Plan, work: Work, questions: int) -> str:
    if work.steps <= MOST_STEPS:
        return f"ask the {questions} questions in several turns"
    cells = plan.wanted.cells
    if _letters(plan) * _LETTERS > MOST_STEPS // 2:
        return "write shorter patterns after LIKE, or declare a smaller max_length of the text"
    if work.terms > MOST_STEPS // 2:
        return "write fewer conditions: x IN (1, 2, 3) is one, and so is x BETWEEN 1 AND 3"
    most = max(1, int(cells * (MOST_STEPS - work.terms) / (work.numbers + work.choices)))
    if cells > 1 and most < cells:
        return f"group by coarser keys, {most:,} cells instead of {cells:,}, or ask for fewer numbers at once"
    return "ask for fewer numbers at once"
