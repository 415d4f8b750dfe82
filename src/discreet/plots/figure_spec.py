"""A figure as a Vega-Lite specification, in the look of all pictures."""

import math
import textwrap
from collections.abc import Sequence
from typing import Any, assert_never

from discreet.plots.figure import Axis, Bars, Boxes, Cells, Curve, Dots, Figure, Mark, Plot, Shape
from discreet.plots.style import BLUE, DASHES, INK, LETTER, PALE, RULE, SERIES, SILENT, Spec, config

__all__ = ["figure_spec"]

_AROUND = 90  # pixels beside a plot
_LONG = 24  # letters of a name from which on names stand one below the other: browsers' letters are wider than ours
_SMALLER = 0.72  # letters of a title to those below it


def figure_spec(figure: Figure) -> Spec:
    """Plots in rows, each with axes and colours of its own."""
    plots = [_plot(plot) for plot in figure.plots]
    columns = min(figure.columns, len(plots))
    body = plots[0] if len(plots) == 1 else {"concat": plots, "columns": columns, "spacing": 28, "resolve": _APART}
    letters = int((_AROUND + max(plot.width for plot in figure.plots)) * columns / LETTER)
    words = textwrap.wrap(figure.title, int(letters * _SMALLER))
    title: Spec = {"text": words, "subtitle": textwrap.wrap(figure.subtitle, letters)}
    if len(plots) == 1:
        body.pop("title", None)
    look = config()
    longest = max((len(name) for plot in figure.plots for name in plot.names), default=0)
    beside = 1 if longest > _LONG else 2
    look["legend"] |= {"orient": "bottom", "columns": beside, "symbolSize": 220, "symbolStrokeWidth": 2, "labelLimit": 320}
    look["title"]["frame"] = "bounds"
    return {"title": title, "description": figure.alt, **body, "config": look}


_APART = {"scale": {"color": "independent", "strokeDash": "independent"}}


def _plot(plot: Plot) -> Spec:
    layers = [layer for shape in plot.shapes for layer in _layers(plot, shape)]
    has_names = any(isinstance(x, str) for shape in plot.shapes if isinstance(shape, Bars | Dots) for x in shape.xs)
    tall = {"step": 20 if len(plot.names) > 1 else 26} if has_names else plot.height
    body: Spec = {"width": plot.width, "height": tall, "layer": layers}
    if plot.title:
        body["title"] = {"text": plot.title, "fontSize": 12, "fontWeight": "normal", "anchor": "start"}
    return body


def _layers(plot: Plot, shape: Shape) -> list[Spec]:
    match shape:
        case Curve():
            return _curve(plot, shape)
        case Bars() if any(isinstance(x, str) for x in shape.xs):
            return _lying(plot, shape, {"type": "bar", "opacity": 0.78})
        case Dots() if any(isinstance(x, str) for x in shape.xs):
            return _lying(plot, shape, {"type": "point", "filled": True, "size": 70, "opacity": 1})
        case Bars():
            return _upright(plot, shape)
        case Dots():
            return _dots(plot, shape)
        case Cells():
            return [_cells(plot, shape)]
        case Mark():
            return _mark(plot, shape)
        case Boxes():
            return _boxes(shape)
        case _:
            assert_never(shape)


# ---- encodings


def _axis(axis: Axis, field: str, *, upright: bool = False) -> Spec:
    scale: Spec = {"zero": axis.zero, "nice": not axis.log and axis.ends is None}
    if axis.log:
        scale["type"] = "log"
    if axis.ends is not None:
        scale |= {"domain": list(axis.ends), "clamp": False}
    drawn: Spec = {"grid": upright}
    if axis.ticks is not None:
        drawn["values"] = list(axis.ticks)
    elif axis.log:
        drawn["tickCount"] = 5
    if axis.form is not None:
        drawn["format"] = axis.form
    return {"field": field, "type": "quantitative", "title": axis.title, "scale": scale, "axis": drawn}


def _colour(plot: Plot) -> Spec:
    names = plot.names
    if len(names) <= 1:
        return {"value": BLUE}
    scale = {"domain": names, "range": [SERIES[place % len(SERIES)] for place in range(len(names))]}
    legend = {"legend": {"symbolType": "stroke"}} if _dash(plot) else {}  # points on a line do not make its symbol round
    return {"field": "series", "type": "nominal", "title": None, "sort": None, "scale": scale} | legend


