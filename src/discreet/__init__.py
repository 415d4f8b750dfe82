"""discreet: a trusted curator for confidential tables.

    import discreet as dc
    dc.Laplace(epsilon="0.1", sensitivity=1).release(51)

Names are imported when they are first used, so that ``import discreet`` stays quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet import noise, testing
    from discreet.answers import Answer, Quote
    from discreet.curator import open_table as open  # noqa: A004 - dc.open, as files are opened
    from discreet.curator import table
    from discreet.errors import (
        AccessError,
        BudgetError,
        DiscreetError,
        EngineFault,
        FactsError,
        Fault,
        LedgerFault,
        ParameterError,
        QuestionError,
        Refused,
    )
    from discreet.facts.make import boolean, category, date, integer, number, text, timestamp
    from discreet.lessons import distributions
    from discreet.mechanisms import Exponential, Gaussian, Laplace
    from discreet.privacy import Approximate, Concentrated, Pure, group, parallel, sequential, zCDP
    from discreet.questions.builder import bin, count, mean, stddev, sum, variance  # noqa: A004 - dc.sum, as in SQL
    from discreet.sensitivities import sensitivity

__all__ = [
    "AccessError",
    "Answer",
    "Approximate",
    "BudgetError",
    "Concentrated",
    "DiscreetError",
    "EngineFault",
    "Exponential",
    "FactsError",
    "Fault",
    "Gaussian",
    "Laplace",
    "LedgerFault",
    "ParameterError",
    "Pure",
    "QuestionError",
    "Quote",
    "Refused",
    "bin",
    "boolean",
    "category",
    "count",
    "date",
    "distributions",
    "group",
    "integer",
    "mean",
    "noise",
    "number",
    "open",
    "parallel",
    "sensitivity",
    "sequential",
    "stddev",
    "sum",
    "table",
    "testing",
    "text",
    "timestamp",
    "variance",
    "zCDP",
]

__version__ = "0.1.0"

_ROOMS = {  # where each public name lives
    "errors": (
        "AccessError",
        "BudgetError",
        "DiscreetError",
        "EngineFault",
        "FactsError",
        "Fault",
        "LedgerFault",
        "ParameterError",
        "QuestionError",
        "Refused",
    ),
    "answers": ("Answer", "Quote"),
    "curator": ("table",),
    "facts.make": ("boolean", "category", "date", "integer", "number", "text", "timestamp"),
    "mechanisms": ("Exponential", "Gaussian", "Laplace"),
    "privacy": ("Approximate", "Concentrated", "Pure", "group", "parallel", "sequential", "zCDP"),
    "questions.builder": ("bin", "count", "mean", "stddev", "sum", "variance"),
    "sensitivities": ("sensitivity",),
}
_MODULES = {"distributions": "lessons.distributions", "noise": "noise", "testing": "testing"}


def __getattr__(name: str) -> Any:
    if name == "open":
        return import_module("discreet.curator").open_table
    if name in _MODULES:
        return import_module(f"discreet.{_MODULES[name]}")
    for room, names in _ROOMS.items():
        if name in names:
            return getattr(import_module(f"discreet.{room}"), name)
    raise AttributeError(f"module 'discreet' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
