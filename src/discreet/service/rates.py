"""How often somebody may come: buckets that fill with time. Each worker has its own, of its share of the public number."""

from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

__all__ = ["Rates"]

_MOST = 10_000  # whose buckets are remembered; the one that came longest ago is forgotten first


class Rates:
    """A bucket for each name, of ``per_minute`` drops."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic) -> None:
        self._most = float(per_minute)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()  # what was in it, and when

    def take(self, name: str) -> float:
        """Take a drop; 0, or the seconds until there is one."""
        left = self._left(name)
        if left < 1:
            return (1 - left) * 60 / self._most
        self._keep(name, left - 1)
        return 0.0

    def wait(self, name: str) -> float:
        """The seconds until there is a drop, without taking one."""
        return max(0.0, (1 - self._left(name)) * 60 / self._most)

    def _left(self, name: str) -> float:
        had, at = self._buckets.get(name, (self._most, 0.0))
        return min(self._most, had + (self._clock() - at) * self._most / 60)

    def _keep(self, name: str, left: float) -> None:
        self._buckets[name] = left, self._clock()
        self._buckets.move_to_end(name)
        if len(self._buckets) > _MOST:
            self._buckets.popitem(last=False)
