"""``publish``: one charge for all, nothing before it can be refused, everything free the second time."""

import csv
import io
import json
import re
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser

import pytest
from tests.publishing.releases import CANARY, RELEASE, contents, homes

from discreet import testing
from discreet.curator import office, open_table
from discreet.curator.certificates import MANIFEST
from discreet.errors import AccessError, BudgetError, EngineFault, FactsError, ParameterError
from discreet.lessons.samples import write_sample
from discreet.plots.numerals import read_column
from discreet.privacy.losses import Pure
from discreet.publishing.publish import publish
from discreet.publishing.published import Published, ReleaseQuote

pytestmark = pytest.mark.slow  # charts are drawn, and processes started


def spent(folder):
    return open_table(folder / "homes.toml").budget.spent


def table(folder, name):
    return list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text(encoding="utf-8"))))


# ---- E7


@pytest.fixture(scope="module")
def broadband(tmp_path_factory):
    folder = tmp_path_factory.mktemp("broadband")
    write_sample("devices", folder)
    office.register(folder / "devices.toml")
    told = []
    made = publish(folder / "devices_release.toml", folder / "out", progress=lambda *each: told.append(each))
    return folder, made, told


def test_the_ledger_arrives_at_two_tenths_by_itself(broadband):
    folder, made, _ = broadband
    budget = open_table(folder / "devices.toml").budget
    assert budget.spent == Pure(epsilon="0.2")
    assert budget.remaining == Pure(epsilon=0)
    assert [(each.tables, each.loss) for each in made.cost] == [(("devices",), Pure(epsilon="0.2"))]
    charges = [entry.body for entry in office.entries(folder / "devices.toml") if entry.kind == "charge"]
    assert [Fraction(body["amount"][0]) for body in charges] == [Fraction(1, 10)] * 2    # and nothing for what was derived


def test_every_table_has_its_rows_and_every_number_lies_in_its_interval(broadband):
    folder, made, _ = broadband
    assert dict(made.tables) == {"speed": 120, "services": 120, "county": 5, "coverage": 120}
    for name, rows in made.tables:
        read = table(folder / "out", name)
        assert len(read) == rows
        for row in read:
            for column in [each.removesuffix("_low") for each in row if each.endswith("_low")]:
                if row[column]:
                    assert float(row[f"{column}_low"]) <= float(row[column]) <= float(row[f"{column}_high"])


def test_coverage_is_what_the_released_counts_say(broadband):
    folder, _, _ = broadband
    speed = table(folder / "out", "speed")
    for row in table(folder / "out", "county"):
        zips = [each for each in speed if each["zip"].startswith(row["county"])]
        slow, fast = (sum(int(each[name]) for each in zips) for name in ("slow", "fast"))
        assert float(row["coverage"]) == pytest.approx(fast / (slow + fast))


def test_receipts_verify_with_the_key_beside_them_and_not_once_they_are_touched(broadband):
    folder, _, _ = broadband
    key = (folder / "out" / "public.pem").read_bytes()
    for name in ("speed", "services"):
        receipt = json.loads((folder / "out" / "receipts" / f"{name}.json").read_text(encoding="utf-8"))
        assert office.verify_receipt(receipt, key) == ()
        assert office.verify_receipt(receipt | {"price": {"epsilon": "0.01"}}, key) != ()


def test_the_dictionary_names_every_column_of_every_file_with_its_noise(broadband):
    folder, made, _ = broadband
    words = {(row["file"], row["column"]): row for row in table(folder / "out", "data-dictionary")}
    for name, _ in made.tables:
        for column in table(folder / "out", name)[0]:
            assert (f"{name}.csv", column) in words
    fast = words["speed.csv", "fast"]
    assert (fast["noise"], fast["scale"], fast["cost"], fast["confidence"]) == ("discrete Laplace", "10", "epsilon 0.1", "0.975")
    assert words["county.csv", "coverage"]["cost"] == "free"
    assert words["speed.csv", "zip"]["meaning"].startswith("made-up postal code")


