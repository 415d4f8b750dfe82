"""How often somebody may come: buckets that fill with time. Each worker has its own, of its share of the public number."""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

__all__ = ["Rates"]

_MOST = 10_000  # whose buckets are remembered; the one that came longest ago is forgotten first


class Rates:
    """A bucket for each name, of ``most`` drops, which is filled in so many ``seconds``."""

    def __init__(self, most: int, seconds: float = 60.0, clock: Callable[[], float] = monotonic) -> None:
        self._most = float(most)
        self._a_second = most / seconds
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was in it, and when

    def take(self, name: str, drops: float = 1.0) -> float:
        """Take so many drops, or all where a bucket has no more; 0, or the seconds until they are there."""
        left, wanted = self._left(name), min(drops, self._most)
        if left < wanted:
            return (wanted - left) / self._a_second
        self._keep(name, left - wanted)
        return 0.0

    def wait(self, name: str) -> float:
        """The seconds until there is a drop, without taking one."""
        return max(0.0, (1 - self._left(name)) / self._a_second)

    def _left(self, name: str) -> float:
        had, at = self._buckets.get(name, (self._most, 0.0))
        return min(self._most, had + (self._clock() - at) * self._a_second)

    def _keep(self, name: str, left: float) -> None:
        self._buckets[name] = left, self._clock()
        self._buckets.move_to_end(name)
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
