"""Ctrl-C while a question is asked or a table is registered: say what became of it, and end with 130. The end by ``kill``."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Literal

import typer

from discreet.cli.options import typed
from discreet.cli.printing import say
from discreet.errors import DiscreetError, Fault

__all__ = ["tidy_if_ended", "told_if_act_interrupted", "told_if_interrupted"]


@contextmanager
def tidy_if_ended() -> Iterator[None]:
    """Inside, being told to end (``kill``, a terminal that is closed) leaves as Ctrl-C does: what was made is cleared away."""

    told: list[int] = []

    def end(number: int, _: FrameType | None) -> None:
        signal.signal(number, signal.SIG_IGN)  # told twice, it still clears away
        told.append(number)
        raise SystemExit(128 + number)  # which no event loop keeps to itself

    wanted = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    is_main = threading.current_thread() is threading.main_thread()
    ours = [each for each in wanted if is_main and signal.getsignal(each) == signal.SIG_DFL]  # nohup stays as it is
    for each in ours:
        signal.signal(each, end)
    try:
        yield
    except SystemExit:
        if told:
            raise typer.Exit(128 + told[0]) from None
        raise
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)


@contextmanager
def told_if_interrupted(file: Path) -> Iterator[None]:
    """Inside, an interruption is told on stderr with what became of the charge, by the ledger's own account."""
    with _told(file, _fate):
        yield


@contextmanager
def told_if_act_interrupted(file: Path, act: Literal["register", "version"]) -> Iterator[None]:
    """The same of an act of whoever holds the data, which is one entry of the kind ``act``."""
    with _told(file, partial(_fate_of_act, act)):
        yield


@contextmanager
def _told(file: Path, fate: Callable[[Path, int | None], str]) -> Iterator[None]:
    with _noticing() as noticed:
        before: int | None = None
        try:
            before = _last(file)
            yield
        except (KeyboardInterrupt, Fault) as error:
            if isinstance(error, Fault) and not noticed.is_set():
                raise
            say(f"\ninterrupted; {fate(file, before)}", err=True)
            raise typer.Exit(130) from None


@contextmanager
def _noticing() -> Iterator[threading.Event]:
    """An event that is set by Ctrl-C: a database turns the interruption into an error of its own, which is not to be believed."""
    noticed = threading.Event()
    before = signal.getsignal(signal.SIGINT)

    def notice(number: int, frame: FrameType | None) -> None:
        noticed.set()
        if callable(before):
            before(number, frame)

    is_ours = threading.current_thread() is threading.main_thread() and callable(before)
    if is_ours:
        signal.signal(signal.SIGINT, notice)
    try:
        yield noticed
    finally:
        if is_ours:
            signal.signal(signal.SIGINT, before)


def _last(file: Path) -> int | None:
    """The number of the last entry; None where there is no ledger, which whoever asks will be told."""
    from discreet.curator import office

    try:
        return office.entries(file, last=1)[-1].number
    except (DiscreetError, OSError):
        return None


def _fate(file: Path, before: int | None) -> str:
    """What the entries since ``before`` say; those of others who asked meanwhile are told apart by reading the ledger."""
    from discreet.curator import office

    if before is None:
        return "nothing was charged"
    try:
        kinds = [entry.kind for entry in office.entries(file) if entry.number > before]
    except DiscreetError:
        return f"whether the question was charged is in the ledger: discreet ledger show {typed(file)}"
    if "charge" not in kinds:
        return "nothing was charged"
    if "settle" in kinds:
        return "the question was charged and answered: ask the same again, which is free"
    return f"the question was charged, and the charge stays; discreet ledger show {typed(file)} has it"


def _fate_of_act(act: Literal["register", "version"], file: Path, before: int | None) -> str:
    """The same of an act: whether the ledger has it; a ledger that was not there before is made by the first one."""
    from discreet.curator import office
    from discreet.facts.file import read_facts

    try:
        name = read_facts(file).name
        since = [entry for entry in office.entries(file) if before is None or entry.number > before]
    except (DiscreetError, OSError):
        since, name = [], ""
    done = [entry.body for entry in since if entry.kind == act and entry.body.get("table") == name]
    if act == "register":
        return f"{name} was registered" if done else "nothing was registered"
    return f"version {done[-1]['version']} was begun" if done else "no version was begun"
