"""What is asked of a ledger, and what it gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from discreet.errors import AccessError, LedgerFault
from discreet.planning.price import Price
from discreet.privacy.events import Event
from discreet.remedies import Remedy
from discreet.statistics.part import Released

__all__ = [
    "CanFollow", "Changed", "Frozen", "Granted", "Outcome", "Request", "Seen", "Stored", "Used", "Viewed", "Wish", "always",
    "cut_off",
]  # fmt: skip


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
    anew: bool = False  # charged although an answer is stored
    by_account: bool = False  # whoever asks came in by a token: they need a grant for every table that is read
    is_holders: bool = False  # a release of the data holder: it counts against the cap, and against no limit of an analyst
    beside: tuple[tuple[str, str], ...] = ()  # other tables of the same people that it reads, and their versions
    bought: tuple[int, ...] | None = None  # the vectors of its plan that are bought; None: all, before statistics had names
    names: tuple[tuple[int, int, str], ...] = ()  # of these: vector, slot, name; one that ends in @ is of this charge
    uses: tuple["Used", ...] = ()  # the stored draws that fill the others
    seen: tuple["Seen", ...] = ()  # what was stored and running under all names it looked for, when it was crossed out
    looked_for: tuple[str, ...] = ()
    replays: int | None = None  # the charge that answered the same with the same draws
    wish: "Wish | None" = None  # what its price was worked out for

    @property
    def is_free(self) -> bool:
        """Whether nothing is bought."""
        return self.bought == ()


@dataclass(frozen=True, slots=True)
class Wish:
    """The ± that was wished for in place of a price, by the places of columns: equal where the same was wished for.

    ``rows`` is what the price was worked out for: a column's place, where that comes from, and how many.
    """

    within: tuple[tuple[int, Fraction], ...]
    confidence: Fraction
    assuming: int | None = None
    rows: tuple[tuple[int, str, int], ...] = field(default=(), compare=False)


@dataclass(frozen=True, slots=True)
class Used:
    """A slot of a plan's vector, and the charge, vector and slot that fill it."""

    place: int
    slot: int
    charge: int
    of: int
    at: int


@dataclass(frozen=True, slots=True)
class Seen:
    """Something that is stored, or worked on, under a name."""

    name: str
    charge: int
    place: int
    slot: int
    is_running: bool


@dataclass(frozen=True, slots=True)
class Viewed:
    """Nothing is charged: all of the answer follows from stored draws."""

    request: Request


@dataclass(frozen=True, slots=True)
class Granted:
    """A durable charge. Only this attempt may settle it; an earlier one that comes back too late gets the stored answer."""

    charge: int
    attempt: int
    request: Request  # as it was charged, which may be at a higher price than asked now
    asker: str | None = None  # who asks now and is to get the answer; None: nobody, the data holder recovers it

    @property
    def is_resumed(self) -> bool:
        """Whether a crash came before."""
        return self.attempt > 1


@dataclass(frozen=True, slots=True)
class Stored:
    """A settled answer: its released integers, its receipt, and what was shown."""

    id: str
    request: Request
    released: Released
    receipt: Mapping[str, Any]
    document: bytes | None = None  # what was shown, by itself; the first version kept none

    @property
    def charge(self) -> int:
        """The charge that was settled with it."""
        return int(self.receipt["entry"]["charge"])


class Frozen(AccessError):
    """Whoever asks is frozen, or the table is. Raised by ``settle``, the answer is kept and they do not get it."""


class Changed(Exception):
    """Something else is stored by now than when a request was crossed out: it is to be crossed out again."""


Outcome = Granted | Stored | Viewed
CanFollow = Callable[[Request], bool]  # whether this version plans a request as it was charged


def always(_request: Request) -> bool:
    """For whoever plans nothing."""
    return True


def cut_off(charges: int = 1) -> LedgerFault:
    """What an asker is told about charges that only another version can finish. They stay as they are."""
    many = "1 charge was" if charges == 1 else f"{charges} charges were"
    hint = Remedy(
        "run discreet ledger recover with the version of discreet that charged it: that is free; "
        "or ask with {anew}, which is charged again"
    )
    return LedgerFault(f"{many} cut off by a crash and would be planned differently by this version", hint=hint)
