# ruff: noqa: C901, E501 - a list of views, each with what leads to it
"""Pictures of every view, to be looked at: python -m tests.page.screens FOLDER [name …]. Nothing here is a test.

Names begin like the pictures of the design that they stand beside: 01 … 12, then states that it only describes.
"""

import sys
import tempfile
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

from playwright.sync_api import Browser, Page, sync_playwright
from tests.page.conftest import CHROMIUM, FLAGS, serving
from tests.page.households import open_households

from discreet.cli.app import main as _  # noqa: F401 - fail early where the service is not installed
from discreet.curator import accounts, office, open_table
from discreet.publishing.publish import publish

QUESTION = "SELECT region, COUNT(*) AS n, AVG(income) AS m\nFROM households\nGROUP BY region"
WIDE, PHONE = (1440, 1000), (390, 844)
RELEASE = """\
[release]
title = "Incomes, rents and ages of households, 2025"
description = "From the household survey, about 12,000 households. Every number has noise in it, which limits what anybody can learn about any one household. The bar around a number shows how far the noise may have moved it."
table = "households.toml"
[[question]]
name = "income"
title = "Capital households earn most, by a clear margin"
description = "Average income before tax, dollars a year, by region"
sql = "SELECT region, AVG(income) AS m FROM households GROUP BY region"
epsilon = 0.3
[[question]]
name = "rent"
title = "Rents follow incomes, less steeply"
description = "Average rent of rented homes, dollars a month, and how many there are, by region"
sql = "SELECT region, COUNT(*) AS n, AVG(rent) AS m FROM households WHERE tenure = 2 GROUP BY region"
epsilon = 0.5
[[question]]
name = "age"
title = "Most households are led by someone between 30 and 70"
description = "Number of households by age of the oldest adult"
sql = "SELECT BIN(age, 10) AS decade, COUNT(*) AS n FROM households GROUP BY decade"
epsilon = 0.3
[[question]]
name = "all"
title = "Three numbers for everybody"
sql = "SELECT COUNT(*) AS n, AVG(age) AS age, MEDIAN(income) AS income FROM households"
epsilon = 0.3
"""


@contextmanager
def page_of(browser: Browser, address: str, *, size=WIDE, scheme="light", scale=1):
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, device_scale_factor=scale, reduced_motion="reduce",
        has_touch=size is PHONE,
    )  # fmt: skip
    page = context.new_page()
    page.set_default_timeout(15_000)
    page.on("pageerror", lambda error: print("  script:", error))
    page.on("console", lambda said: print("  console:", said.text) if said.type in ("error", "warning") else None)
    page.goto(address)
    try:
        yield page
    finally:
        context.close()


def quoted(page: Page) -> None:
    page.wait_for_function("() => document.querySelector('#quote') && !document.querySelector('#quote').hidden && !document.querySelector('#quote.busy')")
    page.wait_for_timeout(250)


def asking(page: Page, sql: str = QUESTION, epsilon: str = "0.3") -> None:
    page.wait_for_url("**/ask**")
    quoted(page)
    if sql == QUESTION:
        page.evaluate("document.querySelector('#by').value = 'region'; document.querySelector('#by').dispatchEvent(new Event('change'))")
        page.evaluate("document.querySelector('#stats summary').click()")
        page.evaluate("document.querySelector('#stats .pop button').click()")
    else:
        page.fill("#sql", sql)
    page.wait_for_timeout(400)
    page.fill("#epsilon", epsilon)
    page.wait_for_timeout(400)
    page.evaluate("document.activeElement.blur()")
    quoted(page)


