"""R's random numbers, word for word: ``set.seed``, ``runif`` and ``rmutil::rlaplace``.

The texts print releases drawn after ``set.seed(123)``; with this generator the same figures come out. It is fenced
off from the curator on purpose. Anyone who knows the seed knows the noise and can subtract it, 624 outputs give the
whole state away, and noise made by inverting a float leaks through its low bits. No release may be drawn here.

    R(123).runif(1)              0.2875775...
    R(123).rlaplace(1, 51, 10)   45.4688..., printed as 45
"""

import numpy as np
from numpy.typing import NDArray

from discreet.errors import ParameterError
from discreet.exact import exact_whole
from discreet.lessons.distributions import Laplace

__all__ = ["R", "Words"]

Words = NDArray[np.uint32]

_SIZE, _SHIFT = 624, 397
_TOP, _REST, _MATRIX = np.uint32(0x80000000), np.uint32(0x7FFFFFFF), np.uint32(0x9908B0DF)
_JUST_ABOVE_0 = 0.5 * 2.328306437080797e-10  # half of 1 / (2^32 − 1), as R has it


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
