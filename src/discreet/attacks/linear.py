"""A linear program small enough to read: the point of a box that fits noisy sums best, in the sum of absolute errors.

    minimise Σ e   subject to   |A z − a| ≤ e,   0 ≤ z ≤ 1

It is solved with p − q for the signed errors by a primal–dual interior point method with Mehrotra's corrector (1992). Start and
steps are feasible on both sides, so the gap between the two objectives bounds how far the answer is from the best.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["fitted_in_box"]

Floats = NDArray[np.float64]

_MOST_STEPS = 100
_NEARLY = 0.9995  # of the way to the next border


@dataclass(slots=True)
class _Point:
    """z and its room w = 1 − z, errors A z − a = p − q, dual y; sz, t, sp, sq are the dual slacks of z, w, p and q."""

    z: Floats
    w: Floats
    p: Floats
    q: Floats
    y: Floats
    sz: Floats
    t: Floats
    sp: Floats
    sq: Floats

    def pairs(self) -> tuple[tuple[Floats, Floats], ...]:
        return (self.z, self.sz), (self.w, self.t), (self.p, self.sp), (self.q, self.sq)

    def gap(self) -> float:
        return float(sum(one @ other for one, other in self.pairs()))

    def moved(self, by: "_Point", primal: float, dual: float) -> "_Point":
        ours = (self.z, self.w, self.p, self.q), (self.y, self.sz, self.t, self.sp, self.sq)
        theirs = (by.z, by.w, by.p, by.q), (by.y, by.sz, by.t, by.sp, by.sq)
        left = [one + primal * other for one, other in zip(ours[0], theirs[0], strict=True)]
        right = [one + dual * other for one, other in zip(ours[1], theirs[1], strict=True)]
        return _Point(*left, *right)


def fitted_in_box(matrix: Floats, answers: Floats, *, tolerance: float = 1e-6) -> Floats:
    """The z in [0, 1]^n with the least Σ |matrix · z − answers|, to a relative ``tolerance`` of that sum plus one."""
    at = _start(matrix, answers)
    size = 2 * (matrix.shape[1] + matrix.shape[0])
    for _ in range(_MOST_STEPS):
        gap = at.gap()
        if gap <= tolerance * (1 + float(at.p.sum() + at.q.sum())):
            break
        system = _System(matrix, at)
        ahead = system.solve([-one * other for one, other in at.pairs()])
        primal, dual = _reach(at, ahead)
        centre = (at.moved(ahead, primal, dual).gap() / gap) ** 3 * gap / size
        target = [centre - one * other - done * also
                  for (one, other), (done, also) in zip(at.pairs(), ahead.pairs(), strict=True)]  # fmt: skip
        step = system.solve(target)
        primal, dual = _reach(at, step)
        at = at.moved(step, min(1.0, _NEARLY * primal), min(1.0, _NEARLY * dual))
    return np.clip(at.z, 0.0, 1.0)


def _start(matrix: Floats, answers: Floats) -> _Point:
    """The middle of the box, with errors to match: feasible, and away from every border."""
    sums, unknowns = matrix.shape
    half, one = np.full(unknowns, 0.5, np.float64), np.ones(sums)
    error = matrix @ half - answers
    slack = 1 + np.abs(error).mean()
    return _Point(half, half.copy(), np.maximum(error, 0) + slack, np.maximum(-error, 0) + slack,
                  np.zeros(sums), np.ones(unknowns), np.ones(unknowns), one, one.copy())  # fmt: skip


class _System:
    """Newton's equations at a point, reduced to one symmetric system in z, of which there are fewer than of sums."""

    def __init__(self, matrix: Floats, at: _Point) -> None:
        self._matrix, self._at = matrix, at
        self._weight = 1 / (at.p / at.sp + at.q / at.sq)  # of each sum
        self._normal = (matrix.T * self._weight) @ matrix
        self._normal[np.diag_indices_from(self._normal)] += at.sz / at.z + at.t / at.w

    def solve(self, target: list[Floats]) -> _Point:
        """The direction in which the products of the pairs change by ``target``, to first order."""
        rz, rw, rp, rq = target
        at = self._at
        error = rp / at.sp - rq / at.sq
        pull = rz / at.z - rw / at.w + self._matrix.T @ (self._weight * error)
        z: Floats = np.asarray(np.linalg.solve(self._normal, pull), np.float64)
        y = self._weight * (error - self._matrix @ z)
        sz, t = (rz - at.sz * z) / at.z, (rw + at.t * z) / at.w
        return _Point(z, -z, (rp - at.p * y) / at.sp, (rq + at.q * y) / at.sq, y, sz, t, y, -y)


def _reach(at: _Point, step: _Point) -> tuple[float, float]:
    """How far primal and dual can go before one of them meets a border."""

    def far(values: Floats, change: Floats) -> float:
        falling = change < 0
        return float(np.min(-values[falling] / change[falling])) if falling.any() else np.inf

    primal = min(far(one, move) for (one, _), (move, _) in zip(at.pairs(), step.pairs(), strict=True))
    dual = min(far(other, move) for (_, other), (_, move) in zip(at.pairs(), step.pairs(), strict=True))
    return min(1.0, primal), min(1.0, dual)
