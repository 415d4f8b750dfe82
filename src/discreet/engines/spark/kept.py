"""How a table of a catalog is kept: whether a stored value could make Spark fail on all that is around it.

A view works out expressions of somebody else on every row, and may fail on one. Formats of texts may be set to fail on a line,
and readers of moments in milliseconds or seconds fail on one that is far away, whatever is asked. Nothing here reads a row.
"""

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

from discreet.errors import FactsError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Moments", "check_kept"]

_TOTAL = ("parquet", "orc", "delta", "iceberg", "hudi")  # of which every stored value can be read, beside far moments
_ORC = b"ORC"  # how its files begin
_DETAILS = "# Detailed Table Information"
_FAR_IN_ORC = "moments in ORC files may be so far away that they cannot be read"
_AS_TABLE = "write it to a table of its own first: CREATE TABLE … USING parquet AS SELECT …"


def check_kept(session: "SparkSession", relation: str, *, has_moments: bool) -> None:
    """Raises FactsError for what is no table of such a format, or if it ``has_moments`` that may be too far away to be read."""
    details = _details(session, relation)
    if not details or "VIEW" in details.get("Type", "").upper():
        raise FactsError("the source is a view, which may fail on a row", hint=_AS_TABLE, key="table.source")
    kept = details.get("Provider", "").casefold()
    if kept == "hive":
        kept = next((each for each in ("parquet", "orc") if each in details.get("InputFormat", "").casefold()), kept)
    if kept not in _TOTAL:
        told = f"the table is kept as {kept or 'something unknown'}, of which a stored value may keep all others from being read"
        raise FactsError(told, hint=_AS_TABLE, key="table.source")
    if kept == "orc" and has_moments:
        raise FactsError(_FAR_IN_ORC, hint=_AS_TABLE)


def _details(session: "SparkSession", relation: str) -> Mapping[str, str]:
    """What the catalog says of a table, beside its columns."""
    rows = [tuple(row)[:2] for row in session.sql(f"DESCRIBE TABLE EXTENDED {relation}").collect()]
    start = next((place for place, (name, _) in enumerate(rows) if name == _DETAILS), len(rows))
    return {str(name): str(value) for name, value in rows[start + 1 :]}


class Moments:
    """The files of a source, each of which is looked at once: whether all moments in it can be read."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def check(self, frame: Any) -> None:
        """Raises FactsError if a file on this machine has moments that may not be; others cannot be seen.

        Whatever their column is called there: a table or a frame may call it otherwise.
        """
        for address in set(frame.inputFiles()) - self._seen:
            _check_file(address)
            self._seen.add(address)


def _check_file(address: str) -> None:
    place = urlsplit(address)
    file = Path(unquote(place.path))
    if place.scheme not in ("", "file") or not file.is_file():
        return
    arrow: Any = import_module("pyarrow")  # it comes with whatever speaks to Spark
    parquet: Any = import_module("pyarrow.parquet")
    try:
        with file.open("rb") as raw:
            is_orc = raw.read(len(_ORC)) == _ORC
        if is_orc:
            raise FactsError(_FAR_IN_ORC, hint=_AS_TABLE)
        with parquet.ParquetFile(file) as stored:
            columns = [stored.schema.column(number) for number in range(len(stored.schema))]
    except (OSError, arrow.ArrowException):  # of another format, or going away: then reading it will tell
        return
    for column in columns:
        if json.loads(column.logical_type.to_json()).get("timeUnit") == "milliseconds":
            raise FactsError(
                f"a file has moments in milliseconds, as {column.path!r}, some of which cannot be read",
                hint="write the files with microseconds, as most programs do",
            )
