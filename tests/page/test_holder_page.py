"""The data holder's page in a real browser: people, budget, freezing, and a token that is told once."""

import pytest
from tests.page.test_ask_page import opened, quoted, text, violated

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
    with opened(browser, site, site.holder, scheme=scheme, width=width) as page:
        page.wait_for_selector("#analysts tbody tr")
        violated(page)
        page.click("#add")
        violated(page)
        assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
        page.goto(f"{site.address}/register")
        page.wait_for_selector("#check-tag.warn")
        violated(page)


def test_a_table_is_brought_described_opened_and_asked(browser, site, tmp_path):
    source = tmp_path / "wards.csv"
    source.write_text("ward,cost,who\n1,50,Xenia\n2,70,Yorick\n", encoding="utf-8")
    with opened(browser, site, site.holder) as page:
        page.wait_for_url("**/holder**")
        page.goto(f"{site.address}/register")
        page.set_input_files("#file", str(source))
        page.wait_for_selector("#cols .col >> nth=2")
        assert "Xenia" not in page.content()                               # names of columns, and no value
        said = [("category", {"values": "1 = East\n2 = West"}), ("number", {"lower": "0", "upper": "500"})]
        for place, (kind, fields) in enumerate(said):
            column = page.locator("#cols .col").nth(place)
            column.locator("summary").click()
            column.locator(".types label", has_text=kind).first.click()
            for name, value in fields.items():
                column.locator(f"[id$=-{name}]").fill(value)
        assert page.is_disabled("#open")
        page.locator("#cols .col").nth(2).locator("summary").click()
        page.locator("#cols .col").nth(2).get_by_text("Leave this column out").click()
        page.wait_for_selector("#problems >> text=unit")                   # who is protected is for a person to say
        page.check("[name=unit][value=row]")
        page.check("[name=size][value=private]")
        page.wait_for_selector("#check-tag.ok")
        assert "at most 74 in 100" in text(page, "#odds")
        assert "ward" in text(page, "#preview")
        page.click("#open")
        page.wait_for_url("**/holder?table=wards")
        page.wait_for_selector("#figures b")
        assert text(page, "#name") == "wards"
