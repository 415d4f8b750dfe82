"""The bins of a law as mpmath sees them: each weight by its own exp, no recurrence, and more digits than are asked for."""

from functools import lru_cache

import mpmath

from discreet.noise.law import Law


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def weight(law: Law, size: int):
    return mpmath.exp(-real(law.exponent(size)))


def total(law: Law, width: int):
    """The sum of the weights of all bins."""
    if not law.quadratic:
        return (1 + weight(law, 1)) / (1 - weight(law, width))
    found, step = mpmath.mpf(0), 0
    while (term := weight(law, step * width) + weight(law, 1 + step * width)) > mpmath.eps:
        found, step = found + term, step + 1
    return found


@lru_cache(maxsize=64)
def ends(law: Law, width: int, precision: int, depth: int) -> list[int]:
    """floor(2^precision P(bin <= i)) for the bins outwards, 0.., -1.., width.., until only about 2^-depth is beyond."""
    with mpmath.workprec(precision + 200):
        whole, cumulated, found, step = total(law, width), mpmath.mpf(0), [], 0
        while not found or whole - cumulated > mpmath.ldexp(1, -depth):
            for start in (0, 1):
                cumulated += weight(law, start + step * width)
                found.append(int(mpmath.floor(mpmath.ldexp(cumulated / whole, precision))))
            step += 1
        return [min(end, (1 << precision) - 1) for end in found]  # no bin reaches probability one
