"""Keys that no public list names: which question needs such a choice, and its plan once they are chosen. Rule 24."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from discreet.engines.wanted import ByValue
from discreet.errors import QuestionError
from discreet.facts.model import EachRow, Facts, Integer, Number
from discreet.planning.caps import matches_of, reach_of
from discreet.planning.cells import MOST_CELLS, unknown_key
from discreet.planning.plan import Axis, Plan
from discreet.questions.algebra import Aggregate, AggregateKind, Column, Expression, Question
from discreet.questions.disjoint import is_per_unit
from discreet.questions.text import to_text
from discreet.remedies import Remedy
from discreet.statistics.keys import Keys, KeysDraft, keys_told
from discreet.statistics.part import Released

__all__ = ["keys_draft", "opened"]


def keys_draft(question: Question, facts: Facts, aggregates: Sequence[Aggregate]) -> KeysDraft | None:
    """The choice of keys that the question needs; None if all its keys are public."""
    places = [place for place, key in enumerate(question.keys) if unknown_key(key, facts)]
    if not places:
        return None
    named = to_text(question.keys[places[0]])
    if len(places) > 1:
        raise QuestionError(
            f"{named} and {to_text(question.keys[places[1]])} are both keys without a public list of values",
            hint="group by one of them, or declare the values of the other",
        )
    reach = reach_of(question, facts)
    if reach is not None and reach.groups >= MOST_CELLS:
        how = Remedy("write {max_groups=5} beside {epsilon=1} and {delta=1e-6}")
        raise QuestionError("nothing limits how many keys one unit may have", hint=how)
    if reach is None and matches_of(question, facts) > 1:
        raise QuestionError(
            f"{named} is a key without a public list of values, and one row may become several here",
            hint="declare its values, or join lookups whose max_matches is 1",
        )
    counted: AggregateKind = "count_rows" if isinstance(facts.unit, EachRow) else "count_units"
    is_count = list(aggregates) == [Aggregate(counted)] and len(question.keys) == 1
    answered = ((Aggregate(counted),),) if is_count else ()
    what = f"keys {named}, {to_text(Aggregate(counted))}" if is_count else f"keys {named}"
    key = question.keys[places[0]]
    cuts = reach is not None and not is_per_unit(key, facts)
    if cuts and facts.located is not None and facts.located.kind == "spark" and _is_number(key, facts):
        what_spark_does = f"{named} is a number without a public list of values, which Spark writes in its own way"
        raise QuestionError(what_spark_does, hint=_instead(key, facts))  # units would choose other keys there than elsewhere
    groups = None if reach is None else reach.groups if cuts else 1
    is_capped = not cuts or any(cap is not None for cap in (question.caps.groups, getattr(facts.unit, "max_groups", None)))
    return KeysDraft(places[0], answered, groups, cuts, what, _instead(key, facts), is_capped)


def _is_number(key: Expression, facts: Facts) -> bool:
    return isinstance(key, Column) and isinstance(facts.column(key.name), Number | Integer)


def _instead(key: Expression, facts: Facts) -> str:
    match facts.column(key.name) if isinstance(key, Column) else None:
        case Number():
            return f"group by BIN({to_text(key)}, width)"
        case Integer():
            return "declare lower and upper in the facts"
        case _:
            return "declare a category in the facts"


# ---- the plan once they are known


def opened(plan: Plan, released: Released) -> Plan:
    """The plan with the keys that were chosen in place of those that were not known."""
    keys = plan.vectors[0] if plan.vectors else None
    if not isinstance(keys, Keys) or not plan.wanted.keys or len(plan.axes[keys.place].values):
        return plan
    values = keys_told(released[0])
    shown = tuple(int(value) if isinstance(value, float) and value.is_integer() else value for value in values)
    exact = tuple(value if isinstance(value, str) else Fraction(value) for value in values)
    axes, wanted = list(plan.axes), list(plan.wanted.keys)
    axes[keys.place] = Axis(shown)
    wanted[keys.place] = ByValue(plan.question.keys[keys.place], exact)
    return replace(plan, axes=tuple(axes), wanted=replace(plan.wanted, keys=tuple(wanted)))
