"""The grey box: a question on made-up neighbouring tables, mechanism call by mechanism call. Proof: docs/proofs/audit.md.

On the first table every release and every choice is taped; on the second the tape is played, so that all that follows sees the
same outputs. Then nothing may differ but what mechanisms were given, and this by no more than was declared and paid for.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.calls import Family, calls_differ, families_of, too_far, underpaid
from discreet.audit.outcomes import Raised
from discreet.audit.tables import Pair, Row, Sizes, as_text, made_up_pairs, shrunk
from discreet.curator.opening import curator_in_memory, public_facts
from discreet.curator.trials import Passed
from discreet.engines.reference.engine import Reference
from discreet.engines.reference.made_up import made_up_lookups
from discreet.errors import DiscreetError, ParameterError
from discreet.exact import Number, exact_whole
from discreet.facts.model import Budget, Facts
from discreet.mechanisms.tape import played, taped
from discreet.planning.build import make_plan
from discreet.planning.caps import reach_of
from discreet.planning.plan import Plan
from discreet.planning.price import Price, read_price
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.questions.sql import read_sql
from discreet.statistics.keys import Keys

__all__ = ["GreyAudit", "Release", "question"]

Release = Callable[[Facts, Sequence[Row]], object]  # what leaves, of a table: anything that can be compared and printed
Told = Callable[[int, int], None]

_PAIRS = 200
_ENOUGH = 10**9
_LARGEST = 200  # rows of a unit, or units that are alike: more would take too long


@dataclass(frozen=True, slots=True, repr=False)
class GreyAudit:
    """What following a question through neighbouring tables found. ``pair`` is a small counterexample, made up."""

    table: str
    question: str
    pairs: int
    problems: tuple[str, ...] = ()
    pair: Pair | None = None

    @property
    def found_violation(self) -> bool:
        """Whether any two neighbouring tables could be told apart by more than was paid for."""
        return bool(self.problems)

    @property
    def verdict(self) -> str:
        """Never that something is private: other tables were not tried."""
        return "violation" if self.found_violation else "no violation found"

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        found: dict[str, Any] = {"verdict": self.verdict, "table": self.table, "question": self.question, "pairs": self.pairs,
                                 "problems": list(self.problems)}  # fmt: skip
        if self.pair is not None:
            tables = self.pair.tables
            found["counterexample"] = [[{name: as_text(value) for name, value in row.items()} for row in rows] for rows in tables]
        return found

    def lines(self) -> list[str]:
        """In words."""
        many = f"{self.pairs:,} made-up pair{'' if self.pairs == 1 else 's'} of neighbouring tables"
        if not self.problems or self.pair is None:
            return [f"{self.verdict} in {many}"]
        lines = [f"{self.verdict}, after {many}", *(f"  {problem}" for problem in self.problems)]
        for name, rows in zip(("one", "other"), self.pair.tables, strict=True):
            lines.append(f"  {name} table: {len(rows)} row{'' if len(rows) == 1 else 's'}")
            lines += [f"    {', '.join(f'{key} = {as_text(value)}' for key, value in row.items()) or 'all NULL'}" for row in rows]
        return lines

    def __repr__(self) -> str:
        return "\n".join(self.lines())


def question(
    facts: Facts | str | PathLike[str],
    sql: str,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    pairs: int = _PAIRS,
    release: Release | None = None,
    progress: Told | None = None,
) -> GreyAudit:
    """Follow ``sql`` through made-up neighbouring tables of ``facts`` (or of a facts file, whose data is not opened).

    ``release`` stands for the curator: given facts and rows, it releases through mechanisms of discreet and returns what leaves.
    """
    about = facts if isinstance(facts, Facts) else public_facts(Path(facts))
    price = read_price(epsilon=epsilon, delta=delta, rho=rho)
    count = exact_whole(pairs, "pairs", at_least=1)
    about = replace(about, budget=_ample(price))
    if release is not None:
        followed = Followed(release, price)
        sizes = Sizes()
    else:
        plan = make_plan(read_sql(sql, about), about, price)  # a question that is refused is refused here, once
        followed = Followed(_curator(sql, price, made_up_lookups(about)), price, tuple(families_of(plan)))
        sizes = _sizes(plan)
    return _tried(about, sql, followed, made_up_pairs(about, sql, count, sizes), lambda done: progress and progress(done, count))


def _tried(facts: Facts, sql: str, followed: "Followed", some: Iterable[Pair], progress: Callable[[int], object]) -> GreyAudit:
    tried = errors = 0
    for pair in some:
        tried += 1
        seen = followed.through(pair)
        if seen.problems:
            small = shrunk(pair, lambda each: bool(followed.through(each).problems))
            return GreyAudit(facts.name, sql, tried, followed.through(small).problems, small)
        errors += seen.is_error
        progress(tried)
    if errors == tried:
        raise ParameterError("nothing was ever released: every table ended in an error", hint="try it on one table by hand")
    return GreyAudit(facts.name, sql, tried)


def _sizes(plan: Plan) -> Sizes:
    """Tables in which a unit can have more rows than count, and a key enough units to be told."""
    reach = reach_of(plan.question, plan.facts)
    rows = 3 if reach is None or reach.rows is None else reach.rows
    keys = plan.vectors[0] if plan.vectors else None
    crowd = 2 * keys.readable if isinstance(keys, Keys) else Sizes().crowd
    return Sizes(min(rows + 2, _LARGEST), min(crowd, _LARGEST))


def _ample(price: Price) -> Budget:
    """A budget that no question of the audit comes near to."""
    match price:
        case Pure():
            return Budget(Pure(epsilon=_ENOUGH))
        case Concentrated():
            return Budget(Concentrated(rho=_ENOUGH), accounting="concentrated")
        case Approximate():
            return Budget(Approximate(epsilon=_ENOUGH, delta=Fraction(1, 2)))


def _curator(sql: str, price: Price, lookups: Mapping[str, Sequence[Row]]) -> Release:
    match price:
        case Concentrated(rho=rho):
            words: dict[str, Any] = {"rho": rho}
        case Approximate(epsilon=epsilon, delta=delta):
            words = {"epsilon": epsilon, "delta": delta}
        case Pure(epsilon=epsilon):
            words = {"epsilon": epsilon}

    passed: Passed = {}  # what comes after a release follows from the plan, which all pairs share

    def released(facts: Facts, rows: Sequence[Row]) -> object:
        curator = curator_in_memory(facts, Reference(facts, rows, lookups), passed)
        try:
            answer = curator.ask(sql, **words)
        finally:
            curator.close()
        names = [column.name for column in answer.columns]
        told = {"columns": answer.columns, "rows": [[row[name] for name in names] for row in answer.rows],
                "intervals": [sorted(row.items()) for row in answer.intervals], "warnings": answer.warnings,
                "cost": answer.cost, "split": answer.split, "spent": answer.budget.spent}  # fmt: skip
        return Charged(told, answer.cost)

    return released


# ---- what is compared


@dataclass(frozen=True, slots=True)
class Charged:
    """What left, and what the ledger took for it."""

    told: dict[str, Any]
    cost: Loss


@dataclass(frozen=True, slots=True)
class Compared:
    """All that tells two tables apart and should not, and whether all that left them was an error."""

    problems: tuple[str, ...]
    is_error: bool


@dataclass(frozen=True, slots=True)
class Followed:
    """A release with what was paid for it, and which of its choices are charged together."""

    release: Release
    price: Price
    families: tuple[Family, ...] = ()

    def through(self, pair: Pair) -> Compared:
        """The release on two neighbouring tables, the second with the outputs of the first."""
        one, other = pair.tables
        with taped() as tape:
            first = _outcome(self.release, pair.facts, one)
        with played(tape) as calls:
            second = _outcome(self.release, pair.facts, other)
        paid = first.cost if isinstance(first, Charged) else self.price
        found = calls_differ(tape.calls, calls)
        if not found:
            both = list(zip(tape.calls, calls, strict=True))
            families = self.families if isinstance(first, Charged) else ()  # else it ended before all calls were made
            found = too_far(both, families) + underpaid(both, paid)
        strange = dict.fromkeys(_not_finite(first) + _not_finite(second))
        found += [f"something that is not finite leaves: {text}" for text in strange]
        if not found and _plain(first) != _plain(second):
            found.append(f"with the same noisy numbers, what leaves differs: {_short(first, second)}")
        return Compared(tuple(found), isinstance(first, Raised) and isinstance(second, Raised))


def _outcome(release: Release, facts: Facts, rows: Sequence[Row]) -> object:
    try:
        return release(facts, rows)
    except DiscreetError as error:
        return Raised(type(error).__name__, error.message)
    except Exception as error:  # noqa: BLE001 - whether it comes must not depend on the data
        return Raised(type(error).__name__, str(error))


def _not_finite(outcome: object) -> list[str]:
    """Every number in an outcome that is none."""
    match outcome:
        case float() | np.floating():
            return [] if np.isfinite(outcome) else [str(outcome)]
        case np.ndarray():
            return _not_finite(outcome.tolist())
        case Charged(told=told):
            return _not_finite(told)
        case dict():
            return [text for key, value in outcome.items() if key != "intervals" for text in _not_finite(value)]
        case list() | tuple():
            return [text for value in outcome for text in _not_finite(value)]
        case _:
            return []


def _plain(outcome: object) -> object:
    """The same with arrays as lists, so that any two can be compared."""
    match outcome:
        case np.ndarray() | np.generic():
            return outcome.tolist()
        case dict():
            return {key: _plain(value) for key, value in outcome.items()}
        case list() | tuple():
            return [_plain(value) for value in outcome]
        case _:
            return outcome


def _short(first: object, second: object) -> str:
    first, second = (each.told if isinstance(each, Charged) else each for each in (first, second))
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        name = next((key for key in first if _plain(first[key]) != _plain(second[key])), "")
        first, second = {name: first.get(name)}, {name: second.get(name)}
    return f"{str(first)[:120]} and {str(second)[:120]}"
