import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.answers.made import URBAN, ages, answer, counts, one, several, two_keys

from discreet.answers import AnswerColumn
from discreet.errors import ParameterError
from discreet.plots import TextChart, chart_of, save_chart, svg_of, text_chart
from discreet.plots.spec import spec_of
from discreet.plots.view import MOST_BARS, MOST_POINTS, view_of


def ranked(rows=3):
    """Medians that were chosen by their rank, by category; one alone where there is one row."""
    made = answer(
        [*([AnswerColumn("ward", "key")] if rows > 1 else []), AnswerColumn("q", "median")],
        [({"ward": "ABC"[place]} if rows > 1 else {}) | {"q": 30 + 10 * place} for place in range(rows)],
        [{"q": (None, None)}] * rows,
    )
    return replace(made, rank_intervals=({"q": (-1200, 1200)},) * rows)


EVERY = {
    "one": one, "counts": lambda: counts([945, -5]), "ages": ages, "two keys": two_keys, "several": several, "ranked": ranked
}  # fmt: skip


def marks(spec: Any) -> list[str]:
    """The types of all marks, in order."""
    if isinstance(spec, dict):
        own = spec.get("mark")
        found = [own["type"] if isinstance(own, dict) else own] if own else []
        return found + [mark for part in spec.values() for mark in marks(part)]
    return [mark for part in spec for mark in marks(part)] if isinstance(spec, list) else []


def layer(spec: Any, mark: str) -> dict[str, Any]:
    """The first layer with this mark."""
    if isinstance(spec, dict):
        if isinstance(spec.get("mark"), dict) and spec["mark"]["type"] == mark:
            return spec
        spec = list(spec.values())
    if isinstance(spec, list):
        return next((found for part in spec if (found := layer(part, mark))), {})
    return {}


def spec(made) -> dict[str, Any]:
    return spec_of(view_of(made))


# ---- which chart


def test_categories_are_bars_with_error_bars_and_labels():
    drawn = spec(counts([945, 49]))
    assert marks(drawn) == ["bar", "rule", "errorbar", "text"]
    assert layer(drawn, "bar")["encoding"]["y"] == {"field": "key", "type": "nominal", "sort": None, "title": None}
    assert layer(drawn, "errorbar")["encoding"]["x"]["field"] == "low0"
    assert layer(drawn, "errorbar")["encoding"]["x2"] == {"field": "high0"}
    assert drawn["data"]["values"][1] == {"key": "Rural", "value0": 49.0, "low0": 19.0, "high0": 79.0, "text0": "49 ± 30"}


def test_the_title_comes_from_the_question_and_the_axis_says_the_confidence():
    drawn = spec(counts([945, 49]))
    assert drawn["title"]["text"] == "n by UrbanRural"
    assert drawn["title"]["subtitle"] == ["SELECT COUNT(*) AS n FROM ce_slides GROUP BY UrbanRural"]
    titles = {part["encoding"]["x"].get("title") for part in drawn["layer"] if part["mark"]["type"] != "rule"}
    assert titles == {"n, with 95 % intervals"}


def test_counts_in_bins_are_bars_as_wide_as_their_bins():
    columns = [AnswerColumn("age", "key", width=10.0), AnswerColumn("n", "count"), AnswerColumn("m", "mean")]
    rows = [{"age": age, "n": 5, "m": 2.5} for age in (20, 30, 50)]
    drawn = spec(answer(columns, rows, [{"n": (4, 6), "m": (2.0, 3.0)}] * 3))
    assert marks(drawn) == ["bar", "errorbar", "errorband", "line"]                            # a mean has no area
    assert [(each["key"], each["end"], each["middle"]) for each in drawn["data"]["values"]] == [
        (20.0, 30.0, 25.0), (30.0, 40.0, 35.0), (50.0, 60.0, 55.0)
    ]  # fmt: skip
    ones = [AnswerColumn("k", "key", width=1.0), AnswerColumn("n", "count")]                   # bins are no codes, however few
    few = answer(ones, [{"k": k, "n": 5} for k in (1, 2, 3)], [{"n": (4, 6)}] * 3)
    assert marks(spec(few)) == ["bar", "errorbar"]


@pytest.mark.parametrize("wide", [340, 980])
def test_a_chart_fills_the_width_it_is_given(part, wide):
    part("vl_convert")
    for made in (counts([945, 49]), ages(), two_keys(), several()):
        drawn = svg_of(made, wide)
        found = float(re.search(r'<svg[^>]* width="([\d.]+)"', drawn)[1])
        assert 0.8 * wide < found < 1.2 * wide, made.question


def test_numbers_on_a_scale_are_a_line_with_a_band_and_every_column_has_a_panel():
    drawn = spec(ages())
    assert marks(drawn) == ["errorband", "line", "errorband", "line"]
    assert len(drawn["concat"]) == 2
    assert layer(drawn["concat"][1], "line")["encoding"]["y"]["field"] == "value1"
    assert drawn["concat"][0]["encoding"]["x"]["type"] == "quantitative"
    assert layer(drawn["concat"][1], "line")["encoding"]["y"]["scale"] == {"zero": False}      # a mean need not start at 0


