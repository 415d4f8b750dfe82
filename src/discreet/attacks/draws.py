"""The attackers' coins, and the textbook noise that they break. All bits are from the one door, ``noise.keystream``."""

import numpy as np
from numpy.typing import NDArray

from discreet.noise import keystream

__all__ = ["Floats", "by_inversion", "coins", "textbook_laplace", "toss", "uniforms", "words"]

Floats = NDArray[np.float64]


def words(n: int) -> NDArray[np.uint64]:
    """``n`` words of 64 fair bits."""
    drawn = np.empty(n, np.uint64)
    keystream.fresh().fill(drawn)
    return drawn


def coins(n: int) -> NDArray[np.int64]:
    """``n`` fair zeros and ones."""
    return (words(n) >> np.uint64(63)).astype(np.int64)


def toss() -> bool:
    """A fair coin, for an attacker who knows no better."""
    return bool(coins(1)[0])


def uniforms(n: int) -> Floats:
    """``n`` floats k / 2^53 in [0, 1), as most libraries make them."""
    return (words(n) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def textbook_laplace(n: int, scale: float) -> Floats:
    """Laplace noise the way that NumPy draws it. Its low bits are what ``low_bits`` reads."""
    drawn = uniforms(n)
    return by_inversion(np.where(drawn == 0, 0.5, drawn), scale)  # 0 comes once in 2^53 times; NumPy draws again


def by_inversion(uniform: Floats, scale: float) -> Floats:
    """The Laplace quantile of uniforms in (0, 1), with NumPy's roundings: the logarithm of a float."""
    upper = uniform >= 0.5
    reach = scale * np.log(np.where(upper, 2.0 - uniform - uniform, uniform + uniform))
    return np.where(upper, -reach, reach)
