"""Pages about what the package diffpriv offers: Gaussian noise, sampled sensitivities, functions, and names in other systems.

What R prints there is drawn with R's own generator; nothing of the package is here.
"""

from collections.abc import Callable, Sequence
from math import exp, log, sin, sqrt

import numpy as np

from discreet.lessons.distributions import Laplace as Continuous
from discreet.lessons.distributions import Normal
from discreet.lessons.r import R
from discreet.mechanisms import Bernstein, Gaussian, Laplace
from discreet.plots.figure import Axis, Curve, Dots, Figure, Mark, Plot
from discreet.privacy.curves import continuous_gaussian_delta
from discreet.sensitivities import sampling_plan

__all__ = [
    "analytic_scale", "classic_delta", "classic_scale", "distances", "gaussian_scales", "law_of_largest", "priestley_chao",
    "released_function", "sampled_distances", "two_worlds", "vignette_mean", "vignette_rows", "wave",
]  # fmt: skip

DELTA = 1e-6
PRINTED = 0.8089517  # the package's README, without a seed


# ---- Gaussian noise


def classic_scale(epsilon: float, delta: float = DELTA) -> float:
    """The formula of the textbooks: √(2 ln(1.25/δ)) / ε, proved for ε below 1."""
    return sqrt(2 * log(1.25 / delta)) / epsilon


def classic_delta(epsilon: float, delta: float = DELTA) -> float:
    """The δ that noise of the classic scale really has at ε."""
    return continuous_gaussian_delta(epsilon, 1 / classic_scale(epsilon, delta))


def analytic_scale(epsilon: float, delta: float = DELTA) -> float:
    """The least standard deviation of continuous noise on a sensitivity of 1 (Balle and Wang 2018)."""
    low, high = 1e-3, 1e4
    for _ in range(100):
        middle = sqrt(low * high)
        low, high = (low, middle) if continuous_gaussian_delta(epsilon, 1 / middle) <= delta else (middle, high)
    return high


def gaussian_scales() -> Figure:
    """σ by ε, and the δ that the classic one has in truth."""
    epsilons = [round(10 ** (power / 10), 6) for power in range(-10, 16)]
    kinds = {"classic": classic_scale, "analytic": analytic_scale}
    curves = [Curve(name, epsilons, [kind(epsilon) for epsilon in epsilons]) for name, kind in kinds.items()]
    exact = [0.1, 0.3, 1.0, 3.0, 10.0, 30.0]
    ours = [Gaussian(epsilon=each, delta=DELTA, sensitivity=1).scale for each in exact]
    drawn = Dots("discreet, exact and discrete", exact, ours)
    across = Axis("ε", log=True, ends=(0.08, 40), ticks=(0.1, 1, 10))
    sigma = Axis("standard deviation σ", log=True, ends=(0.1, 100), ticks=(0.1, 1, 10, 100))
    left = Plot(across, sigma, (*curves, drawn), "σ for δ = 1e-6 and Δ = 1", 330, 240)
    real = Curve("δ of the classic σ", epsilons, [classic_delta(epsilon) for epsilon in epsilons])
    small = Axis("δ", log=True, ends=(1e-11, 0.1), ticks=(1e-10, 1e-8, 1e-6, 1e-4, 1e-2), form="~e")
    right = Plot(across, small, (real, Mark("promised: 1e-6", y=DELTA)), "What the classic σ really gives", 330, 240)
    alt = (
        "Left, the standard deviation of Gaussian noise by ε at δ = 1e-6: at ε = 1 the classic formula has 5.299, the "
        "analytic one 4.225 and exact discrete noise 4.231. Right, the δ of the classic formula: far below 1e-6 for "
        "small ε, which wastes noise, and above it from about ε = 9 on, where it breaks its promise; at ε = 30 it is "
        "0.0045."
    )
    return Figure("Classic or analytic Gaussian", alt, (left, right), source="Ghosh: diffpriv, DPMechGaussian")


# ---- sampled sensitivity


def distances(seed: int, samples: int, rows: int = 5) -> list[float]:
    """How far apart the means of ``rows`` normals are on sampled neighbours, with R's generator, smallest first."""
    drawn = R(seed).rnorm(samples * (rows + 1)).reshape(samples, rows + 1)  # what both have in common, then one record for each
    found: list[float] = np.sort(np.abs(drawn[:, -1] - drawn[:, -2]) / rows).tolist()
    return found


def law_of_largest(distance: float, samples: int = 285, rows: int = 5) -> float:
    """How likely the largest of so many sampled distances is at most this."""
    return float((2 * Normal().cdf(rows * distance / sqrt(2)) - 1) ** samples)


