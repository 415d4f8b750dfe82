"""The documentation site: built without network, it asks nobody for anything and has a place for every public name."""

import importlib.util
import re
import shutil
import subprocess
import sys
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
OFFLINE = """
import socket, sys
def refuse(*_, **__): raise OSError("the site is built without network")
socket.socket.connect = socket.getaddrinfo = refuse
from sphinx.cmd.build import main
sys.exit(main(sys.argv[1:]))
"""
LOADS = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "object": "data", "embed": "src"}
FLAGS = [f"--{word}" for word in (
    "no-sandbox", "disable-gpu", "disable-background-networking", "disable-component-update", "disable-sync", "no-first-run",
)]
WORDS = [
    "table", "unit", "people", "facts", "neighbours", "question", "statistic", "sensitivity", "loss", "budget", "cap", "quote",
    "charge", "answer", "interval", "receipt", "ledger", "entry", "version", "curator", "analyst",
]
LOOKED_AT = (
    "index", "tutorial", "comparison", "commands", "reference/facts", "reference/errors", "reference/http", "proofs/noise",
    "publishing", "gallery/06_why_it_works", "gallery/pictures/06_sliders",
)


class Page(HTMLParser):
    """What one built page names, links to, loads, and shows without words."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.wordless: list[str] = []
        self.pictures = self.tables = 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if given.get("id"):
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and given.get("rel") not in ("index", "search", "next", "prev"):
            self.loads.append(given["href"])
        if given.get(LOADS.get(tag, "")):
            self.loads.append(given[LOADS[tag]])
        self.tables += tag == "details" and given.get("class") == "numbers"
        self.pictures += tag == "img" and (given.get("src") or "").endswith(".svg")
        if tag == "img" and not (given.get("alt") or "").strip():
            self.wordless.append(given.get("src") or "")


def built(folder: Path) -> dict[str, Page]:
    """The site, made as `make docs` makes it, with every socket refusing; page by page."""
    words = ["-W", "--keep-going", "-q", "-E", "-d", folder / "trees", "-b", "html", DOCS, folder / "site"]
    made = subprocess.run([sys.executable, "-c", OFFLINE, *words], cwd=ROOT, capture_output=True, encoding="utf-8", check=False)
    assert (made.returncode, made.stderr) == (0, "")
    site = folder / "site"
    return {file.relative_to(site).as_posix(): Page(file.read_text(encoding="utf-8")) for file in site.rglob("*.html")}


def dead_links(pages: dict[str, Page], site: Path) -> list[str]:
    dead = []
    for name, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (site / name).parent / unquote(parts.path) if parts.path else site / name
            found = target.resolve().relative_to(site.resolve()).as_posix()
            if not target.exists() or (parts.fragment and unquote(parts.fragment) not in pages[found].ids):
                dead.append(f"{name}: {link}")
    return dead


def loads_from_elsewhere(pages: dict[str, Page], site: Path) -> list[str]:
    loads = [(name, load) for name, page in pages.items() for load in page.loads]
    for file in site.rglob("*.css"):
        found = re.findall(r"url\(\s*[\"']?([^\"')]+)|@import\s+[\"']([^\"']+)", file.read_text(encoding="utf-8"))
        loads += [(file.name, first or second) for first, second in found]
    return [f"{name}: {load}" for name, load in loads if urlsplit(load).scheme not in ("", "data") or load.startswith("//")]


def public_names(pages: dict[str, Page]) -> dict[str, list[str]]:
    """Kind → the names of that kind which have no anchor."""
    from discreet import __all__ as python
    from discreet import errors
    from discreet.facts import vocabulary
    from discreet.questions.grammar import KNOWN
    from discreet.service.failures import CODES

    def without(page: str, names, form: str) -> list[str]:
        forms = {name: re.compile(form.format(re.escape(name))) for name in sorted(names)}
        return [name for name, wanted in forms.items() if not any(map(wanted.fullmatch, pages[page].ids))]

    keys = {
        "table": {*vocabulary.TABLE, *vocabulary.UNIT}, "csv": {*vocabulary.CSV}, "budget": {*vocabulary.BUDGET},
        "join-name": {*vocabulary.JOIN, *vocabulary.COMPANION}, "columns-name": set().union(*vocabulary.COLUMN.values()),
    }
    codes = {getattr(errors, name).code for name in errors.__all__} - {"error", "refused"} | {*CODES, "output"}  # no roots
    options = {f"cmdoption-{name.replace(' ', '-')}-{option.strip('-')}" for name, command in making("commands").every_command()
               for each in command.params if each.param_type_name == "option" for option in [*each.opts, *each.secondary_opts]}
    addresses = {re.sub("[^a-z0-9]+", "-", f"{method} {path}".lower()).strip("-")
                 for method, path, _ in making("routes").every_route()}
    facts = partial(without, "reference/facts.html")
    return {
        "Python": without("reference/python.html", python, r".*-dc\.{}-*"),
        "SQL": without("reference/sql.html", KNOWN, ".*-{}-*"),
        "facts": [f"[{home}] {key}" for home, names in keys.items() for key in facts(names, f"{home}-{{}}-*")],
        "errors": without("reference/errors.html", {code.replace("_", "-") for code in codes}, "{}"),
        "words": without("glossary.html", WORDS, "term-{}"),
        "HTTP": sorted(addresses - pages["reference/http.html"].ids),
        "commands": sorted(options - pages["commands.html"].ids),
    }


def making(name: str):
    """A part of the site's own generator."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "making" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_links_of_pages_outside_the_site_lead_to_files():
    for page in ("README.md", "CONTRIBUTING.md"):
        found = re.findall(r"\]\(([^)#]+)", (ROOT / page).read_text(encoding="utf-8"))
        assert found
        assert [link for link in found if not urlsplit(link).scheme and not (ROOT / link).is_file()] == []


