"""Released integers as bytes: a line of JSON and then the numbers, all of it compressed. The meaning of the form never changes.

The line says for each vector its shape and how it is kept: ``i8`` are 64-bit numbers (little-endian) behind the line, ``json``
stands in the line itself, for numbers of any size.
"""

import json
import zlib
from typing import Any

import numpy as np

from discreet.errors import LedgerFault
from discreet.ledger.entries.codec import canonical
from discreet.statistics.part import Released

__all__ = ["packed_to", "released_in"]

_FORMAT = 1
_MOST = 1 << 63


def packed_to(released: Released) -> bytes:
    """Released integers as they are stored."""
    parts: list[bytes] = []
    vectors = []
    for vector in released:
        fits = vector.dtype != object or all(-_MOST <= value < _MOST for value in vector.ravel())
        kept: dict[str, Any] = {"shape": list(vector.shape), "as": "i8" if fits else "json"}
        if fits:
            parts.append(vector.astype("<i8").tobytes())
        else:
            kept["of"] = [int(value) for value in vector.ravel()]
        vectors.append(kept)
    head = canonical({"format": _FORMAT, "vectors": vectors}).encode() + b"\n"
    packing = zlib.compressobj(1)  # fast: most of it is noise
    return b"".join([packing.compress(head), *(packing.compress(part) for part in parts), packing.flush()])


def released_in(stored: bytes) -> Released:
    """What ``packed_to`` wrote."""
    try:
        line, _, rest = zlib.decompress(stored).partition(b"\n")
        head, left = json.loads(line), memoryview(rest)
        if head["format"] != _FORMAT:
            raise LedgerFault("a stored answer was written by a newer version", hint="install the newer version of discreet")
        found = []
        for kept in head["vectors"]:
            if kept["as"] == "json":
                found.append(np.array(kept["of"], dtype=object).reshape(kept["shape"]))
                continue
            values = np.frombuffer(left, dtype="<i8", count=int(np.prod(kept["shape"], dtype=object)))
            left = left[values.nbytes :]
            found.append(values.astype(np.int64).reshape(kept["shape"]))
        return tuple(found)
    except (zlib.error, ArithmeticError, LookupError, TypeError, ValueError):
        raise LedgerFault("a stored answer cannot be read", hint="run discreet ledger verify") from None
