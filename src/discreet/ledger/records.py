"""What a store keeps, as rows of plain values: numbers, texts, bytes and flags. What they mean is the business of the rules.

A record is known by the fields that ``KEY`` names. Amounts are exact fractions as texts, bodies are canonical JSON. Entries are
the truth; everything else follows from them, and verification works it out anew, but for sources, which are outside the chain.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal

__all__ = [
    "AccountRecord",
    "AlarmRecord",
    "AnalystRecord",
    "AnswerRecord",
    "AskedRecord",
    "CellRecord",
    "ChargeRecord",
    "DocumentRecord",
    "DrawRecord",
    "EndRecord",
    "EntryRecord",
    "FilledRecord",
    "GrantRecord",
    "HistoryRecord",
    "LimitRecord",
    "LoginRecord",
    "Record",
    "ReleaseRecord",
    "SourceFileRecord",
    "SourceRecord",
    "TableRecord",
    "TotalRecord",
    "ViewRecord",
    "ViewedRecord",
]


@dataclass(frozen=True, slots=True)
class Record:
    """Something that a store keeps."""

    KEY: ClassVar[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class EntryRecord(Record):
    """What happened, in order; each holds the hash of the one before. Added and never changed."""

    KEY = ("number",)
    number: int
    at: str
    kind: str
    body: str
    hash: str
    signature: str | None


# ---- tables and their budgets


@dataclass(frozen=True, slots=True)
class AccountRecord(Record):
    """One budget: of a table, or of the tables about the same people."""

    KEY = ("name",)
    name: str
    currency: Literal["epsilon", "rho"]
    has_delta: bool
    cap: str
    cap_delta: str


@dataclass(frozen=True, slots=True)
class TableRecord(Record):
    """A registered table as it stands now."""

    KEY = ("name",)
    name: str
    account: str
    version: str
    epoch: int
    touched: int
    digest: str  # of the facts as they were registered
    budget: str  # everything in [budget] but the cap
    stamps: str
    frozen: bool


@dataclass(frozen=True, slots=True)
class TotalRecord(Record):
    """A running total; nobody's name is everybody's."""

    KEY = ("account", "who", "table", "epoch")
    account: str
    table: str
    epoch: int
    who: str
    amount: str
    delta: str


@dataclass(frozen=True, slots=True)
class CellRecord(Record):
    """The same for one cell of a version."""

    KEY = ("account", "who", "table", "version", "cell")
    account: str
    table: str
    version: str
    cell: str
    who: str
    amount: str
    delta: str


@dataclass(frozen=True, slots=True)
class EndRecord(Record):
    """A budget that was asked after its last day: a clock that is set back opens none of them."""

    KEY = ("table", "expires")
    table: str
    expires: str


# ---- charges and answers


@dataclass(frozen=True, slots=True)
class ChargeRecord(Record):
    """A charge, by the number of the entry that made it."""

    KEY = ("number",)
    number: int
    table: str
    version: str
    fingerprint: str
    kind: str  # of the price
    price: str
    price_delta: str
    analyst: str
    key: str | None
    state: str  # running, settled or faulted
    attempt: int
    owner: str
    lease: float
    reference: str | None


@dataclass(frozen=True, slots=True)
class AnswerRecord(Record):
    """What was released for a charge, and its receipt."""

    KEY = ("charge",)
    charge: int
    id: str
    released: str
    receipt: str


@dataclass(frozen=True, slots=True)
class ReleaseRecord(Record):
    """What was released for a charge, packed; then its answer holds an empty text in the place of that."""

    KEY = ("charge",)
    charge: int
    packed: bytes


@dataclass(frozen=True, slots=True)
class DrawRecord(Record):
    """A slot of a vector that a charge has bought, by a name of what it is about."""

    KEY = ("name", "charge", "place", "slot")
    name: str
    charge: int
    place: int
    slot: int


@dataclass(frozen=True, slots=True)
class DocumentRecord(Record):
    """An answer as it was shown."""

    KEY = ("charge",)
    charge: int
    document: bytes


@dataclass(frozen=True, slots=True)
class HistoryRecord(Record):
    """Whom an answer was delivered to: their history, which they may always read."""

    KEY = ("number",)
    number: int
    asker: str
    id: str
    at: str
    table: str
    charge: int | None  # None: a view of what is stored


@dataclass(frozen=True, slots=True)
class ViewRecord(Record):
    """What was shown of a view, and its receipt: it is charged to nobody, so how much is kept for one asker is bounded."""

    KEY = ("number",)
    number: int  # in the history
    asker: str
    receipt: str
    document: bytes


@dataclass(frozen=True, slots=True)
class FilledRecord(Record):
    """How much is kept for an asker of what costs nothing."""

    KEY = ("asker",)
    asker: str
    views: int
    size: int  # of the views, in bytes
    asked: int


@dataclass(frozen=True, slots=True)
class AskedRecord(Record):
    """A question that was taken in, until it is answered and for a while after: any worker can tell, or go on with it."""

    KEY = ("number",)
    number: int
    id: str  # the key of its charge as well
    asker: str
    key: str  # of the asker's choice; empty if there is none
    digest: str  # of the whole request
    table: str
    body: str  # the request, as long as it is not done
    at: float
    due: float  # when it may be delivered
    state: str  # running or done
    attempt: int
    owner: str
    lease: float
    outcome: str  # JSON: the answer's id, or an error


@dataclass(frozen=True, slots=True)
class ViewedRecord(Record):
    """Whom a view of one draw was delivered to: of the rest of that charge's answer they know nothing by it."""

    KEY = ("charge", "place", "asker")
    charge: int
    place: int
    asker: str


