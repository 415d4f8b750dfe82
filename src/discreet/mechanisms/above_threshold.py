"""Above threshold, and the sparse vector: which of many answers are large, for a price that does not grow with their number."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log

from discreet.errors import ParameterError
from discreet.exact import Number, exact_positive, exact_whole, shown
from discreet.mechanisms.accuracy import read_confidence
from discreet.mechanisms.observing import observed
from discreet.noise.draws import draw_exactly_one
from discreet.noise.keystream import Entropy, fresh
from discreet.noise.law import Law, discrete_laplace_law
from discreet.privacy.events import PureRelease, Repeated
from discreet.privacy.losses import Pure

__all__ = ["AboveThreshold", "Watch"]

_FOR_THRESHOLD = Fraction(2, 5)  # of a round's epsilon; 1 : 2^(2/3) would be best, and this is within 0.3 % of it


@dataclass(frozen=True, slots=True, init=False, repr=False)
class AboveThreshold:
    """Says of whole numbers, one after the other, whether each is above a threshold, until ``count`` of them were.

    ``sensitivity`` is how far one unit can move any one of the numbers. Threshold and numbers get noise that is never
    negative, P(z) proportional to exp(-z / scale), and only comparisons are told. After each number found above, the next
    round begins with new noise on the threshold. ``epsilon`` is for all rounds together.

    Proof: docs/proofs/above_threshold.md
    """

    epsilon: Fraction
    sensitivity: int
    threshold: int
    count: int

    def __init__(self, *, epsilon: Number, sensitivity: int = 1, threshold: int, count: int = 1) -> None:
        object.__setattr__(self, "epsilon", exact_positive(epsilon, "epsilon"))
        object.__setattr__(self, "sensitivity", exact_whole(sensitivity, "sensitivity", at_least=1))
        object.__setattr__(self, "threshold", _whole(threshold, "threshold"))
        object.__setattr__(self, "count", exact_whole(count, "count", at_least=1))

    @property
    def cost(self) -> Repeated:
        """What all rounds are, as an event."""
        return Repeated(PureRelease(self.epsilon / self.count), self.count)

    @property
    def loss(self) -> Pure:
        """What all rounds cost."""
        return Pure(epsilon=self.epsilon)

    @property
    def threshold_scale(self) -> Fraction:
        """The scale of the noise on the threshold."""
        return self.sensitivity / (_FOR_THRESHOLD * self.epsilon / self.count)

    @property
    def answer_scale(self) -> Fraction:
        """The scale of the noise on every number: threshold and number may move against each other, so twice as far."""
        return 2 * self.sensitivity / ((1 - _FOR_THRESHOLD) * self.epsilon / self.count)

    @property
    def offset(self) -> int:
        """What is added to the threshold because a number's noise is the larger on average."""
        return round(self.answer_scale - self.threshold_scale)

    def start(self) -> "Watch":
        """A watch on numbers that are not all known beforehand. Starting one is what costs."""
        return Watch(self)

    def release(self, numbers: Iterable[int]) -> list[bool]:
        """Whether each number is above, as far as the ``count``-th that is: what comes after it is not looked at."""
        watch, told = self.start(), list[bool]()
        for number in numbers:
            told.append(watch.is_above(number))
            if watch.is_over:
                break
        return told

    def half_width(self, numbers: int, confidence: Number = "0.95") -> int:
        """A distance a: with this confidence all of so many numbers told above are at least threshold - a, others at most + a."""
        asked, outside = exact_whole(numbers, "numbers", at_least=1), float(1 - read_confidence(confidence))
        by_answers = float(self.answer_scale) * log(2 * asked / outside) - self.offset
        by_threshold = float(self.threshold_scale) * log(2 * self.count / outside) + self.offset
        return ceil(max(by_answers, by_threshold, 0.0) * (1 + 1e-12))

    def __repr__(self) -> str:
        return (
            f"AboveThreshold(epsilon={shown(self.epsilon)}, sensitivity={self.sensitivity}, threshold={self.threshold}, "
            f"count={self.count})"
        )


class Watch:
    """One use of AboveThreshold: it remembers the noisy threshold of the round and how many rounds are left."""

    __slots__ = ("_answer_law", "_bar", "_base", "_entropy", "_left", "_threshold_law")

    def __init__(self, mechanism: AboveThreshold) -> None:
        self._entropy = observed(mechanism, (), fresh)
        self._threshold_law = discrete_laplace_law(mechanism.threshold_scale)
        self._answer_law = discrete_laplace_law(mechanism.answer_scale)
        self._base = mechanism.threshold + mechanism.offset
        self._left = mechanism.count
        self._begin_round()

    @property
    def is_over(self) -> bool:
        """Whether as many numbers were above as was paid for."""
        return not self._left

    def is_above(self, number: int) -> bool:
        """Whether the number is above the threshold, both with noise."""
        if self.is_over:
            raise ParameterError("as many numbers were above as was paid for", hint="write a larger count")
        is_above = _whole(number, "number") + _not_negative(self._answer_law, self._entropy) >= self._bar
        if is_above:
            self._left -= 1
            self._begin_round()
        return is_above

    def __repr__(self) -> str:
        return f"Watch({self._left} left)"  # the noisy threshold is a secret

    def _begin_round(self) -> None:
        self._bar = self._base + _not_negative(self._threshold_law, self._entropy)


def _not_negative(law: Law, entropy: Entropy) -> int:
    """A draw of the law, given that it is not negative: a geometric variable, at the first try more often than not."""
    while (drawn := draw_exactly_one(law, entropy)) < 0:
        pass
    return drawn


def _whole(value: int, name: str) -> int:
    """A whole number of either sign. What else it may have been is not told."""
    try:
        return exact_whole(value, name, at_least=-(1 << 4000))
    except ParameterError:
        raise ParameterError(f"the {name} is not a whole number", hint="give an int, such as a count") from None
