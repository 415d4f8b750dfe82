"""The analyst's page in a real browser: from the token to the answer, and what becomes of everything else."""

import re
from contextlib import contextmanager

import pytest

pytestmark = pytest.mark.slow  # a browser and a server

QUESTION = "SELECT town, COUNT(*) AS n, AVG(rent) AS m\nFROM homes\nGROUP BY town"


@contextmanager
def opened(browser, site, token, *, width=1440, height=1000, scheme="light", at=""):
    """A page that fails the test if a script fails, a script of somebody else runs, or the content policy is violated."""
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce")
    page, wrong = context.new_page(), []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if "Content Security" in said.text else None)
    page.on("dialog", lambda dialog: _asked(dialog, wrong))
    page.set_default_timeout(60_000)
    page.goto(f"{site.address}/#{token}")
    try:
        if at:
            page.wait_for_url(re.compile("/(ask|holder)"))
            page.goto(site.address + at)
        yield page
        assert wrong == []
    finally:
        context.close()


def _asked(dialog, wrong):
    """Only a form that was not sent may ask; everything else is a script that ran."""
    if dialog.type != "beforeunload":
        wrong.append(f"{dialog.type}: {dialog.message}")
    dialog.accept()


def quoted(page):
    page.wait_for_function("() => !document.querySelector('#quote').hidden && !document.querySelector('#quote.busy')")


def written(page, sql):
    with page.expect_response("**/quote"):
        page.fill("#sql", sql)
    quoted(page)


def text(page, spot):
    return page.inner_text(spot).strip()


STILL = """() => !document.querySelector('.busy:not([hidden])')
    && document.getAnimations().every((each) => each.playState === 'finished')"""


def violated(page):
    """Fails where the axe rules are violated, once nothing is on its way any more: half faded letters are not to be read."""
    from axe_playwright_python.sync_playwright import Axe

    page.wait_for_load_state("networkidle")
    page.wait_for_function(STILL)
    found = Axe().run(page).response["violations"]
    assert [(each["id"], [(node["target"], node["failureSummary"]) for node in each["nodes"]][:3]) for each in found] == []


def test_from_the_token_to_the_answer_its_replay_and_the_end_of_the_budget(browser, site):
    with opened(browser, site, site.alice) as page:
        page.wait_for_url("**/ask**")
        assert site.alice not in page.url                                # the link's token is gone from the address
        quoted(page)
        assert text(page, "#table-name") == "homes"
        written(page, QUESTION)
        assert text(page, "#cost") == "ε 0.1"
        assert "leaves ε 1.9 of ε 2" in text(page, "#left")
        assert text(page, "#q-cols").count("±") == 2
        assert "if about 300 rows in a group, wider in smaller ones" in text(page, "#q-cols")
        assert "The ± of m depends on how large a group is" in text(page, "#a-body")
        assert text(page, "#a-body").count("at 300 rows") == 3           # the ± of the mean, in each group
        assert "rent outside 0 … 2,000 counts as the nearest bound" in text(page, "#notes").replace("Rent", "rent")
        page.click("#ask")
        page.wait_for_selector("#a-tags .bite")
        assert text(page, "#a-tags") == "ε 0.1 charged"
        assert page.locator("#a-body svg.chart .whisker").count() >= 4
        assert "<img src=x" in text(page, "#a-body table")               # hostile labels are text
        page.wait_for_function("() => document.querySelector('#cost').textContent === 'Free'")
        assert text(page, "#ask") == "Answered, as shown"
        assert "in the smallest group, if it has as few rows as its count allows" in text(page, "#q-cols")
        assert "such a statement is right in 95 of 100 cases" in text(page, "#a-body .foot")
        page.select_option("#confidence", "0.9")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Show the answer, free'")
        page.click("#ask")
        page.wait_for_selector("#a-tags .ok")
        assert text(page, "#a-tags") == "replayed, free"
        assert "spent 0.1" in text(page, "#gauge")
        page.select_option("#of", "m")                                   # the ± that is needed, instead of the price
        page.fill("#within", "100")                                      # closer than what is stored
        page.wait_for_function("() => document.querySelector('#need-how').textContent === 'you set this'")
        page.wait_for_function("() => Number(document.querySelector('#epsilon').value) > 0.1")
        page.fill("#epsilon", "1.95")                                    # more than is left
        page.wait_for_function("() => document.querySelector('#cost').className.includes('over')")
        assert page.is_disabled("#ask")
        assert "Costs more than is left" in text(page, "#notes")
        page.reload()
        page.wait_for_selector("#history .h-item")
        page.click("#history .h-item")
        page.wait_for_selector("#a-tags .ok")


