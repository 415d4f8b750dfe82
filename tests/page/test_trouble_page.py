"""Bad input, lost connections, and what others do meanwhile: each in words that a person understands, with what to do."""

import pytest
from tests.page.test_ask_page import opened, quoted, text, violated, written

from discreet.curator import accounts, office, open_table

pytestmark = pytest.mark.slow  # a browser and a server

HOSTILE = "<img src=x onerror=alert(1)>"


def spent(site, table):
    found = open_table(site.folder / f"{table}.toml")
    try:
        return found.budget.spent.epsilon
    finally:
        found.close()


def test_script_in_names_aliases_and_reasons_is_text_everywhere(browser, site):
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        assert "<script>alert(1)</script>" in text(page, "#columns")
        written(page, f'SELECT ward, COUNT(*) AS "{HOSTILE}" FROM visits GROUP BY ward')
        assert HOSTILE in text(page, "#q-cols")
        page.click("#rehearse")
        page.wait_for_selector("#a-tags .made-up")
        assert HOSTILE in text(page, "#a-body table")
    office.freeze(site.folder / "purse.toml", reason=HOSTILE, by="dana")
    try:
        with opened(browser, site, site.vera, at="/ask?table=purse") as page:
            page.wait_for_selector("#banner .danger")
            assert HOSTILE in text(page, "#banner")
        with opened(browser, site, site.holder, at="/holder?table=purse") as page:
            page.wait_for_selector("#look li")
            assert HOSTILE in text(page, "#look")
            violated(page)
    finally:
        office.unfreeze(site.folder / "purse.toml", reason="tried", by="dana")


def test_a_double_click_is_one_ask_and_a_lost_connection_is_charged_once(browser, site):
    before = spent(site, "visits")
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        written(page, "SELECT COUNT(*) AS n FROM visits")
        page.fill("#epsilon", "0.05")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.05'")
        page.dblclick("#ask")
        page.wait_for_selector("#a-tags .bite")
        assert float(spent(site, "visits") - before) == 0.05
        written(page, "SELECT COUNT(*) AS n FROM visits WHERE ward = 'west'")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.05'")

        def lost(route):                                                   # it arrives, and the answer does not come back
            route.fetch()
            route.abort("connectionreset")

        page.route("**/ask", lost)
        page.click("#ask")
        page.wait_for_selector("#banner .danger")
        assert "It may have been charged" in text(page, "#banner")
        page.unroute("**/ask")
        page.click("#banner button")
        page.wait_for_selector("#a-tags .tag")
        page.wait_for_function("() => !document.querySelector('#banner .banner')")
        page.wait_for_selector("#a-body .one, #a-body .ones")
        assert float(spent(site, "visits") - before) <= 0.1                # once each


def test_a_budget_that_ran_out_in_another_tab_and_a_token_that_ended(browser, site):
    token = accounts.add(site.folder, "quentin")
    accounts.grant(site.folder, "quentin", ["purse"])
    with opened(browser, site, token, at="/ask?table=purse") as page:
        quoted(page)
        page.fill("#epsilon", "0.1")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.1'")
        table = open_table(site.folder / "purse.toml")                     # the other tab
        table.ask("SELECT COUNT(*) AS n FROM purse WHERE ward = 'west'", epsilon="0.3", analyst="vera")
        table.close()
        page.click("#ask")
        page.wait_for_selector("#banner .danger")
        assert "Nothing was charged" in text(page, "#banner")
        page.wait_for_function("() => document.querySelector('#cost').className.includes('over')")
        assert page.is_disabled("#ask")
        page.reload()
        page.wait_for_selector("#banner .danger")
        assert "The budget of purse is used up" in text(page, "#banner")
        violated(page)
        accounts.rotate(site.folder, "quentin")
        page.fill("#sql", "SELECT COUNT(*) AS n FROM purse")
        page.wait_for_selector("#trouble .note")
        assert "Paste your token" in text(page, "#trouble")
        assert page.evaluate("() => sessionStorage.length") == 0


def test_what_is_typed_while_an_answer_runs_does_not_get_its_numbers(browser, site):
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        written(page, "SELECT COUNT(*) AS n FROM visits WHERE town = 'Oak'")
        page.fill("#epsilon", "0.02")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.02'")
        held = []

        def hold(route):
            held.append(route)

        page.route("**/ask", hold)
        page.click("#ask")
        page.wait_for_selector("#a-body .running")
        written(page, "SELECT ward, COUNT(*) AS other FROM visits GROUP BY ward")
        assert page.is_disabled("#ask")                                   # one at a time
        assert "other" in text(page, "#a-body")                           # the shape of what is asked next
        held[0].continue_()
        page.wait_for_selector(".toast >> text=under Your questions")
        page.wait_for_selector("#history >> text=Oak")
        page.wait_for_function("() => !document.querySelector('#ask').disabled")
        assert "not asked yet" in page.text_content("#a-body")


