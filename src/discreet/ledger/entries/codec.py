"""Everything that a ledger keeps as JSON text. The meaning of a stored kind never changes; new kinds may be added.

Rationals are written as fractions, so that nothing is rounded; ``canonical`` is the one text that is hashed and signed.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from fractions import Fraction
from hashlib import sha256
from typing import Any, assert_never

import numpy as np

from discreet.errors import LedgerFault
from discreet.planning.price import Price
from discreet.privacy.events import (
    Disjoint,
    Event,
    ExponentialSelection,
    GaussianRelease,
    KeyRelease,
    LaplaceRelease,
    PureRelease,
    Repeated,
    Sequence,
)
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure
from discreet.statistics.part import Released

__all__ = [
    "canonical",
    "digest",
    "event_from",
    "event_to",
    "loss_from",
    "loss_to",
    "plain",
    "price_from",
    "released_from",
    "released_to",
]

Json = Any


def canonical(value: Json) -> str:
    """One text for one value: keys sorted, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Json) -> str:
    """The SHA-256 of the canonical text, as hexadecimal digits."""
    return sha256(canonical(value).encode()).hexdigest()


def plain(value: object) -> Json:
    """Frozen data as JSON. Fields that have their default are left out, so that a field added later changes no digest."""
    if is_dataclass(value) and not isinstance(value, type):
        kept = {field.name: getattr(value, field.name) for field in fields(value) if not _is_default(value, field)}
        return {"is": type(value).__name__} | {name: plain(inner) for name, inner in kept.items()}
    match value:
        case None | bool() | int() | str():
            return value
        case Fraction() | date():
            return str(value)
        case tuple() | list():
            return [plain(inner) for inner in value]
        case Mapping():
            return {str(key): plain(inner) for key, inner in value.items()}
    raise LedgerFault("something cannot be written down")


def _is_default(value: object, field: Any) -> bool:
    if field.default is not MISSING:
        return bool(getattr(value, field.name) == field.default)
    return field.default_factory is not MISSING and bool(getattr(value, field.name) == field.default_factory())


# ---- losses and prices


def loss_to(loss: Loss) -> dict[str, str]:
    """A loss with exact parts."""
    match loss:
        case Pure(epsilon=epsilon):
            return {"epsilon": str(epsilon)}
        case Approximate(epsilon=epsilon, delta=delta):
            return {"epsilon": str(epsilon), "delta": str(delta)}
        case Concentrated(rho=rho):
            return {"rho": str(rho)}
        case _:
            assert_never(loss)


def loss_from(stored: Mapping[str, str]) -> Loss:
    """What ``loss_to`` wrote."""
    match dict(stored):
        case {"epsilon": epsilon, "delta": delta}:
            return Approximate(epsilon=epsilon, delta=delta)
        case {"epsilon": epsilon}:
            return Pure(epsilon=epsilon)
        case {"rho": rho}:
            return Concentrated(rho=rho)
    raise LedgerFault("a stored loss cannot be read")


def price_from(stored: Mapping[str, str]) -> Price:
    """What ``loss_to`` wrote of a price."""
    return loss_from(stored)


# ---- events


def event_to(event: Event) -> dict[str, Json]:
    """An event by its kind."""
    match event:
        case LaplaceRelease(ratio):
            return {"kind": "laplace", "ratio": str(ratio)}
        case GaussianRelease(ratio_squared, claim):
            return {"kind": "gaussian", "ratio_squared": str(ratio_squared), "claim": None if claim is None else loss_to(claim)}
        case ExponentialSelection(epsilon):
            return {"kind": "exponential", "epsilon": str(epsilon)}
        case PureRelease(epsilon):
            return {"kind": "pure", "epsilon": str(epsilon)}
        case KeyRelease(epsilon, delta):
            return {"kind": "keys", "epsilon": str(epsilon), "delta": str(delta)}
        case Sequence(parts):
            return {"kind": "sequence", "parts": [event_to(part) for part in parts]}
        case Repeated(part, count):
            return {"kind": "repeated", "part": event_to(part), "count": count}
        case Disjoint(parts, neighbours, groups):
            return {"kind": "disjoint", "parts": [event_to(part) for part in parts], "neighbours": neighbours, "groups": groups}
        case _:
            assert_never(event)


def event_from(stored: Mapping[str, Json]) -> Event:
    """What ``event_to`` wrote."""
    match dict(stored):
        case {"kind": "laplace", "ratio": ratio}:
            return LaplaceRelease(Fraction(ratio))
        case {"kind": "gaussian", "ratio_squared": squared, "claim": None}:
            return GaussianRelease(Fraction(squared))
        case {"kind": "gaussian", "ratio_squared": squared, "claim": {"epsilon": epsilon, "delta": delta}}:
            return GaussianRelease(Fraction(squared), Approximate(epsilon=epsilon, delta=delta))
        case {"kind": "exponential", "epsilon": epsilon}:
            return ExponentialSelection(Fraction(epsilon))
        case {"kind": "pure", "epsilon": epsilon}:
            return PureRelease(Fraction(epsilon))
        case {"kind": "keys", "epsilon": epsilon, "delta": delta}:
            return KeyRelease(Fraction(epsilon), Fraction(delta))
        case {"kind": "sequence", "parts": parts}:
            return Sequence(tuple(map(event_from, parts)))
        case {"kind": "repeated", "part": part, "count": int(count)}:
            return Repeated(event_from(part), count)
        case {"kind": "disjoint", "parts": parts, "neighbours": neighbours, "groups": int(groups)}:
            return Disjoint(tuple(map(event_from, parts)), neighbours, groups)
    raise LedgerFault("a stored event cannot be read")


# ---- released integers


def released_to(released: Released) -> list[Json]:
    """Per vector its shape and its integers in a row."""
    return [{"shape": list(vector.shape), "values": [int(value) for value in vector.ravel()]} for vector in released]


def released_from(stored: list[Json]) -> Released:
    """What ``released_to`` wrote; numbers of any size."""
    found = []
    for vector in stored:
        values = np.array(vector["values"], dtype=object)
        found.append(values.reshape(vector["shape"]))
    return tuple(found)
