"""The five pages with sliders, each from the functions that the gallery's figures use."""

from fractions import Fraction
from functools import cache

import numpy as np

from discreet.gallery.composing import race_errors
from discreet.gallery.sliders import Course, Output, Slider, SliderPage
from discreet.lessons.distributions import Laplace as Continuous
from discreet.mechanisms import Laplace
from discreet.privacy import Approximate, Pure
from discreet.privacy.compositions import compositions
from discreet.privacy.tradeoffs import tradeoff

__all__ = ["SLIDER_PAGES"]

_EPSILONS = ("0.05", "0.1", "0.2", "0.5", "1", "2", "3", "5")
_RATES = tuple(np.linspace(0, 1, 51).round(4).tolist())


def _tenths(first: int, last: int) -> tuple[str, ...]:
    return tuple(f"{tenth / 10:g}" for tenth in range(first, last + 1))


# ---- 6: two densities and their ratio


def _density(z: Fraction, epsilon: Fraction, moves: Fraction, at: Fraction) -> float:
    return Continuous(float(at), float(moves / epsilon)).pdf(float(z))


def _ratio(z: Fraction, epsilon: Fraction, moves: Fraction) -> float:
    """p(z | Δ) / p(z | 0), or the reverse where that is larger."""
    one, other = _density(z, epsilon, moves, Fraction(0)), _density(z, epsilon, moves, moves)
    return max(one / other, other / one)


_PLACES = tuple(np.linspace(-8, 12, 161).round(4).tolist())

_WHY = SliderPage(
    6, "Why it works: move z, ε and Δ",
    "Two neighbouring tables have the results 0 and Δ. The ratio of the two densities at z is never more than e^ε.",
    (Slider("z", "z", _tenths(-60, 100), "1.3"), Slider("epsilon", "ε", _EPSILONS, "1"),
     Slider("moves", "Δ", ("1", "2", "4"), "1")),
    (Output("density at z, result 0", ("z", "epsilon", "moves"), lambda z, e, d: _density(z, e, d, Fraction(0))),
     Output("density at z, result Δ", ("z", "epsilon", "moves"), lambda z, e, d: _density(z, e, d, d)),
     Output("ratio at z", ("z", "epsilon", "moves"), _ratio),
     Output("e^ε", ("epsilon",), lambda e: float(np.exp(float(e))))),
    _PLACES,
    (Course("result 0", ("epsilon", "moves"), lambda e, d: Continuous(0.0, float(d / e)).pdf(_PLACES).tolist()),
     Course("result Δ", ("epsilon", "moves"), lambda e, d: Continuous(float(d), float(d / e)).pdf(_PLACES).tolist())),
    ("output z", "density"), mark="z",
)  # fmt: skip


# ---- 8: ± by ε, Δ and n

_PRICES = ("0.01", "0.02", "0.05", "0.1", "0.2", "0.5", "1", "2", "5", "10")


@cache
def _half(epsilon: Fraction, width: Fraction, rows: Fraction) -> float:
    return float(Laplace(epsilon=epsilon, sensitivity=width / rows).for_floats().half_width())


_MORE = SliderPage(
    8, "More ε, more Δ: move ε, the range and n",
    "The 95 % ± of a mean of n values in a range of this width, n public. With n = 1 and a width of 1 it is a count.",
    (Slider("epsilon", "ε", _PRICES, "0.1"),
     Slider("width", "width of the range", ("1", "100", "10000", "500000", "1000000"), "1000000"),
     Slider("rows", "n", ("1", "10", "100", "994", "5133", "100000"), "994")),
    (Output("sensitivity Δ", ("width", "rows"), lambda width, rows: float(width / rows)),
     Output("scale Δ/ε", ("epsilon", "width", "rows"), lambda e, width, rows: float(width / rows / e)),
     Output("95 % ±", ("epsilon", "width", "rows"), _half)),
    tuple(map(float, _PRICES)),
    (Course("95 % ±", ("width", "rows"), lambda width, rows: [_half(Fraction(e), width, rows) for e in _PRICES]),),
    ("ε", "95 % ±"), (True, True), mark="epsilon",
)  # fmt: skip


# ---- 12: cells

_CELLS = tuple(map(str, range(2, 13)))

