"""One named person: the question that is about nobody else is answered like any other, and says next to nothing."""

from contextlib import ExitStack
from dataclasses import replace
from typing import Any

from discreet.attacks.guessing import guesses
from discreet.attacks.outcome import Line, Outcome, most_right
from discreet.attacks.worlds import World, world_of
from discreet.facts.file import parse_facts
from discreet.lessons.samples import sample

__all__ = ["named_person"]

_HER_NAME = "Karrie Trusslove"
_EPSILON = "0.1"
_QUESTION = f"SELECT COUNT(*) AS n FROM adult WHERE Name = '{_HER_NAME}' AND Target = '<=50K'"


def named_person(trials: int = 60) -> Outcome:
    """Does Karrie Trusslove earn at most 50K? One count over 32 561 people, of whom only she has the name."""
    adult = sample("adult")
    name, target = adult.header.index("Name"), adult.header.index("Target")
    turned = tuple(row if row[name] != _HER_NAME else (*row[:target], ">50K", *row[target + 1 :]) for row in adult.rows)
    facts = replace(parse_facts(adult.facts_toml, "adult.toml"), located=None)
    with ExitStack() as stack:
        worlds: list[World] = [stack.enter_context(world_of(facts, adult.header, rows)) for rows in (turned, adult.rows)]
        bare = Line("unprotected", "COUNT", guesses(trials, lambda secret: bool(worlds[secret].number(_QUESTION) == 1)))
        ours = Line("discreet", "COUNT", guesses(trials, lambda secret: _ours(worlds[secret]) > 0.5))
        (answer,) = worlds[1].answers(_QUESTION, epsilon=_EPSILON)
        exact = worlds[1].number(_QUESTION)
    low, high = answer.interval
    return Outcome(
        name="named_person",
        title="One named person: a malicious question, answered",
        attacker=f"Asks how many people are called {_HER_NAME} and earn at most 50K. It is one or none.",
        success="guesses of her income that are right",
        unprotected=bare.rate,
        discreet=ours.rate,
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=(bare, ours),
        notes=(f"exact: {exact}; discreet, for ε {_EPSILON}: {answer.value}, and the truth is between {low} and {high} with 95 %",
               "nothing was rejected: there is no list of forbidden questions to find a way around"),
        lesson="Whether a question is malicious cannot be told, and need not be. A count of one person gets the noise that a "
               "count of thousands gets, where it hardly shows.",
        source="Dwork and Roth 2014, section 1",
    )  # fmt: skip


def _ours(where: World) -> Any:
    (answer,) = where.answers(_QUESTION, epsilon=_EPSILON)
    return answer.value
