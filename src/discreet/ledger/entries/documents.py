"""Documents as bytes, and the digests by which a receipt is good for its numbers. The meaning of a stored form never changes.

A document is a line of JSON and then columns of numbers, all of it compressed. The line says for each list of values how it is
kept: ``i8`` and ``f8`` are 64-bit numbers (little-endian, NaN for none) behind the line, ``codes`` are 32-bit places in the list
``of`` beside them, ``json`` stands in the line itself.
"""

import json
import zlib
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from fractions import Fraction
from hashlib import sha256
from math import isnan
from typing import Any, cast

import numpy as np

from discreet.answers.document import Document
from discreet.errors import LedgerFault
from discreet.ledger.entries.codec import canonical, loss_from, loss_to
from discreet.views.rows import Kind, Shown, Table

__all__ = ["document_from", "document_to", "shown_in_answer", "shown_in_document"]

_FORMAT = 1
_EXACT = 1 << 53  # whole numbers up to here are the same as floats
_FEW = 1 << 16  # different values of a key that are kept as a list
_Ends = tuple[list[Any], list[Any]]  # low and high, one for each row
_NUMBERS = {int, float, type(None)}


def document_to(document: Document) -> bytes:
    """A document as it is stored."""
    parts: list[bytes] = []
    columns = [_column_to(column, parts) for column in document.table.columns]
    head = {
        "format": _FORMAT,
        "rows": document.table.rows,
        "columns": columns,
        "confidence": str(document.confidence),
        "simultaneous": document.simultaneous,
        "split": [[what, loss_to(loss)] for what, loss in document.split],
        "warnings": list(document.warnings),
    } | ({"free": list(document.free)} if document.free else {})
    head |= {} if document.left_out is None else {"left_out": list(document.left_out)}
    packing = zlib.compressobj(1)  # fast: most of it is noise
    packed = [packing.compress(canonical(head).encode() + b"\n"), *(packing.compress(part) for part in parts), packing.flush()]
    return b"".join(packed)


def document_from(stored: bytes) -> Document:
    """What ``document_to`` wrote."""
    try:
        line, _, rest = zlib.decompress(stored).partition(b"\n")
        head = json.loads(line)
        if head["format"] != _FORMAT:
            raise LedgerFault("a stored answer was written by a newer version", hint="install the newer version of discreet")
        reading = _Reading(memoryview(rest), head["rows"])
        columns = tuple(_column_from(column, reading) for column in head["columns"])
        return Document(
            Table(columns, head["rows"]),
            Fraction(head["confidence"]),
            head["simultaneous"],
            tuple((what, loss_from(loss)) for what, loss in head["split"]),
            tuple(head["warnings"]),
            tuple(head.get("free", ())),
            tuple(head["left_out"]) if "left_out" in head else None,
        )
    except (zlib.error, ArithmeticError, LookupError, TypeError, ValueError):
        raise LedgerFault("a stored answer cannot be read", hint="run discreet ledger verify") from None


# ---- columns


def _column_to(column: Shown, parts: list[bytes]) -> dict[str, Any]:
    kept: dict[str, Any] = {"name": column.name, "kind": column.kind}
    kept["values"] = _key_to(column.values, parts) if column.kind == "key" else _numbers_to(column.values, parts)
    if column.intervals is not None:
        kept["low"] = _numbers_to([low for low, _ in column.intervals], parts)
        kept["high"] = _numbers_to([high for _, high in column.intervals], parts)
    if column.labels:
        kept["labels"] = [[_value_to(value), label] for value, label in column.labels.items()]
    if column.rank_interval is not None:
        kept["ranks"] = list(column.rank_interval)
    if column.is_drawn:
        kept["drawn"] = True
    if column.too_few:
        kept["too_few"] = list(column.too_few)
    return kept


def _column_from(kept: Mapping[str, Any], reading: "_Reading") -> Shown:
    values = reading.values(kept["values"])
    intervals = None
    if "low" in kept:
        low = reading.values(kept["low"])
        intervals = list(zip(low, reading.values(kept["high"]), strict=True))
    labels = {_value_from(value): label for value, label in kept.get("labels", ())}
    ranks = (kept["ranks"][0], kept["ranks"][1]) if "ranks" in kept else None
    kind, few = cast(Kind, kept["kind"]), tuple(kept.get("too_few", ()))
    return Shown(kept["name"], kind, values, intervals, labels, ranks, kept.get("drawn", False), few)


