"""The black box: two mechanisms, a claim, and samples that try to refute it. Proof: docs/proofs/audit.md.

A verdict is "violation", which is wrong with probability at most alpha, or "no violation found" with the least loss that the
samples show. It is never "private": samples cannot show that.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

from discreet.audit.bounds import lower_bound, upper_bound
from discreet.audit.claims import Claim, claimed, excess, in_words, letter, size, strength
from discreet.audit.drawing import Progress, draw, is_constant
from discreet.audit.events import Event, choose, happened
from discreet.audit.features import Sample
from discreet.audit.report import Audit, Finding
from discreet.errors import ParameterError
from discreet.exact import Number, exact, exact_between, exact_positive, exact_whole
from discreet.privacy.losses import Approximate, Pure

__all__ = ["MOST_EVENTS", "audit", "findings_of"]

MOST_EVENTS = 10
_USUAL, _USUAL_BATCH = 10_000, 1_000_000
_SLACK = 1e-9  # of a claim: a bound above it by rounding alone refutes nothing


def audit(
    one: Callable[..., Any],
    other: Callable[..., Any],
    claim: object = None,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    samples: int | None = None,
    alpha: Number = "0.001",
    batch: bool = False,
    events: int = MOST_EVENTS,
    grid: Number | None = None,
    timed: bool = False,
    timeout: float = 60.0,
    progress: Progress | None = None,
) -> Audit:
    """Try to refute that ``one`` and ``other``, a mechanism on two neighbouring tables, are as hard to tell apart as claimed.

    Each is called without arguments once for every outcome, or with ``batch`` with a number for that many outcomes at once.
    ``samples`` a side test events; as many again choose them. ``grid`` is a step that every output should be a multiple of;
    ``timed`` looks at how long calls took, which needs a quiet machine. A call that takes longer than ``timeout`` ends all.
    """
    what = claimed(claim, epsilon=epsilon, delta=delta, rho=rho, mu=mu)
    count = exact_whole(samples if samples is not None else _USUAL_BATCH if batch else _USUAL, "samples", at_least=1)
    most = exact_whole(events, "events", at_least=1)
    if most > MOST_EVENTS:
        raise ParameterError(f"events is {most}, above {MOST_EVENTS}", hint="each event weakens the others: write 10 or fewer")
    wrong = float(exact_between(alpha, "alpha", 0, 1, closed_low=False, hint="write a small probability such as 0.001"))
    _refuse_too_few(what, count, wrong)
    on = None if grid is None else float(exact_positive(grid, "grid"))
    drawn = draw(one, other, count, batch=batch, timed=timed, timeout=float(exact(timeout, "timeout")),
                 progress=progress or (lambda *_: None))  # fmt: skip
    z = -NormalDist().inv_cdf(wrong / (4 * most))
    chosen = choose(*drawn.choosing, what, most, grid=on, z=z)
    found = findings_of(chosen, *drawn.testing, what, wrong)
    return Audit(what, found, count, wrong, _violates(found, what), _notes(drawn.testing))


def findings_of(events: Sequence[Event], one: Sample, other: Sample, claim: Claim, alpha: float) -> tuple[Finding, ...]:
    """What each event shows of the claim, all together wrong with probability at most ``alpha``; the strongest first."""
    share = alpha / (4 * len(events))  # two bounds on each of two probabilities, of every event
    found = [_finding(event, one, other, claim, share) for event in events]
    return tuple(sorted(found, key=lambda each: -each.at_least))


@dataclass(frozen=True, slots=True)
class _Seen:
    """How often an event was seen on one side, and between which probabilities that lies."""

    count: int
    size: int
    low: float
    high: float

    @property
    def turned(self) -> "_Seen":
        """The same for the event that this one did not happen: no new bound is needed."""
        return _Seen(self.size - self.count, self.size, 1 - self.high, 1 - self.low)


def _seen(event: Event, sample: Sample, alpha: float) -> _Seen:
    count, size = happened(event, sample), sample.size
    return _Seen(count, size, lower_bound(count, size, alpha), upper_bound(count, size, alpha))


def _finding(event: Event, one: Sample, other: Sample, claim: Claim, alpha: float) -> Finding:
    p, q = _seen(event, one, alpha), _seen(event, other, alpha)
    ways = [(p, q, False), (q, p, False), (p.turned, q.turned, True), (q.turned, p.turned, True)]
    often, seldom, turned = max(ways, key=lambda way: strength(claim, way[0].low, way[1].high))
    p, q = (p.turned, q.turned) if turned else (p, q)
    return Finding(
        event=event.said(turned=turned),
        side="one" if often == p else "other",
        counts=(p.count, q.count),
        samples=(p.size, q.size),
        one=(p.low, p.high),
        other=(q.low, q.high),
        at_least=strength(claim, often.low, seldom.high),
        excess=excess(claim, often.low, seldom.high) if isinstance(claim, Pure | Approximate) else None,
    )


def _violates(found: Sequence[Finding], claim: Claim) -> bool:
    return any(each.at_least > size(claim) * (1 + _SLACK) + _SLACK for each in found)


def _refuse_too_few(claim: Claim, samples: int, alpha: float) -> None:
    """Refused where even what always happens on one side and never on the other would show nothing."""
    reach = strength(claim, lower_bound(samples, samples, alpha / 4), upper_bound(0, samples, alpha / 4))
    if reach > size(claim):
        return
    more = samples
    while more < 10**9 and strength(claim, lower_bound(more, more, alpha / 4), upper_bound(0, more, alpha / 4)) <= size(claim):
        more *= 2
    hint = "no number of samples within reach can" if more >= 10**9 else f"write samples={more} or a larger alpha"
    raise ParameterError(
        f"{samples} samples a side are too few at alpha {alpha:g}: whatever they were, they would show {letter(claim)} ≥ "
        f"{reach:.3g} at most, and the claim is {in_words(claim)}",
        hint=hint,
    )


def _notes(samples: tuple[Sample, Sample]) -> tuple[str, ...]:
    notes = []
    constant = [is_constant(each) for each in samples]
    if all(constant):
        notes.append("no output of either mechanism ever varied: there is no noise in what was seen")
    elif any(constant):
        notes.append(f"the {'first' if constant[0] else 'second'} mechanism always gave the same output: it has no noise")
    return tuple(notes)


