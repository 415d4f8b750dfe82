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
    from discreet.audit import audit
    from discreet.client import connect
    from discreet.curator import open_table as open  # noqa: A004 - dc.open, as files are opened
    from discreet.curator import table
    from discreet.curator.office import register
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
        ServiceFault,
        SourceFault,
        TrialFault,
    )
    from discreet.facts.make import boolean, category, date, integer, lookup, number, text, timestamp
    from discreet.lessons import distributions
    from discreet.mechanisms import (
        AboveThreshold,
        Bernstein,
        Exponential,
        Gaussian,
        KeySelection,
        Laplace,
        NoisyMax,
        NoisyThreshold,
        PermuteAndFlip,
        RandomizedResponse,
    )
    from discreet.privacy import Approximate, Concentrated, Pure, group, parallel, sequential, zCDP
    from discreet.privacy.advanced import advanced_composition
    from discreet.privacy.compositions import compositions
    from discreet.privacy.distribution import loss_distribution
    from discreet.privacy.optimal import optimal_composition
    from discreet.privacy.tradeoffs import tradeoff
    from discreet.publishing.publish import publish
    from discreet.questions.measures import (
        at_caps,
        bin,  # noqa: A004 - dc.sum, as in SQL
        correlation,
        count,
        covariance,
        distinct,
        groups_per_unit,
        intercept,
        max,  # noqa: A004
        mean,
        median,
        min,  # noqa: A004
        mode,
        quantile,
        r_squared,
        rows_per_unit,
        slope,
        stddev,
        sum,  # noqa: A004
        variance,
    )
    from discreet.sensitivities import sampled_sensitivity, sensitivity

__all__ = [
    "AboveThreshold",
    "AccessError",
    "Answer",
    "Approximate",
    "Bernstein",
    "BudgetError",
    "BusyError",
    "Concentrated",
    "DiscreetError",
    "EngineFault",
    "Exponential",
    "FactsError",
    "Fault",
    "Gaussian",
    "KeySelection",
    "Laplace",
    "LedgerFault",
    "MissingError",
    "NoisyMax",
    "NoisyThreshold",
    "ParameterError",
    "PermuteAndFlip",
    "Pure",
    "QuestionError",
    "Quote",
    "RandomizedResponse",
    "Refused",
    "ServiceFault",
    "SourceFault",
    "TokenError",
    "TrialFault",
    "advanced_composition",
    "at_caps",
    "audit",
    "bin",
    "boolean",
    "category",
    "compositions",
    "connect",
    "correlation",
    "count",
    "covariance",
    "date",
    "distinct",
    "distributions",
    "group",
    "groups_per_unit",
    "integer",
    "intercept",
    "lookup",
    "loss_distribution",
    "max",
    "mean",
    "median",
    "min",
    "mode",
    "noise",
    "number",
    "open",
    "optimal_composition",
    "parallel",
    "publish",
    "quantile",
    "r_squared",
    "register",
    "rows_per_unit",
    "sampled_sensitivity",
    "sensitivity",
    "sequential",
    "slope",
    "stddev",
    "sum",
    "table",
    "testing",
    "text",
    "timestamp",
    "tradeoff",
    "variance",
    "zCDP",
]

__version__ = "0.2.0.dev0"

_ROOMS = {  # where each public name lives
    "errors": (
        "AccessError",
        "BudgetError",
        "BusyError",
        "DiscreetError",
        "EngineFault",
        "FactsError",
        "Fault",
        "LedgerFault",
        "MissingError",
        "ParameterError",
        "QuestionError",
        "Refused",
        "ServiceFault",
        "SourceFault",
        "TokenError",
        "TrialFault",
    ),
    "answers": ("Answer", "Quote"),
    "client": ("connect",),
    "curator": ("table",),
    "curator.office": ("register",),
    "facts.make": ("boolean", "category", "date", "integer", "lookup", "number", "text", "timestamp"),
    "mechanisms": (
        "AboveThreshold",
        "Bernstein",
        "Exponential",
        "Gaussian",
        "KeySelection",
        "Laplace",
        "NoisyMax",
        "NoisyThreshold",
        "PermuteAndFlip",
        "RandomizedResponse",
    ),
    "privacy": ("Approximate", "Concentrated", "Pure", "group", "parallel", "sequential", "zCDP"),
    "privacy.advanced": ("advanced_composition",),
    "privacy.compositions": ("compositions",),
    "privacy.distribution": ("loss_distribution",),
    "privacy.optimal": ("optimal_composition",),
    "privacy.tradeoffs": ("tradeoff",),
    "publishing.publish": ("publish",),
    "questions.measures": (
        "at_caps",
        "bin",
        "correlation",
        "count",
        "covariance",
        "distinct",
        "groups_per_unit",
        "intercept",
        "max",
        "mean",
        "median",
        "min",
        "mode",
        "quantile",
        "r_squared",
        "rows_per_unit",
        "slope",
        "stddev",
        "sum",
        "variance",
    ),
    "sensitivities": ("sampled_sensitivity", "sensitivity"),
}
_MODULES = {"audit": "audit", "distributions": "lessons.distributions", "noise": "noise", "testing": "testing"}


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
