"""Prices with δ and ρ, keys that nobody listed, caps and cells, intervals of medians: everything beside a plain ε."""

import pytest
from tests.page.test_ask_page import opened, quoted, text, violated, written

pytestmark = pytest.mark.slow  # a browser and a server


def asked(page):
    """Ask, and wait for what was charged."""
    page.click("#ask")
    page.wait_for_selector("#a-tags .bite")


def test_keys_that_nobody_listed_take_a_delta_which_is_one_click_away(browser, site):
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        page.fill("#sql", "SELECT town, COUNT(*) AS n FROM visits GROUP BY town")
        page.wait_for_selector("#refused button")
        assert "requires a delta" in text(page, "#refused")
        assert "{" not in text(page, "#refused")                           # in the words of the page
        page.click("#refused button")
        quoted(page)
        assert page.input_value("#delta") == "1e-7"
        assert "only those that many share are told" in text(page, "#a-body")
        page.fill("#epsilon", "1")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 1, δ 1e-7'")
        violated(page)
        asked(page)
        assert "Elm" in text(page, "#a-body table")
        page.wait_for_function("() => !document.querySelector('#left').textContent.includes('leaves ε 2, δ 9e-7')")
        page.select_option("#delta", "")
        page.fill("#within", "40")                                         # a ± that is needed is priced without δ
        page.wait_for_function("() => document.querySelector('#delta').disabled")


def test_caps_cells_and_intervals_of_medians_are_choices(browser, site):
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        assert "Each who is protected, with all of its rows." in text(page, "#facts")
        written(page, "SELECT COUNT(*) AS n FROM visits WHERE ward = 'east'")
        wide = text(page, "#q-cols dd")
        page.click(".more summary")
        assert page.get_attribute("#max-rows", "placeholder") == "4"
        with page.expect_response("**/quote") as sent:
            page.fill("#max-rows", "1")
        assert sent.value.request.post_data_json["max_rows"] == 1
        page.wait_for_function("(wide) => document.querySelector('#q-cols dd').textContent !== wide", arg=wide)
        page.fill("#sql", 'SELECT MEDIAN("<script>alert(1)</script>") AS middle FROM visits')
        page.wait_for_function("() => document.querySelector('#q-cols').textContent.includes('places')")
        with page.expect_response("**/quote") as sent:
            page.check("#value-intervals")
        assert sent.value.request.post_data_json["value_intervals"] is True
        quoted(page)
        violated(page)
        page.fill("#epsilon", "0.5")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.5'")
        asked(page)
        assert "such a statement is right in 95 of 100 cases" in text(page, "#a-body .foot")


def test_cells_that_are_charged_side_by_side_have_gauges_of_their_own(browser, site):
    with opened(browser, site, site.alice, at="/ask?table=homes") as page:
        quoted(page)
        assert "Cells of town are charged side by side" in text(page, "#facts")
        written(page, "SELECT COUNT(*) AS n FROM homes WHERE town = 'South'")
        page.fill("#epsilon", "0.01")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.01'")
        page.click("#cells summary")
        assert "South" in text(page, "#cells")
        assert page.locator("#cells .bar .bite:not(.none)").count() == 1        # the bite of this question, in its cell
        violated(page)


def test_a_budget_of_rho_is_asked_in_rho_by_slider_and_by_need(browser, site):
    with opened(browser, site, site.vera, at="/ask?table=trips") as page:
        quoted(page)
        assert text(page, "#cost").startswith("ρ ")
        page.focus("#slider")
        before = page.input_value("#epsilon")
        with page.expect_response("**/quote") as sent:
            page.keyboard.press("ArrowRight")
        price = sent.value.request.post_data_json["rho"]
        assert float(price) > float(before)
        assert "e" not in price                                            # a decimal text
        assert page.get_attribute("#slider", "aria-valuetext").startswith("ρ ")
        page.fill("#within", "60")
        page.wait_for_function("() => document.querySelector('#need-how').textContent === 'you set this'")
        quoted(page)
        asked(page)
        assert text(page, "#a-tags").startswith("ρ ")


def test_the_shape_has_bins_pairs_and_everybody_before_anything_is_paid(browser, site):
    with opened(browser, site, site.alice, at="/ask?table=homes") as page:
        quoted(page)
        written(page, "SELECT BIN(rent, 500) AS bin, town, COUNT(*) AS n FROM homes GROUP BY bin, town")
        assert "500 to 1,000 · North" in text(page, "#a-body table")
        assert "bin · town" in text(page, "#a-body table")
        assert "count of rows" in text(page, "#a-body thead")
        written(page, "SELECT AVG(rent) AS m FROM homes")
        page.click("#notes .link")                                         # how many values are beyond the bounds
        page.wait_for_function("() => document.querySelector('#sql').value.includes('AT_BOUNDS(rent)')")
        quoted(page)
