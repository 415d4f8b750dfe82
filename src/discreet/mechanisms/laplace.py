"""The Laplace mechanism, with exact discrete noise."""

from dataclasses import dataclass
from fractions import Fraction

from discreet.errors import ParameterError
from discreet.exact import Number, exact_not_negative, exact_positive, shown
from discreet.mechanisms.accuracy import least_price, read_confidence
from discreet.mechanisms.grid import explicit_step, float_step
from discreet.mechanisms.noisy import AddsNoise
from discreet.noise.law import Law, discrete_laplace_law
from discreet.privacy.events import LaplaceRelease
from discreet.privacy.losses import Pure

__all__ = ["Laplace"]

_HOW = "write dc.Laplace(epsilon='0.1', sensitivity=1)"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Laplace(AddsNoise):
    """Adds discrete Laplace noise of scale sensitivity / epsilon to each of k numbers.

    ``sensitivity`` is in the l1 norm over all numbers released together. Answers are whole multiples of ``step``: 1 if the
    sensitivity is a whole number, else a power of two far below scale and sensitivity. Floats are rounded to a step fine
    enough for them (see ``for_floats``), unless one was given, and the noise is widened to cover what rounding can add to
    their distance. Where only the scale is known, it stays as it is, and ``loss_for`` adds what rounding does.

    Proof: docs/proofs/laplace.md
    """

    scale: Fraction
    sensitivity: Fraction | None
    step: Fraction
    rounds: int
    keeps_step: bool

    def __init__(
        self,
        *,
        epsilon: Number | None = None,
        sensitivity: Number | None = None,
        scale: Number | None = None,
        step: Number | None = None,
    ) -> None:
        distance = None if sensitivity is None else exact_positive(sensitivity, "sensitivity")
        if scale is not None and epsilon is None:
            width = exact_positive(scale, "scale")
        elif epsilon is not None and scale is None:
            price = exact_positive(epsilon, "epsilon")
            if distance is None:
                raise ParameterError("an epsilon needs a sensitivity", hint=_HOW)
            width = distance / price
        else:
            raise ParameterError("Laplace takes either an epsilon or a scale", hint=_HOW)
        is_whole = distance is None or distance.denominator == 1
        object.__setattr__(self, "scale", width)
        object.__setattr__(self, "sensitivity", distance)
        on = explicit_step(step) if step is not None else Fraction(1) if is_whole else float_step(self._width)
        object.__setattr__(self, "step", on)
        object.__setattr__(self, "rounds", int(on != 1 or not is_whole))
        object.__setattr__(self, "keeps_step", step is not None)

    @classmethod
    def for_accuracy(cls, *, within: Number, confidence: Number = "0.95", sensitivity: Number) -> "Laplace":
        """The cheapest Laplace (epsilon to three digits) whose noise on one number is at most ``within`` with this confidence."""
        most, sure = exact_positive(within, "within"), read_confidence(confidence)

        def meets(epsilon: Fraction) -> bool:
            return cls(epsilon=epsilon, sensitivity=sensitivity).half_width(sure) <= most

        return cls(epsilon=least_price(meets), sensitivity=sensitivity)

    @property
    def law(self) -> Law:
        """The law of the noise, in steps."""
        if not self.rounds or self.sensitivity is None:
            return discrete_laplace_law(self.scale / self.step)  # as wide as asked; ``loss_for`` counts what rounding adds
        return discrete_laplace_law(self._steps_apart(self._known_sensitivity) / self._epsilon)

    @property
    def _known_sensitivity(self) -> Fraction:
        if self.sensitivity is None:
            raise ParameterError(
                "this needs the sensitivity, and only the scale is known",
                hint="write dc.Laplace(scale=…, sensitivity=…), or ask loss_for(distance=…)",
            )
        return self.sensitivity

    @property
    def _epsilon(self) -> Fraction:
        return self._known_sensitivity / self.scale

    @property
    def _shift(self) -> int:
        return int(self._steps_apart(self._known_sensitivity))

    @property
    def _width(self) -> Fraction:
        return self.scale if self.sensitivity is None else min(self.scale, self.sensitivity)

    def _steps_apart(self, distance: Fraction) -> Fraction:
        """How many steps apart, summed over all numbers, two answers at this distance can be once they are on the step."""
        return distance / self.step + self.rounds

    @property
    def cost(self) -> LaplaceRelease:
        """What a release is, as an event."""
        return LaplaceRelease(self._epsilon)

    @property
    def loss(self) -> Pure:
        """What a release costs."""
        return Pure(epsilon=self._epsilon)

    def loss_for(self, distance: Number) -> Pure:
        """What a release costs if one unit moves the answer by at most ``distance``: the privacy map.

        On step 1 this is about whole numbers; for k floats ask ``for_floats(k).loss_for()``.
        """
        apart = exact_not_negative(distance, "distance")
        return Pure(epsilon=self._steps_apart(apart) * self.law.linear if apart else 0)

    def __repr__(self) -> str:
        known = f", sensitivity={shown(self.sensitivity)}" if self.sensitivity is not None else ""
        return f"Laplace(scale={shown(self.scale)}{known}, step={shown(self.step)})"


