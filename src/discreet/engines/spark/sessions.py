"""A session of Spark whose settings are ours: what it would do otherwise depends on whoever made it, and on the rows.

Ours is a new one beside the one that is given, on the same cluster, so that nobody else's settings change.
"""

import logging
import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from discreet.cores import on_all_cores
from discreet.errors import FactsError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["PINNED", "is_away", "is_frame", "is_stopped", "let_go", "own_session", "session_of"]

_TRIES, _PAUSE = 6, 3_000  # of a call to a server that is not there, and the longest pause (ms) between two: ten seconds in all
_PRINTS = ("SQLQueryContextLogger", "pyspark.sql.connect.logging")  # what servers say, rows and all
_AWAY = ("UNAVAILABLE", "CANCELLED", "UNAUTHENTICATED")  # states of a call that nobody has answered
_LOST = {"AnalysisException", "SessionNotSameException", "Py4JNetworkError", "ConnectionError", "RetriesExceeded"}
_CONDITIONS = ("FAILED_READ_FILE.FILE_NOT_EXIST", "TABLE_OR_VIEW_NOT_FOUND", "INVALID_HANDLE")
_OLDEST = 4  # before, there is no remainder that is tried, and no shifts
PINNED = {
    "spark.sql.ansi.enabled": "true",  # else FLOOR of 1e300 is 2^63 - 1 and sums wrap, in silence
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.variable.substitute": "false",  # else ${…} in a text of a question is a setting of the session
    "spark.sql.groupByAliases": "true",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.caseSensitive": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    # what files say of their rows leaves NaN out, and conditions that are pushed down to them would lose such rows
    "spark.sql.parquet.filterPushdown": "false",
    "spark.sql.parquet.aggregatePushdown": "false",
    "spark.sql.orc.filterPushdown": "false",
    "spark.sql.orc.aggregatePushdown": "false",
    "spark.sql.optimizer.metadataOnly": "false",
    # a row from before 1582 is no error, and a file that is missing is one
    "spark.sql.parquet.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.parquet.int96RebaseModeInRead": "CORRECTED",
    "spark.sql.avro.datetimeRebaseModeInRead": "CORRECTED",
    "spark.sql.files.ignoreCorruptFiles": "false",
    "spark.sql.files.ignoreMissingFiles": "false",
}


def is_frame(source: object) -> bool:
    """Whether something is a frame of Spark, classic or Connect; asked without loading Spark."""
    return any(kind.__module__.startswith("pyspark.sql") and kind.__name__ == "DataFrame" for kind in type(source).__mro__)


def session_of(source: Any) -> "SparkSession":
    """The session of a frame; else the one that this process has, or one made as the environment says (SPARK_REMOTE)."""
    if is_frame(source):
        return source.sparkSession
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise FactsError(
            "Spark is asked through the Python package pyspark, which is not here",
            hint="pip install 'discreet[spark]', and write the address of a Spark Connect server into SPARK_REMOTE",
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None and not is_stopped(active):
        return active
    if not (os.environ.get("SPARK_REMOTE") or os.environ.get("SPARK_HOME") or os.environ.get("MASTER") or _is_whole()):
        raise FactsError(
            "there is no Spark session, and nothing says where to find one",
            hint="write the address of a Spark Connect server into SPARK_REMOTE: sc://host:15002",
        )
    with on_all_cores():  # a Java machine may begin here
        return _impatient(SparkSession.builder.config("spark.log.level", "OFF").getOrCreate())


def _is_whole() -> bool:
    """Whether the package of this environment has Spark itself, and not its client alone."""
    from importlib.util import find_spec

    return find_spec("py4j") is not None


def own_session(given: "SparkSession") -> "SparkSession":
    """A session beside the given one, with our settings. Refused if one of them cannot be pinned."""
    for name in _PRINTS:
        logging.getLogger(name).disabled = True
    if int(given.version.partition(".")[0]) < _OLDEST:
        raise FactsError(f"this is Spark {given.version}", hint=f"Spark {_OLDEST}.0 or newer is needed")
    ours = _impatient(_beside(given))
    with suppress(Exception):  # it may not be changed here, or is not known: what is not as it should be is found below
        for name, value in PINNED.items():
            ours.conf.set(name, value)
    found = dict(ours.conf.getAll)
    for name, value in PINNED.items():
        if str(found.get(name)).casefold() != value.casefold():
            raise FactsError(
                f"{name} cannot be {value} in this session of Spark",
                hint="let sessions change it, or ask another cluster: without it numbers could be wrong, or lost",
            )
    return ours


def _beside(given: "SparkSession") -> "SparkSession":
    try:
        return given.newSession()
    except Exception as error:  # before 4.3 a Connect session makes no other beside itself
        if is_away(error):
            raise
    if "SPARK_REMOTE" in os.environ:
        return type(given).builder.remote(os.environ["SPARK_REMOTE"]).create()
    raise FactsError(
        "this session of Spark makes no other beside itself",
        hint="write the address of its server into SPARK_REMOTE: sc://host:15002",
    )


def _impatient(session: "SparkSession") -> "SparkSession":
    """A session that does not wait ten minutes for a server which is gone; a classic one has no such waits."""
    with suppress(Exception):
        from pyspark.sql.connect.client.retries import DefaultPolicy

        session.client.set_retry_policies([DefaultPolicy(max_retries=_TRIES, max_backoff=_PAUSE)])
    return session


def is_stopped(session: Any) -> bool:
    """Whether a session has ended: by whoever holds it, or with the process or the server behind it."""
    try:
        if hasattr(session, "is_stopped"):
            return bool(session.is_stopped) or not session.version  # a server that was started again knows nothing of it
        return not session.sparkContext.defaultParallelism  # which one that was stopped cannot tell
    except Exception:  # noqa: BLE001 - nobody answers
        return True


def is_away(error: Any) -> bool:
    """Whether an error says that Spark, the table, a column or a file of it is not there: nothing that depends on rows.

    By the state of a call, not by its class: a statement that was cancelled, or failed on a row, is of the same class.
    """
    for called in ("getGrpcStatusCode", "code"):
        with suppress(Exception):
            if getattr(error, called)().name in _AWAY:
                return True
    with suppress(Exception):  # it has none
        if str(error.getCondition() or "").startswith(_CONDITIONS):
            return True
    return bool({kind.__name__ for kind in type(error).__mro__} & _LOST)


def let_go(session: "SparkSession") -> None:
    """End a session of ours, and nothing of the one beside it. Left to the end of a process, a connection would wait for ever."""
    with suppress(Exception):
        session.client.close()  # a classic one has no connection of its own
