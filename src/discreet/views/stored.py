"""The plan that an answer is made by: stored draws in the place of what is not bought. Proof: docs/proofs/reuse.md."""

from dataclasses import dataclass, replace

from discreet.planning.plan import Derived, Known, Plan
from discreet.planning.purchase import Draw, Purchase, Use
from discreet.statistics.part import Part

__all__ = ["View", "view_of"]


@dataclass(frozen=True, slots=True)
class View:
    """A plan that the answer is made by, and for each of its vectors the stored draw that it is; None for one that is bought."""

    plan: Plan
    draws: tuple[Draw | None, ...]


def view_of(purchase: Purchase) -> View:
    """Stored vectors stand in the place of those that are not bought.

    Whatever comes out of one draw comes out of one vector here, so that intervals know which noise is the same.
    """
    vectors: list[Part] = list(purchase.plan.vectors)
    draws: list[Draw | None] = [None] * len(vectors)
    at: dict[tuple[int, int], int] = {}
    moved: dict[tuple[int, int], Derived] = {}
    for use in purchase.uses:
        if draws[use.place] is None:
            vectors[use.place], draws[use.place] = _in_place(use, purchase.plan), use.draw
            at.setdefault(use.draw.whole, use.place)
        elif use.draw.whole not in at:
            at[use.draw.whole] = len(vectors)
            vectors.append(use.draw.vector)
            draws.append(use.draw)
        moved[use.place, use.slot] = Derived(at[use.draw.whole], use.draw.slot)
    sources = tuple((a, s if isinstance(s, Known) else moved.get((s.vector, s.filter), s)) for a, s in purchase.plan.sources)
    return View(replace(purchase.plan, vectors=tuple(vectors), sources=sources), tuple(draws))


def _in_place(use: Use, plan: Plan) -> Part:
    """The stored vector by the names of the planned one."""
    planned = plan.vectors[use.place]
    return replace(use.draw.vector.in_place_of(planned), what=planned.what)