# ---- who is stopped


@dataclass(frozen=True, slots=True)
class AnalystRecord(Record):
    """Whether an analyst was frozen by hand on one table."""

    KEY = ("table", "name")
    table: str
    name: str
    faults: int
    frozen: bool


@dataclass(frozen=True, slots=True)
class AlarmRecord(Record):
    """A fault that may depend on rows, until the data holder has looked."""

    KEY = ("charge", "asker")
    charge: int
    account: str
    asker: str
    reference: str
    froze_asker: bool  # on every table of the account
    froze_tables: bool  # of the account, for everybody


# ---- accounts of people, which are something else than the accounts of budgets


@dataclass(frozen=True, slots=True)
class LoginRecord(Record):
    """Somebody who may come in with a token. Names are used once: what was spent and answered belongs to them for good."""

    KEY = ("name",)
    name: str
    role: str  # analyst or holder
    token: str  # its keyed hash; empty once it is revoked
    since: str
    expires: str  # the last day; empty if there is none
    ended: bool  # it was used after that day: a clock that is set back opens it no more
    revoked: bool


@dataclass(frozen=True, slots=True)
class GrantRecord(Record):
    """A table that somebody may ask."""

    KEY = ("name", "table")
    name: str
    table: str


@dataclass(frozen=True, slots=True)
class LimitRecord(Record):
    """What somebody may spend on a table, in the money of its budget."""

    KEY = ("name", "table")
    name: str
    table: str
    amount: str
    delta: str


# ---- sources: all of it keyed, outside the chain, never exported


@dataclass(frozen=True, slots=True)
class SourceRecord(Record):
    """One place of a table's rows: what its version was registered with, and what was found there last."""

    KEY = ("table", "place")
    table: str
    place: str
    pin: str  # of table, version and content; empty where a ledger from before never saw the content
    look: str  # sizes, times and inodes: when they differ the bytes are digested again
    content: str
    closed: bool  # until the data holder acts


@dataclass(frozen=True, slots=True)
class SourceFileRecord(Record):
    """A content that a table has or had: the same one under another name is found by it."""

    KEY = ("table", "file")
    table: str
    file: str
