"""How one price is shared out: equally over the vectors that are released, or in proportion to weights that the asker names."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from discreet.errors import QuestionError
from discreet.exact import Number, exact_positive
from discreet.planning.choosing import Choice, aggregates_in_expression
from discreet.planning.plan import Plan
from discreet.questions.algebra import Question
from discreet.statistics.bounds import Found

__all__ = ["LEAST_SHARE", "Weights", "check_weights", "shares_by", "weights_behind", "weights_of"]

Weights = Mapping[str, Number]

LEAST_SHARE = Fraction(1, 10**9)  # of a price: the noise that less would buy is beyond any use, and in the end beyond float64
_LONGEST = 2048  # binary digits of a share: about a hundred weights of six digits each


def check_weights(weights: Weights | None, asked: Sequence[tuple[Question, Choice]]) -> dict[str, Fraction]:
    """The weights as exact numbers. Refused unless each is positive and names a number of the answer, or what a vector is."""
    exact = {name: exact_positive(value, f"the weight of {name}") for name, value in (weights or {}).items()}
    valid = dict.fromkeys(name for question, choice in asked for name in _served(question, choice))
    if unknown := [name for name in exact if name not in valid]:
        names = ", ".join(valid) if valid else "nothing here: all of it is public and free"
        raise QuestionError(f"nothing that is paid for is called {unknown[0]!r}", hint=f"weigh {names}")
    return exact


def weights_of(question: Question, choice: Choice, weights: Mapping[str, Fraction]) -> tuple[Fraction, ...]:
    """One weight for each vector: the largest that is named for anything it serves, its own if none is."""
    served = _served(question, choice)
    named: list[list[Fraction]] = [[] for _ in choice.drafts]
    for name, weight in weights.items():
        for place in served.get(name, ()):
            named[place].append(weight)
    return tuple(max(found, default=draft.weight) for found, draft in zip(named, choice.drafts, strict=True))


def weights_behind(plan: Plan) -> dict[str, Fraction]:
    """Weights at which its question alone, at its price, is planned as it was; none where all have their own weights."""
    weighed = [vector for vector in plan.vectors if not isinstance(vector, Found)]  # these have a share that is said elsewhere
    if len({vector.share / vector.weight for vector in weighed}) < 2:
        return {}
    return {vector.what: vector.share for vector in weighed}


def _served(question: Question, choice: Choice) -> dict[str, tuple[int, ...]]:
    """Which vectors a name stands for: the one that quotes call so, or else those behind the output of that name."""
    by_aggregate = {each: place for place, d in enumerate(choice.drafts) for group in d.aggregates for each in group}
    found: dict[str, tuple[int, ...]] = {draft.what: (place,) for place, draft in enumerate(choice.drafts)}
    for output in question.outputs:
        places = dict.fromkeys(by_aggregate[a] for a in aggregates_in_expression(output.value) if a in by_aggregate)
        if places:
            found.setdefault(output.name, tuple(places))
    return found


def shares_by(weights: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """Shares in proportion to the weights; together exactly 1."""
    total = sum(weights, start=Fraction(0))
    shares = tuple(weight / total for weight in weights)
    if any(share < LEAST_SHARE for share in shares):
        raise QuestionError(
            "the weights are so far apart that something gets less than a billionth of the price",
            hint="use weights between 1 and 100, or ask for less at once",
        )
    if any(share.denominator.bit_length() > _LONGEST for share in shares):  # so that every share can be read back as a weight
        raise QuestionError("the weights have too many digits together", hint="round them: '0.3', 2 or '1/3' will do")
    return shares
