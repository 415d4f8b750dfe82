"""The process that stands over the workers: it begins them, replaces one that dies or hangs, and ends them all by one deadline.

Also over a single one: it costs some memory and a second at the beginning, and no request anything.
"""

import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import parent_process
from os import _exit as leave_at_once
from pathlib import Path
from threading import Thread
from time import monotonic, sleep

from uvicorn import Config, Server
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Process

from discreet.errors import Fault
from discreet.service.logs import kind_and_place, log_to

__all__ = ["Supervisor", "Worker"]

_TICK = 0.1  # seconds between looks
_SILENT = 60.0  # seconds after which a worker that does not move is given up
_LATE = 180.0  # the same of one that does not begin to listen: it may have to wait for a ledger that somebody holds
_AGAIN = 10.0  # seconds between two workers that cannot begin
_TO_CLOSE = 5.0  # seconds beside those that running questions have; the unit of systemd waits for longer than both
_log = logging.getLogger("discreet.service")


class _Server(Server):
    """Says at once that it is to end, not only when the last connection is closed; and when its loop of events last moved."""

    ticked = 0.0

    async def on_tick(self, counter: int) -> bool:
        self.ticked = monotonic()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self.lifespan.state["leave"]()
        await super().shutdown(sockets)


class Worker(Process):
    """A process that answers; all but ``target`` is for the one that stands over it."""

    def __init__(self, config: Config, sockets: list[socket.socket], log_file: Path | None) -> None:
        super().__init__(config, sockets)
        self._log_file = log_file
        self._asked = 0.0  # since when it owes an answer; 0 if it owes none
        self.began = monotonic()
        self.has_listened = False
        self.start()

    @property
    def server(self) -> _Server:
        """What it runs."""
        if not isinstance(self._server, _Server):
            self._server = _Server(self.config)
        return self._server

    def pong(self) -> None:
        """Answer once the loop of events has moved: it is that loop which serves, and not the thread that answers here."""
        self.child_conn.recv()
        asked = monotonic()
        while self.server.started and not self.server.should_exit and self.server.ticked < asked:
            sleep(_TICK)
        self.child_conn.send(self.server.started)

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """All that the process does. What threads still sleep for is left: another worker goes on with it."""
        log_to(self._log_file)
        if hasattr(signal, "SIGHUP"):
            signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a terminal that is closed tells it all of us
        Thread(target=_end_with_parent, args=(self.config.timeout_graceful_shutdown or 0,), daemon=True).start()
        code = STARTUP_FAILURE
        try:
            _ = self.server  # made here: the thread that answers would make another one beside it
            super().target(sockets)
            code = 0
        except KeyboardInterrupt:
            code = 0
        except SystemExit:
            pass  # the server has said why
        except Exception as error:  # noqa: BLE001 - its trace may quote anything
            _log.error("a worker could not go on: %s", kind_and_place(error))
        leave_at_once(code)

    def moves(self) -> bool:
        """Whether it is there and has moved lately. Never waits."""
        if not self.process.is_alive():
            return False
        with suppress(OSError, EOFError):  # it has just gone
            if not self._asked:
                self.parent_conn.send(b"ping")
                self._asked = monotonic()
            elif self.parent_conn.poll():
                self.has_listened |= self.parent_conn.recv()
                self._asked = 0.0
        return not self._asked or monotonic() - self._asked < _SILENT

    def is_late(self) -> bool:
        """Whether it should listen by now, and never has."""
        return not self.has_listened and monotonic() - self.began > _LATE

    def end_by(self, deadline: float) -> None:
        """Wait for its end; there is an end to that, too."""
        self.process.join(max(0.0, deadline - monotonic()))
        if self.process.is_alive():
            _log.warning("worker %s was not over in time", self.pid)
        self.kill()
        self.join()


