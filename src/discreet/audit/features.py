"""What events are about: the numbers of an outcome, and what should not depend on data at all.

A feature is a function of one outcome and nothing else: which features there are is found out on the samples that choose events,
and never changes how another sample is read. Its values are float64, NaN where an outcome has none, or texts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from discreet.audit.outcomes import Raised, error_of, key_texts, numbers_of, outcome_of, shape_of, size_of

__all__ = ["Feature", "Sample", "features_of"]

Kind = Literal[
    "number", "lowest bit", "finite", "grid", "time", "error", "kind of error", "shape", "size", "outcome", "key", "joint"
]  # fmt: skip
TEXTS = {"finite", "grid", "error", "kind of error", "shape", "outcome", "key"}

_MOST = 64  # numbers and keys of an outcome that are looked at
_JOINT = 1 << 20  # combinations of several numbers that are counted one by one
_SHORT = 8  # whole numbers beyond it are not combined


@dataclass(slots=True)
class Sample:
    """Outcomes of one side: an array with one row for each, or Python objects; and how long each took, if that is looked at."""

    outcomes: NDArray[Any] | list[object]
    seconds: NDArray[np.float64] | None = None
    _numbers: list[dict[str, float]] | None = field(default=None, repr=False)

    @property
    def size(self) -> int:
        return len(self.outcomes)

    @property
    def is_array(self) -> bool:
        return isinstance(self.outcomes, np.ndarray)

    def names(self) -> list[str]:
        """Of the numbers that its outcomes have."""
        if isinstance(self.outcomes, np.ndarray):
            return ["value"] if self.outcomes.ndim == 1 else [f"value[{i}]" for i in range(min(_MOST, self.outcomes[0].size))]
        found: dict[str, None] = {}
        for each in self._read():
            found.update(dict.fromkeys(each))
        return list(found)[:_MOST]

    def number(self, name: str) -> NDArray[np.float64]:
        """One number of every outcome."""
        if isinstance(self.outcomes, np.ndarray):
            if self.outcomes.ndim == 1:
                return self.outcomes.astype(np.float64)
            return self._flat()[:, int(name[6:-1])].astype(np.float64)
        return np.array([each.get(name, np.nan) for each in self._read()], np.float64)

    def objects(self) -> list[object]:
        """The outcomes one by one; of an array there are none worth looking at."""
        return self.outcomes if isinstance(self.outcomes, list) else []

    def together(self) -> NDArray[np.float64] | None:
        """All numbers of every outcome, where it has several."""
        if not isinstance(self.outcomes, np.ndarray) or self.outcomes.ndim == 1:
            return None
        return self._flat()[:, :_MOST].astype(np.float64)

    def _flat(self) -> NDArray[Any]:
        assert isinstance(self.outcomes, np.ndarray)
        return self.outcomes.reshape(self.size, -1)

    def _read(self) -> list[dict[str, float]]:
        if self._numbers is None:
            self._numbers = [numbers_of(each, _MOST) for each in self.objects()]
        return self._numbers


@dataclass(frozen=True, slots=True)
class Feature:
    """One thing about an outcome. ``of`` names the number or key that it is about, ``step`` a grid or a base."""

    kind: Kind
    of: str = ""
    step: float = 0.0

    def __str__(self) -> str:
        match self.kind:
            case "number":
                return self.of
            case "lowest bit":
                return f"lowest bit of {self.of}"
            case "finite":
                return f"kind of {self.of}"
            case "grid":
                return f"{self.of} on the grid of {self.step:g}"
            case "time":
                return "time, in quarters of a doubling"
            case "key":
                return f"key {self.of}"
            case "joint":
                return "all numbers together"
            case kind:
                return kind

    @property
    def is_text(self) -> bool:
        """Whether its values are texts."""
        return self.kind in TEXTS

    def values(self, sample: Sample) -> NDArray[Any]:
        """Of every outcome."""
        match self.kind:
            case "number":
                return sample.number(self.of)
            case "lowest bit":
                return _lowest_bits(sample.number(self.of))
            case "finite":
                return _finite(sample.number(self.of))
            case "grid":
                return _on_grid(sample.number(self.of), self.step)
            case "time":
                seconds = np.zeros(sample.size) if sample.seconds is None else sample.seconds
                return np.asarray(np.floor(4 * np.log2(np.maximum(seconds, 1e-9))))
            case "joint":
                return _joint(sample, self.step)
            case "size":
                return np.array([size_of(each) for each in sample.objects()], np.float64)
            case kind:
                return self._texts(kind, sample.objects())

    def _texts(self, kind: Kind, objects: Sequence[object]) -> NDArray[Any]:
        match kind:
            case "error":
                texts = [error_of(each) for each in objects]
            case "kind of error":
                texts = [each.kind if isinstance(each, Raised) else "none" for each in objects]
            case "shape":
                texts = [shape_of(each) for each in objects]
            case "outcome":
                texts = [outcome_of(each) for each in objects]
            case _:
                texts = ["there" if self.of in key_texts(each) else "missing" for each in objects]
        return np.array(texts, dtype=object)


def features_of(sample: Sample, *, grid: float | None) -> list[Feature]:
    """All that these outcomes, of both sides together, can be told apart by."""
    found = []
    for name in sample.names():
        values = sample.number(name)
        found.append(Feature("number", name))
        if not np.isfinite(values).all():
            found.append(Feature("finite", name))
        if (np.isfinite(values) & (np.floor(values) != values)).any():
            found.append(Feature("lowest bit", name))
        if grid is not None:
            found.append(Feature("grid", name, grid))
    if (base := _base(sample)) is not None:
        found.append(Feature("joint", step=base))
    if sample.seconds is not None:
        found.append(Feature("time"))
    if not sample.is_array:
        found += [Feature("error"), Feature("kind of error"), Feature("shape"), Feature("size"), Feature("outcome")]
        keys: dict[str, None] = {}
        for each in sample.objects():
            keys.update(dict.fromkeys(key_texts(each)))
        found += [Feature("key", key) for key in list(keys)[:_MOST]]
    return found


def _base(sample: Sample) -> float | None:
    """The base in which all numbers of an outcome are the digits of one, if they are short and whole."""
    flat = sample.together()
    if flat is None or not np.isfinite(flat).all() or (np.floor(flat) != flat).any() or np.abs(flat).max() > _SHORT:
        return None
    base = 2 if flat.min() >= 0 and flat.max() <= 1 else 2 * _SHORT + 1
    return float(base) if base ** flat.shape[1] <= _JOINT else None


def _joint(sample: Sample, base: float) -> NDArray[np.float64]:
    flat = sample.together()
    if flat is None:
        return np.full(sample.size, np.nan)
    least = 0 if base == 2 else -_SHORT
    with np.errstate(invalid="ignore"):
        fits = ((flat >= least) & (flat < least + base) & (np.floor(flat) == flat)).all(axis=1)
    digits = np.where(fits[:, None], flat - least, 0.0)
    return np.where(fits, digits @ (base ** np.arange(flat.shape[1])), np.nan)


def _finite(values: NDArray[np.float64]) -> NDArray[Any]:
    kinds = np.full(values.shape, "finite", dtype=object)
    kinds[np.isnan(values)] = "NaN or none"
    kinds[np.isposinf(values)] = "inf"
    kinds[np.isneginf(values)] = "-inf"
    return kinds


def _lowest_bits(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The exponent of the lowest set bit; NaN for 0 and what is not finite. Floating-point noise tells its centre by it."""
    mantissas, exponents = np.frexp(np.where(np.isfinite(values), values, 0.0))
    whole = np.abs(mantissas * 2.0**53).astype(np.int64)
    lowest = np.maximum(whole & -whole, 1).astype(np.float64)
    return np.where(whole > 0, np.log2(lowest) + exponents - 53, np.nan)


def _on_grid(values: NDArray[np.float64], grid: float) -> NDArray[Any]:
    whole = np.where(np.isfinite(values), values, 0.0)
    return np.where(np.remainder(whole, grid) != 0, "off", "on").astype(object)
