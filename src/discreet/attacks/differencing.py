"""Differencing: a total over everybody less the total over everybody else is one person."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from discreet.attacks.guessing import guesses, together
from discreet.attacks.outcome import Line, Outcome, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import BudgetError
from discreet.facts.make import integer, text
from discreet.plots.numerals import grouped

__all__ = ["differencing"]

_PEOPLE, _TARGET = 200, "person 17"
_SALARIES = (40_000, 120_000)  # of the target: the attacker knows that it is one of the two
_MOST_PAID = 200_000
_EPSILON, _BUDGET = "0.5", 1  # each of two questions, and all together
_OTHERS = f"name <> '{_TARGET}'"


@dataclass(frozen=True, slots=True)
class _Way:
    """Two questions, what to take from an answer to each, and the difference above which the guess is the higher salary."""

    name: str
    everybody: str
    others: str
    figure: Callable[[tuple[Any, ...]], float]
    threshold: float


def _first(row: tuple[Any, ...]) -> float:
    return float(row[0])


def _product(row: tuple[Any, ...]) -> float:
    return float(row[0]) * float(row[1])


_SUM, _AVG = "SELECT SUM(salary) AS s FROM t", "SELECT AVG(salary) AS m, COUNT(*) AS n FROM t"
_COUNT = "SELECT COUNT(*) AS n FROM t WHERE salary > 100000"
_WAYS = (
    _Way("SUM, <>", _SUM, f"{_SUM} WHERE {_OTHERS}", _first, sum(_SALARIES) / 2),
    _Way("SUM, NOT IN", _SUM, f"{_SUM} WHERE name NOT IN ('{_TARGET}')", _first, sum(_SALARIES) / 2),
    _Way("AVG × COUNT", _AVG, f"{_AVG} WHERE {_OTHERS}", _product, sum(_SALARIES) / 2),
    _Way("COUNT, <>", _COUNT, f"{_COUNT} AND {_OTHERS}", _first, 0.5),
)


def differencing(trials: int = 30) -> Outcome:
    """The target's salary from two totals, in four ways, ``trials`` times each."""
    with ExitStack() as stack:
        worlds = [stack.enter_context(_world(salary)) for salary in _SALARIES]
        bare = [Line("unprotected", way.name, guesses(trials, partial(_bare, worlds, way))) for way in _WAYS]
        ours = [Line("discreet", way.name, guesses(trials, partial(_ours, worlds, way))) for way in _WAYS]
        third = _third_question(worlds[0])
    return Outcome(
        name="differencing",
        title="Differencing: everybody, less everybody else",
        attacker=f"Knows that {_TARGET} earns {grouped(_SALARIES[0])} or {grouped(_SALARIES[1])}, and asks for a total with and "
                 "without them.",
        success="guesses of the salary that are right",
        unprotected=together(bare),
        discreet=together(ours),
        chance=0.5,
        most=most_right(_BUDGET),
        lines=(*bare, *ours),
        notes=(f"both questions were answered, at ε {_EPSILON} each", f"the third, whatever it asks: {third}"),
        lesson="No rule about questions can stop this: each of the two is harmless alone. Both are charged, and the noise of "
               "each is as wide as one person's whole range, so their difference says little about that person.",
        source="Denning 1980; Dwork and Roth 2014, section 1",
    )  # fmt: skip


def _world(salary: int) -> Any:
    rows = [(f"person {who}", salary if f"person {who}" == _TARGET else 20_000 + 7919 * who % 150_000) for who in range(_PEOPLE)]
    return world({"name": text(), "salary": integer(0, _MOST_PAID)}, rows, budget=_BUDGET)


def _bare(worlds: list[World], way: _Way, secret: int) -> bool:
    everybody, others = (way.figure(worlds[secret].bare(sql)[0]) for sql in (way.everybody, way.others))
    return everybody - others > way.threshold


def _ours(worlds: list[World], way: _Way, secret: int) -> bool:
    answers = worlds[secret].answers(way.everybody, way.others, epsilon=_EPSILON)
    everybody, others = (way.figure(tuple(answer.rows[0].values())) for answer in answers)
    return everybody - others > way.threshold


def _third_question(where: World) -> str:
    with closing(where.curator()) as curator:
        for sql in (_SUM, _COUNT):
            curator.ask(sql, epsilon=_EPSILON)
        try:
            curator.ask(f"{_SUM} WHERE {_OTHERS}", epsilon=_EPSILON)
        except BudgetError as error:
            return error.message
        return "answered"
