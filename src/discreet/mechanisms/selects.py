"""What mechanisms that choose by score have in common: their parameters, their loss, and what a score is worth."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.exact import Number, exact_not_negative, exact_positive, shown
from discreet.mechanisms.scores import Named, Scores, Whole
from discreet.noise.race import Weights
from discreet.privacy.losses import Pure

__all__ = ["Scored", "Selects", "by_name"]


@dataclass(frozen=True, slots=True)
class Scored:
    """What a choice is among: scores, as whole multiples of ``unit``, and public weights."""

    whole: Whole
    unit: Fraction
    weights: Weights | None = None


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Selects:
    """A choice at ``epsilon`` by scores of which one unit can move any one by at most ``sensitivity``."""

    epsilon: Fraction
    sensitivity: Fraction

    def __init__(self, *, epsilon: Number, sensitivity: Number) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", exact_positive(sensitivity, "sensitivity"))

    @property
    def loss(self) -> Pure:
        """What a selection costs."""
        return Pure(epsilon=self.epsilon)

    def loss_for(self, distance: Number) -> Pure:
        """What a selection costs if one unit moves any one score by at most ``distance``: the privacy map."""
        return Pure(epsilon=self.epsilon * exact_not_negative(distance, "distance") / self.sensitivity)

    def plot(self, scores: Scores | Named) -> Any:
        """How likely each candidate is: an Altair chart, or text where the plots extra is missing."""
        from discreet.mechanisms.pictures import figure_of_choice
        from discreet.plots.charts import drawn

        return drawn(figure_of_choice(self, scores))

    @property
    def _factor(self) -> Fraction:
        """What noise of scale 1 is added to, for each unit of score."""
        return self.epsilon / (2 * self.sensitivity)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(epsilon={shown(self.epsilon)}, sensitivity={shown(self.sensitivity)})"


def by_name(scores: Scores | Named, found: list[Any]) -> Any:
    """What was found for each candidate: under its name where candidates have names, else in their order."""
    return dict(zip(scores, found, strict=True)) if isinstance(scores, Mapping) else found