def number(text):
    return int(text) if re.fullmatch(r"-?\d+", text) else float(text) if text else None


class Links(HTMLParser):
    """Whatever a browser might fetch or run."""

    def __init__(self):
        super().__init__()
        self.found, self.tags = [], set()

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.found += [value for name, value in attrs if name in ("href", "src", "xlink:href", "srcset", "action", "data")]


def test_the_page_fetches_nothing_and_links_only_to_files_beside_it(broadband):
    folder, _, _ = broadband
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    links = Links()
    links.feed(page)
    assert not links.tags & {"script", "link", "iframe", "object", "img", "base"}
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page
    for link in links.found:
        if link.startswith("#"):
            assert f'id="{link[1:]}"' in page
        else:
            assert (folder / "out" / link).is_file(), link


def test_the_page_shows_every_number_with_its_interval(broadband):
    folder, made, _ = broadband
    page = (folder / "out" / "index.html").read_text(encoding="utf-8")
    for name, rows in made.tables:
        section = page[page.index(f'<section id="table-{name}"') :].split("</section>")[0]
        read = table(folder / "out", name)
        for column in [each.removesuffix("_low") for each in read[0] if each.endswith("_low")]:
            values = [number(row[column]) for row in read]
            ends = [(number(row[f"{column}_low"]), number(row[f"{column}_high"])) for row in read]
            whole = all(value is None or isinstance(value, int) for value in values)
            for figure, (low, high) in zip(read_column(values, ends, whole=whole), ends, strict=True):
                words = {"both": figure.spread, "ends": f"({figure.spread})", "public": "public", "null": "no value"}
                shown = words[figure.shape]
                assert f'title="from {low} to {high}">{figure.value} <span class="spread">{shown}</span>' in section
        assert section.count('<th scope="row">') == rows


def test_the_page_says_what_was_spent_and_how_to_check_it(broadband):
    folder, _, _ = broadband
    page = unescape((folder / "out" / "index.html").read_text(encoding="utf-8"))
    assert "<strong>ε 0.2</strong> spent on devices" in page
    assert "discreet receipt verify receipts/speed.json --key public.pem" in page
    assert "at most 1.222 times as large" in page                 # e^0.2 = 1.2214…, never rounded down
    assert "It does not cover" in page


def test_a_question_that_waits_for_its_turn_keeps_its_lease(tmp_path, monkeypatch):
    file, found = homes(tmp_path), []
    monkeypatch.setattr("discreet.ledger.owners.LEASE", 0.02)

    def watch(what, done, of):
        if what != "asking counts":
            return
        with closing(sqlite3.connect(tmp_path / ".discreet" / "ledger.db", timeout=60, isolation_level=None)) as ledger:
            ledger.execute("UPDATE charges SET lease = 0")
            until, leases = time.monotonic() + 60, [0.0]
            while min(leases) == 0 and time.monotonic() < until:
                leases = [lease for (lease,) in ledger.execute("SELECT lease FROM charges")]
        found.extend(leases)

    publish(file, tmp_path / "out", progress=watch)
    assert len(found) == 2
    assert min(found) > 0


def test_progress_tells_what_is_done(broadband):
    _, _, told = broadband
    assert ("asking speed", 0, 2) in told
    assert ("asking services", 1, 2) in told


def test_a_second_run_is_free_and_changes_no_letter(broadband):
    folder, _, _ = broadband
    before, entries = contents(folder / "out"), len(office.entries(folder / "devices.toml"))
    again = publish(folder / "devices_release.toml", folder / "out")
    elsewhere = publish(folder / "devices_release.toml", folder / "other")
    assert (again.is_new, again.is_free, elsewhere.is_new) == (False, True, True)
    assert contents(folder / "out") == before == contents(folder / "other")
    assert len(office.entries(folder / "devices.toml")) == entries
    assert office.verify(folder / "devices.toml").ok


