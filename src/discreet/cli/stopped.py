"""What stops asking, in words for the data holder: each with its way out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.cli.options import typed
from discreet.plots.lettering import clean, minute

if TYPE_CHECKING:
    from discreet.cli.page import Page
    from discreet.ledger.faults import Failed, Uncharged
    from discreet.ledger.stops import Stop

__all__ = ["show_faults", "show_stops", "show_uncharged", "state_of"]

_MOST = 3  # faults in words; --json has them all
_MANY = 100  # that are looked at
_RECENT = timedelta(days=7)  # of what cost nothing


def state_of(stops: "list[Stop]") -> str:
    """``open``, or what stops everybody."""
    return next((stop.state for stop in stops if stop.analyst is None), "open")


def show_stops(page: "Page", stops: "list[Stop]", table: str, file: Path) -> None:
    """A line for each, and one with the way out."""
    for stop in stops:
        what, way = _in_words(stop, clean(table), typed(file))
        page.line((f"! {what}", "yellow"))
        page.say(way, indent=4)


def show_faults(page: "Page", faults: "list[Failed]") -> None:
    """How many questions failed after their charge, and the latest of them."""
    if not faults:
        return
    many = "1 question" if len(faults) == 1 else f"{len(faults)} questions"
    page.line(f"{many} failed after the charge, which stays:" if len(faults) <= _MOST else f"{many} failed, the latest of them:")
    for each in faults[:_MOST]:
        looked = "" if each.is_open else ", looked at"
        froze = f"; froze {', '.join(map(clean, each.froze))}{looked}" if each.froze else ""
        cause = f": {clean(each.cause)}" if each.cause else ""
        of = f"charge {each.charge} of {clean(each.analyst)}"
        page.line(f"{minute(each.at)}  {of}, reference {each.reference}{froze}{cause}", indent=4)


def show_uncharged(page: "Page", found: "list[Uncharged]", file: Path) -> None:
    """What kept questions from being charged of late: a source that cannot be reached, or is not as it was registered."""
    since = (datetime.now(UTC) - _RECENT).isoformat()
    recent = [each for each in found if each.at >= since]
    if not recent:
        return
    many = "once" if len(recent) == 1 else "again and again" if len(recent) >= _MANY else f"{len(recent)} times"
    page.line((f"! the source could not be asked, {many} in the last {_RECENT.days} days; that cost nothing", "yellow"))
    for each in recent[:_MOST]:
        page.line(f"{minute(each.at)}  reference {each.reference}: {clean(each.cause) or 'unknown cause'}", indent=4)
    page.say(f"discreet check {typed(file)} says how it is now", indent=4)


def _in_words(stop: "Stop", table: str, file: str) -> tuple[str, str]:
    version = f"and a new version into the facts, and run discreet version new {file}"
    match stop.state:
        case "ended":
            return f"the budget of {table} ended on {stop.since}", f"unfreeze does not move that: write a later expires {version}"
        case "clock":
            told = f"the budget of {table} was asked after its end on {stop.since}, and the clock has gone back since"
            return told, f"if the clock was wrong then: discreet unfreeze {file} --reason …"
        case "closed":
            told = f"{table} is closed for everybody{_since(stop)}: its source has changed"
            back = f"if the files were put back as they were: discreet unfreeze {file} --reason …"
            return told, f"for new rows, write a new version into the facts and run discreet version new {file}; {back}"
    who, whose = f"{table} is frozen for everybody", ""
    if stop.analyst is not None:
        who, whose = f"{clean(stop.analyst)} is frozen", f" --analyst {typed(Path(clean(stop.analyst)))}"
    if stop.reference:
        way = f"discreet unfreeze {file} shows the fault; to let asking go on: discreet unfreeze {file}{whose} --reason …"
        return f"{who} by a fault, reference {stop.reference}{_since(stop)}", way
    reason = f": {clean(stop.reason)}" if stop.reason else ""
    return f"{who}{_since(stop)}{reason}", f"to let asking go on: discreet unfreeze {file}{whose} --reason …"


def _since(stop: "Stop") -> str:
    return f" since {minute(stop.since)}" if stop.since else ""
