"""The one look of all pictures: colours, letters and lines.

Series are told apart by lightness as well as hue, so that they stay apart without red and green and in print; lines also have
dashes of their own. Text has a contrast of at least 4.5 to 1 on white, marks of at least 3 to 1.
"""

from typing import Any

__all__ = ["BLUE", "DASHES", "DIM", "INK", "LETTER", "PALE", "RULE", "SERIES", "SILENT", "Spec", "config"]

Spec = dict[str, Any]

SERIES = ["#1d5fa6", "#c2640a", "#0d8f7c", "#cc79a7", "#4a4500", "#2b3138"]  # blue, orange, teal, pink, olive, nearly black
DASHES = [[1, 0], [7, 3], [2, 2], [9, 2, 2, 2], [12, 4], [4, 4]]
BLUE, INK, DIM, PALE, RULE = SERIES[0], "#1d1c1a", "#6a655c", "#e9e6df", "#8a8478"
LETTER = 6.2  # pixels, about
SILENT = {"aria": False}  # a screen reader hears each number once, from its bar or point


def config() -> Spec:
    """What every chart has in common, as Vega-Lite wants it. A new one each time, to be changed where a chart needs it."""
    return {
        "background": "white",
        "padding": 14,
        "view": {"stroke": None},
        "axis": {
            "labelColor": DIM,
            "titleColor": INK,
            "titleFontWeight": "normal",
            "gridColor": PALE,
            "domain": False,
            "ticks": False,
            "labelPadding": 6,
            "titlePadding": 8,
            "labelLimit": 260,
        },
        "axisQuantitative": {"labelExpr": "replace(datum.label, /,/g, ' ')", "labelFlush": False, "tickCount": 6},
        "title": {
            "anchor": "start",
            "frame": "group",
            "fontSize": 15,
            "color": INK,
            "subtitleColor": DIM,
            "subtitleFontSize": 11,
            "subtitlePadding": 4,
            "offset": 14,
        },
        "legend": {"labelColor": DIM, "titleColor": INK, "titleFontWeight": "normal", "symbolOpacity": 1},
        "header": {"labelColor": INK, "titleColor": DIM, "titleFontWeight": "normal"},
    }
