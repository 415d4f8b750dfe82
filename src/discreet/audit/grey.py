"""The grey box: a question on made-up neighbouring tables, mechanism call by mechanism call. Proof: docs/proofs/audit.md.

On the first table every release is taped; on the second the tape is played, so that all that follows the noise sees the same
outputs. Then nothing may differ but the exact integers given to mechanisms, and these by no more than was declared and paid for.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np

from discreet.audit.outcomes import Raised
from discreet.audit.tables import Pair, Row, as_text, pairs, shrunk
from discreet.curator.opening import curator_in_memory
from discreet.engines.reference import Reference
from discreet.errors import DiscreetError, ParameterError
from discreet.exact import Number, exact_whole, shown
from discreet.facts.file import read_facts
from discreet.facts.model import Budget, Facts
from discreet.mechanisms import Gaussian, Laplace
from discreet.mechanisms.noisy import AddsNoise
from discreet.mechanisms.tape import Call, played, taped
from discreet.planning.build import make_plan
from discreet.planning.price import Price, read_price
from discreet.privacy.conversion import rho_of
from discreet.privacy.curves import delta_after_shift
from discreet.privacy.losses import Approximate, Concentrated, Pure
from discreet.questions.sql import read_sql

__all__ = ["GreyAudit", "Release", "question"]

Release = Callable[[Facts, Sequence[Row]], object]  # what leaves, of a table: anything that can be compared and printed
Told = Callable[[int, int], None]

_PAIRS = 200
_ENOUGH = 10**9


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
    about = facts if isinstance(facts, Facts) else read_facts(facts)
    price = read_price(epsilon=epsilon, delta=delta, rho=rho)
    count = exact_whole(pairs, "pairs", at_least=1)
    about = replace(about, budget=_ample(price))
    if release is None:
        make_plan(read_sql(sql, about), about, price)  # a question that is refused is refused here, once
        release = _curator(sql, price)
    return _followed(about, sql, price, count, release, progress or (lambda *_: None))


def _followed(facts: Facts, sql: str, price: Price, count: int, release: Release, progress: Told) -> GreyAudit:
    tried = errors = 0
    for pair in pairs(facts, sql, count):
        tried += 1
        seen = compared(pair, release, price)
        if seen.problems:
            small = shrunk(pair, lambda each: bool(compared(each, release, price).problems))
            return GreyAudit(facts.name, sql, tried, compared(small, release, price).problems, small)
        errors += seen.is_error
        progress(tried, count)
    if errors == tried:
        raise ParameterError("nothing was ever released: every table ended in an error", hint="try it on one table by hand")
    return GreyAudit(facts.name, sql, tried)


def _ample(price: Price) -> Budget:
    """A budget that no question of the audit comes near to."""
    match price:
        case Pure():
            return Budget(Pure(epsilon=_ENOUGH))
        case Concentrated():
            return Budget(Concentrated(rho=_ENOUGH), accounting="concentrated")
        case Approximate():
            return Budget(Approximate(epsilon=_ENOUGH, delta=Fraction(1, 2)))


def _curator(sql: str, price: Price) -> Release:
    match price:
        case Concentrated(rho=rho):
            words: dict[str, Any] = {"rho": rho}
        case Approximate(epsilon=epsilon, delta=delta):
            words = {"epsilon": epsilon, "delta": delta}
        case Pure(epsilon=epsilon):
            words = {"epsilon": epsilon}

    def released(facts: Facts, rows: Sequence[Row]) -> object:
        curator = curator_in_memory(facts, Reference(facts, rows))
        try:
            answer = curator.ask(sql, **words)
        finally:
            curator.close()
        names = [column.name for column in answer.columns]
        return {"columns": answer.columns, "rows": [[row[name] for name in names] for row in answer.rows],
                "intervals": [sorted(row.items()) for row in answer.intervals], "warnings": answer.warnings,
                "cost": answer.cost, "split": answer.split, "spent": answer.budget.spent}  # fmt: skip

    return released


# ---- what is compared


@dataclass(frozen=True, slots=True)
class Compared:
    """All that tells two tables apart and should not, and whether all that left them was an error."""

    problems: tuple[str, ...]
    is_error: bool


def compared(pair: Pair, release: Release, price: Price) -> Compared:
    """A release on two neighbouring tables, the second with the noisy numbers of the first."""
    one, other = pair.tables
    with taped() as tape:
        first = _outcome(release, pair.facts, one)
    with played(tape) as calls:
        second = _outcome(release, pair.facts, other)
    found = _calls_differ(tape.calls, calls)
    if not found:
        found = _too_far(tape.calls, calls) + _underpaid(tape.calls, calls, price)
    found += [f"something that is not finite leaves: {text}" for text in dict.fromkeys(_not_finite(first) + _not_finite(second))]
    if first != second and not (_not_finite(first) or _not_finite(second)) and not found:
        found.append(f"with the same noisy numbers, what leaves differs: {_short(first, second)}")
    return Compared(tuple(found), isinstance(first, Raised) and isinstance(second, Raised))


def _outcome(release: Release, facts: Facts, rows: Sequence[Row]) -> object:
    try:
        return release(facts, rows)
    except DiscreetError as error:
        return Raised(type(error).__name__, error.message)
    except Exception as error:  # noqa: BLE001 - whether it comes must not depend on the data
        return Raised(type(error).__name__, str(error))


def _calls_differ(calls: Sequence[Call], others: Sequence[Call]) -> list[str]:
    if len(calls) != len(others):
        return [f"one table makes {len(calls)} calls of mechanisms, the other {len(others)}"]
    for place, (call, other) in enumerate(zip(calls, others, strict=True)):
        if call.mechanism != other.mechanism:
            return [f"call {place + 1} is {call.mechanism} on one table and {other.mechanism} on the other"]
        if np.shape(call.exact) != np.shape(other.exact):
            return [f"call {place + 1} is given numbers of shape {np.shape(call.exact)} and {np.shape(other.exact)}"]
    return []


def _apart(call: Call, other: Call) -> tuple[Fraction, Fraction]:
    """How far the exact integers are apart, in the l1 norm and in the l2 norm squared, in steps."""
    gap = np.ravel(np.asarray(call.exact).astype(object) - np.asarray(other.exact).astype(object))
    return sum((Fraction(abs(each)) for each in gap), Fraction(0)), sum((Fraction(each) ** 2 for each in gap), Fraction(0))


def _too_far(calls: Sequence[Call], others: Sequence[Call]) -> list[str]:
    found = []
    for place, (call, other) in enumerate(zip(calls, others, strict=True)):
        l1, squared = _apart(call, other)
        mechanism = call.mechanism
        moved, allowed, norm = (l1, _l1_allowed(mechanism), "") if isinstance(mechanism, Laplace) else (
            squared, _squared_allowed(mechanism), ", squared")  # fmt: skip
        if allowed is None:
            found.append(f"call {place + 1}, {mechanism}, declares no sensitivity")
        elif moved > allowed:
            found.append(f"call {place + 1}, {mechanism}: moved by {_round(moved)} steps{norm}, declared {_round(allowed)}")
    return found


def _l1_allowed(mechanism: Laplace) -> Fraction | None:
    return None if mechanism.sensitivity is None else mechanism.loss.epsilon / mechanism.law.linear


def _squared_allowed(mechanism: AddsNoise) -> Fraction | None:
    assert isinstance(mechanism, Gaussian)
    return mechanism.cost.ratio_squared / (2 * mechanism.law.quadratic)


def _underpaid(calls: Sequence[Call], others: Sequence[Call], price: Price) -> list[str]:
    """Whether what all calls together let through is more than the price."""
    epsilon = rho = Fraction(0)
    for call, other in zip(calls, others, strict=True):
        l1, squared = _apart(call, other)
        law = call.mechanism.law
        epsilon += law.linear * l1
        rho += law.quadratic * squared
    match price:
        case Pure(epsilon=paid) if epsilon > paid or rho:
            return [f"all calls together lose ε = {_round(epsilon)}{' and more' if rho else ''}, and ε = {shown(paid)} was paid"]
        case Concentrated(rho=paid) if rho + epsilon**2 / 2 > paid:
            return [f"all calls together lose ρ = {_round(rho + epsilon**2 / 2)}, and ρ = {shown(paid)} was paid"]
        case Approximate(epsilon=paid, delta=delta) if not _covers(calls, others, rho, epsilon, paid, delta):
            return [f"all calls together lose more than ε = {shown(paid)}, δ = {shown(delta)}, which was paid"]
    return []


def _covers(
    calls: Sequence[Call], others: Sequence[Call], rho: Fraction, lost: Fraction, epsilon: Fraction, delta: Fraction
) -> bool:
    if rho + lost**2 / 2 <= rho_of(epsilon, delta):
        return True
    numbers = [each for call, other in zip(calls, others, strict=True) for each in _moved(call, other)]
    return len(calls) == 1 and len(numbers) == 1 and delta_after_shift(calls[0].mechanism.law, numbers[0], epsilon)[0] <= delta


def _moved(call: Call, other: Call) -> list[int]:
    gap = np.ravel(np.asarray(call.exact).astype(object) - np.asarray(other.exact).astype(object))
    return [abs(int(each)) for each in gap]


def _not_finite(outcome: object) -> list[str]:
    """Every number in an outcome that is none."""
    match outcome:
        case float() | np.floating():
            return [] if np.isfinite(outcome) else [str(outcome)]
        case np.ndarray():
            return _not_finite(outcome.tolist())
        case dict():
            return [text for key, value in outcome.items() if key != "intervals" for text in _not_finite(value)]
        case list() | tuple():
            return [text for value in outcome for text in _not_finite(value)]
        case _:
            return []


def _short(first: object, second: object) -> str:
    if isinstance(first, dict) and isinstance(second, dict) and first.keys() == second.keys():
        name = next(key for key in first if first[key] != second[key])
        first, second = {name: first[name]}, {name: second[name]}
    return f"{str(first)[:120]} and {str(second)[:120]}"


def _round(number: Fraction) -> str:
    return shown(number) if number.denominator == 1 else f"{float(number):.6g}"


