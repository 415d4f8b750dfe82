"""Precision: a small float next to zero has bits that the same float reached from one cannot have."""

import numpy as np
from numpy.typing import NDArray

from discreet.attacks.draws import Floats, coins, textbook_laplace
from discreet.attacks.outcome import Line, Outcome, Rate, most_right
from discreet.mechanisms.laplace import Laplace

__all__ = ["is_finer", "precision"]

_EPSILON = "0.1"
_SCALE = 10.0
_DRAWN = 40_000  # of textbook noise: only about one in twenty is near enough to zero


def is_finer(released: Floats) -> NDArray[np.bool_]:
    """Whether a number has bits below 2^-53: adding noise to 1 cannot leave any on a number between −1/2 and 1/2."""
    scaled = released * 2.0**53  # exact: a power of two
    return np.not_equal(scaled, np.rint(scaled))


def precision(releases: int = 8000) -> Outcome:
    """Was it 0 or 1? Of numbers near zero, the fine ones are from 0."""
    exact = Laplace(epsilon=_EPSILON, sensitivity=1)
    coin = coins(_DRAWN)
    textbook, told = _near_zero(coin + textbook_laplace(_DRAWN, _SCALE), coin)
    flipped = coins(releases)
    ours, secrets = _near_zero(np.array([exact.release(float(secret)) for secret in flipped]), flipped)
    lines = (
        Line("unprotected", "last bits", _rate(told, ~is_finer(textbook))),
        Line("unprotected", "size alone", _rate(told, textbook > 0.5)),
        Line("discreet", "last bits", _rate(secrets, ~is_finer(ours))),
    )
    fine = [float(is_finer(textbook[told == secret]).mean()) for secret in (0, 1)]
    return Outcome(
        name="precision",
        title="Precision: how fine a float is tells where it came from",
        attacker="Knows that the secret is 0 or 1, waits for a release between −1/2 and 1/2, and looks at its last bits.",
        success="guesses of the secret that are right",
        unprotected=lines[0].rate,
        discreet=lines[2].rate,
        chance=0.5,
        most=most_right(float(_EPSILON)),
        lines=lines,
        notes=(
            f"textbook noise has such bits in {fine[0] * 100:.0f} % of cases if the secret is 0, {fine[1] * 100:.0f} % if 1",
            f"discreet: {int(is_finer(ours).sum())} of {ours.size} have; the step does not depend on the secret",
        ),
        lesson="Better sampling does not help as long as secret and noise are added as floats. The step of a release has to be "
               "public and the same whatever the data are; then the sum is exact.",
        source="Haney, Desfontaines, Hartman, Shrestha and Hay 2022",
    )  # fmt: skip


def _near_zero(released: Floats, secrets: NDArray[np.int64]) -> tuple[Floats, NDArray[np.int64]]:
    near = np.abs(released) < 0.5
    return released[near], secrets[near]


def _rate(secrets: NDArray[np.int64], guessed: NDArray[np.bool_]) -> Rate:
    return Rate(int((guessed == (secrets == 1)).sum()), secrets.size)
