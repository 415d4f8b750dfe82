"""What the tests of selections share: exact laws, their divergences, and every way in which scores can move."""

import itertools

import mpmath


def real(number):
    return mpmath.mpf(number.numerator) / number.denominator


def law(between):
    """Probabilities from the lower ends of enclosures."""
    return [real(low) for low, _ in between]


def max_divergence(p, q):
    return max(abs(mpmath.log(a / b)) for a, b in zip(p, q, strict=True))


def renyi(p, q, alpha):
    return mpmath.log(mpmath.fsum(a**alpha * b ** (1 - alpha) for a, b in zip(p, q, strict=True))) / (alpha - 1)


def delta(p, q, epsilon):
    return mpmath.fsum(max(mpmath.mpf(0), a - mpmath.exp(epsilon) * b) for a, b in zip(p, q, strict=True))


def moved(scores, sensitivity):
    """Every neighbour whose scores move by the whole sensitivity, up or down, or stay."""
    for signs in itertools.product((-1, 0, 1), repeat=len(scores)):
        yield [score + sign * sensitivity for score, sign in zip(scores, signs, strict=True)]
