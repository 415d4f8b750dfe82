"""Samples of two mechanisms: called in turn, watched by a clock, with errors as outcomes like any other."""

import inspect
import time
from collections.abc import Callable
from contextvars import copy_context
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discreet.audit.features import Sample
from discreet.audit.outcomes import Hung, Raised, outcome_of
from discreet.errors import ParameterError

__all__ = ["Drawn", "Progress", "draw", "is_constant"]

Progress = Callable[[int, int], None]  # calls done, calls in all

_POLL = 0.05  # seconds between looks at the clock


@dataclass(frozen=True, slots=True)
class Drawn:
    """Samples of both sides: some that choose events, others that test them."""

    choosing: tuple[Sample, Sample]
    testing: tuple[Sample, Sample]


def draw(
    one: Callable[..., Any], other: Callable[..., Any], size: int, *, batch: bool, timed: bool, timeout: float, progress: Progress
) -> Drawn:
    """``size`` outcomes a side to choose events, and as many to test them."""
    for side, name in ((one, "the first mechanism"), (other, "the second mechanism")):
        _check_callable(side, name, batch=batch)
    if batch and timed:
        raise ParameterError("a batch has one time for all of its outcomes", hint="leave out batch=True, or timed=True")
    samples = _batches(one, other, size, timeout, progress) if batch else _calls(one, other, size, timed, timeout, progress)
    return Drawn((samples[0], samples[1]), (samples[2], samples[3]))


def is_constant(sample: Sample) -> bool:
    """Whether every outcome is the same."""
    if isinstance(sample.outcomes, np.ndarray):
        return bool((sample.outcomes == sample.outcomes[:1]).all())
    return len({outcome_of(each) for each in sample.outcomes}) == 1


def _check_callable(side: object, name: str, *, batch: bool) -> None:
    how = "give a function of the sample's size" if batch else "give a function without arguments, or use audit.foreign(…)"
    if not callable(side):
        raise ParameterError(f"{name} is a {type(side).__name__}, not a function", hint=how)
    try:
        inspect.signature(side).bind(*[0] if batch else [])
    except TypeError:
        raise ParameterError(f"{name} cannot be called with {'one argument' if batch else 'no argument'}", hint=how) from None
    except ValueError:
        return  # built in, without a signature to look at


# ---- one call for each outcome


def _calls(
    one: Callable[[], Any], other: Callable[[], Any], size: int, timed: bool, timeout: float, progress: Progress
) -> list[Sample]:
    outcomes: tuple[list[object], list[object]] = ([], [])
    seconds: tuple[list[float], list[float]] = ([], [])

    def work() -> None:
        for _ in range(2 * size):
            for place, side in enumerate((one, other)):  # in turn, so that both see the same weather
                start = time.perf_counter()
                outcomes[place].append(_called(side))
                seconds[place].append(time.perf_counter() - start)

    _watched(work, lambda: len(outcomes[0]) + len(outcomes[1]), 4 * size, timeout, progress)
    _refuse_errors_alone(*outcomes)
    return [_sample(outcomes[place][part], np.array(seconds[place][part]) if timed else None)
            for part in (slice(0, size), slice(size, None)) for place in (0, 1)]  # fmt: skip


def _called(side: Callable[[], Any]) -> object:
    try:
        return side()
    except Hung:
        raise
    except Exception as error:  # noqa: BLE001 - an error is an outcome: whether it comes must not depend on the data
        return Raised(type(error).__name__, str(error))


def _sample(outcomes: list[object], seconds: NDArray[np.float64] | None) -> Sample:
    return Sample(outcomes, seconds)


def _refuse_errors_alone(one: list[object], other: list[object]) -> None:
    raised = [each for each in (one[0], other[0]) if isinstance(each, Raised)]
    if len(raised) == 2 and all(isinstance(each, Raised) for side in (one, other) for each in side):
        raise ParameterError(
            f"every call of both mechanisms raised an error, the first {raised[0].kind}: nothing was released to look at",
            hint="call each once by hand, and give functions that return something",
        )


# ---- many outcomes in one call


def _batches(
    one: Callable[[int], Any], other: Callable[[int], Any], size: int, timeout: float, progress: Progress
) -> list[Sample]:
    found: list[Any] = []
    failed: list[Exception] = []

    def work() -> None:
        for place in range(4):
            try:
                found.append((one, other)[place % 2](size))
            except Hung:
                raise
            except Exception as error:  # noqa: BLE001 - told below
                failed.append(error)
                return

    _watched(work, lambda: len(found) * size, 4 * size, timeout, progress)
    if failed:
        raise ParameterError(
            f"a batch ended in {type(failed[0]).__name__}, which no single outcome can be blamed for: no verdict",
            hint="leave out batch=True, so that every call is one outcome and errors count",
        ) from failed[0]
    arrays = [_as_batch(each, size) for each in found]
    if all(isinstance(each, np.ndarray) and each.shape == arrays[0].shape for each in arrays):  # type: ignore[union-attr]
        return [Sample(each) for each in arrays]
    return [Sample(list(each)) for each in arrays]


def _as_batch(found: Any, size: int) -> NDArray[Any] | list[object]:
    """The outcomes of a batch: an array if they are numbers, else a list."""
    if not isinstance(found, np.ndarray | list | tuple):
        raise ParameterError(f"a batch came back as a {type(found).__name__}", hint="return an array or list of outcomes")
    if len(found) != size:
        raise ParameterError(f"a batch of {size} outcomes came back with {len(found)}", hint="return as many as asked for")
    if isinstance(found, np.ndarray) and found.dtype.kind in "biuf":
        return found
    return list(found)


# ---- the clock


def _watched(work: Callable[[], None], done: Callable[[], int], total: int, timeout: float, progress: Progress) -> None:
    """Run ``work`` in a thread of its own, and give up once nothing was done for ``timeout`` seconds."""
    failed: list[BaseException] = []

    def guarded() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - raised again below, where somebody hears it
            failed.append(error)

    thread = Thread(target=copy_context().run, args=(guarded,), daemon=True)  # a call that hangs must not keep Python alive
    thread.start()
    before, since = 0, time.monotonic()
    while thread.is_alive():
        thread.join(_POLL)
        now = done()
        if now != before:
            before, since = now, time.monotonic()
            progress(now, total)
        elif thread.is_alive() and time.monotonic() - since > timeout:
            raise Hung(
                f"a call did not come back within {timeout:g} s, after {now} of {total}: no verdict",
                hint="write a larger timeout=, or see why it hangs",
            )
    if failed:
        raise failed[0]
    progress(total, total)


