"""What an attack found out: how often it was right about an unprotected target, and how often about discreet.

Every figure is a share of trials with its interval, so that luck is not taken for a leak, nor a leak for luck.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

__all__ = ["Line", "Outcome", "Rate", "Target", "most_right"]

Target = Literal["unprotected", "discreet"]

_SHOWN = 1.96  # standard deviations: intervals of 95 %
_SURE = 4.42  # for verdicts: about a coin, each end is wrong less than once in 50 000 times


@dataclass(frozen=True, slots=True)
class Rate:
    """``right`` of ``trials`` tries."""

    right: int
    trials: int

    @property
    def share(self) -> float:
        """Between 0 and 1."""
        return self.right / self.trials

    def interval(self, deviations: float = _SHOWN) -> tuple[float, float]:
        """Where the chance of being right lies (Wilson 1927); by default with confidence 95 %."""
        spread = deviations * deviations / self.trials
        middle = self.share + spread / 2
        half = math.sqrt(spread * (self.share * (1 - self.share) + spread / 4))
        return max(0.0, (middle - half) / (1 + spread)), min(1.0, (middle + half) / (1 + spread))

    @property
    def surely(self) -> tuple[float, float]:
        """An interval wide enough to draw conclusions from."""
        return self.interval(_SURE)


@dataclass(frozen=True, slots=True)
class Line:
    """One way to attack one target; ``at`` is how many of them, where the lines differ in that."""

    target: Target
    way: str
    rate: Rate
    at: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """The line, ready for JSON."""
        place = {} if self.at is None else {"at": self.at}
        return {"target": self.target, "way": self.way, **_figures(self.rate), **place}


@dataclass(frozen=True, slots=True)
class Outcome:
    """An attack that was carried out. ``most`` is the success that the ε spent allows anyone; ``chance`` needs no answers."""

    name: str
    title: str
    attacker: str  # what the attacker knows and does
    success: str  # what is counted
    unprotected: Rate
    discreet: Rate
    chance: float
    most: float
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    lesson: str
    source: str
    along: str = "way"  # what the lines differ in

    @property
    def works(self) -> bool:
        """Whether the attack beats, on the unprotected target, whatever discreet's ε would allow."""
        return self.unprotected.surely[0] > self.most

    @property
    def is_stopped(self) -> bool:
        """Whether no way, taken alone, contradicts that discreet keeps to its ε."""
        return all(line.rate.surely[0] <= self.most for line in self.lines if line.target == "discreet")

    def to_dict(self) -> dict[str, Any]:
        """The outcome, ready for JSON."""
        return {
            "attack": self.name,
            "title": self.title,
            "attacker": self.attacker,
            "success": self.success,
            "unprotected": _figures(self.unprotected),
            "discreet": _figures(self.discreet),
            "chance": self.chance,
            "most": self.most,
            "works": self.works,
            "is_stopped": self.is_stopped,
            "lines": [line.to_dict() for line in self.lines],
            "notes": list(self.notes),
            "lesson": self.lesson,
            "source": self.source,
        }


def _figures(rate: Rate) -> dict[str, Any]:
    low, high = rate.interval()
    return {"share": rate.share, "low": low, "high": high, "trials": rate.trials}


def most_right(epsilon: float) -> float:
    """How often anyone can be right about a fair coin after answers worth ``epsilon``: e^ε / (1 + e^ε)."""
    return 1 / (1 + math.exp(-epsilon))
