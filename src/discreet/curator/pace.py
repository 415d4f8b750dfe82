"""How long an answer takes in public: a function of the plan and of public sizes, the same whatever the rows are. Rule 33.

Where people ask who are not trusted, what was drawn is kept back until then, and so is a fault: it is settled at its public time,
so that neither a response tells how long it took, nor a history, a receipt, a quote or whoever waits for the same. What is not
there by then waits for the next doubling. A mitigation, and no part of what is promised by epsilon.
"""

import logging
from time import monotonic, sleep

from discreet.planning.plan import Plan
from discreet.planning.work import work_of

__all__ = ["Pace", "due_after", "public_numbers", "public_seconds"]

_LEAST = 0.125  # seconds, of which every public time is a doubling
_STEP = 40e-6  # several times what a step takes
_ROW = 0.2e-6  # the same for a row that is read
_ROWS = 1_000_000  # supposed where no size is public
_log = logging.getLogger("discreet.curator")


def public_seconds(plan: Plan) -> float:
    """The time after which the answer to a plan is settled, well above what it usually takes."""
    facts = plan.facts
    rows = next((size for size in (facts.rows, facts.rows_about, facts.units) if size is not None), _ROWS)
    return due_after(_LEAST, _LEAST / 2 + work_of(plan).steps * _STEP + rows * _ROW)


def public_numbers(plan: Plan) -> int:
    """How many numbers are kept of an answer to a plan: those that are drawn, and those that are shown."""
    return work_of(plan).numbers


def due_after(public: float, taken: float) -> float:
    """When something is due that took so long: at its public time, or at the first doubling of that which is later."""
    while public < taken:
        public *= 2
    return public


class Pace:
    """One charge that is worked off: begun now, over at its public time."""

    def __init__(self, plan: Plan) -> None:
        self._began = monotonic()
        self._public = public_seconds(plan)

    def wait(self) -> None:
        """Until the public time is over."""
        due = due_after(self._public, monotonic() - self._began)
        if due > self._public:  # by one doubling happens often: the first read of a file, a database that has other work
            level = logging.INFO if due <= 2 * self._public else logging.WARNING
            _log.log(level, "a question took longer than its public time of %g s: it is over after %g s", self._public, due)
        sleep(max(0.0, self._began + due - monotonic()))