def test_means_are_points_with_intervals():
    columns = [AnswerColumn("UrbanRural", "key", URBAN), AnswerColumn("mean_Age", "mean")]
    made = answer(columns, [{"UrbanRural": 1, "mean_Age": 38.5}], [{"mean_Age": (38.0, 39.0)}])
    assert marks(spec(made)) == ["point", "errorbar", "text"]
    assert spec(made)["title"]["text"] == "Age mean by UrbanRural"


def test_two_keys_are_told_by_colour():
    drawn = spec(two_keys())
    bar = layer(drawn, "bar")["encoding"]
    assert (bar["y"]["title"], bar["color"]["title"], bar["yOffset"]["field"]) == ("Race", "UrbanRural", "series")
    assert layer(drawn, "errorbar")["encoding"]["yOffset"]["field"] == "series"


def test_many_values_of_a_second_key_are_facets():
    rows = [{"a": a, "b": b, "n": a + b} for a in range(9) for b in range(8)]
    made = answer([AnswerColumn("a", "key"), AnswerColumn("b", "key"), AnswerColumn("n", "count")], rows,
                  [{"n": (row["n"] - 1, row["n"] + 1)} for row in rows])
    assert spec(made)["facet"]["header"]["title"] == "b"
    assert "errorbar" in marks(spec(made)["spec"])


def test_numbers_without_a_key_are_point_ranges():
    assert marks(spec(several())) == ["errorbar", "point", "text"] * 4


@pytest.mark.parametrize(
    ("values", "on_a_scale"),
    [
        (range(1, 7), False),                     # six codes
        (range(1, 14), True),
        (range(0, 60, 10), True),
        ([0.5, 1.0, 1.5], True),
        ([30, 10, 20], False),                    # sorted by something else
        ([1, 2, "other"], False),
        ([False, True], False),
    ],
)
def test_numbers_lie_on_a_scale_unless_they_look_like_codes(values, on_a_scale):
    rows = [{"k": value, "n": 5} for value in values]
    made = answer([AnswerColumn("k", "key"), AnswerColumn("n", "count")], rows, [{"n": (4, 6)}] * len(rows))
    assert (view_of(made).keys[0].places is not None) == on_a_scale


@pytest.mark.parametrize("rows", [1, 3])
def test_values_chosen_by_rank_are_points_alone_that_say_their_rank(rows):
    text = text_chart(ranked(rows)).draw(80, ascii_only=False)
    assert text.count("●") == rows
    assert not set("─├┤") & set(text)
    assert "95 % intervals of ranks" in text
    assert text.count("(rank ± 1 200)") == rows
    drawn = spec(ranked(rows))
    assert drawn["data"]["values"][0]["text0"] == "30 (rank ± 1 200)"
    assert "with 95 % intervals of ranks" in drawn["description"]
    assert layer(drawn, "point")["encoding"]["x"]["title"] == "q, with 95 % intervals of ranks"
    assert layer(drawn, "text")["encoding"]["x"]["field"] == "value0"


def test_a_chart_with_intervals_of_values_says_so_beside_ranks():
    both = replace(ranked(1), columns=(AnswerColumn("q", "median"), AnswerColumn("m", "mean")),
                   rows=({"q": 30, "m": 31.5},), intervals=({"q": (None, None), "m": (31.0, 32.0)},))  # fmt: skip
    text = text_chart(both).draw(80, ascii_only=False)
    assert "· 95 % intervals\n" in text
    assert ("├" in text, "30 (rank ± 1 200)" in text) == (True, True)


def test_what_has_no_value_or_no_bound_is_left_out_of_the_drawing_only():
    columns = [AnswerColumn("k", "key", {1: "a", 2: "b", 3: "c"}), AnswerColumn("m", "mean")]
    rows = [{"k": 1, "m": None}, {"k": 2, "m": 3.0}, {"k": 3, "m": 4.0}]
    made = answer(columns, rows, [{"m": (None, None)}, {"m": (None, None)}, {"m": (3.0, 5.0)}])
    assert [record["text0"] for record in spec(made)["data"]["values"]] == ["no value", "3.0 ± ∞", "4.0 ± 1.0"]
    json.dumps(spec(made), allow_nan=False)
    assert "no value" in repr(text_chart(made))


def test_a_chart_says_how_many_rows_it_leaves_out():
    made = counts(list(range(1000)), labels={place: f"z{place}" for place in range(1000)})
    assert len(spec(made)["data"]["values"]) == MOST_BARS
    assert spec(made)["title"]["subtitle"][-1] == "940 more rows are not drawn"
    assert repr(text_chart(made)).endswith("… 940 more rows are not drawn")
    bins = counts(list(range(10_000)), labels={})
    assert len(spec(bins)["data"]["values"]) == MOST_POINTS
    assert repr(text_chart(bins)).endswith("… 9 940 more rows are not drawn")