_RACES = SliderPage(
    12, "Six races: move c and ε",
    "Mean absolute error of counts in c cells whose total is public: as on the slide, and with noise of scale 2/ε in every cell.",
    (Slider("cells", "cells c", _CELLS, "6"), Slider("epsilon", "ε", _EPSILONS, "0.1")),
    (Output("slide: each of c − 1 cells", ("cells", "epsilon"), lambda c, e: race_errors(int(c), e).slide),
     Output("slide: the last cell", ("cells", "epsilon"), lambda c, e: race_errors(int(c), e).slide_last),
     Output("every cell at scale 2/ε", ("cells", "epsilon"), lambda c, e: race_errors(int(c), e).cells),
     Output("the same, summing to the total", ("cells", "epsilon"), lambda c, e: race_errors(int(c), e).projected),
     Output("what the slide really costs", ("cells", "epsilon"), lambda c, e: float(min(2, c - 1) * e / (c - 1)))),
    tuple(map(float, _CELLS)),
    (Course("slide: last cell", ("epsilon",), lambda e: [race_errors(int(c), e).slide_last for c in _CELLS]),
     Course("slide: others", ("epsilon",), lambda e: [race_errors(int(c), e).slide for c in _CELLS]),
     Course("scale 2/ε, summing to the total", ("epsilon",), lambda e: [race_errors(int(c), e).projected for c in _CELLS])),
    ("cells c", "mean absolute error"), mark="cells",
)  # fmt: skip


# ---- 17: the tester

_MUS = ("0.1", "0.25", "0.5", "1", "1.5", "2", "3")
_SLACKS = ("0", "0.000001", "0.01", "0.05", "0.1", "0.2")


def _of(e: Fraction, d: Fraction = Fraction(0)) -> list[float]:
    return [q for _, q in tradeoff(Approximate(epsilon=e, delta=d)).points(_RATES)]


_TESTER = SliderPage(
    17, "The tester: move ε, δ and μ",
    "The least rate of misses q at each rate of false alarms p, for whoever decides between two neighbouring tables.",
    (Slider("epsilon", "ε", _EPSILONS, "1"), Slider("delta", "δ", _SLACKS, "0.05"), Slider("mu", "μ", _MUS, "1")),
    (Output("pure: p = q at the corner", ("epsilon",), lambda e: 1 / (1 + float(np.exp(float(e))))),
     Output("pure: q at p = 0.1", ("epsilon",), lambda e: tradeoff(Pure(epsilon=e))("0.1")),
     Output("(ε, δ): q at p = 0.1", ("epsilon", "delta"), lambda e, d: tradeoff(Approximate(epsilon=e, delta=d))("0.1")),
     Output("Gaussian: q at p = 0.1", ("mu",), lambda m: tradeoff(mu=m)("0.1"))),
    _RATES,
    (Course("pure", ("epsilon",), _of), Course("(ε, δ)", ("epsilon", "delta"), _of),
     Course("Gaussian", ("mu",), lambda m: [q for _, q in tradeoff(mu=m).points(_RATES)])),
    ("false alarms p", "misses q"),
)  # fmt: skip


# ---- 22: a hundred questions

_COUNTS = ("1", "2", "5", "10", "20", "50", "100", "200")
_WAYS = ("basic", "advanced", "concentrated", "optimal", "exact")


@cache
def _total(epsilon: Fraction, delta: Fraction) -> dict[str, tuple[float, ...]]:
    mechanism = Laplace(epsilon=epsilon, sensitivity=1).for_floats()
    return dict(compositions(mechanism, counts=list(map(int, _COUNTS)), delta=delta).ways)


def _way(name: str) -> Output:
    by = ("count", "epsilon", "delta")
    return Output(name, by, lambda k, e, d: _total(e, d)[name][_COUNTS.index(str(k))])


def _course(name: str) -> Course:
    return Course(name, ("epsilon", "delta"), lambda e, d: _total(e, d)[name])


_HUNDRED = SliderPage(
    22, "A hundred questions: move k, ε and δ",
    "The total ε of k Laplace releases of ε each, in five ways. Only the first and the third may stop an asker who adapts.",
    (Slider("count", "releases k", _COUNTS, "100"), Slider("epsilon", "ε each", ("0.05", "0.1", "0.2", "0.5", "1"), "0.1"),
     Slider("delta", "δ", ("1e-9", "1e-6", "1e-4"), "1e-6")),
    tuple(map(_way, _WAYS)), tuple(map(float, _COUNTS)), tuple(map(_course, _WAYS)), ("releases k", "total ε"), (True, True),
    mark="count",
)  # fmt: skip

SLIDER_PAGES = (_WHY, _MORE, _RACES, _TESTER, _HUNDRED)
