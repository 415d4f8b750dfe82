"""Pages about the promise itself: e^ε and 1 + ε, groups, how far off an answer is, and the loss as a random variable."""

from collections.abc import Callable
from math import exp, log1p, pi, sqrt

import numpy as np

from discreet.gallery.choosing import chebyshev
from discreet.lessons.distributions import Laplace as Continuous
from discreet.mechanisms import Laplace
from discreet.plots.figure import Axis, Bars, Curve, Figure, Mark, Plot
from discreet.privacy import Approximate, Concentrated, Pure, group
from discreet.privacy.curves import continuous_gaussian_delta
from discreet.privacy.distribution import LossDistribution, loss_distribution

__all__ = ["chebyshev_width", "groups", "how_far_off", "loss_of_group", "loss_variable", "mean_loss", "two_promises"]

PEOPLE = 150  # in the survey's example of a share


def two_promises() -> Figure:
    """e^ε beside 1 + ε, and the ε that a promise with 1 + ε is."""
    at = np.linspace(0, 3, 61).tolist()
    ratios = (Curve("e^ε", at, [exp(x) for x in at]), Curve("1 + ε", at, [1 + x for x in at]))
    left = Plot(Axis("ε"), Axis("largest ratio", zero=True), ratios, "What a ratio may be", 330, 230)
    worth = (Curve("written with 1 + ε: ln(1 + ε)", at, [log1p(x) for x in at]), Curve("written with e^ε: ε", at, at))
    usual = Axis("ε in the usual measure", zero=True)
    right = Plot(Axis("the ε that is written"), usual, worth, "What a promise is worth", 330, 230)
    alt = (
        "Left, e^ε and 1 + ε for ε from 0 to 3: together near 0, 1.105 and 1.1 at 0.1, 2.718 and 2 at 1, 20.1 and 4 at 3. "
        "Right, what a promise written with 1 + ε is in the usual measure: ln(1 + ε), so 0.693 for 1 and 1.386 for 3."
    )
    return Figure("e^ε and 1 + ε", alt, (left, right), source="CS208, expEpsilon.r")


def loss_of_group(epsilon: str, size: int) -> Pure:
    """What a release at ``epsilon`` costs for ``size`` people together."""
    found = group(Pure(epsilon=epsilon), size)
    assert isinstance(found, Pure)
    return found


def groups(most: int = 20) -> Figure:
    """e^{kε} by k, and what a group costs in ε and in ρ."""
    sizes = list(range(1, most + 1))
    across = [float(size) for size in sizes]
    ratios = tuple(
        Curve(f"ε = {epsilon}", across, [exp(loss_of_group(epsilon, size).epsilon) for size in sizes])
        for epsilon in ("0.1", "0.5", "1")
    )
    ratio = Axis("largest ratio e^kε", log=True, ends=(1, 1e9), ticks=(1, 10, 1000, 1e6, 1e9), form="~s")
    left = Plot(Axis("people in the group k"), ratio, ratios, "What a group can change", 330, 240)
    rho = [group(Concentrated(rho="0.005"), size) for size in sizes]
    curves = (
        Curve("ε = 0.1: kε", across, [float(loss_of_group("0.1", size).epsilon) for size in sizes]),
        Curve("ρ = 0.005: k²ρ", across, [float(loss.rho) for loss in rho if isinstance(loss, Concentrated)]),
    )
    right = Plot(Axis("people in the group k"), Axis("loss", zero=True), curves, "What it costs", 330, 240)
    alt = (
        "Left, the largest ratio e^kε against the size k of a group on a logarithmic scale: straight lines, steeper for "
        "larger ε; ten people at ε = 0.1 have what one has at ε = 1. Right, the loss of a group: kε grows in proportion, "
        "2 for twenty people at ε = 0.1, and k²ρ with the square, also 2 for twenty at ρ = 0.005."
    )
    return Figure("Groups", alt, (left, right), source="Ghosh: group privacy")


def chebyshev_width(outside: float, *, slip: bool = False, rows: int = PEOPLE, epsilon: float = 1) -> float:
    """The ± that Chebyshev's inequality asks for, so that a noisy share is outside with probability at most ``outside``."""
    return sqrt((1 if slip else 2) / outside) / (rows * epsilon)