def shoot(site: SimpleNamespace, browser: Browser, out: Path) -> dict[str, Callable[[], None]]:
    def saved(page: Page, name: str, *, full: bool = False) -> None:
        page.screenshot(path=out / f"{name}.png", full_page=full)
        print(f"  {name}")

    def ask_wide() -> None:
        with page_of(browser, site.alice) as page:
            asking(page)
            saved(page, "01-ask-wide-light")
            page.click("#rehearse")
            page.wait_for_selector("#a-tags .made-up")
            page.wait_for_timeout(400)
            page.evaluate("scrollTo(0, 0)")
            saved(page, "04-ask-rehearsed-wide-light")
            page.fill("#sql", "SELECT region, AVG(incom) AS m FROM households GROUP BY region")
            page.wait_for_selector("#refused .refused")
            page.wait_for_timeout(300)
            saved(page, "03-ask-refused-wide-light")

    def phone_price() -> None:
        with page_of(browser, site.alice, size=PHONE, scale=2) as page:
            asking(page)
            page.locator("#price").scroll_into_view_if_needed()
            page.evaluate("document.querySelector('#price').scrollIntoView({block: 'start'}); scrollBy(0, -60)")
            page.wait_for_timeout(200)
            saved(page, "05-ask-price-phone-light")
            page.evaluate("scrollTo(0, 0)")
            saved(page, "05b-ask-phone-top")

    def answered() -> None:
        with page_of(browser, site.alice, scheme="dark") as page:
            asking(page)
            page.click("#ask")
            page.wait_for_selector("#a-tags .bite, #a-tags .ok")
            page.wait_for_timeout(700)
            page.evaluate("scrollTo(0, 0)")
            saved(page, "02-ask-answered-wide-dark")
            saved(page, "02b-ask-answered-whole", full=True)
        with page_of(browser, site.alice, size=PHONE, scale=2, scheme="dark") as page:
            asking(page)
            page.click("#dock-ask")
            page.wait_for_selector("#a-tags .bite, #a-tags .ok")
            page.wait_for_timeout(600)
            page.evaluate("document.querySelector('#answer').scrollIntoView({block: 'start'}); scrollBy(0, -60)")
            saved(page, "06-ask-answer-phone-dark")

    def medians() -> None:
        with page_of(browser, site.alice) as page:
            asking(page, "SELECT tenure, MEDIAN(income) AS middle, MEDIAN(age) AS age FROM households GROUP BY tenure", "0.2")
            saved(page, "13-median-quote")
            page.click("#ask")
            page.wait_for_selector("#a-tags .bite, #a-tags .ok")
            page.wait_for_timeout(500)
            page.evaluate("document.querySelector('#answer').scrollIntoView({block: 'start'}); scrollBy(0, -60)")
            saved(page, "13b-median-answer")

    def holder() -> None:
        with page_of(browser, site.dana) as page:
            page.wait_for_selector("#analysts tbody tr")
            page.wait_for_timeout(300)
            saved(page, "07-holder-wide-light")
            saved(page, "07b-holder-whole", full=True)
        with page_of(browser, site.dana, size=PHONE, scale=2, scheme="dark") as page:
            page.wait_for_selector("#analysts tbody tr")
            page.wait_for_timeout(300)
            saved(page, "08-holder-phone-dark")
            saved(page, "08b-holder-phone-whole", full=True)

    def versions() -> None:
        with page_of(browser, site.dana) as page:
            page.wait_for_url("**/holder**")
            page.goto(f"{site.address}/version?table=households")
            page.wait_for_selector("#check-tag.warn")
            saved(page, "16-version")
            page.goto(f"{site.address}/report?table=households")
            page.wait_for_selector("#charges tbody tr")
            saved(page, "17-report", full=True)

    def states() -> None:
        with page_of(browser, site.carla) as page:
            page.wait_for_selector("#banner .danger")
            page.wait_for_timeout(600)
            saved(page, "19-frozen")
        with page_of(browser, site.bkim) as page:
            asking(page, QUESTION + " ", "3")
            saved(page, "19b-over")
            page.fill("#epsilon", "1.5")
            page.wait_for_timeout(500)
            page.click("#ask")
            page.wait_for_timeout(200)
            saved(page, "19c-large-bite")
            page.context.set_offline(True)
            page.fill("#sql", "SELECT COUNT(*) AS n FROM households")
            page.wait_for_selector("#banner .warn")
            saved(page, "19d-offline")

    def unlisted() -> None:
        with page_of(browser, site.bkim) as page:
            page.wait_for_url("**/ask**")
            quoted(page)
            page.fill("#sql", "SELECT town, COUNT(*) AS n, AVG(income) AS m\nFROM households\nGROUP BY town")
            page.wait_for_selector("#refused .refused")
            saved(page, "18-unlisted-refused")
            page.click("#refused button")
            quoted(page)
            page.fill("#epsilon", "0.3")
            page.wait_for_timeout(500)
            saved(page, "18b-unlisted-quoted")
            page.click("#ask")
            page.wait_for_selector("#a-tags .bite, #a-tags .ok")
            page.wait_for_timeout(500)
            saved(page, "18c-unlisted-answered", full=True)
            page.fill("#sql", "SELECT tenure, COUNT(*) AS n, MEDIAN(income) AS middle\nFROM households\nGROUP BY tenure")
            page.select_option("#delta", "")
            page.click(".more summary")
            page.check("#value-intervals")
            page.wait_for_timeout(600)
            page.click("#ask")
            page.wait_for_selector("#a-tags .bite")
            page.wait_for_timeout(700)
            saved(page, "18d-value-intervals", full=True)

    def register() -> None:
        for scheme, name in (("light", "09-register-wide-light"), ("dark", "10-register-budget-wide-dark")):
            with page_of(browser, site.dana, scheme=scheme) as page:
                page.wait_for_url("**/holder**")
                page.goto(f"{site.address}/register")
                page.wait_for_selector("#check-tag.warn")
                page.set_input_files("#file", {"name": f"survey_{scheme}.csv", "mimeType": "text/csv", "buffer": b"region,tenure,income,rent,age,children,household_id\n1,1,5,5,5,5,5\n"})
                page.wait_for_selector("#cols .col >> nth=6")
                filled(page)
                page.wait_for_timeout(900)
                if scheme == "light":
                    page.evaluate("document.querySelector('#s-cols').scrollIntoView({block: 'start'})")
                    saved(page, name)
                    saved(page, "09b-register-whole", full=True)
                else:
                    page.evaluate("document.querySelector('#s-budget').scrollIntoView({block: 'center'})")
                    saved(page, name)

    def released() -> None:
        with page_of(browser, f"file://{site.release}/index.html") as page:
            saved(page, "11-release-wide-light")
            saved(page, "11b-release-whole", full=True)
            page.emulate_media(media="print")
            saved(page, "11c-release-print", full=True)
        with page_of(browser, f"file://{site.release}/index.html", size=PHONE, scale=2, scheme="dark") as page:
            page.evaluate("document.querySelector('.finding').scrollIntoView({block: 'start'}); scrollBy(0, -60)")
            saved(page, "12-release-phone-dark")
            saved(page, "12b-release-phone-whole", full=True)

    def door() -> None:
        for scheme in ("light", "dark"):
            with page_of(browser, f"{site.address}/", scheme=scheme) as page:
                page.wait_for_selector("#token")
                saved(page, f"14-signin-{scheme}")
        with page_of(browser, site.nobody) as page:
            page.wait_for_selector("#nothing")
            saved(page, "15-nothing")

    return {each.__name__: each for each in (ask_wide, phone_price, answered, medians, states, unlisted, holder, versions, register, released, door)}


