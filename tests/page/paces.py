"""How fast the page is on this machine: python -m tests.page.paces. Figures to be read, not asserted."""

import tempfile
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, Page, sync_playwright
from tests.page.conftest import CHROMIUM, FLAGS, serving
from tests.page.households import open_households

PAINT = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null"
SENT = "performance.getEntriesByType('resource').filter((each) => each.name.endsWith('/quote'))"
QUOTES = f"() => {SENT}.map((each) => each.responseEnd - each.startTime)"
READY = "() => !document.querySelector('#quote').hidden && !document.querySelector('#quote.busy')"
TIMES = 7


def painted(browser: Browser, address: str, token: str, view: str) -> list[float]:
    """Milliseconds to the first paint of a view, each time with nothing kept."""
    found = []
    for _ in range(TIMES):
        context = browser.new_context(viewport={"width": 1440, "height": 1000})
        if token:
            context.add_init_script(f"sessionStorage.setItem('discreet-token', '{token}')")
        page = context.new_page()
        page.goto(address + view)
        page.wait_for_function(PAINT)
        found.append(page.evaluate(PAINT))
        context.close()
    return found


def quotes(page: Page) -> list[float]:
    """Milliseconds from a quote's sending to its reply, for thirty questions that were not asked before."""
    page.wait_for_function(READY)
    for age in range(20, 50):
        with page.expect_response("**/quote"):
            page.fill("#sql", f"SELECT region, COUNT(*) AS n, AVG(income) AS m FROM households WHERE age > {age} GROUP BY region")
        page.wait_for_function(READY)
    return sorted(page.evaluate(QUOTES))


def main() -> None:
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        tokens = open_households(folder)
        with serving(folder) as address:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
            views = {"/": "", "/ask?table=households": tokens["alice"], "/holder": tokens["dana"], "/register": tokens["dana"]}
            for view, token in views.items():
                found = painted(browser, address, token, view)
                print(f"first paint of {view:24} median {median(found):6.0f} ms, most {max(found):6.0f} ms")
            context = browser.new_context(viewport={"width": 1440, "height": 1000})
            page = context.new_page()
            page.goto(f"{address}/#{tokens['alice']}")
            page.wait_for_url("**/ask**")
            found = quotes(page)
            late = found[int(0.95 * (len(found) - 1))]
            print(f"live quote, from sending to reply: median {median(found):.0f} ms, p95 {late:.0f} ms, {len(found)} quotes")
            browser.close()


if __name__ == "__main__":
    main()
