"""Key leak: the list of groups is an answer too, and it has no noise."""

from contextlib import ExitStack
from typing import Any

from discreet.attacks.draws import textbook_laplace, toss
from discreet.attacks.guessing import guesses, together
from discreet.attacks.outcome import Line, Outcome, most_right
from discreet.attacks.worlds import World, world
from discreet.errors import QuestionError
from discreet.facts.make import category, text
from discreet.facts.model import Column

__all__ = ["key_leak"]

_EPSILON, _DELTA = "0.1", "1e-6"
_COMMON = ("asthma", "diabetes", "migraine")
_RARE = "kuru"  # at most the target has it
_PEOPLE = 900  # others: enough for their diagnoses to be told at this price
_QUESTION = "SELECT diagnosis, COUNT(*) AS n FROM t GROUP BY diagnosis"


def key_leak(trials: int = 60) -> Outcome:
    """Does the target have a diagnosis that nobody else has? Its row in the result says so, whatever number stands there."""
    with ExitStack() as stack:
        free = [stack.enter_context(_world(rare, text())) for rare in (False, True)]
        told = [stack.enter_context(_world(rare, text(), {"epsilon": 1, "delta": _DELTA})) for rare in (False, True)]
        listed = [stack.enter_context(_world(rare, category(*_COMMON, _RARE))) for rare in (False, True)]
        others = [stack.enter_context(_world(rare, category(*_COMMON, other=True))) for rare in (False, True)]
        bare = Line("unprotected", "as found", guesses(trials, lambda secret: _bare(free[secret])))
        ours = [
            Line("discreet", "text", guesses(trials, lambda secret: _shown(free[secret]))),
            Line("discreet", "declared", guesses(trials, lambda secret: _shown(listed[secret]))),
            Line("discreet", "others", guesses(trials, lambda secret: _shown(others[secret]))),
            Line("discreet", "with a δ", guesses(trials, lambda secret: _shown(told[secret], _DELTA))),
        ]
        refused = _message(free[1])
        keys = ", ".join(str(row["diagnosis"]) for row in told[1].answers(_QUESTION, epsilon=_EPSILON, delta=_DELTA)[0].rows)
    return Outcome(
        name="key_leak",
        title="Key leak: a group that is there because of one person",
        attacker=f"Knows that nobody else has {_RARE}, groups by diagnosis, and looks whether the group is there.",
        success="guesses of the diagnosis that are right",
        unprotected=bare.rate,
        discreet=together(ours),
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=(bare, *ours),
        notes=(f"a column of text, and no δ: {refused}",
               "declared keys: every one of them is in every answer, empty or not, in the order of the facts",
               f"a column of text, and δ {_DELTA}: keys that many people have are released ({keys}), and no key of one person"),
        lesson="Noisy counts do not protect the keys beside them. Keys come from public facts, or are chosen at a price with a δ "
               "by how many people have them; a key that the facts do not name falls into one cell with all the others.",
        source="Korolova, Kenthapadi, Mishra and Ntoulas 2009; Wilson et al. 2020",
    )  # fmt: skip


def _world(rare: bool, diagnosis: Column, budget: Any = 1) -> Any:
    rows = [(_COMMON[who % len(_COMMON)],) for who in range(_PEOPLE)] + [(_RARE,)] * rare
    return world({"diagnosis": diagnosis}, rows, budget=budget)


def _bare(where: World) -> bool:
    """A library that adds noise to the counts of whatever groups it finds."""
    found = where.bare(_QUESTION)
    noisy = dict(zip((key for key, _ in found), textbook_laplace(len(found), 1 / float(_EPSILON)), strict=True))
    return _RARE in noisy


def _shown(where: World, delta: str | None = None) -> bool:
    """The key, if it is shown only sometimes; else the number beside it."""
    try:
        (answer,) = where.answers(_QUESTION, epsilon=_EPSILON, delta=delta)
    except QuestionError:
        return toss()
    counts = [row["n"] for row in answer.rows if row["diagnosis"] not in _COMMON]
    return bool(counts) and counts[0] > 0.5


def _message(where: World) -> str:
    try:
        where.answers(_QUESTION, epsilon=_EPSILON)
    except QuestionError as error:
        return error.message
    return "answered"