def how_far_off() -> Figure:
    """How likely a noisy share of 150 people is off by more than t."""
    law = Continuous(0, 1 / PEOPLE)
    ts = np.linspace(0.002, 0.06, 117).tolist()
    curves = (
        Curve("exact", ts, [2 * law.cdf(-t) for t in ts]),
        Curve("Chebyshev", ts, [chebyshev(t * PEOPLE) for t in ts]),
        Curve("Chebyshev with the slip", ts, [chebyshev(t * PEOPLE, slip=True) for t in ts]),
    )
    half, wide = float(Laplace(epsilon=1, sensitivity=f"1/{PEOPLE}").half_width()), chebyshev_width(0.05)
    marks = (Mark("5 %", y=0.05), Mark(f"± {half:.4f}", x=half), Mark(f"± {wide:.4f}", x=wide))
    chance = Axis("probability", log=True, ends=(0.0001, 1), ticks=(0.0001, 0.001, 0.01, 0.1, 1), form="~p")
    alt = (
        "How likely a share of 150 people with noise at ε = 1 is off by more than t, on a logarithmic scale. The exact "
        f"curve is straight and passes 5 % at {half:.4f}. Chebyshev's bound lies far above it and passes 5 % at "
        f"{wide:.4f}; with the slip in the variance it would at {chebyshev_width(0.05, slip=True):.4f}."
    )
    return Figure("How far off is a noisy share?", alt, (Plot(Axis("off by more than t"), chance, (*curves, *marks), width=480),),
                  source="Ghosh: an example")  # fmt: skip


def loss_variable() -> Figure:
    """The loss of three mechanisms: two values, nearly a normal law, and one with a part that is infinite."""
    count = loss_distribution(Laplace(epsilon=1, sensitivity=1))
    failing = loss_distribution(Approximate(epsilon=1, delta="0.05"))
    deltas: dict[str, Callable[[float], float]] = {
        "count, ε = 1": count.delta,
        "Gaussian, ρ = ½": lambda level: continuous_gaussian_delta(level, 1),
        "ε = 1 and δ = 0.05": failing.delta,
    }
    places, chances = (each.tolist() for each in count.losses())
    bars = Bars("probability", places, chances, texts=[f"{chance:.4f}" for chance in chances], width=0.4)
    title = f"A count at ε = 1: {chances[0]:.4f}, {chances[1]:.4f}"
    first = Plot(Axis("loss", ends=(-3, 4)), Axis("probability", ends=(0, 1)), (bars,), title, 230, 190)
    xs = np.linspace(-3, 4, 141)
    bell = Curve("density", xs.tolist(), (np.exp(-((xs - 0.5) ** 2) / 2) / sqrt(2 * pi)).tolist())
    second = Plot(Axis("loss"), Axis("density", zero=True), (bell,), "Gaussian noise, ρ = ½", 230, 190)
    levels = [place / 100 for place in (*range(0, 90, 10), *range(90, 102), *range(110, 401, 10))]
    curves = tuple(Curve(name, levels, [max(delta(level), 1e-9) for level in levels]) for name, delta in deltas.items())
    small = Axis("δ", log=True, ends=(1e-4, 1), ticks=(0.0001, 0.001, 0.01, 0.1, 1), form="~p")
    third = Plot(Axis("ε"), small, curves, "δ(ε)", 300, 190)
    alt = (
        "Left, the loss of a count at ε = 1 has two values: 1 with probability 0.7311 and −1 with 0.2689. Middle, that "
        "of Gaussian noise with ρ = ½ is a bell around 0.5 that never ends. Right, the δ that goes with each ε: "
        f"{count.delta(0):.3f} at 0 and nothing from 1 on for the count; {continuous_gaussian_delta(1, 1):.3f} at ε = 1 "
        f"and falling for the Gaussian; never below {failing.delta(4):.2f} where that much of the loss is infinite."
    )
    source = "Ghosh: approximate differential privacy"
    return Figure("The loss as a random variable", alt, (first, second, third), columns=3, source=source)


def mean_loss(law: LossDistribution) -> float:
    """The expected loss: the Kullback–Leibler divergence of the two laws."""
    losses, weights = law.losses()
    return float((losses * weights).sum())