def sampled_distances() -> Figure:
    """Sampled distances in order, with the one that is taken; and which one is taken, by γ."""
    plan = sampling_plan(gamma="0.1")
    found = distances(1, plan.samples)
    ranks = [float(rank) for rank in range(1, plan.samples + 1)]
    taken = Mark(f"taken: {found[plan.order - 1]:.3f}", y=found[plan.order - 1])
    printed = Mark(f"printed: {PRINTED:.3f}", y=PRINTED)
    left = Plot(Axis("rank"), Axis("distance", zero=True), (Curve("sampled distances", ranks, found, steps=True), taken, printed),
                "285 pairs of tables", 330, 230)  # fmt: skip
    gammas = ["0.5", "0.33", "0.2", "0.1", "0.05", "0.02", "0.01"]
    pairs = [float(sampling_plan(gamma=each).samples) for each in gammas]
    right = Plot(Axis("γ", log=True, ticks=(0.01, 0.1, 0.5)), Axis("pairs to draw", log=True, ticks=(10, 100, 1000, 10_000)),
                 (Curve("pairs", [float(each) for each in gammas], pairs),), "What γ asks for", 330, 230)  # fmt: skip
    alt = (
        f"Left, 285 sampled distances between means of five normals, in order: they rise to {found[-1]:.3f}, which is "
        f"taken as the sensitivity; the package once printed {PRINTED:.3f}. Right, how many pairs a γ asks for, on "
        "logarithmic axes: 8 at 0.5, 285 at 0.1, 1305 at 0.05, 41 971 at 0.01."
    )
    return Figure("Sampled sensitivity", alt, (left, right), source="Ghosh: diffpriv, sensitivitySampler")


def vignette_mean() -> tuple[float, float]:
    """(the mean of 100 uniforms, the release that the package's vignette prints), after R's ``set.seed(53079239)``."""
    r = R(53_079_239)
    mean = float(r.runif(100).mean())
    noise = r.rexp(1, 100) - r.rexp(1, 100)  # Laplace noise of scale 1/100, as the package draws it
    return mean, mean + float(noise[0])


# ---- functions


def wave(x: float) -> float:
    """x sin(10 x), the vignette's function."""
    return x * sin(10 * x)


def released_function() -> Figure:
    """A function, its polynomial, and five releases of it."""
    law = Bernstein(epsilon=5, sensitivity="0.01", degree=25)
    xs = np.linspace(0, 1, 101)
    plain, r = law.without_noise(wave), R(25)
    curves = [Curve("x sin(10 x)", xs.tolist(), [wave(x) for x in xs]), Curve("its polynomial", xs.tolist(), _along(plain, xs))]
    values = np.array([wave(float(x)) for (x,) in law.lattice])
    scale = float(law.noise.scale)
    for _ in range(5):  # drawn with R's generator, so that the picture stays as it is
        noisy = type(plain)(values + r.rlaplace(values.size, 0, scale))
        curves.append(Curve("five releases", xs.tolist(), _along(noisy, xs)))
    alt = (
        "The function x sin(10 x) on 0 to 1, its Bernstein polynomial of degree 25, which is flatter, 0.110 where the "
        "function is 0.182 at x = 0.2, and five releases at ε = 5 and sensitivity 0.01, which waver around the "
        "polynomial by a few hundredths."
    )
    plot = Plot(Axis("x"), Axis("y"), tuple(curves), width=520, height=300)
    return Figure("A function, released", alt, (plot,), source="Ghosh: diffpriv, DPMechBernstein; Aldà and Rubinstein")


def _along(function: Callable[..., object], xs: "np.ndarray") -> list[float]:
    return [float(each) for each in np.asarray(function(xs))]


def vignette_rows() -> list[tuple[float, float]]:
    """The 250 made-up points of the package's second vignette, after R's ``set.seed(3033362)``."""
    r = R(3_033_362)
    xs = r.runif(250)
    ys = np.sin(10 * xs) * xs + r.rnorm(250, 0, 0.2)
    return list(zip(xs.tolist(), ys.tolist(), strict=True))


def priestley_chao(rows: Sequence[tuple[float, float]], bandwidth: float = 0.1) -> Callable[[float], float]:
    """Kernel regression by Priestley and Chao: weights are the gaps between neighbouring x, times y."""
    points = np.array(sorted(rows))
    at, weights = points[1:, 0], np.diff(points[:, 0]) * points[1:, 1]

    def predict(x: float) -> float:
        return float((weights * Normal(x, bandwidth).pdf(at)).sum())

    return predict


# ---- the same in other systems


def two_worlds() -> Figure:
    """The Laplace density of R and NumPy, and what is really drawn here, at the same scale."""
    xs = np.linspace(-6, 6, 241)
    drawn = Laplace(scale=1)
    whole = [float(z) for z in range(-6, 7)]
    curve = Curve("R, NumPy: density of Laplace(0, 1)", xs.tolist(), Continuous(0, 1).pdf(xs).tolist())
    dots = Dots("discreet: probability of each whole number", whole, [float(drawn.pmf(int(z))) for z in whole])  # type: ignore[arg-type]
    most = float(drawn.pmf(0))  # type: ignore[arg-type]
    alt = (
        "The density of the Laplace law of scale 1, a peak of 0.5 at 0, and the probabilities of the noise that is drawn "
        f"here: dots at the whole numbers, {most:.3f} at 0 and {exp(-1) * most:.3f} at 1 and −1, each 1/e of the one "
        "before, as the curve falls."
    )
    plot = Plot(Axis("noise", ends=(-6.4, 6.4)), Axis("density, probability", zero=True), (curve, dots), width=480)
    return Figure("The same scale in two worlds", alt, (plot,))