# ---- a dry run


def test_a_dry_run_needs_no_data_and_leaves_no_trace(tmp_path):
    file = homes(tmp_path)
    (tmp_path / "homes.csv").unlink()
    before = contents(tmp_path)
    quote = publish(file, tmp_path / "out", dry_run=True)
    assert isinstance(quote, ReleaseQuote)
    assert {name: data for name, data in contents(tmp_path).items() if ".discreet" not in name} == \
           {name: data for name, data in before.items() if ".discreet" not in name}
    assert [entry.kind for entry in office.entries(tmp_path / "homes.toml")] == ["register"]
    assert spent(tmp_path) == Pure(epsilon=0)


def test_a_dry_run_quotes_every_question_and_the_budget_before_and_after(tmp_path):
    told = publish(homes(tmp_path), tmp_path / "out", dry_run=True).to_dict()
    assert [(each["name"], each["cost"], each["replay"]) for each in told["questions"]] == \
           [("counts", {"epsilon": "0.5"}, False), ("rents", {"epsilon": "0.25"}, False)]
    assert told["questions"][0]["columns"] == [{"name": "n", "plus_minus": 6.0, "basis": "none"}]    # ln 20 / 0.5
    (budget,) = told["budgets"]
    assert (budget["before"], budget["takes"], budget["after"], budget["enough"]) == \
           ({"epsilon": "0"}, {"epsilon": "0.75"}, {"epsilon": "0.75"}, True)


def test_after_publishing_a_dry_run_says_that_nothing_is_to_pay(tmp_path):
    file = homes(tmp_path)
    publish(file, tmp_path / "out")
    quote = publish(file, tmp_path / "out", dry_run=True)
    assert [each.is_free for each in quote.questions] == [True, True]
    assert quote.budgets[0].takes == Pure(epsilon=0)


def test_a_dry_run_shows_a_budget_that_is_not_enough(tmp_path):
    quote = publish(homes(tmp_path, epsilon="0.7"), tmp_path / "out", dry_run=True)
    assert not quote.budgets[0].is_enough
    assert "more than the budget has" in str(quote)


def test_cells_of_the_partition_count_once_in_quote_charge_and_page(tmp_path):
    release = RELEASE[: RELEASE.index("[[question]]")] + "\n".join(
        f'[[question]]\nname = "{name}"\nsql = "SELECT COUNT(*) AS n FROM homes WHERE region = \'{name}\'"\nepsilon = 0.5\n'
        for name in "ns"
    )
    file = homes(tmp_path, epsilon="0.5", budget='partition = "region"', release=release)
    assert publish(file, tmp_path / "out", dry_run=True).budgets[0].takes == Pure(epsilon="0.5")
    made = publish(file, tmp_path / "out")
    assert made.cost[0].loss == spent(tmp_path) == Pure(epsilon="0.5")


def test_a_release_is_worth_its_own_loss_even_where_another_cell_had_paid(tmp_path):
    release = RELEASE[: RELEASE.index("[[question]]")] + (
        '[[question]]\nname = "north"\nsql = "SELECT COUNT(*) AS n FROM homes WHERE region = \'n\'"\nepsilon = 0.5\n'
    )
    file = homes(tmp_path, epsilon="0.5", budget='partition = "region"', release=release)
    open_table(tmp_path / "homes.toml").ask("SELECT COUNT(*) AS n FROM homes WHERE region = 's'", epsilon="0.5")
    made = publish(file, tmp_path / "out")
    assert made.cost[0].loss == Pure(epsilon="0.5")              # although nothing more was taken off the budget
    assert spent(tmp_path) == Pure(epsilon="0.5")


# ---- refused before any charge


WRONG = {
    "question": ('AVG(rent) AS rent', 'AVG(rnt) AS rent', "rents", 14),
    "derived column": ("n_low / (n_low + 10)", "nope / 10", "share", None),
    "derived file": ("FROM counts\n", "FROM read_csv('homes.csv')\n", "share", None),
    "price": ("epsilon = 0.25", "rho = 0.25", "", None),
}


