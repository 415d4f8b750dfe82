"""Reconstruction: enough counts about random groups, and a linear program gives everybody's secret."""

from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.attacks.draws import coins, words
from discreet.attacks.guessing import together
from discreet.attacks.linear import fitted_in_box
from discreet.attacks.outcome import Line, Outcome, Rate, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import BudgetError
from discreet.facts.make import boolean, integer
from discreet.plots.numerals import percent

__all__ = [
    "Groups", "exact_counts", "groups", "hidden_bits", "majority", "noisy_counts", "rebuilt", "reconstruction", "table_of",
]  # fmt: skip

PEOPLE = 100
_PRIME = 10_007
_BUDGET = 1
_MANY = (25, 50, 100, 150)

Bits = NDArray[np.int64]
Groups = tuple[tuple[int, int, int], ...]  # coefficients a, b, c: the people with (a·id² + b·id + c) mod 10 007 in the lower half


def reconstruction(many: tuple[int, ...] = _MANY) -> Outcome:
    """The bits of 100 people from 25, 50, … counts: exact ones, and those that ε = 1 buys when it is spread over them all."""
    secret = hidden_bits()
    with table_of(secret) as where:
        drawn = {number: groups(number) for number in many}
        bare = [Line("unprotected", "counts", _right(rebuilt(asked, exact_counts(where, asked)), secret), number)
                for number, asked in drawn.items()]  # fmt: skip
        ours = [Line("discreet", "counts", _right(rebuilt(asked, noisy_counts(where, asked)), secret), number)
                for number, asked in drawn.items()]  # fmt: skip
        alone = Line("discreet", "a count each", _right(_histogram(where), secret))
        refused = _one_more(where)
    return Outcome(
        name="reconstruction",
        title="Reconstruction: everybody's secret from counts alone",
        attacker=f"Knows the ids, asks how many are ill in random groups of about {PEOPLE // 2}, and finds the bits that fit "
                 "best by a linear program.",
        success="bits that are right",
        unprotected=bare[-1].rate,
        discreet=together(ours),
        chance=majority(secret),
        most=most_right(_BUDGET),
        lines=(*bare, *ours, alone),
        notes=(
            f"saying the more frequent bit of everyone is right {percent(majority(secret))} of the time",
            "a count each, grouped by id, costs ε once for all of them, and may reach e^ε / (1 + e^ε): choose ε by that",
            f"after the last count, one question more: {refused}",
        ),
        lesson="Overly exact answers to too many questions destroy privacy altogether; that is a theorem. The budget limits "
               "both at once: more questions on the same ε are worth less each.",
        source="Dinur and Nissim 2003; by linear program as in Cohen and Nissim 2020",
        along="asked",
    )  # fmt: skip


def hidden_bits() -> Bits:
    """The secret: a fair coin for everyone."""
    return coins(PEOPLE)


def table_of(secret: Bits) -> Any:
    """A world in which ``secret`` says who is ill."""
    rows = [(who, bool(ill)) for who, ill in enumerate(secret)]
    return world({"id": integer(0, PEOPLE - 1), "ill": boolean()}, rows, budget=_BUDGET)


def groups(number: int) -> Groups:
    """Groups that a short question can name, each with about half of the people, by a random polynomial."""
    drawn = (words(3 * number) % np.uint64(_PRIME)).astype(np.int64).reshape(number, 3)
    return tuple((int(a), int(b), int(c)) for a, b, c in drawn)


def question(group: tuple[int, int, int]) -> str:
    """How many are ill in ``group``."""
    a, b, c = group
    return f"SELECT COUNT(*) AS n FROM t WHERE ill AND ({a} * id * id + {b} * id + {c}) % {_PRIME} < {_PRIME // 2}"


def members(asked: Groups) -> NDArray[np.float64]:
    """A row for each group with a one for each member: what the attacker knows."""
    ids = np.arange(PEOPLE)
    return np.array([(a * ids * ids + b * ids + c) % _PRIME < _PRIME // 2 for a, b, c in asked], np.float64)


def exact_counts(where: World, asked: Groups) -> NDArray[np.float64]:
    """What a bare database says."""
    return np.array([where.number(question(group)) for group in asked], np.float64)


def noisy_counts(where: World, asked: Groups) -> NDArray[np.float64]:
    """What discreet says when the whole budget is spread evenly over the questions."""
    with closing(where.curator()) as curator:
        answers = curator.ask_all([question(group) for group in asked], epsilon=_BUDGET)
        return np.array([answer.value for answer in answers], np.float64)


def rebuilt(asked: Groups, answers: NDArray[np.float64]) -> Bits:
    """The bits that fit the answers best, rounded."""
    return (fitted_in_box(members(asked), answers) > 0.5).astype(np.int64)


def majority(secret: Bits) -> float:
    """How often the more frequent bit is right."""
    share = float(secret.mean())
    return max(share, 1 - share)


def _right(found: Bits, secret: Bits) -> Rate:
    return Rate(int((found == secret).sum()), secret.size)


def _histogram(where: World) -> Bits:
    (answer,) = where.answers("SELECT id, COUNT(*) AS n FROM t WHERE ill GROUP BY id", epsilon=_BUDGET)
    counts = {row["id"]: row["n"] for row in answer.rows}
    return np.array([counts[who] >= 1 for who in range(PEOPLE)], np.int64)


def _one_more(where: World) -> str:
    with closing(where.curator()) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM t", epsilon=_BUDGET)
        try:
            curator.ask("SELECT COUNT(*) AS n FROM t WHERE ill", epsilon="0.01")
        except BudgetError as error:
            return error.message
        return "answered"
