"""Pages, pictures, sliders and notebooks agree with each other and with the library. The blocks themselves run in test_docs."""

import csv
import json
import re
import shutil
from fractions import Fraction
from pathlib import Path

import pytest

import discreet as dc
from discreet.gallery import PAGES
from discreet.gallery.notebooks import notebook_of
from discreet.gallery.slider_html import stored_in
from discreet.gallery.slider_pages import SLIDER_PAGES
from discreet.gallery.sliders import worked_out

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "docs" / "gallery"
IMAGE = re.compile(r"!\[(.*?)\]\((pictures/[\w.]+)\)")
BELOW = re.compile(r"^\[numbers\]\((pictures/[\w.]+)\)(?: · \[[^]]+\]\([^)]+\))? · (.+) · Apache-2\.0$", re.MULTILINE)
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
        told = {Path(path).stem: words for path, words in BELOW.findall(text)}
        assert told == {name: f"drawn anew after {figure.source}" if figure.source else "drawn for this page"
                        for name, figure in page.drawn().items()}
        for name in shown:
            assert 'role="img" aria-label="' in (HERE / "pictures" / f"{name}.svg").read_text(encoding="utf-8")


def test_every_figure_has_its_numbers_its_source_and_its_licence_below_it():
    for page in WRITTEN:
        text = page.read_text(encoding="utf-8")
        drawn = [Path(path).stem for _, path in IMAGE.findall(text)]
        assert [Path(path).stem for path, _ in BELOW.findall(text)] == drawn, page.name
        for name in drawn:
            rows = list(csv.DictReader((HERE / "pictures" / f"{name}.csv").read_text(encoding="utf-8").splitlines()))
            assert rows
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):             # elsewhere: the numbers that the picture says itself
        told = re.findall(r"value: ([^\"]+)\"", picture.read_text(encoding="utf-8"))
        rows = csv.reader(picture.with_suffix(".csv").read_text(encoding="utf-8").splitlines())
        assert [row[-1] for row in rows][1:] == told


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