@pytest.mark.slow
def test_the_site_is_built_offline_and_names_links_and_pictures_hold_in_it(tmp_path, part):
    part("furo")
    pages, site = built(tmp_path), tmp_path / "site"
    assert len(pages) > 60
    assert dead_links(pages, site) == []
    assert loads_from_elsewhere(pages, site) == []
    assert {name: page.wordless for name, page in pages.items() if page.wordless} == {}
    assert {name: page.pictures for name, page in pages.items() if page.pictures != page.tables} == {}   # numbers below each
    assert {kind: names for kind, names in public_names(pages).items() if names} == {}
    index = re.findall("html#[^>]+>(?:<strong>)?([^<>]+)<", (site / "genindex.html").read_text(encoding="utf-8"))
    assert {"MEDIAN", "max_rows", "dc.table", "ledger"} <= set(index)
    seen_in_chromium(site, part)


# ---- as a reader sees it


def seen_in_chromium(site: Path, part) -> None:
    """Opened from files, wide and on a phone, light and dark: nobody is asked, nothing sticks out, the search finds."""
    if not (program := shutil.which("chromium")):
        pytest.skip("missing part: the program chromium")
    with part("playwright.sync_api").sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
        try:
            for width, scheme in ((1280, "light"), (390, "dark")):
                page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme)
                said, asked = [], []
                page.on("console", lambda message, said=said: said.append(message.text) if message.type == "error" else None)
                page.on("request", lambda request, asked=asked: asked.append(request.url))
                every = [file.relative_to(site).with_suffix("").as_posix() for file in sorted(site.rglob("*.html"))]
                for name in LOOKED_AT if width > 1000 else [*every, "index"]:          # narrow, all of them
                    page.goto((site / f"{name}.html").as_uri())
                    assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0, (name, width)
                red = page.evaluate("parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0])")
                assert (red < 80) == (scheme == "dark")
                page.goto((site / "search.html").as_uri() + "?q=max_rows_per_group")
                page.wait_for_selector("#search-results li a[href*='max_rows_per_group']", timeout=60_000)
                assert [url for url in asked if not url.startswith(("file:", "data:"))] == []
                assert said == []
                page.close()
        finally:
            browser.close()