def _numbers_to(values: Sequence[object], parts: list[bytes]) -> dict[str, Any]:
    kinds = set(map(type, values))
    if kinds == {int} and all(-(1 << 63) <= value < 1 << 63 for value in (min(values), max(values))):  # type: ignore[type-var, operator]
        parts.append(np.array(values, dtype="<i8").tobytes())
        return {"as": "i8"}
    if kinds and kinds <= {float, type(None)}:  # an answer has no NaN of its own
        parts.append(np.array(values, dtype="<f8").tobytes())
        return {"as": "f8"}
    return {"as": "json", "of": [_value_to(value) for value in values]}


def _key_to(values: Sequence[object], parts: list[bytes]) -> dict[str, Any]:
    places: dict[tuple[type, object], int] = {}
    codes = [places.setdefault((type(value), value), len(places)) for value in values]  # by type: True is not 1
    if len(places) > _FEW and 2 * len(places) > len(codes):
        return _numbers_to(values, parts)
    parts.append(np.array(codes, dtype="<i4").tobytes())
    return {"as": "codes", "of": [_value_to(value) for _, value in places]}


class _Reading:
    """Columns of numbers, one after the other."""

    def __init__(self, rest: memoryview, rows: int) -> None:
        self._rest, self._rows = rest, rows

    def values(self, kept: Mapping[str, Any]) -> list[Any]:
        match kept["as"]:
            case "i8":
                return self._next("<i8")
            case "f8":
                return [None if isnan(value) else value for value in self._next("<f8")]
            case "codes":
                of = [_value_from(value) for value in kept["of"]]
                return [of[place] for place in self._next("<i4")]
            case "json":
                return [_value_from(value) for value in kept["of"]]
        raise ValueError(kept["as"])

    def _next(self, kind: str) -> list[Any]:
        found = np.frombuffer(self._rest, dtype=kind, count=self._rows)
        self._rest = self._rest[found.nbytes :]
        return list(found.tolist())


def _value_to(value: object) -> Any:
    match value:
        case datetime():
            return {"timestamp": value.isoformat()}
        case date():
            return {"date": value.isoformat()}
    return value


def _value_from(kept: Any) -> Any:
    match kept:
        case {"timestamp": str(text)}:
            return datetime.fromisoformat(text)
        case {"date": str(text)}:
            return date.fromisoformat(text)
    return kept


# ---- digests


def shown_in_document(document: Document) -> dict[str, Any]:
    """What a receipt signs of a shown table: digests of its values and of its intervals, and what these hold for."""
    columns, rows = document.table.columns, document.table.rows
    pairs = [c.intervals for c in columns]
    ends = [None if each is None else ([low for low, _ in each], [high for _, high in each]) for each in pairs]
    ranks = [[list(c.rank_interval)] if c.rank_interval is not None and rows > len(c.too_few) else [] for c in columns]
    return _shown([c.values for c in columns], ends, ranks, float(document.confidence), document.simultaneous)


def shown_in_answer(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The same of an answer's JSON. Raises LookupError, TypeError or ValueError if it is none."""
    names = [column["name"] for column in answer["columns"]]
    values = [[row[name] for row in answer["rows"]] for name in names]
    intervals, per_row = answer["intervals"], answer.get("rank_intervals", [])
    keys = [column["kind"] == "key" for column in answer["columns"]]
    ends = [None if is_key else ([row[name][0] for row in intervals], [row[name][1] for row in intervals])
            for name, is_key in zip(names, keys, strict=True)]  # fmt: skip
    ranks = [sorted({tuple(row[name]) for row in per_row if name in row}) for name in names]
    return _shown(values, ends, [[list(each) for each in column] for column in ranks], float(answer["confidence"]),
                  bool(answer.get("simultaneous", False)))  # fmt: skip


def _shown(
    values: list[list[Any]], ends: list[_Ends | None], ranks: list[Any], confidence: float, simultaneous: bool
) -> dict[str, Any]:
    kept = [None if each is None else [_digest(each[0]), _digest(each[1])] for each in ends]
    return {
        "values": _together([_digest(column) for column in values]),
        "intervals": _together([kept, ranks]),
        "confidence": confidence,
        "simultaneous": simultaneous,
    }


def _together(parts: list[Any]) -> str:
    return sha256(canonical(parts).encode()).hexdigest()


def _digest(values: list[Any]) -> str:
    """Of a column, the same for 45 and 45.0. Numbers as 64-bit floats where that is exact; anything else as JSON."""
    kinds = set(map(type, values))
    whole = values if kinds == {int} else [each for each in values if type(each) is int] if int in kinds else ()
    if kinds <= _NUMBERS and (not whole or (min(whole) >= -_EXACT and max(whole) <= _EXACT)):
        return "f8:" + sha256((np.array(values, dtype="<f8") + 0.0).tobytes()).hexdigest()  # + 0.0: -0.0 is 0
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False, default=str)
    return "json:" + sha256(text.encode()).hexdigest()
