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
        acted(page)
        page.wait_for_selector("#analysts >> text=revoked")
        with opened(browser, site, token) as asking:
            asking.wait_for_selector("#trouble .note")


@pytest.mark.parametrize(("scheme", "width"), [("light", 1440), ("dark", 390)])
def test_the_page_of_data_holders_is_for_everybody(browser, site, scheme, width):
    with opened(browser, site, site.holder, scheme=scheme, width=width) as page:
        page.wait_for_selector("#analysts tbody tr")
        violated(page)
        for part in ("#who", "#out"):                                      # who is in, and the way out, on a phone too
            box = page.locator(part).bounding_box()
            assert box["width"] >= 40
            assert box["x"] + box["width"] <= width
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
            column.locator("[id$=-blank]").select_option("drop")
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
        page.click("[aria-label='Manage alice']")
        page.check("dialog .tick >> text=wards")
        acted(page)
        page.wait_for_function("() => /alice[^]*may ask/.test(document.querySelector('#analysts').textContent)")
    with opened(browser, site, site.alice, at="/ask?table=wards") as page:
        quoted(page)
        page.click("#ask")
        page.wait_for_selector("#a-tags .bite")
        assert "±" in text(page, "#a-body .one")


def test_units_with_many_rows_empty_values_and_other_budgets_are_asked_for(browser, site, tmp_path):
    source = tmp_path / "stays.csv"
    lines = [f"p{row // 3};{'a' if row % 2 else 'b'};{row % 9},5;2024-01-0{1 + row % 9};Elm" for row in range(60)]
    source.write_text("\n".join(["who;ward;cost;day;town", *lines]) + "\n", encoding="utf-8")
    with opened(browser, site, site.holder, at="/register") as page:
        page.wait_for_selector("#check-tag.warn")
        assert page.locator("#steps .done").count() == 0                   # without a file nothing was looked at
        assert text(page, "#say") == "1 thing to do"
        page.set_input_files("#file", str(source))
        page.wait_for_selector("#cols .col >> nth=4")
        page.wait_for_selector("#steps li:nth-child(3) >> text=5 to do")
        assert page.locator("#steps .dotn").nth(2).text_content() == "3"     # the number of the step, not of what is left
        page.check("[name=unit][value=column]")
        page.select_option("#u-col", "who")
        for box, value in {"#u-max": "3", "#u-groups": "2", "#u-about": "60"}.items():
            page.fill(box, value)
        page.check("[name=size][value=private]")
        said = {1: ("category", {"values": "a = Ward A\nb = Ward B"}), 2: ("number", {"lower": "0", "upper": "10"}),
                3: ("date", {"lower": "2024-01-01", "upper": "2024-12-31"}), 4: ("text", {})}
        for place, (kind, fields) in said.items():
            column = page.locator("#cols .col").nth(place)
            column.locator("summary").first.click()
            column.locator(".types label", has_text=kind).first.click()
            for name, value in fields.items():
                column.locator(f"[id$=-{name}]").fill(value)
        told = page.locator("#problems small", has_text="leave the row out")
        told.nth(3).wait_for()                                               # the check of what was typed last
        hints = told.all_text_contents()
        assert len(hints) == 4
        assert all("a group of its own" in each for each in hints)
        assert sum("count it as a value" in each for each in hints) == 2   # the category and the number, no date and no text
        page.locator("#cols .col").nth(1).locator("[id$=-blank]").select_option("value")
        page.locator("#cols .col").nth(1).locator("[id$=-stands]").fill("a")
        page.locator("#cols .col").nth(1).get_by_text("All rows of one have the same value").click()
        page.locator("#cols .col").nth(2).locator("[id$=-blank]").select_option("drop")
        page.locator("#cols .col").nth(2).get_by_text("How it is written in the file").click()
        page.locator("#cols .col").nth(2).locator("[id$=-decimal]").fill(",")
        for place in (3, 4):
            page.locator("#cols .col").nth(place).locator("[id$=-blank]").select_option("own")
        page.locator("#cols .col").nth(0).locator("summary").click()
        page.locator("#cols .col").nth(0).get_by_text("Leave this column out").click()
        page.wait_for_selector("#check-tag.ok")
        violated(page)
        assert "74 in 100" in text(page, "#odds")
        assert "20 different counts, each" in text(page, "#buys")
        page.click("#kinds button >> nth=2")                               # ρ
        page.wait_for_function("() => document.querySelector('#odds').textContent.includes('ρ 0.1')")
        page.click("#kinds button >> nth=1")                               # ε and δ
        page.fill("#b-delta", "1e-7")
        page.click("text=Limits, expiry")
        page.select_option("#b-cells", "ward")
        page.wait_for_function("() => document.querySelector('#toml').textContent.includes('partition')")
        written = page.text_content("#toml")
        lines = ['unit = { column = "who", max_rows = 3, max_groups = 2 }', 'delimiter = ";"', "delta = 1e-7"]
        lines += ['partition = "ward"', 'null = "a"', "per_unit = true", 'decimal = ","', "lower = 2024-01-01"]
        assert [line for line in lines if line not in written] == []
        page.wait_for_selector("#check-tag.ok")
        page.click("#open")
        page.wait_for_url("**/holder?table=stays")
        page.wait_for_selector("#figures b")
        assert "ε 1, δ 1e-7" in text(page, "#figures")
        page.click("#facts")
        assert "per_unit = true" in text(page, "dialog pre")
        violated(page)
        page.click("dialog button[value=yes]")


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1440)])
def test_every_other_state_is_for_everybody_too(browser, site, scheme, width):
    with opened(browser, site, site.vera, scheme=scheme, width=width, at="/ask?table=visits") as page:
        quoted(page)
        page.click("#rehearse")
        page.wait_for_selector("#a-tags .made-up")
        violated(page)
        page.fill("#sql", "SELECT AVG(nothing) AS m FROM visits")
        page.wait_for_selector("#refused .refused")
        violated(page)
        page.fill("#sql", "SELECT COUNT(*) AS n FROM visits")
        page.fill("#epsilon", "50")
        page.wait_for_function("() => document.querySelector('#cost').className.includes('over')")
        violated(page)
        page.evaluate("() => { for (const each of document.querySelectorAll('details')) each.open = true; }")
        violated(page)
    for at, spot in {"version": "#check-tag.warn", "report": "#acts tbody tr", "holder": "#versions td"}.items():
        with opened(browser, site, site.holder, scheme=scheme, width=width, at=f"/{at}?table=visits") as page:
            page.wait_for_selector(spot)
            violated(page)
            assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth"), at
