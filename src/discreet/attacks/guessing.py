"""Trials: a secret by a fair coin, an attacker who may ask, and a count of how often the guess is right."""

from collections.abc import Callable, Iterable

from discreet.attacks.draws import coins
from discreet.attacks.outcome import Line, Rate

__all__ = ["guesses", "together"]


def guesses(trials: int, attempt: Callable[[int], bool]) -> Rate:
    """How often ``attempt``, which runs in the world with this secret, guesses it."""
    secrets = [int(coin) for coin in coins(trials)]
    return Rate(sum(bool(attempt(secret)) == bool(secret) for secret in secrets), trials)


def together(lines: Iterable[Line]) -> Rate:
    """The tries of several lines as one: a maximum of few tries would look like a leak where there is none."""
    rates = [line.rate for line in lines]
    return Rate(sum(rate.right for rate in rates), sum(rate.trials for rate in rates))
