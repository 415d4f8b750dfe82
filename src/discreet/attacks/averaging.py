"""Averaging: ask the same thing until the noise cancels out, in other words each time."""

from contextlib import ExitStack, closing
from itertools import count, islice
from typing import Any

import numpy as np

from discreet.attacks.draws import coins, textbook_laplace
from discreet.attacks.guessing import guesses, together
from discreet.attacks.outcome import Line, Outcome, Rate, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import BudgetError
from discreet.facts.make import boolean, integer
from discreet.plots.numerals import grouped

__all__ = ["averaging", "clinic", "rewrites"]

_PEOPLE, _ILL = 300, 100  # without the target
_EPSILON, _BUDGET = "0.1", "0.5"
_ASKS = (1, 10, 100, 1000, 10_000)
_QUESTION = "SELECT COUNT(*) AS n FROM t WHERE ill AND age >= 40"


def rewrites(most: int) -> list[str]:
    """The same question in other words: what a rule about equal texts would let through."""
    fixed = (
        _QUESTION,
        "select count(*) as patients from T where ILL and AGE >= 40",
        "SELECT COUNT(*) AS n FROM t WHERE age >= 40 AND ill",
        "SELECT COUNT(*) AS n FROM t WHERE ill AND age >= 40 AND 1 = 1",
        "SELECT COUNT(*) AS n FROM t WHERE NOT (NOT ill OR age < 40)",
        "SELECT COUNT(1) AS n FROM t WHERE ill = TRUE AND 40 <= age",
        "SELECT COUNT(*) AS n FROM t WHERE ill AND age > 39",
        "SELECT SUM(CASE WHEN ill AND age >= 40 THEN 1 ELSE 0 END) AS n FROM t",
    )
    others = (f"{_QUESTION} AND id <> {place}" for place in count(10_000))  # nobody has such an id
    return [*fixed, *islice(others, max(0, most - len(fixed)))][:most]


def averaging(trials: int = 40, asks: int = 1000) -> Outcome:
    """Is the target in the count? The mean of up to 10 000 noisy answers tells; discreet gives one answer, or few.

    ``asks`` is how often one text is sent to discreet.
    """
    with ExitStack() as stack:
        worlds = [stack.enter_context(clinic(extra)) for extra in (0, 1)]
        exact = [int(where.number(_QUESTION)) for where in worlds]
        bare = [Line("unprotected", "×", _without_ledger(exact, many), many) for many in _ASKS]
        ours = [Line("discreet", "×", guesses(trials, lambda secret: _once(worlds[secret], exact)), 1),
                Line("discreet", "rewordings", guesses(trials, lambda secret: _mean(worlds[secret], exact)), 16)]  # fmt: skip
        notes = (_replayed(worlds[0], asks), _refused(worlds[0]))
    return Outcome(
        name="averaging",
        title="Averaging: the same question until the noise is gone",
        attacker=f"Knows that {exact[0]} or {exact[1]} people are counted, asks at ε {_EPSILON} again and again, in other words "
                 "too, and takes the mean.",
        success="guesses of the count that are right",
        unprotected=bare[-1].rate,
        discreet=together(ours),
        chance=0.5,
        most=most_right(float(_BUDGET)),
        lines=(*bare, *ours),
        notes=notes,
        lesson="Fresh noise for every repetition is no protection. What is provably the same question gets the same answer, "
               "free; every other rewriting is charged as a new question, and after the last of the budget there is none.",
        source="Dwork and Roth 2014, section 3.5; the rewritings follow those used against Diffix",
        along="asked",
    )  # fmt: skip


def clinic(extra: int) -> Any:
    """A world of 300 people in which 100 and ``extra`` more are ill."""
    rows = [(who, 40 + who % 30, who < _ILL + extra) for who in range(_PEOPLE)]
    return world({"id": integer(0, 99_999), "age": integer(18, 100), "ill": boolean()}, rows, budget=_BUDGET)


def _without_ledger(exact: list[int], many: int, trials: int = 200) -> Rate:
    """A server that adds noise and keeps no books."""
    secrets = coins(trials)
    truth = np.array(exact)[secrets]
    means = np.array([value + textbook_laplace(many, 1 / float(_EPSILON)).mean() for value in truth])
    return Rate(int(((means > sum(exact) / 2) == (secrets == 1)).sum()), trials)


def _once(where: World, exact: list[int]) -> bool:
    (answer,) = where.answers(_QUESTION, epsilon=_EPSILON)
    return bool(answer.value > sum(exact) / 2)


def _mean(where: World, exact: list[int]) -> bool:
    """The mean of all that the budget gives for sixteen wordings; an answer that comes again says nothing new."""
    seen: dict[str, float] = {}
    with closing(where.curator()) as curator:
        for sql in rewrites(16):
            try:
                answer = curator.ask(sql, epsilon=_EPSILON)
            except BudgetError:
                break
            seen[answer.id] = float(answer.value)
    return sum(seen.values()) / len(seen) > sum(exact) / 2


def _replayed(where: World, asks: int) -> str:
    with closing(where.curator()) as curator:
        values = {curator.ask(_QUESTION, epsilon=_EPSILON).value for _ in range(asks)}
        spent = curator.budget.to_dict()["spent"]["epsilon"]
    return f"one text sent {grouped(asks)} times: {_many(len(values), 'answer')}, and ε {spent} spent in all"


def _refused(where: World) -> str:
    free = charged = refused = 0
    with closing(where.curator()) as curator:
        for sql in rewrites(30):
            try:
                answer = curator.ask(sql, epsilon=_EPSILON)
                free, charged = free + answer.replayed, charged + (not answer.replayed)
            except BudgetError:
                refused += 1
    return f"30 wordings at ε {_EPSILON} of a budget of {_BUDGET}: {charged} charged, {free} free replays, {refused} refused"


def _many(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
