"""A published release in a real browser, from a file: nothing fetched, readable for everybody, on a phone and on paper."""

import pytest
from tests.page.test_ask_page import violated
from tests.publishing.releases import homes

from discreet.publishing.publish import publish

pytestmark = pytest.mark.slow  # a browser


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release")
    publish(homes(folder), folder / "out")
    return folder / "out" / "index.html"


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 1440), ("light", 390), ("dark", 390)])
def test_a_release_is_for_everybody_and_fetches_nothing(browser, release, scheme, width):
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(release.as_uri())
        assert asked == [release.as_uri()]
        violated(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        dark = page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(21, 21, 19)"
        assert dark == (scheme == "dark")
        drawn = page.locator(".finding .plot svg:visible")
        assert drawn.count() == 3                                       # one size is shown, the other is not
        assert page.locator(".finding .table:visible").count() == 0
        page.click(".finding summary >> nth=0")
        assert page.locator(".finding .table:visible").count() == 1
        violated(page)
    finally:
        context.close()


def test_on_paper_every_table_is_open_and_dark_is_light(browser, release):
    context = browser.new_context(color_scheme="dark")
    page = context.new_page()
    try:
        page.goto(release.as_uri())
        page.emulate_media(media="print")
        assert page.evaluate("() => getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
        tables = "[...document.querySelectorAll('.finding .table')]"
        assert page.evaluate(f"() => {tables}.every((each) => each.getClientRects().length)")
        assert len(page.pdf()) > 10_000
    finally:
        context.close()
