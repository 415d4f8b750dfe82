"""Every attack, with real noise: it works on the unprotected target and does not on discreet.

The verdicts are two-sided: each end of ``surely`` is wrong less than once in 50 000 times.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from discreet.attacks import ATTACKS, Outcome, attack
from discreet.attacks.averaging import averaging, clinic, rewrites
from discreet.attacks.conditional_error import conditional_error
from discreet.attacks.differencing import differencing
from discreet.attacks.float_sum import float_sum
from discreet.attacks.key_leak import key_leak
from discreet.attacks.low_bits import low_bits
from discreet.attacks.membership import STUDY, TRAITS, membership, noisy_counts_asked
from discreet.attacks.named_person import named_person
from discreet.attacks.precision import precision
from discreet.attacks.reconstruction import reconstruction
from discreet.errors import BudgetError, ParameterError

pytestmark = pytest.mark.slow

QUICK: dict[str, Callable[[], Outcome]] = {
    "differencing": lambda: differencing(20),
    "averaging": lambda: averaging(20, 100),
    "reconstruction": lambda: reconstruction((30, 110)),
    "membership": lambda: membership(20),
    "named_person": lambda: named_person(30),
    "key_leak": lambda: key_leak(30),
    "conditional_error": lambda: conditional_error(16),
    "low_bits": lambda: low_bits(2000),
    "precision": lambda: precision(4000),
    "float_sum": lambda: float_sum(30),
}


@cache
def outcome(name: str) -> Outcome:
    return QUICK[name]()


def test_every_attack_is_here():
    assert set(QUICK) == set(ATTACKS)


@pytest.mark.parametrize("name", QUICK)
def test_it_works_on_the_unprotected_target_and_is_stopped_by_discreet(name):
    found = outcome(name)
    assert found.name == name
    assert found.works
    assert found.is_stopped
    assert found.discreet.share < found.unprotected.share
    if found.chance == 0.5:                            # guesses of a coin: inverted ones would be as good
        assert [line for line in found.lines if line.target == "discreet" and line.rate.surely[1] < 1 - found.most] == []
    leaking = replace(found.lines[0], target="discreet", rate=found.unprotected)
    assert not replace(found, lines=(*found.lines, leaking)).is_stopped


def test_an_unknown_attack_is_refused_with_the_names_of_the_others():
    with pytest.raises(ParameterError, match=r"no attack called 'x'.*differencing"):
        attack("x")


# ---- differencing and averaging


def test_a_third_total_is_refused():
    assert "epsilon 0 is left" in outcome("differencing").notes[1]


def test_wordings_that_are_provably_the_same_are_replayed_and_the_others_charged_until_nothing_is_left():
    free, charged, refused = [], [], []
    with clinic(1) as where, closing(where.curator()) as curator:
        for sql in rewrites(30):
            try:
                (free if curator.ask(sql, epsilon="0.1").replayed else charged).append(sql)
            except BudgetError:
                refused.append(sql)
        assert curator.budget.to_dict()["spent"] == {"epsilon": "0.5"}
    assert rewrites(4)[1:] == free[:3]                 # letters, names, order, and 1 = 1
    assert len(charged) == 5
    assert len(refused) >= 15


def test_repetitions_are_one_answer_at_one_price():
    with clinic(0) as where, closing(where.curator()) as curator:
        first = curator.ask(rewrites(1)[0], epsilon="0.1")
        again = {(answer.id, answer.value, answer.replayed) for answer in
                 (curator.ask(rewrites(1)[0], epsilon="0.1") for _ in range(200))}
        assert again == {(first.id, first.value, True)}
        assert curator.budget.to_dict()["spent"] == {"epsilon": "0.1"}


# ---- membership


def test_the_curators_noise_on_many_counts_has_the_scale_of_the_studies_beside_it():
    study = np.ones((STUDY, TRAITS), np.int64)
    noisy, refused = noisy_counts_asked(study)
    assert "epsilon 0 is left" in refused
    size = np.abs(noisy - STUDY).mean() / TRAITS       # 1 on average, with deviation 1 / sqrt(200)
    assert abs(size - 1) < 5.5 / np.sqrt(TRAITS)


# ---- keys, errors, names


def test_the_groups_of_declared_keys_are_the_same_with_and_without_the_person():
    assert "are not public" in outcome("key_leak").notes[0]
    shares = {line.way: line.rate for line in outcome("key_leak").lines if line.target == "discreet"}
    assert set(shares) == {"text", "declared", "others", "with a δ"}
    assert "(asthma, diabetes, migraine)" in outcome("key_leak").notes[2]


def test_a_trap_ends_the_same_way_with_and_without_the_person():
    quoted, told = outcome("conditional_error").notes
    assert "leukaemia" in quoted                       # the database's own message
    assert "leukaemia" not in told
    assert " or " not in told
    assert told.count("answered") >= 2


def test_the_malicious_question_is_answered_and_useless():
    answered = outcome("named_person").notes[0]
    assert answered.startswith("exact: 1;")
    low, high = (int(word) for word in answered.replace(" with 95 %", "").split(" between ")[1].split(" and "))
    assert high - low == 60                            # ± 30 around a count that is 0 or 1


# ---- floats


def test_no_release_of_discreet_has_bits_that_the_step_does_not_have():
    assert "discreet: 0 of" in outcome("low_bits").notes[1]
    assert "discreet: 0 of" in outcome("precision").notes[1]
