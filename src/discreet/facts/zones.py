"""Time zones by their names, and by how many seconds they are ahead of UTC: public, and the same for every engine.

What a name means is taken from the time zone database of the machine, or from the package tzdata. It is looked at from 1900 to
2100; a moment before or after these has what holds at that end.
"""

import re
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from functools import lru_cache
from typing import TYPE_CHECKING

from discreet.errors import ParameterError
from discreet.facts.values import said, text

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

__all__ = ["Steps", "steps_of", "zone_name"]

Steps = tuple[tuple[datetime, int], ...]  # from this moment on, in UTC, so many seconds ahead; the first holds before it too

_FIRST, _LAST = datetime(1900, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
_DAY, _SECOND = timedelta(days=1), timedelta(seconds=1)
_MARGIN = timedelta(days=3)  # more than offset and zone together can move a moment
_NAME = re.compile(r"[A-Za-z][\w+-]*(/[A-Za-z][\w+-]*){0,2}", re.ASCII)
_OF_MACHINE = ("localtime", "posixrules", "Factory", "right/", "posix/")
_EXAMPLE = 'write a name such as "Europe/Berlin" or "America/New_York"'


def zone_name(value: object, key: str) -> str:
    """The name of a time zone; UTC, which is the usual one, is ''."""
    written = text(value, key)
    if not _NAME.fullmatch(written) or written.startswith(_OF_MACHINE):
        raise ParameterError(f"{key} is {said(written)}, not the name of a time zone", hint=_EXAMPLE)
    if written in ("UTC", "Etc/UTC"):
        return ""
    try:
        _zone(written)
    except (OSError, LookupError, ValueError):  # a folder, an unknown name, a file that is no zone
        raise ParameterError(f"{key} is {said(written)}, a time zone that is not known here", hint=_instead(written)) from None
    return written


def _instead(written: str) -> str:
    from zoneinfo import available_timezones

    known = sorted(available_timezones())
    if not known:
        return "this machine has no time zone database: pip install tzdata"
    close = get_close_matches(written.title(), known, n=1, cutoff=0.7)
    return f'write "{close[0]}"' if close else _EXAMPLE


def _zone(name: str) -> "ZoneInfo":
    from zoneinfo import ZoneInfo

    return ZoneInfo(name)


@lru_cache(maxsize=64)
def steps_of(name: str, lower: datetime | None = None, upper: datetime | None = None) -> Steps:
    """When a zone changes how far it is ahead of UTC; between two local times, what lies far outside is not looked at."""
    if not name:
        return ((_FIRST.replace(tzinfo=None), 0),)
    zone = _zone(name)
    first = _FIRST if lower is None or lower.year <= _FIRST.year else _inside(lower.replace(tzinfo=UTC) - _MARGIN)
    last = _LAST if upper is None or upper.year >= _LAST.year else _inside(upper.replace(tzinfo=UTC) + _MARGIN)
    found = [(first, _ahead(zone, first))]
    at = first
    while at < last:
        after = at + _DAY
        if (ahead := _ahead(zone, after)) != found[-1][1]:
            found.append((_change(zone, at, after), ahead))
        at = after
    return tuple((moment.replace(tzinfo=None), ahead) for moment, ahead in found)


def _inside(moment: datetime) -> datetime:
    return min(max(moment, _FIRST), _LAST)


def _ahead(zone: "ZoneInfo", moment: datetime) -> int:
    offset = moment.astimezone(zone).utcoffset()
    assert offset is not None
    return int(offset.total_seconds())


def _change(zone: "ZoneInfo", before: datetime, after: datetime) -> datetime:
    """The first second at which a zone is as far ahead as it is at ``after``."""
    then = _ahead(zone, after)
    while after - before > _SECOND:
        middle = before + (after - before) // _SECOND // 2 * _SECOND
        before, after = (before, middle) if _ahead(zone, middle) == then else (middle, after)
    return after
