"""Pages, pictures, sliders and notebooks agree with each other and with the library. The blocks themselves run in test_docs."""

import csv
import json
import os
import re
import shlex
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.gallery import PAGES
from discreet.gallery.choosing import letters
from discreet.gallery.composing import RACES
from discreet.gallery.notebooks import notebook_of
from discreet.gallery.slider_html import stored_in
from discreet.gallery.slider_pages import SLIDER_PAGES
from discreet.gallery.sliders import worked_out
from discreet.lessons import auction
from discreet.lessons.r import R
from discreet.lessons.samples import sample

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "docs" / "gallery"
IMAGE = re.compile(r"!\[(.*?)\]\((pictures/[\w.]+)\)")
LINK = re.compile(r"\]\(((?!https?:)[^)#]+)\)")
WRITTEN = sorted(HERE.glob("[0-9][0-9]_*.md"))


def test_every_page_is_written_listed_and_has_its_figure_its_exercise_and_its_source():
    index = (HERE / "README.md").read_text(encoding="utf-8")
    assert [page.stem for page in WRITTEN] == [page.name for page in PAGES]
    for page in WRITTEN:
        text = page.read_text(encoding="utf-8")
        assert f"]({page.name})" in index
        assert IMAGE.search(text)
        assert "## Exercise" in text
        assert "<details><summary>Solution" in text
        assert "*Follows*" in text or page.stem == "28_slips"


def test_every_link_leads_somewhere():
    for page in [*WRITTEN, HERE / "README.md"]:
        text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert [link for link in LINK.findall(text) if not (HERE / link).exists()] == [], page.name


@pytest.mark.slow
def test_pictures_say_on_the_page_what_they_show():
    for page in PAGES:
        if page.number == 26:                                        # a linear program takes its time
            continue
        text = (HERE / f"{page.name}.md").read_text(encoding="utf-8")
        shown = {Path(path).stem: alt for alt, path in IMAGE.findall(text)}
        assert shown == {name: figure.alt for name, figure in page.drawn().items()}
        for name in shown:
            assert 'role="img" aria-label="' in (HERE / "pictures" / f"{name}.svg").read_text(encoding="utf-8")


# ---- sliders


@pytest.mark.slow
@pytest.mark.parametrize("page", SLIDER_PAGES, ids=lambda page: page.name)
def test_sliders_hold_what_the_library_says(page):
    stored = stored_in((HERE / "pictures" / f"{page.name}.html").read_text(encoding="utf-8"))
    now = json.loads(json.dumps(worked_out(page)))
    assert {key: stored[key] for key in now} == now


def test_slider_values_are_those_of_the_mechanisms():
    files = {page.number: HERE / "pictures" / f"{page.name}.html" for page in SLIDER_PAGES}
    stored = {number: stored_in(file.read_text(encoding="utf-8")) for number, file in files.items()}

    def at(number, label, **stops):
        page = stored[number]
        output = next(each for each in page["outputs"] if each["label"] == label)
        place = 0
        for key in output["by"]:
            known = next(slider["stops"] for slider in page["sliders"] if slider["key"] == key)
            place = place * len(known) + known.index(stops[key])
        return output["values"][place]

    assert at(6, "ratio at z", z="1.3", epsilon="1", moves="1") == pytest.approx(2.71828, abs=5e-6)
    law = dc.Laplace(epsilon="0.1", sensitivity=Fraction(10**6, 994)).for_floats()
    assert at(8, "95 % ±", epsilon="0.1", width="1000000", rows="994") == pytest.approx(float(law.half_width()), rel=1e-7)
    assert at(12, "slide: the last cell", cells="6", epsilon="0.1") == pytest.approx(123.05, abs=0.01)
    assert at(12, "what the slide really costs", cells="6", epsilon="0.1") == pytest.approx(0.04)
    assert at(17, "Gaussian: q at p = 0.1", mu="1") == pytest.approx(0.61086, abs=5e-6)
    assert at(22, "exact", count="100", epsilon="0.1", delta="1e-6") == pytest.approx(4.693, abs=5e-4)


@pytest.mark.slow
def test_sliders_move_from_a_file_wide_and_on_a_phone(part):
    if not (program := shutil.which("chromium")):
        pytest.skip("missing part: the program chromium")
    file = HERE / "pictures" / "08_sliders.html"
    stored = stored_in(file.read_text(encoding="utf-8"))
    with part("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        try:
            for width in (1000, 360):
                page, asked, broken = browser.new_page(viewport={"width": width, "height": 800}), [], []
                page.on("request", lambda request, asked=asked: asked.append(request.url))
                page.on("pageerror", lambda error, broken=broken: broken.append(str(error)))
                page.goto(file.as_uri())
                shown = page.locator("#outputs td").last
                assert float(shown.inner_text()) == pytest.approx(30_138, rel=1e-4)
                page.locator("#epsilon").focus()
                for _ in range(3):                                       # 0.2, 0.5, 1
                    page.keyboard.press("ArrowRight")
                assert float(shown.inner_text()) == pytest.approx(3013.8, rel=1e-4)
                assert page.locator("#epsilon").get_attribute("aria-valuetext") == "ε 1"
                assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
                assert (asked, broken) == ([file.as_uri()], [])
                page.close()
        finally:
            browser.close()
    assert len(stored["courses"][0]["values"]) == 5 * 6                  # a curve for each width and number of rows


# ---- notebooks


def test_notebooks_are_those_of_the_pages_without_outputs():
    found = sorted((ROOT / "examples").glob("*.ipynb"))
    assert [each.stem for each in found] == [page.stem for page in WRITTEN]
    for notebook, page in zip(found, WRITTEN, strict=True):
        stored = json.loads(notebook.read_text(encoding="utf-8"))
        assert stored == notebook_of(page.read_text(encoding="utf-8")), f"write it again: {notebook.name}"
        assert all(not cell["outputs"] for cell in stored["cells"] if cell["cell_type"] == "code")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["03_neighbours", "08_more_epsilon", "11_rural_and_urban", "17_tester"])
