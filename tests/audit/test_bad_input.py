"""What an audit cannot judge it says plainly, and never as a verdict."""

import itertools
import sys
import time

import numpy as np
import pytest

import discreet as dc
from discreet.audit import command, foreign

NOISE = dc.Laplace(epsilon=1, sensitivity=1)


def refused(match, *arguments, **words):
    with pytest.raises(dc.ParameterError, match=match) as error:
        dc.audit(*arguments, **words)
    assert error.value.hint


def fails():
    raise ValueError("no")


def test_mechanisms_that_always_raise_have_released_nothing():
    refused("every call of both mechanisms raised an error, the first ValueError", fails, fails, epsilon=1, samples=50)


def test_a_mechanism_that_sometimes_raises_for_reasons_of_its_own_is_no_violation():
    def sometimes(turns):
        def call():
            if next(turns) % 3 == 0:
                raise OSError("try again")
            return NOISE.release(0)

        return call

    found = dc.audit(sometimes(itertools.count()), sometimes(itertools.count()), epsilon=1, samples=300)
    assert found.verdict == "no violation found"


def test_a_mechanism_that_raises_on_one_table_only_is_a_violation():
    found = dc.audit(fails, lambda: 1, epsilon=1, samples=50)
    assert found.found_violation
    assert any(each.event.startswith("error is") for each in found.findings)


def test_outcomes_of_different_shapes_are_compared_by_shape_and_by_what_they_share():
    shapes = itertools.cycle([[1], [1, 2], {"a": 1}, None, "text", np.array([1.0, 2.0]), 5])
    assert not dc.audit(lambda: next(shapes), lambda: next(shapes), epsilon=2, samples=350).found_violation
    found = dc.audit(lambda: [1, 2], lambda: [1, 2, 3], epsilon=1, samples=50)
    assert any(each.event.startswith("shape is list of") for each in found.findings)
    assert found.found_violation


def test_batches_of_different_shapes_are_compared_too():
    found = dc.audit(lambda n: np.zeros((n, 2)), lambda n: np.zeros((n, 3)), epsilon=1, batch=True, samples=50)
    assert found.found_violation


def test_a_mechanism_that_hangs_ends_the_audit_without_a_verdict():
    refused(r"did not come back within 0\.2 s.*no verdict", lambda: time.sleep(3), lambda: 1, epsilon=1, samples=50, timeout=0.2)


def test_a_command_that_hangs_ends_the_audit_without_a_verdict():
    slow = command([sys.executable, "-c", "import time; time.sleep(5)"], timeout=0.3)
    refused("did not end within 0.3 s: no verdict", slow, slow, epsilon=1, samples=50)


def test_mechanisms_without_noise_are_told_as_such():
    same = dc.audit(lambda: 7, lambda: 7, epsilon=1, samples=50)
    assert (same.verdict, same.at_least) == ("no violation found", 0)
    assert "no output of either mechanism ever varied" in repr(same)
    apart = dc.audit(lambda: 7, lambda: 8, epsilon=1, samples=50)
    assert apart.found_violation
    half = dc.audit(lambda: 7, lambda: NOISE.release(7), epsilon=1, samples=50)
    assert "the first mechanism always gave the same output" in repr(half)


def test_too_few_samples_are_refused_before_anything_is_called():
    refused(r"20 samples a side are too few at alpha 0\.001: .* the claim is ε = 3", fails, fails, epsilon=3, samples=20)
    refused("no number of samples within reach", fails, fails, epsilon=50, samples=20)
    with pytest.raises(dc.ParameterError) as error:
        dc.audit(fails, fails, epsilon=3, samples=20)
    enough = int(error.value.hint.partition("samples=")[2].split()[0])
    assert dc.audit(lambda: 1, lambda: 2, epsilon=3, samples=enough).found_violation


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ({}, "no claim"),
        ({"epsilon": 1, "rho": 1}, "not one claim"),
        ({"delta": "1e-6"}, "not one claim"),
        ({"epsilon": -1}, "below 0"),
        ({"claim": "1"}, "a str is not a claim"),
        ({"epsilon": 1, "alpha": 0}, "alpha is 0"),
        ({"epsilon": 1, "samples": 0}, "samples is 0"),
        ({"epsilon": 1, "events": 11}, "events is 11"),
        ({"epsilon": 1, "grid": 0}, "grid is 0"),
        ({"epsilon": 1, "batch": True, "samples": 50}, "cannot be called with one argument"),
    ],
)
def test_words_that_mean_nothing_are_refused(words, match):
    refused(match, lambda: 1, lambda: 1, **words)


def test_what_is_no_function_is_refused():
    refused("not a function", 3, lambda: 1, epsilon=1)
    refused("cannot be called with no argument", lambda data: 1, lambda: 1, epsilon=1)
    with pytest.raises(dc.ParameterError, match="not a function"):
        foreign(3, 1, 2)
    with pytest.raises(dc.ParameterError, match="there is no program"):
        command("no-such-program-anywhere 1")
    with pytest.raises(dc.ParameterError, match="there is no command"):
        command("")


def test_batches_must_be_what_was_asked_for():
    refused("came back with 3", lambda n: [1, 2, 3], lambda n: [1, 2, 3], epsilon=1, batch=True, samples=50)
    refused("came back as a int", lambda n: 3, lambda n: 3, epsilon=1, batch=True, samples=50)
    refused("a batch ended in ZeroDivisionError", lambda n: 1 / 0, lambda n: [0] * n, epsilon=1, batch=True, samples=50)
    refused("one time for all", lambda n: [0] * n, lambda n: [0] * n, epsilon=1, batch=True, timed=True, samples=50)


@pytest.mark.slow
def test_a_command_is_a_mechanism_and_its_lines_may_be_many_outcomes():
    script = "import sys, json; [print(json.dumps({'n': int(sys.argv[1])})) for _ in range(25)]"
    one, other = (command([sys.executable, "-c", script, number]) for number in "12")
    assert one(40) == [{"n": 1}] * 40
    found = dc.audit(one, other, epsilon=1, samples=50, batch=True)
    assert found.found_violation
    failing = command([sys.executable, "-c", "import sys; sys.exit(3)"])
    with pytest.raises(Exception, match="exit code 3"):
        failing()


def test_seeded_noise_reaches_the_thread_that_calls():
    def run():
        with dc.testing.seeded(9):
            return dc.audit(lambda: NOISE.release(0), lambda: NOISE.release(1), epsilon=1, samples=200)

    assert run() == run()


def test_progress_is_told_to_the_end():
    told = []
    dc.audit(lambda: 1, lambda: 1, epsilon=1, samples=50, progress=lambda done, of: told.append((done, of)))
    assert told[-1] == (200, 200)
