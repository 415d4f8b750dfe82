"""How long what analysts were shown is kept: as long as the data holder wants."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from discreet.errors import FactsError
from discreet.ledger import open_ledger, place_of
from discreet.ledger.history import forget_before

__all__ = ["forget"]


def forget(folder: str | Path, *, days: int) -> int:
    """Forget histories and views of more than so many days ago; how many lines. What was bought stays: it is free to ask."""
    if not Path(folder).is_dir():
        raise FactsError("there is no such folder", hint="write the folder of the facts files", file=str(folder))
    moment = (datetime.now(UTC) - timedelta(days=days)).isoformat(timespec="microseconds")
    ledger = open_ledger(place_of(Path(folder)))
    try:
        return forget_before(ledger, moment)
    finally:
        ledger.close()
