"""How the numbers of a release came about, in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from discreet.answers.losses import shortly

__all__ = ["Ends", "Noise", "noise_in"]


@dataclass(frozen=True, slots=True)
class Noise:
    """What was added to the numbers of a column, or how they were chosen, as the receipt has it.

    ``size`` says how much, ``about`` what else than the number itself it was done to: a bound that was found first.
    """

    law: str
    size: str
    step: str = "1"
    about: str = ""

    def __str__(self) -> str:
        step = "" if self.step == "1" else f", in steps of {self.step}"
        return f"{self.what}, {self.size}{step}"

    @property
    def what(self) -> str:
        """The law, after what it is about."""
        return f"{self.about}: {self.law}" if self.about else self.law

    @property
    def scale(self) -> str:
        """How much, where it is known that a scale is meant."""
        amount = self.size.removeprefix("scale ")
        return amount if self.step == "1" else f"{amount} steps of {self.step}"


Ends = tuple[tuple[Noise, ...], tuple[Noise, ...]]  # of the low and of the high end


def noise_in(mechanism: Mapping[str, Any]) -> Noise:
    """One mechanism of a receipt in words."""
    statistic = mechanism.get("statistic")
    about = {"radius": "radius", "rows_around": "rows around"}.get(str(statistic), "")
    about = f"{statistic} end, {mechanism['what']}" if statistic in ("lower", "upper") else about
    return Noise(str(mechanism["noise"]), _size(mechanism), str(mechanism.get("step", "1")), about)


def _size(mechanism: Mapping[str, Any]) -> str:
    match mechanism:
        case {"scale": scale}:
            return f"scale {scale}"
        case {"variance": variance}:
            return f"variance {variance}"
        case {"selections": selections, "candidates": values}:
            each = list(dict.fromkeys(f"epsilon {one['epsilon']}" for one in selections))
            choices = "one choice" if len(selections) == 1 else f"{len(selections)} choices"
            return f"{choices} among {values} values at {' and '.join(each)}"
        case {"epsilon": epsilon, "delta": delta}:
            return f"epsilon {epsilon}, delta {shortly(Fraction(delta))}"
        case _:
            return "as the receipt says"
