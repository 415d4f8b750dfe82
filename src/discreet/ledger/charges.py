"""What is asked of a ledger, and what it gives back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.planning.price import Price
from discreet.planning.release import Released
from discreet.privacy.events import Event

__all__ = ["Granted", "Outcome", "Request", "Stored"]


@dataclass(frozen=True, slots=True)
class Request:
    """A question that is to be charged: all that planning it again needs, and what it costs."""

    table: str
    version: str
    fingerprint: str
    question: str  # its text
    price: Price
    event: Event
    weights: Mapping[str, Fraction] = field(default_factory=dict)
    cells: tuple[str, ...] | None = None  # None: the whole table
    analyst: str = ""
    key: str | None = None  # of the asker's choice: the same request twice is one
    beside: tuple[tuple[str, str], ...] = ()  # other tables of the same people that it reads, and their versions


@dataclass(frozen=True, slots=True)
class Granted:
    """A durable charge. Only this attempt may settle it; an earlier one that comes back too late gets the stored answer."""

    charge: int
    attempt: int
    request: Request  # as it was charged, which may be at a higher price than asked now

    @property
    def is_resumed(self) -> bool:
        """Whether a crash came before."""
        return self.attempt > 1


@dataclass(frozen=True, slots=True)
class Stored:
    """A settled answer: its released integers and its receipt."""

    id: str
    request: Request
    released: Released
    receipt: Mapping[str, Any]


Outcome = Granted | Stored
