"""A view as a Vega-Lite specification: plain data that Altair shows in a notebook and vl-convert turns into SVG or PNG."""

import textwrap
from typing import Any

from discreet.plots.style import BLUE, INK, LETTER, RULE, SERIES, SILENT, Spec, config
from discreet.plots.view import Key, Panel, View

__all__ = ["spec_of"]

Roles = tuple[Key | None, Key | None, Key | None]

_FEW_SERIES = len(SERIES)
_MOST_TEXTS = 40  # rows up to which every bar says its number
_FEW_BARS = 3
_SIDE_BY_SIDE = 3
_SMALLER = 0.72  # letters of a title to those below it
_PADDING, _AXIS, _TITLE, _GAP = 28, 64, 34, 20  # pixels around a chart, beside a scale, for the name of an axis, between panels
_MOST_LABEL = 0.35  # of a chart's width, for the labels of its bars
_NARROWEST = 300  # of a panel


def spec_of(view: View, width: int | None = None) -> Spec:
    """Bars or points with error bars for categories, a line with a band over a scale, one panel for each column of numbers.

    It is about ``width`` pixels wide as a whole, as good as letters can be measured here; else as wide as its kind of chart is.
    """
    along, series, facets = _roles(view.keys)
    columns = _columns(view, along, facets, width)
    inner = _inner(along, series, None if width is None else width // columns)
    panels = [_panel(view, panel, place, (along, series, facets), inner) for place, panel in enumerate(view.panels)]
    body = panels[0] if len(panels) == 1 else {"concat": panels, "columns": columns}
    letters = 96 if width is None else int((width - _PADDING) / LETTER)
    subtitle = [*textwrap.wrap(view.question, letters, max_lines=3, placeholder=" …"), *([view.note] if view.note else [])]
    return {
        "title": {"text": textwrap.wrap(view.title, int(letters * _SMALLER)) if width else view.title, "subtitle": subtitle},
        "description": f"{view.title}, with {view.spread}. {view.question}",
        "data": {"values": _records(view, along, series, facets)},
        **body,
        "config": config() if width is None else _fitted(config(), width),
    }


def _roles(keys: tuple[Key, ...]) -> Roles:
    """(the key along the axis, the key told by colour, the keys told by panels side by side)."""
    if not keys:
        return None, None, None
    along = next((key for key in keys if key.places), None) or max(keys, key=lambda key: key.distinct)
    others = [key for key in keys if key is not along]
    series = next((key for key in others if key.distinct <= _FEW_SERIES), None)
    return along, series, _together([key for key in others if key is not series])


def _together(keys: list[Key]) -> Key | None:
    """Several keys as one."""
    texts = zip(*(key.texts for key in keys), strict=True)
    return Key(" · ".join(key.name for key in keys), None, tuple(" · ".join(each) for each in texts)) if keys else None


def _columns(view: View, along: Key | None, facets: Key | None, width: int | None) -> int:
    """How many panels stand side by side: lines share an axis best one above the other, and each needs some room."""
    if along is None or along.places or facets is not None:
        return 1
    most = _SIDE_BY_SIDE if width is None else max(1, width // _NARROWEST)
    return max(1, min(_SIDE_BY_SIDE, most, len(view.panels)))


def _inner(along: Key | None, series: Key | None, width: int | None) -> int | None:
    """What is left of a panel's width beside the labels of its axis and a legend; None where nobody asked for a width."""
    if width is None:
        return None
    longest = 0 if along is None else max(map(len, along.texts), default=0)
    labels = _AXIS if along is None or along.places else min(width * _MOST_LABEL, LETTER * longest) + _TITLE
    legend = 0.0 if series is None or _is_narrow(width) else LETTER * max([len(series.name), *map(len, series.texts)]) + _TITLE
    return max(_NARROWEST // 3, int(width - _PADDING - labels - legend))


def _records(view: View, along: Key | None, series: Key | None, facets: Key | None) -> list[Spec]:
    """One record per row, under names of our own, so that no column name can be read as an expression."""
    found: list[Spec] = []
    texts = [panel.texts for panel in view.panels]
    for row in range(view.rows):
        record: Spec = {}
        if along is not None:
            record["key"] = along.places[row] if along.places else along.texts[row]
        if along is not None and along.places and along.width is not None:
            record |= {"end": along.places[row] + along.width, "middle": along.places[row] + along.width / 2}
        if series is not None:
            record["series"] = series.texts[row]
        if facets is not None:
            record["facet"] = facets.texts[row]
        for place, panel in enumerate(view.panels):
            record |= {f"value{place}": panel.values[row], f"low{place}": panel.lows[row], f"high{place}": panel.highs[row]}
            record[f"text{place}"] = texts[place][row]
        found.append(record)
    return found


def _panel(view: View, panel: Panel, place: int, roles: Roles, inner: int | None) -> Spec:
    along, series, facets = roles
    if along is None:
        return _point_range(view, panel, place, inner or 420)
    if facets is None:
        narrow = 520 if along.places else 420 if len(view.panels) == 1 else 300
        return _drawn(view, panel, place, along, series, inner or narrow)
    most = 260 if along.places else 240
    columns = _SIDE_BY_SIDE if inner is None else max(1, min(_SIDE_BY_SIDE, inner // (most - 60)))
    drawn = _drawn(view, panel, place, along, series, most if inner is None else inner // columns - _GAP)
    if along.places:
        drawn |= {"height": 150}
    by = {"field": "facet", "type": "nominal", "sort": None, "header": {"title": facets.name, "labelFontWeight": "bold"}}
    return {"facet": by, "columns": columns, "spec": drawn}


def _drawn(view: View, panel: Panel, place: int, along: Key, series: Key | None, width: int) -> Spec:
    if along.places is None:
        return _bars(view, panel, place, along, series, width)
    if along.width is not None and panel.is_amount and series is None:
        return _bins(view, panel, place, along, width)
    return _line(view, panel, place, along, series, width)


# ---- encodings


def _quantity(view: View, panel: Panel, field: str, scale: Spec) -> Spec:
    """All layers of a panel call their axis the same, else Vega-Lite would list the names of all fields."""
    title = f"{panel.name}, with {view.spread_of(panel)}"
    return {"field": field, "type": "quantitative", "title": title, "scale": scale}


def _ends(view: View, panel: Panel, place: int, channel: str, scale: Spec) -> Spec:
    return {channel: _quantity(view, panel, f"low{place}", scale), f"{channel}2": {"field": f"high{place}"}}


def _bounded(place: int) -> list[Spec]:
    """Only rows whose interval has both ends get an error bar."""
    return [{"filter": f"isValid(datum.low{place}) && isValid(datum.high{place})"}]


def _told(place: int, along: Key, series: Key | None) -> Spec:
    return {"tooltip": _tooltip(place, ("key", along), ("series", series))}


def _tooltip(place: int, *keys: tuple[str, Key | None]) -> list[Spec]:
    """``keys`` are (field, key)."""
    known = [{"field": field, "title": key.name} for field, key in keys if key is not None]
    return [*known, {"field": f"text{place}", "title": "value"}]


def _colour(series: Key | None) -> Spec:
    if series is None:
        return {"value": BLUE}
    return {"field": "series", "type": "nominal", "title": series.name, "sort": None, "scale": {"range": SERIES}}


def _error_bar(size: int) -> Spec:
    return {"type": "errorbar", "ticks": {"size": size} | SILENT | {"color": INK}, "rule": SILENT | {"color": INK}}


def _domain(panel: Panel, *, from_zero: bool, right: float) -> Spec:
    """From the least to the most that is drawn, with a share ``right`` of the axis left for what stands beside it."""
    known = [each for part in (panel.values, panel.lows, panel.highs) for each in part if each is not None]
    if from_zero:
        known.append(0.0)
    first, last = min(known, default=0.0), max(known, default=1.0)
    if last <= first:
        first, last = first - 1.0, last + 1.0
    margin = (last - first) * 0.03
    lowest = first if from_zero and first == 0 else first - margin
    return {"domain": [lowest, lowest + (last + margin - lowest) / (1 - right)], "nice": False, "zero": False}


# ---- panels


def _bars(view: View, panel: Panel, place: int, along: Key, series: Key | None, width: int) -> Spec:
    """A bar (of a count or sum) or a point (of a mean) for each category, with its error bar and its number."""
    name = along.name if along.distinct > _FEW_BARS else None  # no room for it; the chart's title has it too
    across: Spec = {"y": {"field": "key", "type": "nominal", "sort": None, "title": name}}
    if series is not None:
        across["yOffset"] = {"field": "series", "sort": None}
    with_texts = view.rows <= _MOST_TEXTS
    room = (12 + LETTER * max(map(len, panel.texts), default=0)) / width if with_texts else 0.0
    scale = _domain(panel, from_zero=panel.is_amount, right=min(room, 0.5))
    quantity = _quantity(view, panel, f"value{place}", scale)
    encoding = {"x": quantity, "color": _colour(series)} | _told(place, along, series)
    layers: list[Spec] = [
        {"mark": _amount() if panel.is_amount else _dot(60), "encoding": across | encoding},
        {"transform": _bounded(place), "mark": _error_bar(7), "encoding": across | _ends(view, panel, place, "x", scale)},
    ]
    if panel.is_amount:
        rule = {"type": "rule", "color": RULE}  # with data of its own, so that it is drawn once
        layers.insert(1, {"data": {"values": [{}]}, "mark": rule, "encoding": {"x": {"datum": 0}}})
    if with_texts:
        far = _quantity(view, panel, f"{'value' if panel.is_ranked else 'high'}{place}", scale)
        layers.append({"mark": _words(align="left", dx=6), "encoding": across | {"x": far, "text": {"field": f"text{place}"}}})
    return {"width": width, "height": {"step": 24 if series is None else 18}, "layer": layers}


def _bins(view: View, panel: Panel, place: int, along: Key, width: int) -> Spec:
    """A bar over each bin, as wide as the bin is, with its error bar."""
    binned, flat = {"binned": True, "step": along.width}, {"zero": False, "nice": False}
    across: Spec = {"x": {"field": "key", "bin": binned, "title": along.name, "axis": _along(along), "scale": flat}}
    middle: Spec = {"x": {"field": "middle", "type": "quantitative"}}
    value = {"y": _quantity(view, panel, f"value{place}", {"zero": True})}
    bar = _amount() | {"binSpacing": 1}
    layers: list[Spec] = [
        {"mark": bar, "encoding": across | {"x2": {"field": "end"}, "color": _colour(None)} | value | _told(place, along, None)},
        {"transform": _bounded(place), "mark": _error_bar(5) | {"orient": "vertical"},
         "encoding": middle | _ends(view, panel, place, "y", {"zero": True})},
    ]  # fmt: skip
    return {"width": width, "height": _height(view), "layer": layers}


def _line(view: View, panel: Panel, place: int, along: Key, series: Key | None, width: int) -> Spec:
    """A line with its band over a scale."""
    scale = {"zero": False, "nice": False, "padding": 8}
    shared = {"x": {"field": "key", "type": "quantitative", "title": along.name, "scale": scale, "axis": _along(along)}}
    tall: Spec = {"zero": panel.is_amount}
    encoding = {"y": _quantity(view, panel, f"value{place}", tall), "color": _colour(series)}
    band = _ends(view, panel, place, "y", tall) | {"color": _colour(series)}
    dots = {"filled": True, "size": 22} if along.distinct <= _MOST_TEXTS else False
    layers: list[Spec] = [
        {"transform": _bounded(place), "mark": {"type": "errorband", "band": {"opacity": 0.25} | SILENT}, "encoding": band},
        {"mark": {"type": "line", "point": dots, "strokeWidth": 1.8}, "encoding": encoding | _told(place, along, series)},
    ]
    return {"width": width, "height": _height(view), "encoding": shared, "layer": layers}


def _along(along: Key) -> Spec:
    """The axis of a scale; years have no thousands."""
    axis: Spec = {"grid": False, "tickCount": 8}
    are_years = along.places and all(value.is_integer() and 1000 <= value < 3000 for value in along.places)
    return axis | {"format": "d", "labelExpr": "datum.label"} if are_years else axis


def _height(view: View) -> int:
    return 240 if len(view.panels) == 1 else 180


def _point_range(view: View, panel: Panel, place: int, width: int) -> Spec:
    """One number as a point within its interval."""
    scale = _domain(panel, from_zero=False, right=0.03)
    value = {"x": _quantity(view, panel, f"value{place}", scale)}
    layers: list[Spec] = [
        {"transform": _bounded(place), "mark": _error_bar(12), "encoding": _ends(view, panel, place, "x", scale)},
        {"mark": _dot(90), "encoding": value | {"color": {"value": BLUE}, "tooltip": _tooltip(place)}},
        {"mark": _words(dy=-16, fontSize=12, fontWeight="bold"), "encoding": value | {"text": {"field": f"text{place}"}}},
    ]
    return {"width": width, "height": 56, "layer": layers}


def _amount() -> Spec:
    return {"type": "bar", "opacity": 0.75}


def _dot(size: int) -> Spec:
    return {"type": "point", "filled": True, "size": size, "opacity": 1}


def _words(**style: Any) -> Spec:
    return {"type": "text", "color": INK, "fontSize": 11} | SILENT | style


def _fitted(config: Spec, width: int) -> Spec:
    """Labels and titles that leave room for the drawing; where there is little, the legend stands above it."""
    config["axis"]["labelLimit"] = min(config["axis"]["labelLimit"], int(width * _MOST_LABEL))
    config["title"]["frame"] = "bounds"
    config["legend"] |= {"orient": "top"} if _is_narrow(width) else {}
    return config


def _is_narrow(width: int) -> bool:
    return width < 2 * _NARROWEST
