"""An audit as a picture: for every event, where its probability lies on both sides, and how far the claim lets it."""

from importlib import import_module
from math import ceil, floor, log10
from os import PathLike
from pathlib import Path
from typing import Any

from discreet.audit.claims import in_words, letter
from discreet.audit.report import Audit
from discreet.errors import ParameterError
from discreet.plots.lettering import can_show, for_terminal, padded, shortened

__all__ = ["in_letters", "save", "spec_of"]

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
        for side, ends in (("one", finding.one), ("other", finding.other)):
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


def spec_of(audit: Audit) -> dict[str, Any]:
    """The same as a Vega-Lite specification."""
    floor_at = 10.0 ** _first_decade(audit)
    records = [
        {"event": shortened(finding.event, 60), "side": side, "low": max(floor_at, ends[0]), "high": max(floor_at, ends[1]),
         "limit": audit.most_allowed(finding) if side == finding.side else None}
        for finding in audit.findings for side, ends in (("one", finding.one), ("other", finding.other))
    ]  # fmt: skip
    axis = {"field": "low", "type": "quantitative", "scale": {"type": "log"}, "title": "probability of the event"}
    place: dict[str, Any] = {"field": "side", "type": "nominal", "title": None}
    row = {"y": place, "color": {"field": "side", "type": "nominal", "legend": None, "scale": {"range": ["#4c78a8", "#e07b39"]}}}
    bars = {"mark": {"type": "bar", "height": 8}, "encoding": {"x": axis, "x2": {"field": "high"}, **row}}
    dots = {"mark": {"type": "point", "filled": True, "size": 40}, "encoding": {"x": {**axis, "field": "high"}, **row}}
    limits = {"mark": {"type": "tick", "thickness": 2, "color": "#3b3f46"},
              "encoding": {"x": {**axis, "field": "limit"}, "y": place}}  # fmt: skip
    title = f"{audit.verdict}: {letter(audit.claim)} ≥ {audit.at_least:.4g}, claimed {in_words(audit.claim)}"
    return {
        "title": {"text": title, "subtitle": "black marks: the most that the claim allows"},
        "data": {"values": records},
        "facet": {"row": {"field": "event", "type": "nominal", "title": None, "sort": None,
                          "header": {"labelAngle": 0, "labelAlign": "left", "labelOrient": "top"}}},
        "spec": {"width": 420, "layer": [bars, dots, limits]},
    }  # fmt: skip


def save(audit: Audit, path: str | PathLike[str]) -> Path:
    """Write the picture to ``path``, as its ending says: .svg or .txt. Nothing is fetched from anywhere."""
    file = Path(path)
    match file.suffix.casefold():
        case ".txt":
            file.write_text(in_letters(audit, 100, ascii_only=False) + "\n", encoding="utf-8")
        case ".svg":
            try:
                converter = import_module("vl_convert")
            except ImportError:
                how = "pip install 'discreet[plots]', or save as .txt"
                raise ParameterError("saving a picture needs the plots extra", hint=how) from None
            file.write_text(converter.vegalite_to_svg(spec_of(audit), allowed_base_urls=[]), encoding="utf-8")
        case ending:
            raise ParameterError(f"an audit cannot be drawn as {ending or 'a file without an ending'}", hint="write .svg or .txt")
    return file
