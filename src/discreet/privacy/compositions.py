"""The same releases added up in every way there is: what tighter accounting is worth.

Of these only the sums (``basic``, ``concentrated``) hold where questions are chosen in view of the answers. The others are for
batches fixed beforehand.

Proofs: docs/proofs/composition.md, docs/proofs/optimal-composition.md, docs/proofs/loss-distribution.md
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from discreet.errors import ParameterError
from discreet.exact import Number, exact_whole, shown
from discreet.privacy.advanced import advanced_composition
from discreet.privacy.composition import sequential
from discreet.privacy.distribution import loss_distribution
from discreet.privacy.losses import Loss, Pure, delta_between
from discreet.privacy.optimal import optimal_composition
from discreet.privacy.pairs import HasCost
from discreet.privacy.prices import pure

__all__ = ["Compositions", "compositions"]


@dataclass(frozen=True, slots=True)
class Compositions:
    """``ways``: the name of each way of adding up → the total ε at each of ``counts``."""

    title: str
    counts: tuple[int, ...]
    delta_in_words: str
    ways: Mapping[str, tuple[float, ...]]

    @property
    def rows(self) -> list[dict[str, float]]:
        """One row for each count: k, and the ε of every way."""
        return [{"k": k} | {name: values[at] for name, values in self.ways.items()} for at, k in enumerate(self.counts)]

    def plot(self) -> Any:
        """The total ε by the number of releases: an Altair chart, or text where the plots extra is missing."""
        from discreet.plots.charts import drawn
        from discreet.privacy.pictures import figure_of_compositions

        return drawn(figure_of_compositions(self))


def compositions(source: Loss | HasCost, *, counts: Sequence[int], delta: Number) -> Compositions:
    """The ε of ``source``, a pure loss or a mechanism of one, released as often as ``counts`` say, at this ``delta``.

    ``basic`` is the sum, ``advanced`` and ``optimal`` are the theorems of their names, ``concentrated`` adds ρ = ε²/2, and
    ``exact`` composes the loss distribution of the mechanism itself, if it is one.
    """
    loss = source if isinstance(source, Pure) else pure(source.cost) if isinstance(source, HasCost) else None
    if loss is None or not loss.epsilon or not len(counts):
        how = "write dc.compositions(dc.Pure(epsilon='0.1'), counts=[1, 10, 100], delta='1e-6')"
        raise ParameterError("compositions are of a pure loss, or of a mechanism that has one", hint=how)
    times, slack = tuple(exact_whole(count, "count", at_least=1) for count in counts), delta_between(delta)
    ways = {
        "basic": [float(k * loss.epsilon) for k in times],
        "advanced": [float(advanced_composition(loss, count=k, delta=slack).epsilon) for k in times],
        "concentrated": [float(sequential(loss.to_concentrated(), count=k).to_approximate(slack).epsilon) for k in times],
        "optimal": [float(optimal_composition(loss, count=k, delta=slack).epsilon) for k in times],
    }
    if isinstance(source, HasCost):
        ways["exact"] = [loss_distribution(source, count=k).epsilon(slack) for k in times]
    what = f"{type(source).__name__} releases" if isinstance(source, HasCost) else "Releases"
    title = f"{what} of ε = {shown(loss.epsilon)} each"
    return Compositions(title, times, shown(slack), {name: tuple(values) for name, values in ways.items()})