def test_a_source_that_is_gone_is_told_with_its_reference_and_asked_again_when_it_is_back(browser, site):
    source, away = site.folder / "visits.csv", site.folder / "visits.away"
    with opened(browser, site, site.vera, at="/ask?table=visits") as page:
        quoted(page)
        written(page, "SELECT COUNT(*) AS n FROM visits WHERE ward = 'east' AND town = 'Elm'")
        page.fill("#epsilon", "0.02")
        page.wait_for_function("() => document.querySelector('#ask').textContent === 'Ask for ε 0.02'")
        source.rename(away)
        try:
            page.click("#ask")
            page.wait_for_selector("#banner .danger")
            assert "reference" in text(page, "#banner")
            assert str(site.folder) not in text(page, "#banner")
        finally:
            away.rename(source)
        page.click("#banner button")
        page.wait_for_selector("#a-tags .bite")


def test_files_that_cannot_be_taken_are_told_before_they_are_sent_or_in_plain_words(browser, site, tmp_path):
    large, odd, wrong = tmp_path / "large.csv", tmp_path / "strasse.csv", tmp_path / "notes.docx"
    with large.open("wb") as file:
        file.truncate(500 * 1024**2)                                       # 500 MB that take no room
    odd.write_bytes("Stra\xdfe,gr\xf6\xdfe\nK\xf6ln,1\n".encode("latin-1"))
    wrong.write_bytes(b"PK")
    with opened(browser, site, site.holder, at="/register") as page:
        page.wait_for_selector("#check-tag.warn")
        sent = []
        page.on("request", lambda request: sent.append(request.url) if "/api/uploads" in request.url else None)
        page.set_input_files("#file", str(large))
        page.wait_for_selector("#banner .danger")
        assert "525 MB" in text(page, "#banner")
        assert "200 MB are taken here" in text(page, "#banner")
        assert sent == []
        page.set_input_files("#file", str(wrong))
        page.wait_for_function("() => document.querySelector('#banner').textContent.includes('not the name of a file')")
        page.set_input_files("#file", str(odd))
        page.wait_for_function("() => document.querySelector('#progress').textContent.includes('written in latin-1')")
        assert "Stra\xdfe" in text(page, "#cols")
        page.wait_for_function("() => document.querySelector('#toml').textContent.includes('encoding = \"latin-1\"')")
        (broken := tmp_path / "broken.parquet").write_bytes(b"no parquet at all")
        page.set_input_files("#file", str(broken))
        page.wait_for_function("() => document.querySelector('#banner').textContent.includes('Not done')")
        assert str(site.folder) not in text(page, "#banner")
        violated(page)


def test_an_unsaved_form_asks_before_it_is_lost(browser, site, tmp_path):
    (source := tmp_path / "kept.csv").write_text("a,b\n1,2\n", encoding="utf-8")
    with opened(browser, site, site.holder, at="/register") as page:
        page.wait_for_selector("#check-tag.warn")
        page.set_input_files("#file", str(source))
        page.wait_for_selector("#cols .col >> nth=1")
        page.click("#cols .col summary")
        asked = []
        page.on("dialog", lambda dialog: asked.append(dialog.type))
        page.click(".top nav a")
        page.wait_for_url("**/holder**")
        assert asked == ["beforeunload"]


def test_two_holders_who_begin_a_version_at_once_are_told(browser, site, tmp_path):
    before = (site.folder / "trips.csv").read_text(encoding="utf-8")
    (more := tmp_path / "trips2.csv").write_text(before + "1,east,Elm,p9999\n", encoding="utf-8")
    with opened(browser, site, site.holder, at="/version?table=trips") as first:
        first.wait_for_selector("#check-tag.warn")
        assert "version is the one that stands now" in text(first, "#problems")
        violated(first)
        first.set_input_files("#file", str(more))
        first.wait_for_function("() => document.querySelector('#text').value.includes('source = \"trips2.csv\"')")
        first.fill("#version", "2")
        first.fill("#reason", "one more row <b>")
        first.wait_for_selector("#check-tag.ok")
        with opened(browser, site, site.holder, at="/version?table=trips") as second:
            second.wait_for_selector("#check-tag.warn")
            second.fill("#version", "3")
            second.fill("#reason", "another")
            second.wait_for_selector("#check-tag.ok")
            first.click("#begin")
            first.wait_for_url("**/holder?table=trips")
            first.wait_for_selector("#versions tbody tr >> nth=1")
            assert "one more row <b>" in text(first, "#versions")
            second.click("#begin")
            second.wait_for_selector("#banner .danger")
            assert "Version 2 has been begun meanwhile" in text(second, "#banner")
            second.goto(f"{site.address}/holder")


def test_a_report_is_read_and_printed(browser, site):
    with opened(browser, site, site.holder, at="/report?table=visits") as page:
        page.wait_for_selector("#charges tbody tr")
        assert "Consistent" in text(page, "#ledger")
        violated(page)
        page.emulate_media(media="print")
        assert page.locator(".top").is_hidden()
        assert page.locator("#charges").is_visible()