def _dash(plot: Plot) -> Spec:
    """Lines are told apart by their dashes too; named after the same field as the colour, both make one legend."""
    names = [shape.name for shape in plot.shapes if isinstance(shape, Curve)]
    names = list(dict.fromkeys(names))
    if len(plot.names) <= 1 or len(names) != len(plot.names):
        return {}
    scale = {"domain": names, "range": [DASHES[place % len(DASHES)] for place in range(len(names))]}
    legend = {"symbolType": "stroke"}
    return {"strokeDash": {"field": "series", "type": "nominal", "title": None, "sort": None, "scale": scale, "legend": legend}}


def _records(plot: Plot, shape: Curve | Dots | Bars) -> list[Spec]:
    """One record for each point that can be drawn, under names of our own."""
    records = []
    for place, (x, y) in enumerate(zip(shape.xs, shape.ys, strict=True)):
        record: Spec = {"series": shape.name, "x": x, "y": y}
        if shape.lows:
            record |= {"low": shape.lows[place], "high": shape.highs[place]}
        if isinstance(shape, Dots | Bars) and shape.texts:
            record["text"] = shape.texts[place]
        if all(not isinstance(value, float) or math.isfinite(value) for value in record.values()) and _is_above_0(plot, x, y):
            records.append(record)
    return records


def _is_above_0(plot: Plot, x: float | str, y: float | str) -> bool:
    """Whether a point has a place on axes of which some are logarithmic."""
    return all(not axis.log or isinstance(value, str) or value > 0 for axis, value in ((plot.x, x), (plot.y, y)))


def _data(records: Sequence[Spec]) -> Spec:
    return {"values": list(records)}


# ---- shapes


def _curve(plot: Plot, curve: Curve) -> list[Spec]:
    data = _data(_records(plot, curve))
    both = {"x": _axis(plot.x, "x"), "y": _axis(plot.y, "y", upright=True), "color": _colour(plot)}
    mark: Spec = {"type": "line", "strokeWidth": 2, "clip": True}
    if curve.steps:
        mark["interpolate"] = "step-after"
    lines: Spec = {"data": data, "mark": mark, "encoding": both | _dash(plot)}
    layers = [lines]
    if curve.filled:
        layers.insert(0, {"data": data, "mark": {"type": "area", "opacity": 0.16, "clip": True} | SILENT, "encoding": both})
    if curve.lows:
        band = {"x": both["x"], "y": _axis(plot.y, "low", upright=True), "y2": {"field": "high"}, "color": both["color"]}
        layers.insert(0, {"data": data, "mark": {"type": "area", "opacity": 0.18, "clip": True} | SILENT, "encoding": band})
    return layers


def _dots(plot: Plot, dots: Dots) -> list[Spec]:
    data = _data(_records(plot, dots))
    both = {"x": _axis(plot.x, "x"), "y": _axis(plot.y, "y", upright=True)}
    size, opacity = (14, 0.4) if dots.small else (60, 1)
    mark = {"type": "point", "filled": True, "size": size, "opacity": opacity, "clip": True}
    layers: list[Spec] = [{"data": data, "mark": mark, "encoding": both | {"color": _colour(plot)}}]
    if dots.lows:
        ends = {"x": both["x"], "y": _axis(plot.y, "low", upright=True), "y2": {"field": "high"}}
        layers.insert(0, {"data": data, "mark": {"type": "rule", "color": INK, "clip": True} | SILENT, "encoding": ends})
    if dots.texts:
        words = {"type": "text", "align": "left", "dx": 8, "dy": -8, "color": INK, "fontSize": 11} | SILENT
        layers.append({"data": data, "mark": words, "encoding": both | {"text": {"field": "text"}}})
    return layers


def _upright(plot: Plot, bars: Bars) -> list[Spec]:
    """Bars over numbers, as wide as they say, by both of their ends."""
    gaps = sorted(b - a for a, b in zip(sorted(map(float, bars.xs)), sorted(map(float, bars.xs))[1:], strict=False) if b > a)
    wide = bars.width if bars.width is not None else 0.8 * (gaps[0] if gaps else 1.0)
    found = _records(plot, bars)
    records = [record | {"left": record["x"] - wide / 2, "right": record["x"] + wide / 2, "zero": 0} for record in found]
    across = {"x": _axis(plot.x, "left"), "x2": {"field": "right"}}
    up = {"y": _axis(plot.y, "y", upright=True), "y2": {"field": "zero"}}
    mark = {"type": "rect", "opacity": 0.78, "clip": True}
    layers: list[Spec] = [{"data": _data(records), "mark": mark, "encoding": across | up | {"color": _colour(plot)}}]
    if bars.lows:
        ends = {"x": _axis(plot.x, "x"), "y": _axis(plot.y, "low", upright=True), "y2": {"field": "high"}}
        layers.append({"data": _data(records), "mark": {"type": "rule", "color": INK, "clip": True} | SILENT, "encoding": ends})
    return layers


