"""Figures of laws: what is drawn is what is computed, in a picture, in letters, in words and in a table."""

import builtins
import importlib
import itertools
import re

import pytest

import discreet as dc
from discreet.plots.charts import drawn, save_figure, svg_of_figure
from discreet.plots.figure import Axis, Bars, Cells, Curve, Dots, Figure, Mark, Plot
from discreet.plots.figure_spec import figure_spec
from discreet.plots.figure_text import TextFigure
from discreet.plots.style import DASHES, SERIES

LAPLACE = dc.Laplace(epsilon="0.1", sensitivity=1)
PLOTS = {
    "noise": LAPLACE.plot,
    "fine noise": dc.Gaussian(rho="0.5", sensitivity="1/3").plot,
    "choice": lambda: dc.Exponential(epsilon=1, sensitivity=1).plot({"b": 10, "c": 10, "x": 9}),
    "order": lambda: dc.NoisyMax(epsilon=1, sensitivity=1, count=2).plot([3, 2, 1]),
    "trade-off": dc.tradeoff(dc.Pure(epsilon=1)).plot,
    "loss": dc.loss_distribution(LAPLACE, count=5).plot,
    "law": dc.distributions.Laplace(0, 1).plot,
    "normal": dc.distributions.Normal(0, 1).plot,
    "compositions": lambda: dc.compositions(LAPLACE, counts=[1, 5], delta="1e-6").plot(),
}


@pytest.mark.parametrize("name", PLOTS)
def test_everything_that_has_a_law_is_drawn_by_altair_or_in_letters(name, part, monkeypatch):
    altair = part("altair")
    chart = PLOTS[name]()
    assert isinstance(chart, altair.TopLevelMixin)
    assert len(chart.to_dict(validate=False)["description"]) > 40
    real = importlib.import_module
    monkeypatch.setattr("discreet.plots.charts.import_module", lambda name: real(name) if name != "altair" else real("no_altair"))
    text = PLOTS[name]()
    assert isinstance(text, TextFigure)
    assert len(repr(text).splitlines()) > 3


EVERY_SHAPE = Figure(
    "All <shapes> & more", "A sentence about them.",
    (
        Plot(Axis("x"), Axis("y", log=True, ends=(0.1, 10)), (
            Curve("a", [0, 1], [1, 2], lows=[0.5, 1], highs=[2, 3]),
            Curve("b", [0, 1], [2, float("inf")], steps=True, filled=True),
            Dots("a", [0.5], [1.5], [1], [2], ["here"]), Mark("there", x=0.2), Mark("level", y=1))),
        Plot(Axis("x"), Axis("y"), (Bars("n", [1, 2, 3], [4, 5, 6], [3, 4, 5], [5, 6, 7]),)),
        Plot(Axis(""), Axis("n"), (
            Bars("one", ["u", "v"], [1, 2], texts=["1", "2"]), Bars("two", ["u", "v"], [3, 4], [2, 3], [4, 5]))),
        Plot(Axis("x"), Axis("y"), (Cells("ratio", [0, 1], [0, 1], [-1, 1], 1, (-1, 1)),)),
    ),
)


def test_every_shape_becomes_a_picture_that_says_itself(part, tmp_path):
    part("vl_convert")
    svg = svg_of_figure(EVERY_SHAPE)
    assert 'aria-label="A sentence about them."' in svg
    assert "All &lt;shapes&gt; &amp; more" in svg
    assert "http" not in re.sub(r"http://www\.w3\.org/[\w/]+", "", svg)          # nothing is fetched by whoever opens it
    assert save_figure(EVERY_SHAPE, tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"
    assert "All <shapes>" in save_figure(EVERY_SHAPE, tmp_path / "x.txt").read_text(encoding="utf-8")
    with pytest.raises(dc.ParameterError, match=r"\.svg, \.png or \.txt"):
        save_figure(EVERY_SHAPE, tmp_path / "x.gif")


def test_the_table_has_every_number_that_is_drawn():
    rows = EVERY_SHAPE.table()
    assert {"plot": "All <shapes> & more", "series": "a", "x": 1, "y": 2, "low": 1, "high": 3} in rows
    assert {"plot": "All <shapes> & more", "series": "two", "x": "v", "y": 4, "low": 3, "high": 5} in rows
    assert len(rows) == 2 + 2 + 1 + 2 + 3 + 4 + 2
    in_spec = figure_spec(EVERY_SHAPE)["concat"][1]["layer"][0]["data"]["values"]
    assert [record["y"] for record in in_spec] == [row["y"] for row in rows if row["series"] == "n"]


def test_without_the_converter_a_picture_is_refused_and_letters_are_offered(monkeypatch, tmp_path):
    real = builtins.__import__
    monkeypatch.setattr("discreet.plots.charts.import_module", lambda name: real("no_" + name))
    with pytest.raises(dc.ParameterError, match=r"save as \.txt"):
        save_figure(EVERY_SHAPE, tmp_path / "x.svg")
    assert isinstance(drawn(EVERY_SHAPE), TextFigure)


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def without_red_and_green(colour):
    """How a colour looks to somebody without red cones, roughly: Viénot, Brettel and Mollon (1999)."""
    red, green, blue = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return 0.11 * red + 0.89 * green, 0.11 * red + 0.89 * green, 0.004 * red - 0.004 * green + blue


def test_series_stand_out_from_white_and_from_each_other():
    assert all(1.05 / (luminance(colour) + 0.05) >= 3 for colour in SERIES)
    for one, other in itertools.combinations(SERIES, 2):
        far = sum((a - b) ** 2 for a, b in zip(without_red_and_green(one), without_red_and_green(other), strict=True)) ** 0.5
        assert far > 0.15, (one, other)
    assert len({tuple(dash) for dash in DASHES}) == len(SERIES)
