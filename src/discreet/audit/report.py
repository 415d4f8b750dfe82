"""What an audit found, as data and as words."""

from dataclasses import dataclass
from math import exp, inf
from typing import Any, Literal

from discreet.audit.claims import Claim, in_words, letter, size
from discreet.privacy.losses import Approximate, Pure

__all__ = ["Audit", "Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """An event: how often it happened on both sides, between which probabilities that lies, and what it shows at least.

    ``side`` is where it is likelier. ``excess`` is the δ at the claimed ε that it shows, of claims in ε.
    """

    event: str
    side: str
    counts: tuple[int, int]
    samples: tuple[int, int]
    one: tuple[float, float]
    other: tuple[float, float]
    at_least: float
    excess: float | None

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "event": self.event,
            "likelier_on": self.side,
            "counts": list(self.counts),
            "samples": list(self.samples),
            "one": list(self.one),
            "other": list(self.other),
            "at_least": _number(self.at_least),
        } | ({} if self.excess is None else {"delta_at_least": self.excess})


@dataclass(frozen=True, slots=True, repr=False)
class Audit:
    """A verdict, and the events behind it, the strongest first. ``alpha`` is how likely a wrong "violation" was at most."""

    claim: Claim
    findings: tuple[Finding, ...]
    samples: int
    alpha: float
    found_violation: bool
    notes: tuple[str, ...] = ()

    @property
    def verdict(self) -> Literal["violation", "no violation found"]:
        """Never that something is private: samples cannot show that."""
        return "violation" if self.found_violation else "no violation found"

    @property
    def at_least(self) -> float:
        """The least ε, ρ or μ that the samples allow."""
        return max((each.at_least for each in self.findings), default=0.0)

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON."""
        return {
            "verdict": self.verdict,
            "claim": _letters(self.claim),
            "at_least": _number(self.at_least),
            "alpha": self.alpha,
            "samples": self.samples,
            "events": [each.to_dict() for each in self.findings],
            "notes": list(self.notes),
        }

    def chart(self, width: int = 80) -> str:
        """The events in letters: where their probabilities lie on both sides, and how far the claim lets them."""
        from discreet.audit.charts import in_letters

        return in_letters(self, width)

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> list[str]:
        """In words."""
        told, sure = letter(self.claim), 1 - self.alpha
        head = f"{self.verdict}: {told} ≥ {self.at_least:.4g}, claimed {in_words(self.claim)}"
        if not self.found_violation:
            head = f"{self.verdict}; {told} ≥ {self.at_least:.4g} (claimed {in_words(self.claim)})"
        lines = [head, f"with confidence {sure:g}, from {self.samples:,} samples a side that test {self._events}"]
        seen = [f"  {each.event}: {_share(each, 0)} against {_share(each, 1)}, {told} ≥ {each.at_least:.4g}"
                for each in self.findings]  # fmt: skip
        return [*lines, *seen, *(f"  note: {note}" for note in self.notes)]

    @property
    def _events(self) -> str:
        return "one event" if len(self.findings) == 1 else f"{len(self.findings)} events"

    def most_allowed(self, finding: Finding) -> float | None:
        """The largest probability on the likelier side that the claim allows, given the other's; None of claims not told in ε."""
        if not isinstance(self.claim, Pure | Approximate):
            return None
        delta = float(self.claim.delta) if isinstance(self.claim, Approximate) else 0.0
        other = finding.other if finding.side == "one" else finding.one
        return min(1.0, exp(min(size(self.claim), 700.0)) * other[1] + delta)


def _share(finding: Finding, side: int) -> str:
    return f"{finding.counts[side]:,} of {finding.samples[side]:,}"


def _letters(claim: Claim) -> dict[str, str]:
    names = {"ε": "epsilon", "δ": "delta", "ρ": "rho", "μ": "mu"}
    return {names[told]: number for told, number in (part.split(" = ") for part in in_words(claim).split(", "))}


def _number(value: float) -> float | str:
    return value if value < inf else "inf"
