"""Entropy under the test's control, and laws at the scales where something could go wrong."""

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from discreet.noise.law import Law, discrete_gaussian_law, discrete_laplace_law

ALL_ONES = (1 << 64) - 1


class Replay:
    """Hands out the given words one by one, and fails when there are no more."""

    def __init__(self, words: Iterable[int]) -> None:
        self._words = iter(words)

    def fill(self, words: NDArray[np.uint64]) -> None:
        for at in np.ndindex(words.shape):
            words[at] = next(self._words)

    def rest(self) -> list[int]:
        return list(self._words)


class Pool:
    """Real keystream, drawn far ahead: cheaper where a test asks for one word at a time, a million times."""

    def __init__(self, stream, size: int = 1 << 15) -> None:
        self._stream, self._words, self._at = stream, np.empty(size, np.uint64), size

    def fill(self, words: NDArray[np.uint64]) -> None:
        if self._at + words.size > self._words.size:
            self._stream.fill(self._words)
            self._at = 0
        words[...] = self._words[self._at : self._at + words.size].reshape(words.shape)
        self._at += words.size


SCALES = {
    "1/2": Fraction(1, 2),
    "1": Fraction(1),
    "50/7": Fraction(50, 7),
    "10": Fraction(10),
    "10^6": Fraction(10**6),
    "2^34": Fraction(2**34),
    "large primes": Fraction(2**89 - 1, 2**61 - 1),  # both prime
}
TINY = Fraction(1, 1000)


def laplace(scale: Fraction | int) -> Law:
    return discrete_laplace_law(Fraction(scale))


def gaussian(deviation: Fraction | int) -> Law:
    return discrete_gaussian_law(Fraction(deviation) ** 2)


LAWS = {f"{make.__name__} {name}": make(scale) for make in (laplace, gaussian) for name, scale in SCALES.items()}
