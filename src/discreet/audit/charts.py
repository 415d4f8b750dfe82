"""An audit as a picture: for every event, where its probability lies on both sides, and how far the claim lets it."""

from math import ceil, floor, log10
from os import PathLike
from pathlib import Path

from discreet.audit.claims import in_words, letter
from discreet.audit.report import Audit, Finding
from discreet.plots.charts import save_view
from discreet.plots.lettering import can_show, for_terminal, padded, shortened
from discreet.plots.numerals import read_column
from discreet.plots.view import Key, Panel, View

__all__ = ["in_letters", "save", "view_of_audit"]

_LEAST = 1e-9
_ROOM = 20


def in_letters(audit: Audit, width: int = 80, *, ascii_only: bool | None = None) -> str:
    """Two lines for each event on a logarithmic scale: ``├─┤`` is where a probability lies, ``!`` the most that is allowed."""
    plain = not can_show("├─┤·≥ε") if ascii_only is None else ascii_only
    first = _first_decade(audit)
    room = max(_ROOM, width - 8)
    lines = [f"{audit.verdict}: {letter(audit.claim)} ≥ {audit.at_least:.4g}, claimed {in_words(audit.claim)}"]
    for finding in audit.findings:
        lines.append(shortened(f"{finding.event}: {letter(audit.claim)} ≥ {finding.at_least:.4g}", width))
        limit = audit.most_allowed(finding)
        for side, ends in _sides(finding):
            mark = limit if side == finding.side else None
            lines.append(f"{padded(side, 6)} {_bar(ends, mark, first, room, plain=plain)}".rstrip())
    left = f"1e{first}"
    lines.append(f"{' ' * 7}{left}{' ' * max(1, room - len(left) - 1)}1")
    lines.append("! is the most that the claim allows there")
    return for_terminal("\n".join(lines), ascii_only=plain)


def _first_decade(audit: Audit) -> int:
    ends = [end for each in audit.findings for end in (*each.one, *each.other) if end > _LEAST]
    return min(-1, floor(log10(min(ends, default=0.1))))


def _bar(ends: tuple[float, float], limit: float | None, first: int, room: int, *, plain: bool) -> str:
    cells = [" "] * room

    def at(share: float) -> int:
        place = (log10(max(share, 10.0**first)) - first) / -first
        return min(room - 1, max(0, ceil(place * (room - 1))))

    start, end = at(ends[0]), at(ends[1])
    cells[start : end + 1] = ("-" if plain else "─") * (end - start + 1)
    if start == end:
        cells[start] = "o" if plain else "●"
    else:
        cells[start], cells[end] = ("[", "]") if plain else ("├", "┤")
    if limit is not None:
        cells[at(limit)] = "!"
    return "".join(cells)


def view_of_audit(audit: Audit) -> View:
    """What the plots room needs to draw the audit: for every event both probabilities, and the most that the claim allows."""
    bars = [bar for finding in audit.findings for bar in _bars(audit, finding)]
    events, sides, values, ends = zip(*bars, strict=True) if bars else ((), (), (), ())
    lows, highs = (tuple(each[side] for each in ends) for side in (0, 1))
    panel = Panel("probability of the event", True, values, lows, highs, tuple(read_column(values, ends)))
    return View(
        title=f"{audit.verdict}: {letter(audit.claim)} ≥ {audit.at_least:.4g}, claimed {in_words(audit.claim)}",
        question=f"From {audit.samples:,} samples a side. All intervals hold together with confidence {1 - audit.alpha:g}.",
        sure=f"{100 * (1 - audit.alpha):g} %",
        keys=(Key("event", None, events), Key("table", None, sides)),
        panels=(panel,),
        rows=len(bars),
        left_out=0,
    )


def _bars(audit: Audit, finding: Finding) -> list[tuple[str, str, float, tuple[float, float]]]:
    """The event, the table, how often it happened there, and between what its probability lies."""
    event, counts, samples = shortened(finding.event, 40), finding.counts, finding.samples
    found = [(event, side, counts[at] / samples[at], ends) for at, (side, ends) in enumerate(_sides(finding))]
    if (limit := audit.most_allowed(finding)) is not None:
        found.append((event, "most allowed", limit, (limit, limit)))
    return found


def _sides(finding: Finding) -> tuple[tuple[str, tuple[float, float]], ...]:
    return ("one", finding.one), ("other", finding.other)


def save(audit: Audit, path: str | PathLike[str]) -> Path:
    """Write the picture to ``path``, as its ending says: .svg, .png or .txt. Nothing is fetched from anywhere."""
    file = Path(path)
    if file.suffix.casefold() == ".txt":
        file.write_text(in_letters(audit, 100, ascii_only=False) + "\n", encoding="utf-8")
        return file
    return save_view(view_of_audit(audit), file)
