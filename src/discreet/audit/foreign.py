"""Mechanisms of others: a function and two inputs, or any two command lines."""

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from discreet.audit.outcomes import Hung
from discreet.errors import ParameterError

__all__ = ["Command", "command", "foreign"]


def foreign(mechanism: Callable[..., Any], one: Any, other: Any, **words: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """``mechanism`` on each of two neighbouring inputs, ready for ``dc.audit(*foreign(…), epsilon=1)``.

    With ``batch=True`` the mechanism is called as ``mechanism(input, size)``.
    """
    if not callable(mechanism):
        raise ParameterError(f"the mechanism is a {type(mechanism).__name__}, not a function", hint="write foreign(f, a, b)")
    return partial(mechanism, one, **words), partial(mechanism, other, **words)


class CommandFailed(Exception):
    """A command that ended with another exit code than 0: an outcome like any other."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command line as a mechanism: what it prints is its outcome, one for each run, or one on each line of a batch."""

    words: tuple[str, ...]
    timeout: float

    def __call__(self, size: int | None = None) -> Any:
        if size is None:
            return read_outcome(self._run())
        found: list[Any] = []
        while len(found) < size:
            lines = [line for line in self._run().splitlines() if line.strip()]
            if not lines:
                raise CommandFailed("nothing was printed")
            found += map(read_outcome, lines)
        return found[:size]

    def _run(self) -> str:
        try:
            done = subprocess.run(self.words, stdin=subprocess.DEVNULL, capture_output=True, timeout=self.timeout, check=False)
        except subprocess.TimeoutExpired:
            how = "write a longer --timeout, or see why it hangs"
            raise Hung(f"the command did not end within {self.timeout:g} s: no verdict", hint=how) from None
        if done.returncode:
            raise CommandFailed(f"exit code {done.returncode}")
        return done.stdout.decode("utf-8", "replace")


def command(words: str | Sequence[str], *, timeout: float = 60.0) -> Command:
    """A command line to audit. It is not run through a shell; a text is split as a shell would."""
    found = tuple(shlex.split(words, posix=os.name != "nt")) if isinstance(words, str) else tuple(map(str, words))
    if not found:
        raise ParameterError("there is no command", hint="write a command line such as 'python noisy.py a.csv'")
    from shutil import which

    if which(found[0]) is None:
        raise ParameterError(f"there is no program {found[0]!r}", hint="write a program that is there, with its arguments")
    return Command(found, timeout)


def read_outcome(text: str) -> Any:
    """What was printed: as JSON if it is some (NaN and Infinity too), else as text."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text.strip()
