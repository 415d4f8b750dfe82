"""The price of a question: written down, or the least that keeps a wish."""

from collections.abc import Mapping
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole
from discreet.facts.model import Facts
from discreet.planning.behind import Counts
from discreet.planning.expected import price_within
from discreet.planning.price import Price, read_price
from discreet.questions.algebra import KeyOf, Question

__all__ = ["price_of", "public_name", "rows_assumed", "share_read"]

_LONGEST = 200


def price_of(
    question: Question,
    facts: Facts,
    epsilon: Number | None,
    delta: Number | None,
    rho: Number | None,
    within: Number | Mapping[str, Number] | None,
    confidence: Fraction,
    assuming: int | None,
    weights: Mapping[str, Number] | None,
    released: Counts | None,
) -> Price:
    """What the asker offers. A wish is turned into a price without looking at data (rule 29)."""
    if within is None:
        return read_price(epsilon=epsilon, delta=delta, rho=rho)
    if epsilon is not None or delta is not None or rho is not None:
        raise ParameterError("a question has a price or a wish, not both", hint="write epsilon=0.1, or within=500")
    numbers = [output.name for output in question.outputs if not isinstance(output.value, KeyOf)]
    wishes = within if isinstance(within, Mapping) else dict.fromkeys(numbers, within)
    exact = {name: exact_positive(value, "within") for name, value in wishes.items()}
    return price_within(question, facts, exact, confidence, assuming, weights=weights, released=released)


def rows_assumed(assuming: int | None) -> int | None:
    """The size of a group that the asker supposes."""
    return None if assuming is None else exact_whole(assuming, "assuming", at_least=1)


def share_read(bounds_share: Number | None) -> Fraction | None:
    """The part of the price that finds bounds."""
    return None if bounds_share is None else exact_positive(bounds_share, "bounds_share")


def public_name(name: str | None, what: str) -> str:
    """The name of an analyst or the key of a request, as the ledger keeps it; empty if there is none."""
    if name is None:
        return ""
    if not isinstance(name, str) or not name.isprintable() or not 0 < len(name.strip()) <= len(name) <= _LONGEST:
        hint = f"write up to {_LONGEST} letters, digits and signs on one line"
        raise ParameterError(f"this is not a name for {what}=", hint=hint)
    return name
