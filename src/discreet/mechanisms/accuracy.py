"""Between a price and an error: intervals of noise, and the least price that buys a given one."""

from collections.abc import Callable
from fractions import Fraction
from math import ceil, exp, floor, log
from statistics import NormalDist

from discreet.errors import ParameterError
from discreet.exact import Number, exact_between, shown
from discreet.noise.law import Law
from discreet.noise.probabilities import Between, tail

__all__ = ["CLOSEST", "half_width", "least_price", "read_confidence", "to_float"]

CLOSEST = Fraction(1, 10**9)  # a confidence is no nearer to 0 or to 1: there nothing but the bounds can be told of some numbers


def read_confidence(confidence: Number) -> Fraction:
    """A confidence between 1e-9 and 1 - 1e-9, written 0.95 and not 95."""
    sure = exact_between(confidence, "confidence", 0, 1, closed_low=False, hint="write 0.95 for 95 %")
    if not CLOSEST <= sure <= 1 - CLOSEST:
        end, far = (shown(CLOSEST), "low") if sure < CLOSEST else (shown(1 - CLOSEST), "high")
        raise ParameterError(f"confidence is {shown(sure)}, too {far}", hint=f"write {end}, or 0.95 for 95 %")
    return sure


def half_width(law: Law, confidence: Fraction) -> int:
    """The least a with P(|Z| > a) <= 1 - confidence; beyond 2^60, one as close to it as probabilities are known."""
    outside = 1 - confidence

    def suffices(a: int) -> bool:
        return 2 * tail(law, a + 1)[1] <= outside

    low, high = -1, max(_guess(law, float(outside)), 0)  # low never suffices, high does in the end
    first = step = 1 + (high >> 50)  # a guess is good to about 50 binary digits
    while not suffices(high):
        low, high, step = high, high + step, 2 * step
    step = first
    while low < high - step and suffices(high - step):
        high, step = high - step, 2 * step
    low = max(low, high - step)
    while high - low > 1 + (high >> 60):
        middle = (low + high) // 2
        low, high = (low, middle) if suffices(middle) else (middle, high)
    return high


def _guess(law: Law, outside: float) -> int:
    """About the half width: the search above does not trust it."""
    outside = max(outside, 1e-300)
    if law.quadratic:
        return floor(Fraction(-NormalDist().inv_cdf(outside / 2)) * law.spread)
    return ceil(Fraction(log(2 / (outside * (1 + exp(-float(min(law.linear, Fraction(700)))))))) / law.linear) - 1


def least_price(meets: Callable[[Fraction], bool]) -> Fraction:
    """The least price of three significant digits that ``meets`` a wish; what meets it must be met by every higher price too."""
    power = Fraction(1)
    if meets(power):
        while meets(power / 10):
            power /= 10
            if power < Fraction(1, 10**12):
                raise ParameterError("the wish is met by almost no privacy loss", hint="ask for a smaller error")
        low, high = power / 10, power
    else:
        while not meets(power * 10):
            power *= 10
            if power > 10**6:
                raise ParameterError("no privacy loss up to a million meets the wish", hint="allow a larger error")
        low, high = power, power * 10
    unit = low / 100  # low fails and high suffices, with the digits 1.00 and 10.0
    fails, suffices = 100, 1000
    while suffices - fails > 1:
        middle = (fails + suffices) // 2
        fails, suffices = (fails, middle) if meets(middle * unit) else (middle, suffices)
    assert suffices * unit <= high
    return suffices * unit


def to_float(between: Between) -> float:
    """The middle of a narrow enclosure."""
    return float((between[0] + between[1]) / 2)
