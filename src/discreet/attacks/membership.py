"""Membership: many averages of a small study tell who was in it."""

from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.attacks.draws import uniforms
from discreet.attacks.outcome import Line, Outcome, Rate
from discreet.attacks.worlds import world
from discreet.errors import BudgetError
from discreet.facts.make import integer
from discreet.mechanisms.laplace import Laplace
from discreet.plots.numerals import percent

__all__ = ["membership", "noisy_counts_asked"]

STUDY, TRAITS = 10, 200
_PACKED = 20  # traits in one column, as the digits of a binary number
_TOGETHER = 100  # aggregates in one question
_BUDGET = 1
_FALSE_ALARMS = 0.01
_OUTSIDERS = 4000

Bits = NDArray[np.int64]
Floats = NDArray[np.float64]


def membership(studies: int = 40) -> Outcome:
    """Who was in a study of ten, by the frequency of 200 traits in it; one study is asked through a curator."""
    drawn = [_study() for _ in range(studies)]
    lines = [
        Line("unprotected", "distance", _found(drawn, [study.mean(axis=0) for _, study in drawn], _homer)),
        Line("unprotected", "product", _found(drawn, [study.mean(axis=0) for _, study in drawn], _product)),
    ]
    asked, refused = noisy_counts_asked(drawn[0][1])
    law = Laplace(epsilon=_BUDGET, sensitivity=TRAITS)  # one person is in up to 200 counts
    noisy = [asked, *(np.asarray(law.release(study.sum(axis=0)), np.float64) for _, study in drawn[1:])]
    means = [counts / STUDY for counts in noisy]
    ours = [Line("discreet", "distance", _found(drawn, means, _homer)),
            Line("discreet", "product", _found(drawn, means, _product))]  # fmt: skip
    return Outcome(
        name="membership",
        title="Membership: who was in the study?",
        attacker=f"Knows the traits of the target and how frequent they are outside, and sees the averages of {TRAITS} traits "
                 f"over the {STUDY} people of a study.",
        success=f"members found, at {percent(_FALSE_ALARMS)} false alarms",
        unprotected=lines[1].rate,
        discreet=ours[1].rate,
        chance=_FALSE_ALARMS,
        most=float(np.exp(_BUDGET)) * _FALSE_ALARMS,
        lines=(*lines, *ours),
        notes=(
            f"the first study was asked through a curator, {TRAITS} counts for ε {_BUDGET}, and then: {refused}",
            f"the other {studies - 1} studies have noise of the same law, by dc.Laplace",
        ),
        lesson="Each average is harmless; two hundred of them about ten people are a fingerprint. Everybody is in every count, "
               "so the counts share one ε, and what is left for each is far wider than the study.",
        source="Homer et al. 2008; Dwork, Smith, Steinke, Ullman and Vadhan 2015",
    )  # fmt: skip


def _study() -> tuple[Floats, Bits]:
    """How frequent each trait is outside, and the traits of the members."""
    frequent = 0.1 + 0.8 * uniforms(TRAITS)
    return frequent, _people(frequent, STUDY)


def _people(frequent: Floats, many: int) -> Bits:
    return (uniforms(many * TRAITS).reshape(many, TRAITS) < frequent).astype(np.int64)


def _homer(people: Bits, means: Floats, frequent: Floats) -> Floats:
    """How much nearer to the study than to the population each person is."""
    near: Floats = (np.abs(people - frequent) - np.abs(people - means)).sum(axis=1)
    return near


def _product(people: Bits, means: Floats, frequent: Floats) -> Floats:
    """How much each person leans the way in which the study differs from the population."""
    leaning: Floats = (people - frequent) @ (means - frequent)
    return leaning


def _found(drawn: list[tuple[Floats, Bits]], means: list[Floats], score: Any) -> Rate:
    """Members above the threshold that one outsider in a hundred exceeds."""
    right = 0
    for (frequent, study), seen in zip(drawn, means, strict=True):
        outside = score(_people(frequent, _OUTSIDERS), seen, frequent)
        right += int((score(study, seen, frequent) > np.quantile(outside, 1 - _FALSE_ALARMS)).sum())
    return Rate(right, len(drawn) * STUDY)


def noisy_counts_asked(study: Bits, traits: int = TRAITS) -> tuple[Floats, str]:
    """The counts of the first ``traits`` as a curator gives them for the whole budget, and what it says to one more."""
    columns = {f"g{place}": integer(0, 2**_PACKED - 1) for place in range(TRAITS // _PACKED)}
    packed = (study.reshape(len(study), -1, _PACKED) << np.arange(_PACKED)).sum(axis=2)
    trait = [f"SUM(CASE WHEN MOD(FLOOR(g{place // _PACKED} / {2 ** (place % _PACKED)}), 2) = 1 THEN 1 ELSE 0 END) AS s{place}"
             for place in range(traits)]  # fmt: skip
    questions = [f"SELECT {', '.join(trait[start : start + _TOGETHER])} FROM t" for start in range(0, traits, _TOGETHER)]
    with world(columns, packed.tolist(), budget=_BUDGET) as where, closing(where.curator()) as curator:
        answers = curator.ask_all(questions, epsilon=_BUDGET)
        try:
            refused = str(curator.ask("SELECT COUNT(*) AS n FROM t WHERE g0 > 0", epsilon="0.01").value)
        except BudgetError as error:
            refused = error.message
    return np.array([value for answer in answers for value in answer.rows[0].values()], np.float64), refused