class Supervisor:
    """So many workers. ``begun`` makes one that has been started; at the end running questions have so many ``seconds``, and
    ``closed`` is called first: who comes then is turned away at once, and is not left waiting.
    """

    def __init__(self, begun: Callable[[], Worker], workers: int, seconds: float, closed: Callable[[], None]) -> None:
        self._begun = begun
        self._closed = closed
        self._many = workers
        self._seconds = seconds + _TO_CLOSE
        self._workers: list[Worker] = []
        self._old: list[Worker] = []  # to be replaced, one after the other
        self._new: Worker | None = None  # which is to take the place of the first of them
        self._leaving: dict[Worker, float] = {}  # and when each has to be gone
        self._not_before = 0.0  # when the next worker may be begun
        self._heard: list[int] = []

    def run(self, said: Callable[[], None]) -> None:
        """Until a signal ends it, which is raised again when all workers have ended. ``said`` is called once all listen.

        Raises Fault if the first ones cannot.
        """
        with _heeding(self._heard):
            try:
                while len(self._workers) < self._many:
                    self._workers.append(self._first())
                while not self._is_over() and not self._all_listen():
                    sleep(_TICK)
                if not self._heard:
                    said()
                while not self._is_over():
                    self._keep()
                    self._renew()
                    sleep(_TICK)
            finally:
                self._end()
        for number in self._heard[:1]:
            signal.raise_signal(number)

    def _is_over(self) -> bool:
        while _HUP in self._heard:  # another signal may be heard meanwhile
            self._heard.remove(_HUP)
            self._old = list(self._workers)
        return bool(self._heard)

    def _first(self) -> Worker:
        try:
            return self._begun()
        except OSError as error:
            raise _cannot_begin(kind_and_place(error)) from None

    def _all_listen(self) -> bool:
        if not all(each.moves() for each in self._workers) or any(each.is_late() for each in self._workers):
            raise _cannot_begin("it ended, or does not listen")
        return all(each.has_listened for each in self._workers)

    def _keep(self) -> None:
        """Replace whoever died, or does not move. Who could not begin is not replaced at once: the next could not, either."""
        for place, each in enumerate(self._workers):
            if (each.moves() and not each.is_late()) or not (each.has_listened or monotonic() - each.began > _AGAIN):
                continue
            if (new := self._another()) is None:
                continue
            why = "does not move" if each.process.is_alive() else f"ended by itself ({each.exitcode})"
            _log.warning("worker %s %s: another one takes its place", each.pid, why)
            each.end_by(0.0)
            self._workers[place] = new
        for each, deadline in list(self._leaving.items()):
            if not each.process.is_alive() or monotonic() > deadline:
                each.end_by(deadline)
                del self._leaving[each]

    def _renew(self) -> None:
        """The next step of replacing one worker after the other: the old one ends when the new one listens."""
        self._old = [each for each in self._old if each in self._workers]  # others have died, and were replaced
        if self._new is None:
            self._new = self._another() if self._old and not self._leaving else None
        elif not self._new.moves() or self._new.is_late():
            _log.error("worker %s could not begin: those that are there stay", self._new.pid)
            self._new.end_by(0.0)
            self._new, self._old = None, []
        elif self._new.has_listened:
            new, self._new = self._new, None
            if not self._old:  # the one whose place it was to take has died meanwhile, and was replaced
                self._leave(new)
                return
            old = self._old.pop(0)
            self._workers[self._workers.index(old)] = new
            self._leave(old)

    def _another(self) -> Worker | None:
        """One more; None if the system has no room for it, and then it is tried again after a while."""
        if monotonic() < self._not_before:
            return None
        try:
            return self._begun()
        except OSError as error:
            self._not_before = monotonic() + _AGAIN
            _log.error("a worker could not be begun: %s", kind_and_place(error))
            return None

    def _leave(self, each: Worker) -> None:
        self._leaving[each] = monotonic() + self._seconds
        each.terminate()

    def _end(self) -> None:
        self._closed()
        for each in (*self._workers, *([] if self._new is None else [self._new])):
            self._leave(each)
        for each, deadline in self._leaving.items():
            each.end_by(deadline)


def _cannot_begin(why: str) -> Fault:
    fault = Fault("the service cannot begin", hint="its log says why", freezes=False)
    _log.error("fault %s: a worker could not begin: %s", fault.reference, why)
    return fault


_HUP = getattr(signal, "SIGHUP", 0)


@contextmanager
def _heeding(heard: list[int]) -> Iterator[None]:
    """Inside, signals are heard. Whoever has said what a closed terminal means, means it."""
    names = ("SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP")
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    wanted = [each for each in numbers if each != _HUP or not callable(signal.getsignal(each))]
    before = {each: signal.signal(each, lambda number, _: heard.append(number)) for each in wanted}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _end_with_parent(seconds: float) -> None:
    """A worker that nobody stands over any more ends as if it were told to, by the same deadline: it would hold the port."""
    if (parent := parent_process()) is not None:
        parent.join()
        signal.raise_signal(signal.SIGTERM)
        sleep(seconds + _TO_CLOSE)
        leave_at_once(STARTUP_FAILURE)
