"""Low bits: floating-point noise cannot reach every float, and what it can reach depends on the secret."""

import numpy as np
from numpy.typing import NDArray

from discreet.attacks.draws import Floats, by_inversion, coins, textbook_laplace
from discreet.attacks.outcome import Line, Outcome, Rate, most_right
from discreet.mechanisms.laplace import Laplace
from discreet.plots.numerals import grouped

__all__ = ["can_come_from", "low_bits"]

_EPSILON = "0.1"
_SCALE = 10.0  # of the noise: sensitivity 1 over ε
_NEIGHBOURS = 4  # floats tried on either side: rounding is never further off

Bools = NDArray[np.bool_]


def can_come_from(secret: float, released: Floats, scale: float = _SCALE) -> Bools:
    """For each number, whether NumPy's way to draw noise of this scale can have turned ``secret`` into it.

    The noise is made of a uniform k / 2^53, and only the few k next to the ideal one need to be tried.
    """
    noise = released - secret
    tail = np.exp(-np.abs(noise) / scale) / 2
    nearest = np.rint(np.where(noise < 0, tail, 1 - tail) * 2.0**53)
    found = np.zeros(released.shape, np.bool_)
    for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1):
        uniform = np.clip(nearest + step, 1, 2.0**53 - 1) * 2.0**-53
        found |= secret + by_inversion(uniform, scale) == released
    return found


def low_bits(trials: int = 3000) -> Outcome:
    """Was it 0 or 1? The released float itself often excludes one of the two."""
    exact = Laplace(epsilon=_EPSILON, sensitivity=1)
    step = float(exact.for_floats().step)
    secrets = coins(trials)
    textbook = secrets + textbook_laplace(trials, _SCALE)
    ours = np.array([exact.release(float(secret)) for secret in secrets])
    on_step = np.equal(np.mod(ours, step), 0)  # whatever the secret: the same test for 0 and for 1
    lines = (
        Line("unprotected", "all bits", _rate(secrets, _guesses(textbook, _possible(textbook)))),
        Line("unprotected", "size alone", _rate(secrets, textbook > 0.5)),
        Line("discreet", "all bits", _rate(secrets, _guesses(ours, (on_step, on_step)))),
        Line("discreet", "as if NumPy's", _rate(secrets, _guesses(ours, _possible(ours)))),
    )
    return Outcome(
        name="low_bits",
        title="Low bits: noise that gives itself away",
        attacker="Knows that the secret is 0 or 1 and how noise is drawn, and looks at all 64 bits of one released float.",
        success="guesses of the secret that are right",
        unprotected=lines[0].rate,
        discreet=lines[2].rate,
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=lines,
        notes=(
            f"textbook noise: the other secret is impossible for {_excluded(textbook, secrets) * 100:.0f} % of the floats",
            f"discreet: {int((~on_step).sum())} of {grouped(trials)} floats are off the public step {step:.3g}",
            "every multiple of the step can come from either secret",
        ),
        lesson="A proof about real numbers is not a proof about floats. discreet draws whole numbers with exact probabilities "
               "and releases multiples of a public step; floats appear after the noise only.",
        source="Mironov 2012",
    )  # fmt: skip


def _possible(released: Floats) -> tuple[Bools, Bools]:
    return can_come_from(0.0, released), can_come_from(1.0, released)


def _guesses(released: Floats, possible: tuple[Bools, Bools]) -> Bools:
    """The secret that is possible; where both are, or neither, the nearer one."""
    zero, one = possible
    return np.where(zero == one, released > 0.5, one)


def _rate(secrets: NDArray[np.int64], guessed: Bools) -> Rate:
    return Rate(int((guessed == (secrets == 1)).sum()), secrets.size)


def _excluded(released: Floats, secrets: NDArray[np.int64]) -> float:
    zero, one = _possible(released)
    return float(np.mean(~np.where(secrets == 1, zero, one)))