def test_no_column_name_is_an_expression():
    name = "datum['x'] || alert(1)"
    made = answer([AnswerColumn(name, "key"), AnswerColumn("a.b[0]", "count")], [{name: "x", "a.b[0]": 1}], [{"a.b[0]": (0, 2)}])
    assert set(spec(made)["data"]["values"][0]) == {"key", "value0", "low0", "high0", "text0"}


# ---- Altair and files


@pytest.mark.parametrize("name", EVERY)
def test_altair_accepts_every_chart(part, name):
    altair = part("altair")
    chart = chart_of(EVERY[name]())
    assert isinstance(chart, altair.TopLevelMixin)
    assert marks(chart.to_dict()) == marks(spec(EVERY[name]()))
    assert EVERY[name]().plot().to_dict() == chart.to_dict()


def test_without_the_extra_a_chart_is_text(monkeypatch):
    monkeypatch.setitem(sys.modules, "altair", None)
    assert isinstance(chart_of(one()), TextChart)


@pytest.mark.parametrize("name", EVERY)
def test_pictures_are_written_as_svg(part, tmp_path, name):
    part("vl_convert")
    picture = save_chart(EVERY[name](), tmp_path / "chart.svg").read_text(encoding="utf-8")
    assert picture.startswith("<svg")
    assert "with 95 % intervals" in picture
    assert "low0" not in picture


def test_pictures_are_written_as_png(part, tmp_path):
    part("vl_convert")
    assert save_chart(counts([945, 49]), tmp_path / "chart.PNG").read_bytes().startswith(b"\x89PNG")


def test_markup_in_a_label_is_text_in_a_picture(part, tmp_path):
    part("vl_convert")
    picture = save_chart(counts([1, 2], labels={1: "<script>alert(1)</script>", 2: "b"}), str(tmp_path / "chart.svg"))
    assert "<script" not in picture.read_text(encoding="utf-8")


def test_a_picture_needs_no_network(part, tmp_path):
    part("vl_convert")
    proxies = [f"{kind}_proxy" for kind in ("http", "https", "all")]
    nowhere = {spelt: "http://127.0.0.1:9" for name in proxies for spelt in (name, name.upper())}
    script = "from tests.answers.made import *; from discreet.plots import *; save_chart(counts([945, 49]), 'chart.svg')"
    root = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=os.environ | nowhere | {"PYTHONPATH": root}, check=True)
    assert (tmp_path / "chart.svg").exists()


def test_a_text_chart_is_a_file_too(tmp_path):
    text = save_chart(counts([945, 49]), tmp_path / "chart.txt").read_text(encoding="utf-8")
    assert text == text_chart(counts([945, 49])).draw(width=100, ascii_only=False) + "\n"


@pytest.mark.parametrize("name", ["chart.pdf", "chart", "chart.html"])
def test_other_endings_are_refused(tmp_path, name):
    with pytest.raises(ParameterError, match=r"end the name in \.svg"):
        save_chart(one(), tmp_path / name)


def test_a_picture_without_the_extra_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ParameterError, match=r"discreet\[plots\]"):
        save_chart(one(), tmp_path / "chart.svg")


def test_importing_plots_loads_neither_altair_nor_answers():
    script = "import sys, discreet.plots; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not [name for name in run.stdout.split() if name.startswith(("altair", "vl_convert", "discreet.answers"))]


# ---- text


def test_a_text_chart_draws_bars_up_to_the_interval_and_a_dot_at_the_value():
    assert text_chart(counts([945, 49])).draw(60, ascii_only=False).splitlines() == [
        "n by UrbanRural · 95 % intervals",
        "SELECT COUNT(*) AS n FROM ce_slides GROUP BY UrbanRural",
        "",
        "Urban  ███████████████████████████████████████├─●┤  945 ± 30",
        "Rural  █├●┤                                          49 ± 30",
        "       0                                       975",
    ]


def test_a_text_chart_marks_zero_where_intervals_reach_below_it():
    assert text_chart(counts([200, -10], half=50)).draw(60, ascii_only=True).splitlines()[3:] == [
        "Urban          |==================[------o-----]  200 +/- 50",
        "Rural  [-----o------]                             -10 +/- 50",
        "       -60                                   250",
    ]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_a_text_chart_fits_its_width(name, width):
    for ascii_only in (False, True):
        lines = text_chart(EVERY[name]()).draw(width, ascii_only=ascii_only).splitlines()
        assert max(map(len, lines)) <= width


def test_a_text_chart_of_several_columns_has_a_panel_each():
    drawn = text_chart(ages()).draw(80, ascii_only=False)
    assert drawn.splitlines()[3] == "n"
    assert "\n\nm\n" in drawn


def test_an_empty_answer_has_charts_too():
    made = counts([], labels={})
    assert spec(made)["data"]["values"] == []
    assert repr(text_chart(made)).startswith("n by UrbanRural")
