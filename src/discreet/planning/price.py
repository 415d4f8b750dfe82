"""The price of a whole question, however many statistics it takes inside."""

from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive
from discreet.privacy.losses import Approximate, Concentrated, Pure, delta_between
from discreet.remedies import Remedy

__all__ = ["LEAST", "Price", "read_price"]

Price = Pure | Concentrated | Approximate
LEAST = Fraction(1, 10**12)  # an epsilon that buys nothing but noise, and noise that 64 bits still hold
_HOW = Remedy("write {epsilon=0.1}, or {rho=0.01}, or {epsilon=1} and {delta=1e-6}")


def read_price(*, epsilon: Number | None = None, delta: Number | None = None, rho: Number | None = None) -> Price:
    """epsilon buys pure mechanisms, rho Gaussian noise, epsilon with delta Gaussian noise too."""
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("a price is rho, or epsilon with or without delta, not both", hint=_HOW)
        return Concentrated(rho=_worth_something(exact_positive(rho, "rho"), "rho", LEAST**2))
    if epsilon is None:
        raise ParameterError("the question has no price", hint=_HOW)
    price = _worth_something(exact_positive(epsilon, "epsilon"), "epsilon", LEAST)
    if delta is None or (slack := delta_between(delta)) == 0:
        return Pure(epsilon=price)
    return Approximate(epsilon=price, delta=slack)


def _worth_something(price: Fraction, name: str, least: Fraction) -> Fraction:
    if price < least:
        raise ParameterError(f"{name} is too small to buy anything", hint=Remedy(f"write {{{name}={float(least):g}}} or more"))
    return price
