"""Questions of one batch that buy nothing of their own: what others of it buy tells them as well. Proof: docs/proofs/reuse.md.

They are left out of the charge, and answered as views once the others are settled. A question of which a part is new is charged
for all of it: it would have to be charged for a draw that is not there yet, beside one that is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.planning.purchase import Draw, Use, crossed_out
from discreet.statistics.part import Released

if TYPE_CHECKING:
    from discreet.curator.orders import Crossed

__all__ = ["followers"]


def followers(ready: Sequence["Crossed"]) -> dict[int, "Crossed"]:
    """By their places, the orders that follow from what those before them buy: crossed out with that as if it were stored."""
    leading: list[Crossed] = []
    found = {}
    for place, each in enumerate(ready):
        then = _following(each, leading) if leading and _may_follow(each) else None
        if then is not None:
            found[place] = then
        elif not each.is_old:
            leading.append(each)
    return found


def _may_follow(each: "Crossed") -> bool:
    """Not what is stored or is to be bought by all means, nor what is about keys or bounds that are still to be found."""
    is_bought = each.is_old or each.order.anew or each.order.key is not None
    return not (is_bought or each.purchase.is_free or any(part.is_first for part in each.purchase.plan.vectors))


def _following(each: "Crossed", leading: Sequence["Crossed"]) -> "Crossed | None":
    same_table = [other for other in leading if other.order.desk is each.order.desk]
    if each.request.fingerprint in {other.request.fingerprint for other in same_table}:
        return None  # the same question twice is one, and at two prices it is refused
    planned = _planned(same_table)
    if any(not any(name in planned for name in names) for names in _wanted(each).values()):
        return None

    def find(names: Sequence[str]) -> Mapping[str, Sequence[Draw]]:
        stored = each.order.desk.stock.draws(each.request, names, waits=False)
        return {name: [*stored.get(name, ()), *planned.get(name, ())] for name in names}

    purchase = crossed_out(each.purchase.plan, find, _nothing)
    return replace(each, purchase=purchase) if purchase.is_free else None


def _planned(leading: Sequence["Crossed"]) -> dict[str, list[Draw]]:
    """What will be stored once all of them are settled, by its names. Charges have no number yet: they are told apart below 0."""
    found: dict[str, list[Draw]] = {}
    for number, each in enumerate(leading, start=1):
        for place, slot, name in each.request.names:
            found.setdefault(name, []).append(Draw(-number, place, slot, each.purchase.plan.vectors[place]))
    return found


def _wanted(each: "Crossed") -> dict[tuple[int, int], set[str]]:
    """The names of all that is to be bought."""
    found: dict[tuple[int, int], set[str]] = {}
    for place, slot, name in each.request.names:
        found.setdefault((place, slot), set()).add(name)
    return found


def _nothing(_uses: Sequence[Use]) -> Released:
    return ()
