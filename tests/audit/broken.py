"""Mechanisms that are not as private as they claim, each a mistake that somebody made, on two neighbouring inputs.

Each function returns the mechanism on one input and on the other, and claims ε = 1. Beside it stands the feature of the outcome
that gives it away.
"""

import math

import numpy as np

import discreet as dc


def _random():
    return np.random.default_rng(20240607)


def _coarse(numbers):
    """Without low bits, so that nothing but the mistake itself can be found."""
    return np.round(numbers * 64) / 64


def noise_half_as_wide():
    half = dc.Laplace(epsilon=2, sensitivity=1)
    return lambda n: half.release(np.ones(n, np.int64)), lambda n: half.release(np.zeros(n, np.int64))


def selection_without_exp():
    random, scores = _random(), ([3, 1, 1], [2, 0, 2])  # the odds are the scores themselves, not their exp
    return tuple(lambda n, each=each: random.choice(3, size=n, p=np.array(each) / sum(each)) for each in scores)


def _sparse(random, answers, size, *, threshold_scale, answer_scale):
    """Whether each of the answers is above 0, all of them told."""
    bar = random.laplace(scale=threshold_scale, size=(size, 1)) if threshold_scale else np.zeros((size, 1))
    noisy = np.asarray(answers, float) + random.laplace(scale=answer_scale, size=(size, len(answers)))
    return noisy, noisy >= bar


def sparse_vector_without_noise_on_the_threshold():
    random = _random()

    def first_above(answers, n):
        above = _sparse(random, answers, n, threshold_scale=0, answer_scale=4)[1]
        return np.where(above.any(axis=1), above.argmax(axis=1), len(answers))

    return tuple(lambda n, each=each: first_above(each, n) for each in ([0] * 8, [1] * 8))


def sparse_vector_without_the_count_in_its_noise():
    random = _random()

    def told(answers, n):  # ten numbers found above at most, with the noise for one
        return _sparse(random, answers, n, threshold_scale=2, answer_scale=4)[1].astype(np.int64)

    return tuple(lambda n, each=each: told(each, n) for each in ([0] * 10, [1] * 5 + [-1] * 5))


def sparse_vector_that_releases_its_noisy_numbers():
    random = _random()

    def first_number(answers, n):  # the number that was compared, with the same noise
        noisy, above = _sparse(random, answers, n, threshold_scale=2, answer_scale=2)
        place = above.argmax(axis=1)
        found = _coarse(noisy[np.arange(n), place])
        return np.where(above.any(axis=1) & (place == len(answers) - 1), found, np.inf)

    return tuple(lambda n, each=each: first_number(each, n) for each in ([0] * 5 + [-1], [1] * 5 + [0]))


def numpy_laplace():
    random = _random()
    return lambda n: random.laplace(size=n), lambda n: 1 + random.laplace(size=n)


def mean_divided_by_a_private_count():
    random = _random()

    def mean(rows, n):
        return _coarse((sum(rows) + random.laplace(size=n)) / len(rows))

    return lambda n: mean([1.0], n), lambda n: mean([1.0, 0.0], n)


def _noisy_mean(random, rows):
    clipped = np.clip(np.array(rows), 0, 1)  # which lets NaN through
    return float(clipped.mean() + random.laplace(scale=1 / len(rows)))


def nan_let_through():
    random = _random()
    return lambda: _noisy_mean(random, [0.5, 0.2]), lambda: _noisy_mean(random, [0.5, math.nan])


def key_that_depends_on_data():
    noise = dc.Laplace(epsilon=1, sensitivity=1)

    def histogram(rows):
        return {key: noise.release(rows.count(key)) for key in sorted(set(rows))}

    return lambda: histogram(["flu"] * 3), lambda: histogram([*["flu"] * 3, "rare"])


def error_that_depends_on_data():
    noise = dc.Laplace(epsilon=1, sensitivity=1)

    def count(rows):
        if "Alice" in rows:
            raise ZeroDivisionError("division by zero")
        return noise.release(len(rows))

    return lambda: count(["Bob"]), lambda: count(["Bob", "Alice"])


BATCHES = {
    noise_half_as_wide: "value",
    selection_without_exp: "value",
    sparse_vector_without_noise_on_the_threshold: "value",
    sparse_vector_without_the_count_in_its_noise: "all numbers together",
    sparse_vector_that_releases_its_noisy_numbers: "value",
    numpy_laplace: "lowest bit of value",
    mean_divided_by_a_private_count: "value",
}
SAMPLES = {sparse_vector_that_releases_its_noisy_numbers: 1_000_000}  # else 300 000 are enough
CALLS = {
    nan_let_through: "kind of value",
    key_that_depends_on_data: "key 'rare'",
    error_that_depends_on_data: "error",
}