@pytest.mark.parametrize("what", WRONG)
def test_one_wrong_part_and_nothing_is_charged(tmp_path, what):
    right, wrong, name, line = WRONG[what]
    assert right in RELEASE
    file = homes(tmp_path, release=RELEASE.replace(right, wrong))
    with pytest.raises((FactsError, BudgetError)) as refused:
        publish(file, tmp_path / "out")
    assert name in str(refused.value)
    if line:
        assert (refused.value.line, refused.value.key, refused.value.file) == (line, "question[1].sql", str(file))
    assert spent(tmp_path) == Pure(epsilon=0)
    assert [entry.kind for entry in office.entries(tmp_path / "homes.toml")] == ["register"]
    assert not (tmp_path / "out").exists()


def test_a_release_that_costs_too_much_is_refused_as_a_whole(tmp_path):
    file = homes(tmp_path, epsilon="0.7")
    with pytest.raises(BudgetError, match=r"ε 0.75 off the budget of homes, of which ε 0 of ε 0.7"):
        publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon=0)


def test_a_source_that_is_gone_costs_nothing(tmp_path):
    file = homes(tmp_path)
    (tmp_path / "homes.csv").unlink()
    with pytest.raises(EngineFault):
        publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon=0)


def test_a_frozen_table_is_not_published_and_a_dry_run_says_so(tmp_path):
    file = homes(tmp_path)
    office.freeze(tmp_path / "homes.toml", reason="a look")
    assert "homes is frozen" in str(publish(file, tmp_path / "out", dry_run=True))
    with pytest.raises(AccessError):
        publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon=0)


def test_a_release_is_the_data_holders_and_no_limit_of_an_analyst_holds_it(tmp_path):
    file = homes(tmp_path, budget="per_analyst = 0.1")
    publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon="0.75")
    assert office.verify(tmp_path).ok


def test_noise_that_repeats_itself_is_refused(tmp_path):
    file = homes(tmp_path)
    with testing.seeded(1), pytest.raises(AccessError):
        publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon=0)


# ---- the folder


@pytest.mark.parametrize("there", ["a file", "a stranger's file", "a stranger's file beside the release", "another release"])
def test_a_folder_with_something_else_is_refused_before_any_charge_and_left_alone(tmp_path, there):
    file, out = homes(tmp_path), tmp_path / "out"
    if there == "a file":
        out.write_text("mine", encoding="utf-8")
    elif there == "a stranger's file":
        out.mkdir()
        (out / "index.html").write_text("mine", encoding="utf-8")
    else:
        publish(file, out)
        if there == "another release":
            file.write_text(RELEASE.replace("About homes", "About other homes"), encoding="utf-8")
        else:
            (out / "mine.txt").write_text("mine", encoding="utf-8")
    before, entries = contents(tmp_path / "out"), len(office.entries(tmp_path / "homes.toml"))
    with pytest.raises(ParameterError, match=r"holds something else|not a folder"):
        publish(file, out)
    assert contents(out) == before
    assert len(office.entries(tmp_path / "homes.toml")) == entries


def test_an_empty_folder_is_filled_and_one_that_was_damaged_is_made_whole(tmp_path):
    file, out = homes(tmp_path), tmp_path / "out"
    out.mkdir()
    publish(file, out)
    whole = contents(out)
    (out / "counts.csv").write_text("n\n0\n", encoding="utf-8")
    assert publish(file, out).is_new
    assert contents(out) == whole
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".out")] == []      # no leavings


def test_the_working_folder_can_be_the_place(tmp_path, monkeypatch):
    file, out = homes(tmp_path), tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    publish(file, ".")
    assert (out / "index.html").is_file()


