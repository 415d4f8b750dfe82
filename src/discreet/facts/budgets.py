"""The budget of a table: from its entries in a facts file, or from what Python was given."""

from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from discreet.errors import ParameterError
from discreet.exact import shown
from discreet.facts.model import Budget
from discreet.facts.sections import Section, refuse_first
from discreet.facts.values import day, name, number, one_of, positive, said
from discreet.facts.vocabulary import BUDGET, LOSS, an
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

__all__ = ["budget_entries", "parse_budget", "read_budget"]


def parse_budget(value: object) -> Budget:
    """``1``, ``"0.5"``, ``{"epsilon": 1, "delta": "1e-6"}``, ``{"rho": "0.5"}``, a loss, or a whole [budget] as a dict."""
    found = Section({"budget": budget_entries(value)})
    section = found.section("budget")
    budget = read_budget(section) if section else None
    refuse_first(found.found)
    assert budget is not None
    return budget


def budget_entries(value: object) -> dict[str, object]:
    """A budget in any of the forms that Python takes, as the entries of [budget]. Nothing is checked yet."""
    match value:
        case Budget():
            entries = {key: getattr(value, key) for key in BUDGET if key not in LOSS}
            return {key: kept for key, kept in (_loss_entries(value.cap) | entries).items() if kept is not None}
        case Mapping():
            return {str(key): kept for key, kept in value.items() if kept is not None}
        case Pure() | Approximate() | Concentrated():
            return _loss_entries(value)
        case _:
            return {"epsilon": value}


def _loss_entries(loss: Loss) -> dict[str, object]:
    match loss:
        case Pure(epsilon=epsilon):
            return {"epsilon": epsilon}
        case Approximate(epsilon=epsilon, delta=delta):
            return {"epsilon": epsilon, "delta": delta}
        case Concentrated(rho=rho):
            return {"rho": rho}
        case _:
            assert_never(loss)


def read_budget(section: Section) -> Budget | None:
    """The budget that the entries declare; whether its partition is a declared category is not known here."""
    section.only(BUDGET, "[budget]")
    cap = _loss(section)
    partition = section.read("partition", name)
    largest = section.read("max_epsilon_per_question", positive)
    expires = section.read("expires", day)
    accounting = section.read("accounting", one_of("basic", "concentrated"))
    if cap is None:
        return None
    return Budget(cap, _accounting(section, cap, accounting), partition, _per_analyst(section, cap), largest, expires)


def _loss(section: Section) -> Loss | None:
    epsilon, delta, rho = section.read("epsilon", positive), section.read("delta", _delta), section.read("rho", positive)
    if "rho" in section.entries:
        for key in ("epsilon", "delta"):
            if key in section.entries:
                section.wrong(key, f"{key} stands beside rho", "write epsilon with delta, or rho alone")
        return None if rho is None else Concentrated(rho=rho)
    if "epsilon" not in section.entries:
        section.wrong("epsilon", "epsilon is missing", "write how much may be spent, such as epsilon = 1 or rho = 0.5")
    if epsilon is None:
        return None
    return Approximate(epsilon=epsilon, delta=delta) if delta else Pure(epsilon=epsilon)


def _delta(value: object, key: str) -> Fraction:
    found = number(value, key)
    if not 0 <= found < 1:
        raise ParameterError(f"{key} is {said(value)}, not between 0 and 1", hint="write a small delta such as 1e-6")
    return found


def _accounting(section: Section, cap: Loss, written: str | None) -> str:
    """In rho where the facts say so, or where the cap is one."""
    if written == "basic" and isinstance(cap, Concentrated):
        section.wrong("accounting", "accounting is basic, which does not count rho",
                      hint='write accounting = "concentrated", or a cap in epsilon')
    if written == "concentrated" and isinstance(cap, Pure):
        section.wrong("accounting", "accounting is concentrated, which needs a delta above 0",
                      hint="write delta = 1e-6 beside epsilon, or a cap in rho")
    return written or ("concentrated" if isinstance(cap, Concentrated) else "basic")


def _per_analyst(section: Section, cap: Loss) -> Loss | None:
    """What one analyst may spend: a loss of the same kind as the cap, and not above it."""
    if "per_analyst" not in section.entries:
        return None
    inner = Section(budget_entries(section.entries["per_analyst"]), (*section.path, "per_analyst"), section.found)
    inner.only(LOSS, "per_analyst")
    limit = _loss(inner)
    if limit is None:
        return None
    if type(limit) is not type(cap):
        form = ", ".join(f"{key} = …" for key in _loss_entries(cap))
        section.wrong("per_analyst", "per_analyst is another kind of loss than the cap",
                      hint=f"write per_analyst = {{ {form} }}")
        return None
    for key, most in _loss_entries(cap).items():
        assert isinstance(most, Fraction)
        if getattr(limit, key) > most:
            section.wrong("per_analyst", f"per_analyst has {an(key)} above that of the cap",
                          hint=f"write {an(key)} of at most {shown(most)}")
    return limit