def test_questions_without_sql_large_bites_and_rehearsals(browser, site):
    with opened(browser, site, site.alice) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        page.click("#stats summary")
        page.click("#stats .pop button")
        page.wait_for_function("() => document.querySelector('#sql').value.includes('AVG(rent) AS m')")
        page.select_option("#by", "town")
        page.wait_for_function("() => document.querySelector('#sql').value.includes('GROUP BY town')")
        page.click("#filters summary")
        page.fill("#filters input", "600")
        page.select_option("#filters .pop select >> nth=1", ">=")
        with page.expect_response(lambda told: told.url.endswith("/quote") and ">= 600" in (told.request.post_data or "")):
            page.click("#filters .pop button")
            page.wait_for_function("() => document.querySelector('#sql').value.includes('WHERE rent >= 600')")
        quoted(page)
        page.click("#rehearse")
        page.wait_for_selector("#a-tags .made-up")
        assert "Nothing here is about the table" in text(page, "#a-body")
        page.fill("#epsilon", "1.5")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 1.5'")
        page.click("#ask")                                               # asks first
        assert "A charge is never given back" in text(page, "#confirm")
        assert page.locator("#a-tags .bite").count() == 0


@pytest.mark.parametrize("width", [390, 1440])
def test_titles_of_charts_are_not_cut_off(browser, site, width):
    name = "what_a_home_costs_in_a_month_here"
    with opened(browser, site, site.alice, width=width) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        written(page, f"SELECT town, AVG(rent) AS {name}, COUNT(*) AS n FROM homes GROUP BY town")
        page.click("#rehearse")
        page.wait_for_selector("#a-body svg.chart .head")
        heads = page.locator("#a-body svg.chart .head")
        assert " ".join(heads.all_text_contents()) == f"{name}, average of rent n, count of rows"
        right = page.evaluate("""() => [...document.querySelectorAll('#a-body svg.chart .head')].map(
            (each) => each.ownerSVGElement.getBoundingClientRect().right - each.getBoundingClientRect().right)""")
        assert min(right) >= 0


def test_a_refusal_stands_at_its_word_and_is_mended_by_a_click(browser, site):
    with opened(browser, site, site.alice) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        page.fill("#sql", "SELECT COUNT(*) AS n, AVG(rnt) AS m FROM homes")
        page.wait_for_selector("#refused .refused")
        assert "column rnt is not declared (line 1, column 27). Nothing was charged." in text(page, "#refused")
        assert text(page, "#paint .bad") == "rnt"
        assert page.is_disabled("#ask")
        page.click("#refused button")
        quoted(page)
        assert "AVG(rent)" in page.input_value("#sql")


def test_wrong_tokens_lost_connections_and_people_without_a_table(browser, site):
    with opened(browser, site, "dsc_" + "x" * 43) as page:
        page.wait_for_selector("#trouble .note")
        assert "not a token we know" in text(page, "#trouble")
    with opened(browser, site, site.nobody) as page:
        page.wait_for_selector("#nothing")
        assert "No table yet" in text(page, "#main")
    with opened(browser, site, site.alice) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        page.context.set_offline(True)
        page.fill("#sql", "SELECT AVG(rent) AS m FROM homes")
        page.wait_for_selector("#banner .warn")
        assert "nothing was charged" in text(page, "#banner")
        assert page.is_disabled("#ask")
        assert page.locator("#quote.busy").count() == 1                  # the old quote, said to be old
        page.context.set_offline(False)
        page.click("#banner button")
        quoted(page)
        page.click("#out")
        page.wait_for_url(re.compile(r"/$"))
        assert page.evaluate("() => sessionStorage.length") == 0


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_people_who_do_not_see_or_point_can_use_it(browser, site, scheme, width):
    with opened(browser, site, "", scheme=scheme, width=width) as page:
        page.wait_for_selector("#token")
        violated(page)
    with opened(browser, site, site.alice, scheme=scheme, width=width) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        violated(page)
        written(page, QUESTION)
        violated(page)
        page.click("#ask" if width > 860 else "#dock-ask")
        page.wait_for_selector("#a-tags .tag")
        violated(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")   # nothing to scroll sideways


def test_on_paper_the_question_and_the_answer_are_left_and_nothing_moves_for_whoever_asked(browser, site):
    with opened(browser, site, site.alice) as page:
        page.wait_for_url("**/ask**")
        quoted(page)
        page.click("#rehearse")
        page.wait_for_selector("#a-tags .made-up")
        moving = "[...document.querySelectorAll('*')].filter((each) => parseFloat(getComputedStyle(each).transitionDuration) > 0"
        assert page.evaluate(f"() => {moving} && !getComputedStyle(each).transitionDuration.startsWith('0s')).length") == 0
        page.emulate_media(media="print")
        for spot in (".top", "#price", ".rail", ".history", "#builder", "#dock"):
            assert page.locator(spot).is_hidden(), spot
        for spot in ("#sql", "#a-body"):
            assert page.locator(spot).is_visible(), spot