def test_a_place_that_is_not_there_is_refused_before_any_charge(tmp_path):
    with pytest.raises(ParameterError, match="no folder"):
        publish(homes(tmp_path), tmp_path / "nowhere" / "out")
    assert spent(tmp_path) == Pure(epsilon=0)


def test_the_list_of_files_has_the_hash_of_each(tmp_path):
    from hashlib import sha256

    out = tmp_path / "out"
    publish(homes(tmp_path), out)
    manifest = json.loads((out / MANIFEST).read_text(encoding="utf-8"))
    assert manifest["files"] == {name: sha256(data).hexdigest() for name, data in contents(out).items() if name != MANIFEST}


# ---- what is in it


def test_no_exact_value_and_no_text_of_the_data_gets_out(tmp_path):
    out = tmp_path / "out"
    made = publish(homes(tmp_path), out)
    everything = b"".join([*contents(out).values(), str(made).encode(), json.dumps(made.to_dict()).encode()])
    assert CANARY.encode() not in everything
    assert b"owner1" not in everything


def test_labels_are_shown_and_texts_cannot_become_markup(tmp_path):
    out = tmp_path / "out"
    publish(homes(tmp_path), out)
    page = (out / "index.html").read_text(encoding="utf-8")
    assert "n North" in page
    assert "s South &amp; &lt;b&gt;" in page
    assert "Rents &lt;by&gt; region" in page
    words = {(row["file"], row["column"]): row for row in table(out, "data-dictionary")}
    assert words["counts.csv", "region"]["labels"] == "n = North; s = South & <b>"


def test_a_derived_number_without_ends_is_shown_without_an_interval(tmp_path):
    out = tmp_path / "out"
    publish(homes(tmp_path), out)
    words = {(row["file"], row["column"]): row for row in table(out, "data-dictionary")}
    assert words["share.csv", "seven"]["kind"] == "number without interval"
    assert words["share.csv", "share"]["confidence"] == "0.9"
    assert "seven_low" not in table(out, "share")[0]


def test_a_derived_table_with_ends_must_say_how_sure_they_are(tmp_path):
    file = homes(tmp_path, release=RELEASE.replace("confidence = 0.9\n", ""))
    with pytest.raises(FactsError, match="how sure"):
        publish(file, tmp_path / "out", dry_run=True)


def test_a_derived_table_may_use_those_before_it(tmp_path):
    more = RELEASE + '\n[[derived]]\nname = "more"\nsql = "SELECT count(*) AS rows FROM share"\n'
    out = tmp_path / "out"
    publish(homes(tmp_path, release=more), out)
    assert table(out, "more") == [{"rows": "2"}]


def test_several_tables_of_one_folder_are_charged_together_or_not_at_all(tmp_path):
    two = RELEASE + '\n[[question]]\nname = "other"\ntable = "cars.toml"\nsql = "SELECT COUNT(*) AS n FROM cars"\nepsilon = {}\n'
    file = homes(tmp_path)
    (tmp_path / "cars.csv").write_text("x\n1\n2\n", encoding="utf-8")
    (tmp_path / "cars.toml").write_text(
        '[table]\nname = "cars"\nsource = "cars.csv"\nunit = "row"\nneighbours = "add_remove"\n'
        '[budget]\nepsilon = 0.1\n[columns.x]\ntype = "integer"\nlower = 0\nupper = 9\n', encoding="utf-8")  # fmt: skip
    office.register(tmp_path / "cars.toml")
    file.write_text(two.format("0.2"), encoding="utf-8")
    with pytest.raises(BudgetError, match="cars"):
        publish(file, tmp_path / "out")
    assert spent(tmp_path) == Pure(epsilon=0)
    file.write_text(two.format("0.1"), encoding="utf-8")
    made = publish(file, tmp_path / "out")
    assert [(each.tables, each.loss) for each in made.cost] == \
           [(("homes",), Pure(epsilon="0.75")), (("cars",), Pure(epsilon="0.1"))]
    assert table(tmp_path / "out", "other")[0].keys() == {"n", "n_low", "n_high"}


