"""The data holder's page in a real browser: people, budget, freezing, and a token that is told once."""

import pytest
from tests.page.test_ask_page import opened, quoted, text

pytestmark = pytest.mark.slow  # a browser and a server


def acted(page, **fields):
    """Fill the open dialog and press what it asks for."""
    for name, value in fields.items():
        page.fill(f"dialog [name={name}]", value)
    page.click("dialog button[value=yes]")


def test_a_data_holder_lets_somebody_in_who_asks_and_is_stopped(browser, site):
    with opened(browser, site, site.holder) as page:
        page.wait_for_url("**/holder**")
        page.wait_for_selector("#analysts tbody tr")
        assert text(page, "#name") == "homes"
        assert "consistent" in text(page, "#ledger-tag")
        page.click("#add")
        acted(page, name="cruz", limit="0.5")
        token = text(page, "dialog #token")
        page.keyboard.press("Escape")                                      # must not lose a token
        assert page.locator("dialog #token").count() == 1
        page.click("dialog button[value=yes]")
        page.wait_for_selector("#analysts >> text=cruz")
        assert token.startswith("dsc_")
        assert token not in page.content()
        with opened(browser, site, token) as asking:
            asking.wait_for_url("**/ask**")
            quoted(asking)
            assert "your limit" in text(asking, "#gauge")
            asking.click("#ask")
            asking.wait_for_selector("#a-tags .bite")
        page.click("#freeze")
        acted(page, reason="checking <b>an upload</b>")
        page.wait_for_selector("#look li")
        assert "checking <b>an upload</b>" in text(page, "#look")
        with opened(browser, site, token) as asking:
            asking.wait_for_selector("#banner .danger")
            assert "checking" in text(asking, "#banner")
        page.click("#look li button")
        acted(page, reason="it was right")
        page.wait_for_selector("#look-count.ok")
        page.click("#raise")
        acted(page, epsilon="3", reason="a second wave")
        page.wait_for_selector("#figures >> text=left of ε 3")
        page.click("[aria-label='Manage cruz']")
        page.click("dialog button[value=revoke]")
        page.wait_for_selector("#analysts >> text=revoked")
        with opened(browser, site, token) as asking:
            asking.wait_for_selector("#trouble .note")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_page_of_data_holders_is_for_everybody(browser, site, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    with opened(browser, site, site.holder, scheme=scheme, width=width) as page:
        page.wait_for_selector("#analysts tbody tr")
        found = Axe().run(page).response["violations"]
        assert [(each["id"], [(node["target"], node["failureSummary"]) for node in each["nodes"]][:3]) for each in found] == []
        page.click("#add")
        found = Axe().run(page).response["violations"]
        assert [(each["id"], [(node["target"], node["failureSummary"]) for node in each["nodes"]][:3]) for each in found] == []
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