def test_notebooks_run_from_their_first_cell_to_their_last(name, tmp_path, monkeypatch):
    from discreet.cli.app import run

    monkeypatch.chdir(tmp_path)
    space = {"__name__": "__main__"}
    stored = json.loads((ROOT / "examples" / f"{name}.ipynb").read_text(encoding="utf-8"))
    cells = [cell for cell in stored["cells"] if cell["cell_type"] == "code"][1:]   # the first is for the notebook's display
    for cell in cells:
        source = "".join(cell["source"])
        if source.startswith("!"):
            assert [run(shlex.split(line[1:])[1:]) for line in source.splitlines()] == [0] * len(source.splitlines())
            continue
        try:
            exec(compile(source, name, "exec"), space)
        except dc.Refused:
            assert cell["metadata"].get("tags") == ["raises-exception"]
        else:
            assert "tags" not in cell["metadata"]


# ---- every figure that a text prints, from the made-up tables and from its own files


FILES = {"ce_book": "CEdata_994_book.csv", "ce_slides": "CEdata_5133_slides.csv", "adult": "adult_with_pii_rejoined.csv",
         "fulton": "pums/FultonPUMS5full.csv"}


def expected():
    """The figures that the texts print: retyped here, and compared with the file where it is at hand."""
    known = {
        "ce_book": {"n": 994, "rural": 51, "mean_income": 67593.2163, "releases": [45, 50, 62028.67, 67036.76],
                    "races": [816, 109, 7, 39, 6, 17], "mean_expenditure": 9421.9719},
        "ce_slides": {"n": 5133, "rural": 337, "mean_income": 77075.7689, "releases": [331, 336],
                      "races": [4201, 553, 28, 239, 24, 88], "mean_expenditure": 10197.3821},
    }
    folder = os.environ.get("DISCREET_DATA")
    if folder and (file := Path(folder) / "vectors" / "seed_expected.json").exists():
        stored = json.loads(file.read_text(encoding="utf-8"))
        for name, key in (("ce_book", "Hu_ch7_book (000)"), ("ce_slides", "Hu_slides (001)")):
            there = stored[key]
            assert [each["printed"] for each in there["releases"]] == known[name]["releases"]
            assert [there["n"], there["rural"], there["mean_income"], there["mean_expenditure"]] == [
                known[name][field] for field in ("n", "rural", "mean_income", "mean_expenditure")]
            assert list(there["race_counts"].values()) == known[name]["races"]
        survey, course, census = stored["Ghosh survey (004)"], stored["CS208 (002)"], stored["Near_Abuah (003)"]
        assert {f"{price / 100:.2f}": auction.revenue(price) / 100 for price in auction.PRICES} == survey["revenue_at_price"]
        assert [letter for letter, count in letters().items() if count == survey["tied_count"]] == survey["tied_letters"]
        assert (census["age_ge_40"], census["n"]) == (14237, 32561)
        assert course["notebook_fulton_educ_mean"] == 10.608553908251183
        assert course["total_eps_printed"] == 0.2
    return known


@pytest.fixture(params=["made up", "real"])
def rows_of(request, real_data):
    def made_up(name):
        return list(csv.DictReader(sample(name).csv().splitlines()))

    def real(name):
        with real_data(FILES[name]).open(encoding="utf-8-sig", newline="") as file:
            return list(csv.DictReader(file))

    return made_up if request.param == "made up" else real


@pytest.mark.slow
def test_every_figure_of_the_texts_comes_out_of_the_tables(rows_of):
    for name, figures in expected().items():
        rows = rows_of(name)
        income = Fraction(sum(Fraction(row["Income"]) for row in rows)) / len(rows)
        assert (len(rows), sum(row["UrbanRural"] == "2" for row in rows)) == (figures["n"], figures["rural"])
        assert round(float(income), 4) == figures["mean_income"]
        assert round(float(sum(Fraction(row["Expenditure"]) for row in rows) / len(rows)), 4) == figures["mean_expenditure"]
        assert [sum(row["Race"] == str(race) for row in rows) for race in range(1, 7)] == figures["races"]
        counts = [round(R(123).rlaplace(1, figures["rural"], scale)[0]) for scale in (10, 1)]
        means = [round(R(123).rlaplace(1, float(income), scale * 1e6 / 994)[0], 2) for scale in (10, 1)]
        assert [*counts, *means][: len(figures["releases"])] == figures["releases"]
    assert sum(int(row["Age"]) >= 40 for row in rows_of("adult")) == 14_237
    schooling = [int(row["educ"]) for row in rows_of("fulton")]
    assert (len(schooling), sum(schooling) / len(schooling)) == (25_766, 10.608553908251183)
    assert list(RACES.values()) == expected()["ce_slides"]["races"]