def filled(page: Page) -> None:
    page.fill("#t-version", "2025-Q3")
    page.fill("#t-title", "Household survey, third quarter of 2025")
    page.check("[name=unit][value=row]")
    page.check("[name=size][value=private]")
    page.fill("#u-about", "12000")
    said = {0: ("category", {"values": "1 = North\n2 = Lakes\n3 = Capital"}), 1: ("category", {"values": "1 = Owned\n2 = Rented\n3 = Other"}),
            2: ("number", {"lower": "0", "upper": "250000"}), 3: ("number", {"lower": "0"}), 4: ("whole number", {"lower": "16", "upper": "110"})}
    for place, (kind, fields) in said.items():
        column = page.locator("#cols .col").nth(place)
        column.locator("summary").click()
        column.locator(".types label", has_text=kind).first.click()
        for name, value in fields.items():
            column.locator(f"[id$=-{name}]").fill(value)
        if place != 3:
            column.locator("[id$=-blank]").select_option("drop")
            page.evaluate("place => { document.querySelectorAll('#cols .col')[place].open = false }", place)
    column = page.locator("#cols .col").nth(6)
    column.locator("summary").click()
    column.get_by_text("Leave this column out").click()
    page.evaluate("document.querySelectorAll('#cols .col')[6].open = false")


def main(out: Path, wanted: list[str]) -> None:
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        tokens = open_households(folder, budget="delta = 1e-6")
        table = open_table(folder / "households.toml")
        for at, (who, price) in enumerate([("bkim", "0.2"), ("carla", "0.1"), ("alice", "0.15"), ("bkim", "0.4")]):
            table.ask(f"SELECT region, COUNT(*) AS n{at} FROM households WHERE age > {30 + at} GROUP BY region", epsilon=price, analyst=who)
        table.close()
        accounts.limit(folder, "alice", "households", {"epsilon": "1.5"})
        office.freeze(folder / "households.toml", reason="three questions in a row took too long", by="dana", analyst="carla")
        (other := folder / "elsewhere").mkdir()
        open_households(other)
        (other / "release.toml").write_text(RELEASE, encoding="utf-8")
        publish(other / "release.toml", folder / "release")
        nobody = accounts.add(folder, "nora")
        with serving(folder) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            site = SimpleNamespace(address=address, release=folder / "release", nobody=f"{address}/#{nobody}",
                                   **{who: f"{address}/#{token}" for who, token in tokens.items()})
            for what, act in shoot(site, browser, out).items():
                if not wanted or what in wanted:
                    act()
            browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
