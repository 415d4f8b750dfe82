"""R's random numbers, word for word: ``set.seed``, ``runif``, ``rexp``, ``rnorm``, ``sample``, ``rlaplace``, ``rdoublex``.

The texts print releases drawn after ``set.seed(123)``; with this generator the same figures come out. It is fenced
off from the curator on purpose. Anyone who knows the seed knows the noise and can subtract it, 624 outputs give the
whole state away, and noise made by inverting a float leaks through its low bits. No release may be drawn here.

    R(123).runif(1)              0.2875775...
    R(123).rlaplace(1, 51, 10)   45.4688..., printed as 45
    R(123).sample(10)            3 10 2 8 6 9 1 7 5 4

The densities and their inverses have R's names too, and draw nothing: ``dlaplace``, ``plaplace``, ``qlaplace`` and so on.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import factorial, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.lessons.distributions import Laplace, Normal
from discreet.lessons.r_names import ddoublex, dexp, dlaplace, dnorm, pexp, plaplace, pnorm, qexp, qlaplace, qnorm

__all__ = [
    "R", "Words", "ddoublex", "dexp", "dlaplace", "dnorm", "pexp", "plaplace", "pnorm", "qexp", "qlaplace", "qnorm",
]  # fmt: skip

Words = NDArray[np.uint32]

_SIZE, _SHIFT = 624, 397
_TOP, _REST, _MATRIX = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
_JUST_ABOVE_0 = 0.5 * 2.328306437080797e-10  # half of 1 / (2^32 − 1), as R has it
_HALVINGS = list(accumulate(log(2) ** k / factorial(k) for k in range(1, 17)))  # ln 2, ln 2 + (ln 2)^2 / 2!, ... nearly 1
_MOST_CARDS = 10**7  # R shuffles more of them in another way


class R:
    """R's default generator (Mersenne twister) as it stands after ``set.seed(seed)``; each call moves it on."""

    def __init__(self, seed: int) -> None:
        self._state = _scrambled(seed)
        self._unused = np.empty(0, dtype=np.uint32)

    def words(self, n: int) -> Words:
        """The next ``n`` words of 32 bits, one for each uniform."""
        wanted = exact_whole(n, "n")
        blocks = [self._unused]
        for _ in range(-(-(wanted - self._unused.size) // _SIZE)):  # none while enough is left
            _twist(self._state)
            blocks.append(_tempered(self._state))
        ready = np.concatenate(blocks)
        self._unused = ready[wanted:]
        return ready[:wanted]

    def runif(self, n: int) -> NDArray[np.float64]:
        """``runif(n)``: uniforms strictly between 0 and 1."""
        uniform = self.words(n).astype(np.float64) * 2.0**-32
        return np.where(uniform > 0, uniform, _JUST_ABOVE_0)

    def rlaplace(self, n: int = 1, m: float = 0.0, s: float = 1.0) -> NDArray[np.float64]:
        """``rmutil::rlaplace(n, m, s)``: location ``m``, scale ``s``, by inversion of uniforms."""
        laplace = Laplace(m, s)
        return laplace.ppf(self.runif(n))

    def rexp(self, n: int, rate: float = 1.0) -> NDArray[np.float64]:
        """``rexp(n, rate)``: exponentials by the algorithm SA of Ahrens and Dieter (1972), which needs no logarithm."""
        return np.array([self._exponential() for _ in range(exact_whole(n, "n"))]) / rate

    def rnorm(self, n: int, mean: float = 0.0, sd: float = 1.0) -> NDArray[np.float64]:
        """``rnorm(n, mean, sd)``: normals by inversion, with two uniforms for each."""
        coarse, fine = self.runif(2 * exact_whole(n, "n")).reshape(-1, 2).T
        return mean + sd * Normal().ppf((np.floor(coarse * 2.0**27) + fine) * 2.0**-27)

    def rdoublex(self, n: int, mu: float = 0.0, lambda_: float = 1.0) -> NDArray[np.float64]:
        """``smoothmest::rdoublex(n, mu, lambda)``: Laplace draws as exponentials with signs."""
        far = self.rexp(n)
        signs = np.array(self.sample([-1.0, 1.0], n, replace=True))
        return lambda_ * signs * far + mu

    def sample(self, x: int | Sequence[Any], size: int | None = None, *, replace: bool = False) -> list[Any]:
        """``sample(x, size, replace)``: some of 1 to ``x``, or of the values in ``x``, as R does it from version 3.6 on."""
        cards = list(range(1, exact_whole(x, "x", at_least=1) + 1)) if isinstance(x, int) else list(x)
        wanted = len(cards) if size is None else exact_whole(size, "size")
        if len(cards) > _MOST_CARDS or (wanted > len(cards) and not replace):
            raise ParameterError(f"{wanted} of {len(cards)} cannot be drawn here", hint="draw fewer, or write replace=True")
        if replace:
            return [cards[self._below(len(cards))] for _ in range(wanted)]
        drawn = []
        for left in range(len(cards), len(cards) - wanted, -1):
            place = self._below(left)
            drawn.append(cards[place])
            cards[place] = cards[left - 1]
        return drawn

    def _uniform(self) -> float:
        return float(self.runif(1)[0])

    def _below(self, n: int) -> int:
        """A whole number from 0 to n − 1: sixteen bits of each uniform, drawn again while they are too large."""
        bits = (n - 1).bit_length()
        while True:
            word = 0
            for _ in range(bits // 16 + 1):
                word = word << 16 | int(self._uniform() * 65536)
            if (word := word & ((1 << bits) - 1)) < n:
                return word

    def _exponential(self) -> float:
        whole, u = 0.0, 2.0 * self._uniform()
        while u <= 1.0:
            whole, u = whole + _HALVINGS[0], 2.0 * u
        u -= 1.0
        if u <= _HALVINGS[0]:
            return whole + u
        least, place = min(self._uniform(), self._uniform()), 1
        while u > _HALVINGS[place]:
            least, place = min(least, self._uniform()), place + 1
        return whole + least * _HALVINGS[0]


def _scrambled(seed: int) -> Words:
    """The first state: a linear congruence run from the seed, its first 51 values thrown away."""
    number = exact_whole(seed, "seed", at_least=1 - 2**31)
    if number >= 2**31:
        raise ParameterError(f"seed is {number}, beyond R's integers", hint="write a whole number below 2^31, such as 123")
    word, words = number % 2**32, []
    for _ in range(51 + _SIZE):
        word = (69069 * word + 1) % 2**32
        words.append(word)
    return np.array(words[51:], dtype=np.uint32)


def _twist(state: Words) -> None:
    """Replace the state by the next one, in place, in stretches that read only what is ready."""
    near = _SIZE - _SHIFT
    for start, end in ((0, near), (near, 2 * near), (2 * near, _SIZE - 1)):
        far = state[start + _SHIFT : end + _SHIFT] if start == 0 else state[start - near : end - near]
        state[start:end] = far ^ _mixed(state[start:end], state[start + 1 : end + 1])
    state[-1:] = state[_SHIFT - 1 : _SHIFT] ^ _mixed(state[-1:], state[:1])


def _mixed(word: Words, following: Words) -> Words:
    joined = (word & _TOP) | (following & _REST)
    return (joined >> np.uint32(1)) ^ ((joined & np.uint32(1)) * _MATRIX)


def _tempered(state: Words) -> Words:
    word: Words = state ^ (state >> np.uint32(11))
    word ^= (word << np.uint32(7)) & np.uint32(0x9D2C5680)
    word ^= (word << np.uint32(15)) & np.uint32(0xEFC60000)
    word ^= word >> np.uint32(18)
    return word
