"""What a plan's price buys, and advice about it. Public facts alone; never silent (rule 35)."""

from fractions import Fraction
from typing import assert_never

from discreet.facts.model import Facts
from discreet.planning.plan import Plan
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

__all__ = ["advice_on", "split_of", "warnings_for"]

_TOO_MUCH = 10


def split_of(plan: Plan) -> tuple[tuple[str, Loss], ...]:
    """What each released vector costs of the price."""
    match plan.price:
        case Pure(epsilon=epsilon):
            return tuple((vector.what, Pure(epsilon=epsilon * vector.share)) for vector in plan.vectors)
        case Concentrated(rho=rho):
            return tuple((vector.what, Concentrated(rho=rho * vector.share)) for vector in plan.vectors)
        case Approximate():
            return ((", ".join(vector.what for vector in plan.vectors), plan.price),) if plan.vectors else ()
        case _:
            assert_never(plan.price)


def warnings_for(plan: Plan) -> tuple[str, ...]:
    """Advice about the price of a question."""
    return advice_on(plan.price, plan.facts)


def advice_on(loss: Loss, facts: Facts) -> tuple[str, ...]:
    """Advice about a price or a cap."""
    found = []
    if getattr(loss, "epsilon", Fraction(0)) > _TOO_MUCH:
        found.append("an epsilon above 10 hardly protects anyone")
    size = facts.rows or facts.rows_about
    if isinstance(loss, Approximate) and size and loss.delta > Fraction(1, size):
        found.append(f"a delta above 1/rows (about 1/{size}) may give single rows away")
    return tuple(found)
