"""How texts spell days and moments, and what they are by the clocks of a column's zone.

- ISO 8601: a day as 2020-01-31, of the years 1 to 9999; then perhaps a space or T, hours and minutes, perhaps seconds and up to
  nine digits of them, of which six count; then perhaps Z, UTC, GMT or an offset as +02, +0200 or +02:00. Spaces may be around it.
- A ``format`` of the column in its place: what it reads is written as ISO 8601 and read on from there.

What has an offset is moved to UTC, and from there to the zone of the column, in winter and in summer as its clocks are then. What
has none is taken to be by the clocks of that zone already. What leaves the years 1 to 9999 on the way becomes their nearest end.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from discreet.engines.rules.spellings import any_case, trimmed
from discreet.facts import model
from discreet.facts.formats import pieces
from discreet.facts.zones import Steps, steps_of

__all__ = [
    "DAY", "FIRST", "Format", "LAST", "LOCAL", "MOMENT", "MONTHS", "OFFSET", "ZONED", "compiled", "day_in", "moment_in",
    "steps_for",
]  # fmt: skip

FIRST, LAST = datetime.combine(date.min, time.min), datetime.combine(date.max, time.max)
DAY = r"([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-[0-9]{2}-[0-9]{2}"
_TIME = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?"
_OFFSET = r"(Z|UTC|GMT|[+-]([01][0-9]|2[0-3])(:?[0-5][0-9])?)"
MOMENT = rf"{DAY}([ T]{_TIME})?"
ZONED = rf"{DAY}[ T]{_TIME} ?{_OFFSET}"
LOCAL = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?"  # of what ZONED reads: all but its offset
OFFSET = r"([+-])([0-9]{2}):?([0-9]{2})?$"  # and its offset, if it has digits

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip

_MOMENT, _ZONED, _LOCAL, _AHEAD = map(re.compile, (MOMENT, ZONED, LOCAL, OFFSET))
_SECOND = timedelta(seconds=1)
_DIGITS = dict.fromkeys(("%m", "%d", "%H", "%I", "%M", "%S"), "[0-9]{1,2}")
_DIGITS |= {"%Y": "[0-9]{4}", "%y": "[0-9]{2}", "%f": "[0-9]{1,9}"}
_WORDS = {"%b": any_case(month[:3] for month in MONTHS), "%B": any_case(MONTHS), "%p": "[aApP][mM]", "%z": _OFFSET}


@dataclass(frozen=True, slots=True)
class Format:
    """A format as a pattern, and where in it the codes are: each in a group of its own, and no other group before it inside."""

    pattern: str
    groups: dict[str, int]

    @property
    def hour(self) -> str | None:
        """The code of the hour, if there is one."""
        return next((code for code in ("%H", "%I") if code in self.groups), None)


@lru_cache(maxsize=256)
def compiled(written: str) -> Format:
    """The format of that text.

    Days, months and times have one digit or two; where digits of another code stand beside them, two.
    """
    parts, groups, count = [], dict[str, int](), 0
    found = pieces(written)
    for place, piece in enumerate(found):
        if piece not in _DIGITS and piece not in _WORDS:
            parts.append(re.escape("%" if piece == "%%" else piece))
            continue
        pattern = _DIGITS.get(piece) or _WORDS[piece]
        beside = [found[at] for at in (place - 1, place + 1) if 0 <= at < len(found)]
        if any(_is_digits(each, last=at == 0 and place > 0) for at, each in enumerate(beside)):
            pattern = pattern.replace("{1,2}", "{2}")
        parts.append(f"({pattern})")
        groups[piece] = count + 1
        count += 1 + pattern.count("(")
    return Format("".join(parts), groups)


def _is_digits(piece: str, *, last: bool) -> bool:
    """Whether a piece of a format has digits at the end that is beside another."""
    return piece in _DIGITS or (piece != "%%" and piece[-1 if last else 0].isdigit())


@lru_cache(maxsize=256)
def _pattern(written: str) -> re.Pattern[str]:
    return re.compile(compiled(written).pattern)


# ---- what a stored value is


def moment_in(column: model.Timestamp | model.Date, raw: object) -> datetime | None:
    """The moment that is stored as ``raw``, by the clocks of the column's zone."""
    match raw:
        case datetime():
            offset = raw.utcoffset()
            return raw.replace(tzinfo=None) if offset is None else _in_zone(column, raw.replace(tzinfo=None), offset)
        case date():
            return datetime.combine(raw, time())
        case str():
            return _written(column, trimmed(raw))
        case _:
            return None


