"""How the numbers of a release came about: which mechanisms of a receipt stand behind which column.

A receipt lists mechanisms in the order of the plan's vectors, and of bounds that were found one for each end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, chain
from typing import Any

from discreet.planning.plan import Derived, Found, Keys, Plan, Ranks
from discreet.planning.vectors import aggregates_in_expression
from discreet.questions.algebra import Aggregate, Column, Expression, KeyOf
from discreet.questions.walk import every

__all__ = ["Ends", "Noise", "noise_in", "noise_of_column", "noise_of_ends", "vectors_behind"]


@dataclass(frozen=True, slots=True)
class Noise:
    """What was added to the numbers of a column, or how they were chosen, as the receipt has it.

    ``size`` says how much, ``about`` what else than the number itself it was done to: a bound that was found first.
    """

    law: str
    size: str
    step: str = "1"
    about: str = ""

    def __str__(self) -> str:
        step = "" if self.step == "1" else f", in steps of {self.step}"
        return f"{self.what}, {self.size}{step}"

    @property
    def what(self) -> str:
        """The law, after what it is about."""
        return f"{self.about}: {self.law}" if self.about else self.law

    @property
    def scale(self) -> str:
        """How much, where it is known that a scale is meant."""
        amount = self.size.removeprefix("scale ")
        return amount if self.step == "1" else f"{amount} steps of {self.step}"


Ends = tuple[tuple[Noise, ...], tuple[Noise, ...]]  # of the low and of the high end


def noise_in(mechanism: Mapping[str, Any]) -> Noise:
    """One mechanism of a receipt in words."""
    statistic = mechanism.get("statistic")
    about = f"{statistic} end, {mechanism['what']}" if statistic in ("lower", "upper") else ""
    return Noise(str(mechanism["noise"]), _size(mechanism), str(mechanism.get("step", "1")), about)


def _size(mechanism: Mapping[str, Any]) -> str:
    match mechanism:
        case {"scale": scale}:
            return f"scale {scale}"
        case {"variance": variance}:
            return f"variance {variance}"
        case {"selections": selections, "candidates": values}:
            each = list(dict.fromkeys(f"epsilon {one['epsilon']}" for one in selections))
            choices = "one choice" if len(selections) == 1 else f"{len(selections)} choices"
            return f"{choices} among {values} values at {' and '.join(each)}"
        case {"epsilon": epsilon, "delta": delta}:
            return f"epsilon {epsilon}, delta {delta}"
        case _:
            return "as the receipt says"


def noise_of_column(plan: Plan, value: Expression, receipt: Mapping[str, Any] | None) -> tuple[Noise, ...]:
    """What stands behind one output: of a key that no list names, how it was chosen; of a number, also how its bounds were."""
    if isinstance(value, KeyOf):
        keys = [i for i, each in enumerate(plan.vectors) if isinstance(each, Keys) and each.place == value.place]
        return _told(plan, keys, receipt)
    columns = {part.name for each in aggregates_in_expression(value) for part in every(each) if isinstance(part, Column)}
    found = [i for i, each in enumerate(plan.vectors) if isinstance(each, Found) and each.column in columns]
    return _told(plan, [*vectors_behind(plan, value), *found], receipt)


def noise_of_ends(plan: Plan, value: Expression, receipt: Mapping[str, Any] | None) -> Ends:
    """How the low and the high end of a value that was chosen were chosen themselves; nothing where ends follow from noise."""
    if not isinstance(value, Aggregate):
        return (), ()
    ranks = {i: each for i, each in enumerate(plan.vectors) if isinstance(each, Ranks)}
    own = {(each.of, each.filter, each.kind) for i, each in ranks.items() if i in vectors_behind(plan, value)}
    low, high = (
        [i for i, each in ranks.items() if each.role == role and (each.of, each.filter, each.kind) in own]
        for role in ("low", "high")
    )
    return _told(plan, low, receipt), _told(plan, high, receipt)


def vectors_behind(plan: Plan, value: Expression) -> list[int]:
    """Which released vectors a number comes from."""
    sources = [plan.source(each) for each in aggregates_in_expression(value)]
    return list(dict.fromkeys(source.vector for source in sources if isinstance(source, Derived)))


def _told(plan: Plan, vectors: Sequence[int], receipt: Mapping[str, Any] | None) -> tuple[Noise, ...]:
    """The mechanisms of these vectors."""
    if receipt is None:
        return ()
    sizes = [len(each.ends) if isinstance(each, Found) else 1 for each in plan.vectors]
    starts = list(accumulate(sizes, initial=0))
    places = chain.from_iterable(range(starts[i], starts[i + 1]) for i in vectors)
    return tuple(noise_in(receipt["mechanisms"][place]) for place in places)
