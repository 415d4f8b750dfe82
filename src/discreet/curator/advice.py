"""What a plan's price buys, and advice about it. Public facts alone; never silent (rule 35)."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import assert_never

from discreet.answers.quote import QuotedColumn
from discreet.facts.model import Budget, ByColumn, Facts, Integer, Number
from discreet.ledger.entries.chain import now
from discreet.planning.caps import matches_of
from discreet.planning.plan import Plan
from discreet.planning.purchase import Purchase
from discreet.plots.numerals import grouped
from discreet.privacy.events import GaussianRelease
from discreet.privacy.events import Sequence as InSequence
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.algebra import Aggregate
from discreet.questions.text import name_text, to_text
from discreet.statistics.bounds import Found
from discreet.statistics.part import Part
from discreet.views.few import count_beside, uncounted, wider_count

__all__ = [
    "advice_on", "first_question", "free_parts", "join_notes", "no_keys", "past_end", "sizes_told", "split_of", "warnings_for",
]  # fmt: skip

_TOO_MUCH = 10
_TINY = Fraction(1, 1 << 20)  # what is found below this was found among buckets that nobody's amounts are in


def split_of(purchase: Purchase) -> tuple[tuple[str, Loss], ...]:
    """What each bought vector costs of the price."""
    plan, bought = purchase.plan, [purchase.plan.vectors[place] for place in purchase.bought]
    match plan.price:
        case Pure(epsilon=epsilon):
            return tuple((vector.what, Pure(epsilon=epsilon * vector.share)) for vector in bought)
        case Concentrated(rho=rho):
            return tuple((vector.what, Concentrated(rho=rho * vector.share)) for vector in bought)
        case Approximate() if any(each.takes_delta for each in plan.vectors):
            return tuple((vector.what, _with_keys(vector, plan.price)) for vector in bought)
        case Approximate(epsilon=epsilon):
            pure = [(each.what, Pure(epsilon=epsilon * each.share)) for each in bought if each.is_first]
            others = ", ".join(vector.what for vector in bought if not vector.is_first)
            return (*pure, (others, _claimed(purchase))) if others else ()
        case _:
            assert_never(plan.price)


def free_parts(purchase: Purchase) -> tuple[str, ...]:
    """What was bought before."""
    return tuple(dict.fromkeys(purchase.plan.vectors[place].what for place in purchase.free))


def _with_keys(vector: Part, price: Approximate) -> Loss:
    """Keys take the delta, and all else is pure."""
    epsilon = price.epsilon * vector.share
    return Approximate(epsilon=epsilon, delta=price.delta) if vector.takes_delta else Pure(epsilon=epsilon)


def _claimed(purchase: Purchase) -> Loss:
    """The one claim for all that follows the bounds."""
    event = purchase.event.parts[-1] if isinstance(purchase.event, InSequence) else purchase.event
    assert isinstance(event, GaussianRelease)
    assert event.claim is not None
    return event.claim


def warnings_for(plan: Plan) -> tuple[str, ...]:
    """Advice about the price of a question."""
    found = [each for each in plan.vectors if isinstance(each, Found)]
    bounds = [note for each in found for note in _about(each, plan.facts)]
    notes = (note for each in plan.vectors for note in each.notes())
    return (*advice_on(plan.price, plan.facts), *bounds, *notes, *_uncounted(plan))


def _uncounted(plan: Plan) -> tuple[str, ...]:
    """Where no count tells that a group is empty, its statistic is a number all the same. Rule 28."""
    is_part = bool(plan.question.keys) or plan.question.where is not None
    found = [each for each in uncounted(plan) if is_part or each.filter is not None]
    by_count: dict[Aggregate | None, list[Aggregate]] = {}
    for each in found:
        by_count.setdefault(wider_count(each, plan), []).append(each)
    return tuple(_note(count, each, plan) for count, each in by_count.items())


def _note(count: Aggregate | None, found: list[Aggregate], plan: Plan) -> str:
    """Where such statistics are shown although there may be no rows, and which counts would tell."""
    names, counts = ", ".join(map(to_text, found)), dict.fromkeys(count_beside(each, plan.facts) for each in found)
    beside = ", ".join(map(to_text, counts))
    if plan.question.per_unit is not None:  # what the question calls a value of units, nobody knows here
        names, beside = names.replace('"', ""), "for a count of the same"
    if count is None:
        return f"{names}: also where there are no rows, since no count of the same rows tells; ask {beside} beside it"
    return f"{names}: too few rows by {_as_written(count, plan.facts)}, which counts others too; ask {beside} beside it"


def _as_written(count: Aggregate, facts: Facts) -> str:
    """A count as people write it: of units by their column."""
    unit = name_text(facts.unit.column) if isinstance(facts.unit, ByColumn) else "unit"
    return to_text(count).replace("COUNT_UNITS(*)", f"COUNT(DISTINCT {unit})", 1)


def _about(found: Found, facts: Facts) -> list[str]:
    """How bounds will be found; once they are, what there is to repeat if nothing public says that there were rows enough."""
    least, size = grouped(_least_rows(found)), facts.rows if facts.rows is not None else facts.rows_about
    if not _is_found(found, facts):
        beyond = grouped(_least_rows(found) // 2)
        few = f"with fewer than {least} rows they are unreliable"
        return [f"{found.what} are found among powers of two, where about {beyond} rows lie beyond; {few}"]
    is_enough = size is not None and size >= _least_rows(found)
    told = [] if is_enough else [f"bounds found for {found.column} are unreliable with fewer than {least} rows"]
    return told + ([_next_to_zero(found)] if _are_next_to_zero(found.of(facts)) else [])


def _next_to_zero(found: Found) -> str:
    return (f"bounds found for {found.column} are next to 0: nearly all of its values seem to be 0, and all others count as such "
            "a bound; declare lower and upper, or ask WHERE it is not 0")  # fmt: skip


def _are_next_to_zero(column: Number | Integer) -> bool:
    """Whether no bucket but those for next to nothing is between the bounds."""
    assert column.lower is not None
    assert column.upper is not None
    most = Fraction(2) if isinstance(column, Integer) else _TINY
    return -most <= column.lower and column.upper <= most


def _least_rows(found: Found) -> int:
    return 2 * max(end.rows_beyond for end in found.ends)


def _is_found(found: Found, facts: Facts) -> bool:
    """Whether the plan was opened: its facts have the bounds."""
    column = facts.column(found.column)
    return isinstance(column, Number | Integer) and column.lower is not None and column.upper is not None


def no_keys(purchase: Purchase) -> tuple[str, ...]:
    """What a quote says where keys were chosen before, and none was."""
    if purchase.plan.wanted.cells or purchase.finds:
        return ()
    return ("no key was released when they were bought, so that the answer has no rows; anew chooses again, and costs again",)


def sizes_told(columns: Sequence[QuotedColumn], released: Mapping[str, Sequence[int]], assuming: int | None) -> tuple[str, ...]:
    """What a quote says where released counts tell of groups that may be small, or of other sizes than were assumed. Rule 29."""
    told = [each for each in columns if each.basis == "released"]
    found = []
    if empty := max((sum(not rows for rows in released[each.name]) for each in told if any(released[each.name])), default=0):
        groups = max(len(released[each.name]) for each in told)
        found.append(f"{grouped(empty)} of {grouped(groups)} groups may have few rows or none, by a count already released: "
                     "the ± is that of the others")
    if told and assuming is not None:
        found.append(f"assuming {grouped(assuming)} rows is not used where a count was released: the ± is for what that says")
    return tuple(found)


def join_notes(plan: Plan) -> tuple[str, ...]:
    """What a quote says about joins: how many rows one row may become, which is what the noise is for. Rule 26."""
    joins = plan.question.joins
    if not joins:
        return ()
    names, times = " and ".join(join.table for join in joins), matches_of(plan.question, plan.facts)
    if times == 1:
        return (f"joined with {names}: a row meets at most 1 row, so that no unit counts for more than without",)
    return (f"joined with {names}: a row may become {times:,} rows, and the noise is for {times:,} times as much of each unit",)


def advice_on(loss: Loss, facts: Facts) -> tuple[str, ...]:
    """Advice about a price or a cap."""
    found = []
    if getattr(loss, "epsilon", Fraction(0)) > _TOO_MUCH:
        found.append("an epsilon above 10 hardly protects anyone")
    size = facts.rows or facts.rows_about
    if isinstance(loss, Approximate) and size and loss.delta > Fraction(1, size):
        found.append(f"a delta above 1/rows (about 1/{size}) may give single rows away")
    return tuple(found)


def past_end(budget: Budget) -> tuple[str, ...]:
    """Advice about a last day that is over."""
    if budget.expires is None or budget.expires.isoformat() >= now()[:10]:
        return ()
    return (f"expires is {budget.expires}, which is past: nothing can be asked",)


def first_question(facts: Facts) -> str:
    """A question that any table answers: of units whose rows nothing limits it counts them, and not their rows."""
    counted = "*"
    if isinstance(facts.unit, ByColumn) and facts.unit.max_rows is None:
        counted = f"DISTINCT {name_text(facts.unit.column)}"
    return f"SELECT COUNT({counted}) AS n FROM {name_text(facts.name)}"