def _lying(plot: Plot, shape: Bars | Dots, mark: Spec) -> list[Spec]:
    """Beside names: the number runs to the right, with its interval and its words."""
    data = _data(_records(plot, shape))
    down: Spec = {"y": {"field": "x", "type": "nominal", "sort": None, "title": plot.x.title or None}}
    if len(plot.names) > 1:
        down["yOffset"] = {"field": "series", "sort": plot.names, "scale": {"domain": plot.names}}
    number = _axis(plot.y, "y", upright=True)
    if isinstance(shape, Bars):
        number["scale"]["zero"] = not plot.y.log
    layers: list[Spec] = [{"data": data, "mark": mark, "encoding": down | {"x": number, "color": _colour(plot)}}]
    if shape.lows:
        ends = {"x": number | {"field": "low"}, "x2": {"field": "high"}}
        layers.append({"data": data, "mark": {"type": "rule", "color": INK} | SILENT, "encoding": down | ends})
    if shape.texts:
        words = {"type": "text", "align": "left", "dx": 6, "color": INK, "fontSize": 11} | SILENT
        far = number | {"field": "high" if shape.lows else "y"}
        layers.append({"data": data, "mark": words, "encoding": down | {"x": far, "text": {"field": "text"}}})
    return layers


def _cells(plot: Plot, cells: Cells) -> Spec:
    half = cells.step / 2
    records = [
        {"left": x - half, "right": x + half, "low": y - half, "high": y + half, "value": value}
        for x, y, value in zip(cells.xs, cells.ys, cells.values, strict=True)
    ]
    scale = {"domain": list(cells.ends), "range": [SERIES[1], "#ffffff", SERIES[0]], "interpolate": "rgb"}
    colour: Spec = {"field": "value", "type": "quantitative", "title": cells.name, "scale": scale}
    across = {"x": _axis(plot.x, "left"), "x2": {"field": "right"}}
    up = {"y": _axis(plot.y, "low"), "y2": {"field": "high"}}
    return {"data": _data(records), "mark": {"type": "rect", "clip": True}, "encoding": across | up | {"color": colour}}


def _mark(plot: Plot, mark: Mark) -> list[Spec]:
    is_upright = mark.x is not None
    channel, axis, value = ("x", plot.x, mark.x) if is_upright else ("y", plot.y, mark.y)
    where: Spec = {channel: _axis(axis, "at", upright=not is_upright)}
    data = _data([{"at": value, "text": mark.text}])
    rule: dict[str, Any] = {"type": "rule", "color": RULE, "strokeDash": [4, 3], "strokeWidth": 1.4} | SILENT
    words = {"type": "text", "align": "left", "baseline": "top", "dx": 5, "dy": 3, "color": INK, "fontSize": 11} | SILENT
    words |= {"y": 0} if is_upright else {"x": 0, "baseline": "bottom", "dy": -3}
    return [
        {"data": data, "mark": rule, "encoding": where},
        {"data": data, "mark": words, "encoding": where | {"text": {"field": "text"}}},
    ]


def _boxes(boxes: Boxes) -> list[Spec]:
    """Boxes from left to right with arrows between them; no axes."""
    records = [
        {"left": place, "right": place + 0.84, "middle": place + 0.42, "gap": place + 0.92, "low": 0, "high": 1}
        | {"head": head, "text": text}
        for place, (head, text) in enumerate(zip(boxes.heads, boxes.texts, strict=True))
    ]
    wide = {"nice": False, "zero": False, "domain": [0, len(records) - 0.1]}
    flat: Spec = {"type": "quantitative", "axis": None, "scale": wide}
    tall: Spec = {"type": "quantitative", "axis": None, "scale": {"domain": [0, 1]}}
    middle = {"x": flat | {"field": "middle"}}
    edges = {"x": flat | {"field": "left"}, "x2": {"field": "right"}, "y": tall | {"field": "low"}, "y2": {"field": "high"}}
    frame = {"type": "rect", "cornerRadius": 6, "fill": PALE, "stroke": RULE} | SILENT

    def words(field: str, where: Spec, at: float, **style: Any) -> Spec:
        encoding = where | {"y": tall | {"datum": at}, "text": {"field": field}}
        return {"mark": {"type": "text", "color": INK, "fontSize": 11} | SILENT | style, "encoding": encoding}

    arrows = {"data": _data(records[:-1])} | words("arrow", {"x": flat | {"field": "gap"}}, 0.5, fontSize=18)
    arrows["encoding"]["text"] = {"value": "→"}
    layers = [{"mark": frame, "encoding": edges}, words("head", middle, 0.7, fontWeight="bold"), words("text", middle, 0.34)]
    return [*({"data": _data(records)} | layer for layer in layers), arrows]
