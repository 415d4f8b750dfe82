"""A store in dictionaries: the shortest there is. It shows that the rules of the ledger lean on nothing of SQLite's."""

import time
from contextlib import contextmanager
from dataclasses import replace
from threading import RLock

from discreet.errors import LedgerFault


class Plain:
    """Whoever writes, writes to a copy that takes the place of what was there; so a state that somebody reads never changes."""

    def __init__(self):
        self._kept, self._lock = {}, RLock()

    @contextmanager
    def reading(self):
        with _faults():
            yield _Records(self._kept)

    @contextmanager
    def writing(self):
        with self._lock, _faults():
            records = _Records({kind: dict(found) for kind, found in self._kept.items()})
            yield records
            self._kept = records.kept

    def notes(self):
        return ()

    def close(self):
        pass


@contextmanager
def _faults():
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        raise LedgerFault("the ledger cannot be read") from error


class _Records:
    def __init__(self, kept):
        self.kept = kept

    def one(self, kind, /, **key):
        return next(self.each(kind, **key), None)

    def each(self, kind, /, *, backwards=False, most=None, below=None, **where):
        records = self.kept.get(kind, {})
        found = [record for _, record in sorted(records.items(), reverse=backwards) if _has(record, where)]
        found = found if below is None else [record for record in found if _key(record)[0] < below]
        return iter(found[:most])

    def parts(self, kind, /, *names, **where):
        return (tuple(getattr(record, name) for name in names) for record in self.each(kind, **where))

    def clock(self):
        return time.time()

    def damages(self):
        return []

    def add(self, record):
        if _key(record) in self.kept.get(type(record), {}):
            raise LedgerFault("the ledger cannot be written")
        self.put(record)

    def put(self, record):
        self.kept.setdefault(type(record), {})[_key(record)] = record

    def change(self, record, **fields):
        self.put(replace(record, **fields))

    def drop(self, kind, /, **where):
        gone = [_key(record) for record in self.each(kind, **where)]
        for key in gone:
            del self.kept[kind][key]
        return len(gone)


def _key(record):
    return tuple(getattr(record, name) for name in record.KEY)


def _has(record, where):
    return all(value is None or _is(getattr(record, name), value) for name, value in where.items())


def _is(found, wanted):
    return found == wanted if isinstance(wanted, str | int) else found in wanted