def test_tables_about_the_same_people_share_one_budget(tmp_path):
    for name in ("one", "two"):
        (tmp_path / f"{name}.csv").write_text("x\n1\n2\n", encoding="utf-8")
        (tmp_path / f"{name}.toml").write_text(
            f'[table]\nname = "{name}"\nsource = "{name}.csv"\nunit = "row"\nneighbours = "add_remove"\npeople = "all"\n'
            '[budget]\nepsilon = 0.5\n[columns.x]\ntype = "integer"\nlower = 0\nupper = 9\n', encoding="utf-8")  # fmt: skip
        office.register(tmp_path / f"{name}.toml")
    file = tmp_path / "release.toml"
    asked = '[[question]]\nname = "q{0}"\ntable = "{0}.toml"\nsql = "SELECT COUNT(*) AS n FROM {0}"\nepsilon = {1}\n'
    file.write_text('[release]\ntitle = "Both"\n' + asked.format("one", "0.25") + asked.format("two", "0.3"), encoding="utf-8")
    (budget,) = publish(file, tmp_path / "out", dry_run=True).budgets
    assert (budget.tables, budget.takes, budget.is_enough) == (("one", "two"), Pure(epsilon="0.55"), False)
    with pytest.raises(BudgetError, match="one, two"):
        publish(file, tmp_path / "out")
    file.write_text(file.read_text(encoding="utf-8").replace("0.3", "0.25"), encoding="utf-8")
    made = publish(file, tmp_path / "out")
    assert [(each.tables, each.loss) for each in made.cost] == [(("one", "two"), Pure(epsilon="0.5"))]
    assert open_table(tmp_path / "two.toml").budget.remaining == Pure(epsilon=0)


def test_a_chart_has_every_group_once_for_a_screen_and_once_for_a_phone_and_without_one_every_number_has_its_mark(tmp_path):
    publish(homes(tmp_path), tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert page.count('<rect class="bar s1"') == 2 * 2            # counts, from zero
    assert page.count('<circle class="dot s1"') == 2 * 4          # rents and shares
    assert page.count('class="whisker cap"') == 2 * 6
    alone = RELEASE.replace("SELECT region, COUNT(*) AS n FROM homes GROUP BY region", "SELECT COUNT(*) AS n FROM homes")
    alone = alone[: alone.index("[[derived]]")]
    publish(homes(tmp_path / "alone", release=alone), tmp_path / "alone" / "out")
    page = (tmp_path / "alone" / "out" / "index.html").read_text(encoding="utf-8")
    section = page[page.index('<section id="table-counts"') :].split("</section>")[0]
    assert "<figure" not in section
    assert '<td class="mark" aria-hidden="true"><svg' in section


def test_a_wish_has_the_same_price_on_a_second_run_although_counts_are_known_by_then(tmp_path):
    wish = RELEASE.replace("epsilon = 0.25", "within = 100")
    file = homes(tmp_path, epsilon="5", release=wish)
    first = publish(file, tmp_path / "out")
    again = publish(file, tmp_path / "out")
    assert again.is_free
    assert first.cost == again.cost
    assert spent(tmp_path) == first.cost[0].loss


def test_the_receipt_of_someone_elses_question_names_nobody(tmp_path):
    file = homes(tmp_path, epsilon="2")
    open_table(tmp_path / "homes.toml").ask("SELECT region, COUNT(*) AS m FROM homes GROUP BY region", epsilon="1", analyst="ann")
    made = publish(file, tmp_path / "out")
    assert isinstance(made, Published)
    assert not any("ann" in file.read_text(encoding="utf-8") for file in (tmp_path / "out" / "receipts").iterdir())
    assert made.cost[0].loss == Pure(epsilon="1.25")              # the answer that is published is the dearer one
    assert "n" in table(tmp_path / "out", "counts")[0]


# ---- when something goes wrong after the charge


def test_an_interrupted_release_keeps_its_charges_and_says_so_in_the_ledger(tmp_path):
    def interrupted(what, *_):
        if what == "asking rents":
            raise KeyboardInterrupt

    file = homes(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        publish(file, tmp_path / "out", progress=interrupted)
    assert not (tmp_path / "out").exists()
    kinds = [entry.kind for entry in office.entries(tmp_path / "homes.toml")]
    assert kinds == ["register", "charge", "charge", "settle", "fault"]
    made = publish(file, tmp_path / "out")                        # what was answered is free, what was cut off is asked anew
    assert spent(tmp_path) == Pure(epsilon=1)
    assert made.cost[0].loss == Pure(epsilon="0.75")


def test_a_fault_in_one_question_does_not_waste_the_others(tmp_path):
    away = {"asking counts": ("homes.csv", "gone.csv"), "asking rents": ("gone.csv", "homes.csv")}

    def moved(what, *_):
        if what in away:
            source, target = away[what]
            (tmp_path / source).rename(tmp_path / target)

    file = homes(tmp_path)
    with pytest.raises(EngineFault):
        publish(file, tmp_path / "out", progress=moved)
    kinds = [entry.kind for entry in office.entries(tmp_path / "homes.toml")]
    assert kinds == ["register", "charge", "charge", "fault", "settle"]
    assert not (tmp_path / "out").exists()
    assert office.verify(tmp_path / "homes.toml").ok


def test_several_at_once_pay_once_and_write_one_release(tmp_path):
    file = homes(tmp_path, epsilon="0.75")                        # enough for one of them
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: publish(file, tmp_path / "out"), range(4)))
    assert spent(tmp_path) == Pure(epsilon="0.75")
    assert any(each.is_new for each in made)
    assert {each.cost for each in made} == {made[0].cost}
    assert not publish(file, tmp_path / "out").is_new


