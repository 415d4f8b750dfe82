"""How a service is run, and the public numbers that bound what anybody can make it do."""

from dataclasses import asdict, dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from discreet.errors import ParameterError

__all__ = ["Limits", "Settings"]


@dataclass(frozen=True, slots=True)
class Limits:
    """Public numbers, told by ``GET /api/me``. Those of all workers together are divided by their number."""

    body_bytes: int = 128 * 1024
    body_seconds: float = 10.0  # for a body to arrive; uploads have as long as they need, as long as something comes
    idle_seconds: float = 20.0  # for the head of a request, and between the parts of an upload
    send_seconds: float = 30.0  # for a part of a response to be taken, which is 64 KiB
    connections: int = 4096  # and in each worker no more than half of the files it may have open: the others are for tables
    bodies_of_one_address: int = 256  # that are on their way at once
    requests_at_once: int = 1024
    requests_at_once_of_one: int = 64
    requests_per_minute: int = 3000  # of one account
    wrong_tokens_per_minute: int = 30  # from one address
    readings_at_once: int = 16  # that are thought about and read no row, of all analysts
    asks_at_once: int = 16  # questions that are worked on, of all analysts
    short_seconds: float = 1.0  # questions that take longer, in public, have not all places, and those of one not more than half
    asks_waiting: int = 1000
    asks_waiting_of_one: int = 100
    answers_on_a_page: int = 100
    numbers_per_day_of_one: int = 20_000_000  # that an account buys, and the ledger keeps: some 40 bytes each
    numbers_at_once: int = 8_000_000  # of large answers that are worked on: a million take some 350 MB meanwhile
    numbers_rehearsed: int = 200_000  # of one rehearsal
    unsent_bytes_of_one: int = 64 * 2**20  # of large answers that an account has asked for, and not taken yet
    seconds_before_202: float = 10.0
    seconds_to_end: float = 30.0  # for running questions, when the service is told to stop

    def of_one(self, workers: int) -> "Limits":
        """The share of one worker."""
        shared = ("connections", "bodies_of_one_address",
                  "requests_at_once", "requests_at_once_of_one", "requests_per_minute", "wrong_tokens_per_minute",
                  "asks_waiting", "asks_waiting_of_one", "numbers_per_day_of_one", "numbers_at_once",
                  "unsent_bytes_of_one")  # fmt: skip
        return Limits(**asdict(self) | {name: max(1, -(-getattr(self, name) // workers)) for name in shared})

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Settings:
    """What ``discreet serve`` was told."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8000
    workers: int = 1
    behind_proxy: bool = False
    tls_cert: Path | None = None
    tls_key: Path | None = None
    max_upload: int = 200_000_000
    metrics: tuple[str, ...] = ()  # accounts that may see them, beside data holders
    log_file: Path | None = None  # else the log goes to stderr
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if (self.tls_cert is None) != (self.tls_key is None):
            raise ParameterError("a certificate and its key go together", hint="write both: --tls-cert FILE --tls-key FILE")
        if not (self.is_loopback or self.behind_proxy or self.tls_cert):
            raise ParameterError(
                f"tokens would cross the network in the open on {self.host}",
                hint="write --tls-cert and --tls-key; or --behind-proxy if one that speaks TLS stands before it",
            )
        if not 1 <= self.workers <= 64:
            raise ParameterError(f"{self.workers} workers are too few or too many", hint="write --workers 2")

    @property
    def is_loopback(self) -> bool:
        """Whether nobody beyond this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False
