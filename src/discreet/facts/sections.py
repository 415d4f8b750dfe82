"""A part of a facts document while it is checked: read a key, note what is wrong, go on. All problems are found in one go."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from discreet.errors import FactsError, ParameterError
from discreet.facts.lines import KeyPath, key_text
from discreet.facts.values import Reader, said
from discreet.facts.vocabulary import instead_of, nearest

__all__ = ["Section", "Wrong", "refuse_first"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Wrong:
    """What is wrong with the value at ``path``, and what to write instead."""

    path: KeyPath
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Section:
    """The entries at ``path``. All sections of a document share ``found``; what was read counts only while that is empty."""

    entries: Mapping[str, object]
    path: KeyPath = ()
    found: list[Wrong] = field(default_factory=list)

    def wrong(self, key: str | KeyPath, message: str, hint: str) -> None:
        """Note a problem with the value at ``key``."""
        inner = (key,) if isinstance(key, str) else key
        self.found.append(Wrong((*self.path, *inner), message, hint))

    def only(self, known: tuple[str, ...], where: str) -> None:
        """Note every key that is not ``known`` in this place."""
        for key in self.entries:
            if key not in known:
                self.wrong(key, f"{key} is not known in {where}", instead_of(key, known))

    def read(self, key: str, reader: Reader[T], *, needed: str = "") -> T | None:
        """The value of ``key``; None if it is not there (noted if ``needed`` says what to write) or wrong (noted)."""
        if key not in self.entries:
            if needed and not self._misspelt(key):
                self.wrong(key, f"{key} is missing", needed)
            return None
        try:
            return reader(self.entries[key], key)
        except ParameterError as error:
            self.wrong(key, error.message, error.hint)
            return None

    def _misspelt(self, key: str) -> bool:
        """Whether a key that was noted as unknown is likely this one."""
        return any(wrong.path[:-1] == self.path and wrong.hint == nearest(key, (key,)) for wrong in self.found)

    def items(self, key: str, reader: Reader[T], *, needed: str = "") -> tuple[T, ...] | None:
        """The list under ``key``; the first item that is wrong is noted."""
        values = self.read(key, _sequence, needed=needed)
        if values is None:
            return None
        read = []
        for place, value in enumerate(values):
            try:
                read.append(reader(value, f"item {place + 1} of {key}"))
            except ParameterError as error:
                self.wrong((key, place), error.message, error.hint)
                return None
        return tuple(read)

    def section(self, key: str, *, needed: str = "") -> "Section | None":
        """The table under ``key``."""
        entries = self.read(key, _entries, needed=needed)
        return None if entries is None else Section(entries, (*self.path, key), self.found)

    def sections(self) -> Iterator[tuple[str, "Section"]]:
        """Every entry of this table by its name; one that is no table is noted."""
        for key in self.entries:
            if (inner := self.section(key)) is not None:
                yield key, inner


def refuse_first(found: list[Wrong]) -> None:
    """Raise the first problem, if there is one."""
    for wrong in found:
        raise FactsError(wrong.message, hint=wrong.hint, key=key_text(wrong.path))


def _entries(value: object, key: str) -> Mapping[str, object]:
    if not isinstance(value, Mapping):
        raise ParameterError(f"{key} is {said(value)}, not a table of keys", hint=f"write {key} = {{ key = value }} or a [table]")
    return {str(inner): kept for inner, kept in value.items() if kept is not None}


def _sequence(value: object, key: str) -> list[object]:
    if not isinstance(value, list | tuple):
        raise ParameterError(f"{key} is {said(value)}, not a list", hint=f"write {key} = [ … ]")
    return list(value)