# ---- other moneys


def test_gaussian_noise_and_rho(tmp_path):
    release = RELEASE.replace("epsilon = 0.5", "rho = 0.01").replace("epsilon = 0.25", "rho = 0.02")
    file = homes(tmp_path, epsilon="2", release=release, budget='delta = 1e-6\naccounting = "concentrated"')
    made = publish(file, tmp_path / "out")
    assert made.to_dict()["cost"] == [{"tables": ["homes"], "rho": "0.03"}]
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<strong>ρ 0.03</strong>" in page
    assert "discrete Gaussian, variance 50" in page               # 1 / (2 · 0.01)
    words = {(row["file"], row["column"]): row for row in table(tmp_path / "out", "data-dictionary")}
    assert words["counts.csv", "n"]["scale"] == "variance 50"


def test_epsilon_with_delta(tmp_path):
    release = RELEASE.replace("epsilon = 0.5", "epsilon = 0.5\ndelta = 1e-7")
    made = publish(homes(tmp_path, release=release, budget="delta = 1e-6"), tmp_path / "out")
    assert made.to_dict()["cost"] == [{"tables": ["homes"], "epsilon": "0.75", "delta": "0.0000001"}]


def test_a_price_that_the_budget_does_not_count_is_refused_at_its_key(tmp_path):
    with pytest.raises(FactsError, match="counts epsilon") as refused:
        publish(homes(tmp_path, release=RELEASE.replace("epsilon = 0.5", "rho = 0.5")), tmp_path / "out", dry_run=True)
    assert refused.value.key == "question[0].rho"


def test_a_table_that_comes_out_empty_is_still_a_table(tmp_path):
    release = RELEASE.replace("GROUP BY region\"\nepsilon = 0.5", "GROUP BY region HAVING COUNT(*) > 1000000\"\nepsilon = 0.5")
    publish(homes(tmp_path, release=release), tmp_path / "out")
    assert table(tmp_path / "out", "counts") == []
    assert (tmp_path / "out" / "share.csv").read_text(encoding="utf-8") == "region,share,share_low,share_high,seven\n"
