"""What the tests of mechanisms share: divergences of two exact laws, floats in the worst places, and entropy that counts."""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from discreet.mechanisms.grid import read_values
from discreet.noise.keystream import Keystream, source


@pytest.fixture(autouse=True)
def _forty_digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield


class Outputs:
    """The law of one release on each of two inputs, output by output, from the mechanism's own exact probabilities."""

    def __init__(self, mechanism, shift: int, reach: int) -> None:
        masses = {z: _middle(mechanism.pmf(z * mechanism.step, exact=True)) for z in range(-reach - shift, reach + shift + 1)}
        self.pairs = [(masses[z], masses[z - shift]) for z in range(-reach, reach + shift + 1)]

    def max_divergence(self):
        return max(abs(mpmath.log(p / q)) for p, q in self.pairs)

    def renyi(self, alpha):
        return max(mpmath.log(mpmath.fsum(p**alpha * q ** (1 - alpha) for p, q in pairs)) / (alpha - 1)
                   for pairs in (self.pairs, [(q, p) for p, q in self.pairs]))

    def delta(self, epsilon):
        factor = mpmath.exp(_mp(epsilon))
        return max(mpmath.fsum(max(mpmath.mpf(0), p - factor * q) for p, q in pairs)
                   for pairs in (self.pairs, [(q, p) for p, q in self.pairs]))


def _mp(number):
    number = Fraction(number)
    return mpmath.mpf(number.numerator) / number.denominator


def _middle(between):
    return (_mp(between[0]) + _mp(between[1])) / 2


@pytest.fixture
def outputs() -> Callable[..., Outputs]:
    """``outputs(mechanism, shift, reach)``: both laws at every output up to ``reach`` steps beyond the two inputs."""
    return Outputs


@pytest.fixture
def mp() -> Callable:
    """A Fraction, int or string as a number of 40 digits."""
    return _mp


@pytest.fixture
def most_steps_apart() -> Callable[[Fraction, Fraction], int]:
    """``most_steps_apart(distance, step)``: the furthest that two floats within ``distance`` end up apart on the step.

    Floats next to, and on, the places where rounding changes its mind; each is paired with the furthest float within reach.
    """

    def search(distance: Fraction, step: Fraction) -> int:
        found = 0
        for place in (*range(-4, 5), 1000, -1001, 2**19 + 1):
            middle = float((place + Fraction(1, 2)) * step)
            for near in (middle, math.nextafter(middle, -math.inf), math.nextafter(middle, math.inf)):
                for sign in (1, -1):
                    far = float(Fraction(near) + sign * distance)
                    candidates = [far, math.nextafter(far, -math.inf), math.nextafter(far, math.inf)]
                    within = [x for x in candidates if abs(Fraction(x) - Fraction(near)) <= distance]
                    found = max([found, *(abs(on_step(x, step) - on_step(near, step)) for x in within)])
        return found

    return search


def on_step(x: float, step: Fraction) -> int:
    """Where a float goes, which must be the same by all three roads."""
    alone, in_list, in_array = read_values(x).on(step), read_values([x]).on(step), read_values(np.array([x])).on(step)
    assert alone == in_list[0] == in_array[0]
    return int(alone)


@pytest.fixture
def whole_vectors() -> Callable[[int, int], list[tuple[int, ...]]]:
    """``whole_vectors(k, most)``: every vector of k integers of size at most ``most``, but for zero."""

    def make(k: int, most: int) -> list[tuple[int, ...]]:
        return [v for v in itertools.product(range(-most, most + 1), repeat=k) if any(v)]

    return make


class Meter:
    """Counts how often anybody asked for entropy."""

    def __init__(self) -> None:
        self.opened = self.fills = 0

    def open(self) -> "Meter":
        self.opened += 1
        self.stream = Keystream()
        return self

    def fill(self, words) -> None:
        self.fills += 1
        self.stream.fill(words)


@pytest.fixture
def meter() -> Iterator[Meter]:
    """Entropy as usual, counted."""
    counter = Meter()
    token = source.set(counter.open)
    yield counter
    source.reset(token)
