"""What a budget would buy, before it is opened: quotes on facts alone. No source is opened, and no ledger but one in memory."""

from dataclasses import replace
from math import isfinite
from typing import Any, NoReturn

from discreet.answers.answer import as_strings
from discreet.curator.asking import Curator
from discreet.errors import DiscreetError, EngineFault
from discreet.facts.model import Category, Facts, Integer, Number
from discreet.ledger.folder import ledger_in_memory
from discreet.ledger.registry import register
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure

__all__ = ["bought_by"]

_MANY = 20  # questions that share a budget


def bought_by(facts: Facts) -> list[dict[str, Any]]:
    """Questions that one would ask, each with its ± at the whole budget, and many of them; without those that cannot be told."""
    table, cap = _quoted(facts.name), _part(facts.budget.cap, 1)
    keys = [each for each in facts.columns if isinstance(each, Category) and each.values][:1]
    numbers = [each for each in facts.columns if isinstance(each, Number | Integer) and None not in (each.lower, each.upper)][:1]
    count = f"SELECT COUNT(*) AS n FROM {table}"
    some = [f"{count} WHERE {_quoted(key.name)} = {_literal(key.values[0])}" for key in keys]
    counts = [count] if facts.rows is None else some  # the count of all is public, and tells nothing of the others
    asked = [("one count", sql, cap) for sql in counts]
    by = [(key.name, _quoted(key.name)) for key in keys]
    asked += [(f"one table of counts by {name}, each", f"SELECT {key}, COUNT(*) AS n FROM {table} GROUP BY {key}", cap)
              for name, key in by]  # fmt: skip
    asked += [(f"the average of {each.name}", f"SELECT AVG({_quoted(each.name)}) AS n FROM {table}", cap) for each in numbers]
    asked += [(f"{_MANY} different counts, each", sql, _part(cap, _MANY)) for sql in counts]
    try:
        curator = _on_paper(facts)
    except DiscreetError:  # what cannot be registered is told by the check, at its place
        return []
    try:
        return [found for each in asked if (found := _told(curator, *each)) is not None]
    finally:
        curator.close()


def _told(curator: Curator, what: str, sql: str, price: Loss) -> dict[str, Any] | None:
    try:
        (column, *_) = curator.quote(sql, **as_strings(price)).columns  # type: ignore[arg-type]
    except (DiscreetError, ValueError):
        return None
    if not isfinite(column.plus_minus) or column.basis == "table":
        return None
    return {"what": what, "plus_minus": column.plus_minus} | ({"rows": column.rows} if column.rows is not None else {})


def _quoted(name: str) -> str:
    return '"{}"'.format(name.replace('"', '""'))


def _literal(value: object) -> str:
    return str(value) if isinstance(value, int) else "'{}'".format(str(value).replace("'", "''"))


def _part(cap: Loss, of: int) -> Loss:
    """A part of a budget, without its δ: where there is none, noise is narrower for one number."""
    match cap:
        case Pure(epsilon=epsilon):
            return Pure(epsilon=epsilon / of)
        case Approximate(epsilon=epsilon):
            return Pure(epsilon=epsilon / of)
        case Concentrated(rho=rho):
            return Concentrated(rho=rho / of)


def _on_paper(facts: Facts) -> Curator:
    free = replace(facts, budget=replace(facts.budget, max_epsilon_per_question=None, per_analyst=None, expires=None))
    ledger = ledger_in_memory()
    register(ledger, free)
    return Curator(free, _nothing_is_read, ledger)


def _nothing_is_read() -> NoReturn:
    raise EngineFault("a quote reads no row")
