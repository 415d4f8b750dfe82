"""The exact race: which of many candidates have the largest scores plus noise.

Gumbel noise -ln(-ln u) makes the winner follow the exponential mechanism; exponential noise -ln(v) makes it follow
permute-and-flip. Only the winner is wanted, so noise is known as an interval: a table lookup on the first digits of a 64-bit
uniform gives one a small part of its spread wide, and the few candidates whose intervals reach the best one's are told apart
by drawing more digits and enclosing the logarithms more closely. The order is exact; no floating-point number is used.
Proof: docs/proofs/noise.md.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from discreet.noise.enclosures import Enclosure, log
from discreet.noise.keystream import Entropy, bits

__all__ = ["Noise", "Weights", "ranking", "winner", "winners"]

Noise = Literal["gumbel", "exponential"]
Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Scores = Sequence[int] | Integers
Weights = Sequence[int] | Words

_UNIT = 24  # noise and scores are compared in units of 2^-24
_CELLS = 9  # digits that a lookup uses
_SMALL = 16  # cells of uniforms so close to zero that a cell would be wide: they are looked up by their leading digits
_TOGETHER = 1 << 16  # candidates of several races that are run together
_CHUNK = 1 << 14  # candidates looked at together: what they need stays in the cache
_NEVER = -(1 << 62)  # stands for minus infinity as a lower end: even with noise added it is below every true one
_ENDLESS = 1 << 50  # stands for infinity as an upper end: even for the worst score it is above every lower one
_FAR = 1 << 20  # scores further behind than this (in whole units) are known by an upper end only


def winner(scores: Scores, factor: Fraction, noise: Noise, entropy: Entropy, weights: Weights | None = None) -> int:
    """The place of the largest factor * score + ln(weight) + noise, with independent noise for every score."""
    return ranking(scores, factor, noise, entropy, 1, weights)[0]


def ranking(
    scores: Scores, factor: Fraction, noise: Noise, entropy: Entropy, count: int, weights: Weights | None = None
) -> list[int]:
    """The places of the ``count`` largest factor * score + ln(weight) + noise, the largest first. Weights are at least 1."""
    best = int(scores.max() if isinstance(scores, np.ndarray) else max(scores))
    bar, leaders = _NEVER, np.empty(0, np.int64)  # the lower ends that lead so far, and the least of them once they are enough
    places, ends, digits = [], [], []
    for start in range(0, len(scores), _CHUNK):
        behind = _behind(scores[start : start + _CHUNK], best)
        words = np.empty(behind.size, np.uint64)
        entropy.fill(words)
        far_low, far_high = _scaled(behind, factor)
        noise_low, noise_high = _noise(words, noise)
        low, high = far_low + noise_low, far_high + noise_high
        if weights is not None:
            log_low, log_high = _log_weights(weights[start : start + _CHUNK])
            low, high = np.maximum(low, _NEVER) + log_low, high + log_high
        leaders = np.concatenate([leaders, low[low > bar]])
        if leaders.size >= count:
            leaders = np.partition(leaders, leaders.size - count)[leaders.size - count :]
            bar = int(leaders[0])
        near = np.flatnonzero(high >= bar)
        places.append(near + start)
        ends.append(high[near])
        digits.append(words[near])
    is_contender = np.concatenate(ends) >= bar
    contenders = np.concatenate(places)[is_contender].tolist()
    if len(contenders) == 1:
        return [int(contenders[0])]
    lag = [factor * (int(scores[at]) - best) for at in contenders]
    chosen = None if weights is None else [int(weights[at]) for at in contenders]
    order = _play_off(lag, np.concatenate(digits)[is_contender].tolist(), noise, entropy, count, chosen)
    return [int(contenders[at]) for at in order]


def winners(behind: Integers, starts: Integers, factor: Fraction, entropy: Entropy, weights: Words) -> Integers:
    """Many races at once, with Gumbel noise: for each, the place of the largest ln(weight) - factor * behind + noise.

    The candidates of a race begin at its ``starts`` and end where the next race begins; each is ``behind`` the best by 0 or more.
    """
    found = np.empty(len(starts), np.int64)
    ends = np.append(starts[1:], len(behind))
    first = 0
    while first < len(starts):
        last = max(first + 1, int(np.searchsorted(ends, starts[first] + _TOGETHER, "right")))
        here = slice(int(starts[first]), int(ends[last - 1]))
        races = starts[first:last] - starts[first]
        found[first:last] = _winners(behind[here], races, factor, entropy, weights[here]) + starts[first]
        first = last
    return found


def _winners(behind: Integers, starts: Integers, factor: Fraction, entropy: Entropy, weights: Words) -> Integers:
    words = np.empty(behind.size, np.uint64)
    entropy.fill(words)
    far_low, far_high = _scaled(behind.astype(np.uint64), factor)
    noise_low, noise_high = _noise(words, "gumbel")
    log_low, log_high = _log_weights(weights)
    low, high = np.maximum(far_low + noise_low, _NEVER) + log_low, far_high + noise_high + log_high
    bars = np.maximum.reduceat(low, starts)
    race = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, behind.size)))
    near = np.flatnonzero(high >= bars[race])  # those that may have won, race by race
    among = np.searchsorted(race[near], np.arange(len(starts) + 1))
    found = near[among[:-1]]
    for at in np.flatnonzero(np.diff(among) > 1).tolist():
        some = near[among[at] : among[at + 1]].tolist()
        lag = [-factor * int(behind[each]) for each in some]
        chosen = [int(weights[each]) for each in some]
        (place,) = _play_off(lag, [int(words[each]) for each in some], "gumbel", entropy, 1, chosen)
        found[at] = some[place]
    return found


def _behind(scores: Scores, best: int) -> Words:
    """How far each score is behind the best, saturating at 2^64 - 1 (which then has no lower end)."""
    if isinstance(scores, np.ndarray) and scores.dtype == np.int64:
        return np.uint64(best & ((1 << 64) - 1)) - scores.view(np.uint64)  # wraps to the true difference
    return np.array([min(best - int(score), (1 << 64) - 1) for score in scores], np.uint64)


def _scaled(behind: Words, factor: Fraction) -> tuple[Integers, Integers]:
    """Encloses -factor * behind in units; the upper end is never below -2 _FAR."""
    cap = min(int(_FAR / factor) + 1, (1 << 64) - 1)  # what is this far behind has no lower end
    capped = np.minimum(behind, np.uint64(cap))
    factor = min(factor, Fraction(_FAR))  # beyond, no score but the best has a lower end, and this upper end will do
    shift = 31 - (factor.numerator.bit_length() - factor.denominator.bit_length())
    lead = int(factor * Fraction(2) ** shift)  # factor is in [lead, lead + 1] / 2^shift, and lead has 31 or 32 digits
    product_high = (capped >> np.uint64(32)) * np.uint64(lead)
    product_low = (capped & np.uint64((1 << 32) - 1)) * np.uint64(lead)
    drop = shift - _UNIT
    least = (_shifted(product_high, drop - 32) + _shifted(product_low, drop)).view(np.int64)
    most = least + 4 + (least >> 29)  # two floors, and lead's own last digit
    return np.where(behind >= np.uint64(cap), _NEVER, -most), -least


def _shifted(numbers: Words, drop: int) -> Words:
    if drop >= 64:
        return np.zeros_like(numbers)
    return numbers >> np.uint64(drop) if drop >= 0 else numbers << np.uint64(-drop)


def _noise(words: Words, noise: Noise) -> tuple[Integers, Integers]:
    """Encloses, in units, the noise of each uniform v in [word, word + 1] / 2^64: -ln v, or -ln(-ln(1 - v))."""
    cell_low, cell_high = _cells(noise)
    cell = (words >> np.uint64(64 - _CELLS)).view(np.int64)
    low, high = cell_low[cell], cell_high[cell]
    small = np.flatnonzero(cell < _SMALL)
    low[small], high[small] = _small_noise(words[small], noise)
    return low, high


def _small_noise(words: Words, noise: Noise) -> tuple[Integers, Integers]:
    """The same for words in the first cells, by the digits that follow their first one."""
    lengths = _lengths(words)
    leading = (words << (64 - lengths).view(np.uint64) << np.uint64(1) >> np.uint64(64 - _CELLS)).view(np.int64)
    two_low, two_high = log(Fraction(2), _UNIT + 8)
    halvings = 65 - lengths  # v is in 2^-halvings [1 + leading, 1 + leading + 1 cell]
    log_low, log_high = _log_cells()
    low, high = (halvings * two_low >> 8) - log_high[leading], -(-halvings * two_high >> 8) - log_low[leading]
    is_tiny = lengths <= _CELLS + 1  # too few digits for a cell: noise above ln(2^54) > 37, once in 2^54
    low[is_tiny], high[is_tiny] = 37 << _UNIT, _ENDLESS
    return (low, high) if noise == "exponential" else (low - _bend(), high)


def _lengths(words: Words) -> Integers:
    """The bit length of every word (1 for zero)."""
    length = np.ones(words.size, np.int64)
    rest = words.copy()
    for step in (32, 16, 8, 4, 2, 1):
        is_long = rest >= np.uint64(1 << step)
        length += step * is_long
        rest >>= np.where(is_long, np.uint64(step), np.uint64(0))
    return length


@lru_cache(maxsize=2)
def _cells(noise: Noise) -> tuple[Integers, Integers]:
    """Encloses the noise for v in [j, j + 1] / 2^cells; the first cells are not looked up."""
    count = 1 << _CELLS
    last = (0, 0) if noise == "exponential" else (_NEVER, _NEVER)
    ends = [*(_exact_noise(Fraction(j, count), _UNIT, noise) for j in range(_SMALL, count)), last]
    unused = [0] * _SMALL
    return np.array(unused + [e[0] for e in ends[1:]], np.int64), np.array(unused + [e[1] for e in ends[:-1]], np.int64)


@lru_cache(maxsize=1)
def _log_cells() -> tuple[Integers, Integers]:
    """Encloses ln(1 + m) for m in [j, j + 1] / 2^cells."""
    count = 1 << _CELLS
    ends = [log(1 + Fraction(j, count), _UNIT) for j in range(count + 1)]
    return np.array([e[0] for e in ends[:-1]], np.int64), np.array([e[1] for e in ends[1:]], np.int64)


@lru_cache(maxsize=1)
def _bend() -> int:
    """In units, the most by which -ln(-ln(1 - v)) is below -ln v in the first cells: rising from 0, so at their end."""
    end = Fraction(_SMALL, 1 << _CELLS)
    return -log(end, _UNIT)[0] - _exact_noise(end, _UNIT, "gumbel")[0]


def _log_weights(weights: Weights) -> tuple[Integers, Integers]:
    """Encloses, in units, the logarithm of every weight."""
    if not isinstance(weights, np.ndarray):
        ends = [log(Fraction(weight), _UNIT) for weight in weights]
        return np.array([e[0] for e in ends], np.int64), np.array([e[1] for e in ends], np.int64)
    lengths = _lengths(weights)
    leading = (weights << (64 - lengths).view(np.uint64) << np.uint64(1) >> np.uint64(64 - _CELLS)).view(np.int64)
    two_low, two_high = log(Fraction(2), _UNIT + 8)
    doublings = lengths - 1  # the weight is in 2^doublings [1 + leading, 1 + leading + 1 cell]
    log_low, log_high = _log_cells()
    return (doublings * two_low >> 8) + log_low[leading], -(-doublings * two_high >> 8) + log_high[leading]


def _play_off(
    lag: list[Fraction], prefixes: list[int], noise: Noise, entropy: Entropy, count: int, weights: list[int] | None = None
) -> list[int]:
    """The places of the ``count`` largest lag + ln(weight) + noise among contenders, in order, by as many digits as it takes."""
    length = 64
    while True:
        if all(0 < v < (1 << length) - 1 for v in prefixes):  # else some noise has no lower or no upper end yet
            ends = [_closer(v, length, noise) for v in prefixes]
            logs = [(0, 0)] * len(lag) if weights is None else [log(Fraction(weight), length) for weight in weights]
            low = [place * (1 << length) + end[0] + more[0] for place, end, more in zip(lag, ends, logs, strict=True)]
            high = [place * (1 << length) + end[1] + more[1] for place, end, more in zip(lag, ends, logs, strict=True)]
            order = sorted(range(len(lag)), key=low.__getitem__, reverse=True)
            if _are_apart([low[at] for at in order], [high[at] for at in order], count):
                return order[:count]
        prefixes = [v << 64 | bits(entropy, 64) for v in prefixes]
        length += 64


def _are_apart(low: list[Fraction], high: list[Fraction], count: int) -> bool:
    """Whether each of the first ``count`` is certainly above all that come after it."""
    least_above = None  # the least lower end of those before
    for at in range(len(low)):
        if least_above is not None and high[at] >= least_above:
            return False
        if at < count:
            least_above = low[at]  # they come in falling order
    return True


def _closer(prefix: int, length: int, noise: Noise) -> Enclosure:
    """Encloses the noise at ``length`` binary digits, for v in [prefix, prefix + 1] / 2^length: it falls as v rises."""
    least, _ = _exact_noise(Fraction(prefix + 1, 1 << length), length, noise)
    _, most = _exact_noise(Fraction(prefix, 1 << length), length, noise)
    return least, most


def _exact_noise(v: Fraction, length: int, noise: Noise) -> Enclosure:
    """Encloses the noise of v itself at ``length`` binary digits; v is at least 2^-length."""
    if noise == "exponential":
        low, high = log(v, length)
        return -high, -low
    inner_low, inner_high = log(1 - v, 2 * length + 64)  # minus the exponential variable
    unit = 1 << (2 * length + 64)
    return -log(Fraction(-inner_low, unit), length)[1], -log(Fraction(-inner_high, unit), length)[0]