def day_in(column: model.Date, raw: object) -> date | None:
    """The day that is stored as ``raw``."""
    if isinstance(raw, date) and not isinstance(raw, datetime):
        return raw
    found = moment_in(column, raw)
    return None if found is None else found.date()


def _written(column: model.Timestamp | model.Date, text: str) -> datetime | None:
    iso = _as_iso(column.format, text) if column.format else text
    if iso is None:
        return None
    if _MOMENT.fullmatch(iso):
        return _local(iso[:26])
    if not _ZONED.fullmatch(iso):
        return None
    local, ahead = _LOCAL.match(iso), _AHEAD.search(iso)
    assert local is not None
    moment = _local(local[0])
    return None if moment is None else _in_zone(column, moment, _offset(ahead))


def _as_iso(written: str, text: str) -> str | None:
    """A text that a format reads, as ISO 8601; its numbers may still be beyond what days and clocks have."""
    found, form = _pattern(written).fullmatch(text), compiled(written)
    if found is None:
        return None
    parts = {code: found[group] for code, group in form.groups.items()}
    year = parts.get("%Y") or ("20" if parts["%y"] < "69" else "19") + parts["%y"]
    day = f"{year}-{_month(parts)}-{parts['%d']:0>2}"
    if form.hour is None:
        return day
    hour = _hour(parts)
    seconds = f":{parts['%S']:0>2}" if "%S" in parts else ""
    rest = f".{parts['%f']}" if "%f" in parts else ""
    return None if hour is None else f"{day} {hour}:{parts.get('%M', '00'):0>2}{seconds}{rest}{parts.get('%z', '')}"


def _month(parts: dict[str, str]) -> str:
    if "%m" in parts:
        return f"{parts['%m']:0>2}"
    short = (parts.get("%b") or parts["%B"])[:3].lower()
    return f"{1 + [month[:3].lower() for month in MONTHS].index(short):02}"


def _hour(parts: dict[str, str]) -> str | None:
    if "%H" in parts:
        return f"{parts['%H']:0>2}"
    hour = int(parts["%I"])
    return f"{hour % 12 + 12 * (parts['%p'].lower() == 'pm'):02}" if 1 <= hour <= 12 else None


def _local(text: str) -> datetime | None:
    """A day, or a day and a time with at most six digits of its seconds."""
    try:
        day = date.fromisoformat(text[:10])
    except ValueError:  # 30 February
        return None
    clock = text[11:]
    return datetime.combine(day, time.fromisoformat(clock.ljust(15, "0") if "." in clock else clock) if clock else time())


def _offset(found: re.Match[str] | None) -> timedelta:
    if found is None:  # Z
        return timedelta()
    ahead = timedelta(hours=int(found[2]), minutes=int(found[3] or 0))
    return ahead if found[1] == "+" else -ahead


# ---- zones


def steps_for(column: model.Timestamp | model.Date) -> Steps:
    """The steps of a column's zone that can matter for a value within its bounds."""
    lower, upper = map(_midnight, (column.lower, column.upper))
    return steps_of(column.zone, lower, upper)


def _midnight(bound: date | None) -> datetime | None:
    return bound if bound is None or isinstance(bound, datetime) else datetime.combine(bound, time())


def _in_zone(column: model.Timestamp | model.Date, local: datetime, offset: timedelta) -> datetime:
    """The moment at which clocks that are ``offset`` ahead of UTC show ``local``, by those of the column's zone."""
    moment = _moved(local, -offset)
    steps = steps_for(column)
    place = max(bisect_right(steps, moment, key=lambda step: step[0]) - 1, 0)
    return _moved(moment, steps[place][1] * _SECOND)


def _moved(moment: datetime, by: timedelta) -> datetime:
    try:
        return moment + by
    except OverflowError:
        return FIRST if by < timedelta() else LAST
