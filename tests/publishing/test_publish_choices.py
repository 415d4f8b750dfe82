"""Releases of whatever is chosen and not counted: quantiles, bounds, sizes of units, keys that no list names."""

import csv
import io
import json
from html import unescape

import pytest

from discreet.curator import office, open_table
from discreet.privacy.losses import Approximate
from discreet.publishing.publish import publish

pytestmark = pytest.mark.slow  # charts are drawn

FACTS = """\
[table]
name = "visits"
source = "visits.csv"
unit = { column = "patient", max_rows = 4, max_groups = 2 }
neighbours = "add_remove"
[budget]
epsilon = 1000
delta = 0.01
[columns.patient]
type = "text"
[columns.ward]
type = "category"
values = ["north", "south"]
null = "drop"
[columns.city]
type = "text"
description = "where they live"
[columns.cost]
type = "integer"
lower = 0
upper = 1000
[columns.income]
type = "number"
"""

QUESTIONS = {
    "middles": "SELECT ward, MEDIAN(cost) AS m, COUNT(*) AS n, MEDIAN(cost, INTERVAL) AS sure FROM visits GROUP BY ward",
    "ends": "SELECT MIN(cost) AS low, MAX(cost) AS top, QUANTILE(cost, 0.25) AS q FROM visits",
    "incomes": "SELECT COUNT(*) AS n, AVG(income) AS m, SUM(cost) AS costs FROM visits BOUNDS SHARE 0.5",
    "sizes": "SELECT ROWS_PER_UNIT(0.9) AS most, GROUPS_PER_UNIT(0.9, ward) AS wards FROM visits",
    "people": "SELECT city, COUNT(DISTINCT patient) AS n FROM visits GROUP BY city",
    "cities": "SELECT city, SUM(cost) AS costs, COUNT(DISTINCT patient) AS n FROM visits GROUP BY city",
    "rare": "SELECT city, COUNT(DISTINCT patient) AS n FROM visits WHERE cost > 999 GROUP BY city",
    "few": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > 10",
}
WITH_DELTA = ("people", "cities", "rare")


def release_of(names):
    parts = ['[release]\ntitle = "All of it"\ntable = "visits.toml"\n']
    for name in names:
        delta = "delta = 0.000001\n" if name in WITH_DELTA else ""
        parts.append(f'[[question]]\nname = "{name}"\nsql = "{QUESTIONS[name]}"\nepsilon = 20\n{delta}')
    parts.append('[[derived]]\nname = "large"\nsql = "SELECT city, n FROM people WHERE n > 10"\n' if "people" in names else "")
    return "\n".join(parts)


def visits(folder, names=tuple(QUESTIONS)):
    rows = [f"p{i // 2},{('north', 'south')[i % 4 > 1]},{('Ulm', 'Bonn')[i % 8 > 3]},{i % 900},{1000 + i}" for i in range(800)]
    text = "patient,ward,city,cost,income\n" + "\n".join([*rows, "alone,north,Zanzibarine,5,1100"]) + "\n"
    (folder / "visits.csv").write_text(text, encoding="utf-8")
    (folder / "visits.toml").write_text(FACTS, encoding="utf-8")
    office.register(folder / "visits.toml")
    (folder / "release.toml").write_text(release_of(names), encoding="utf-8")
    return folder / "release.toml"


def table(folder, name):
    return list(csv.DictReader(io.StringIO((folder / f"{name}.csv").read_text(encoding="utf-8"))))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("visits")
    publish(visits(folder), folder / "out")
    return folder / "out"


def test_every_question_with_a_choice_is_published(made):
    assert {row["city"] for row in table(made, "people")} == {"Ulm", "Bonn"}     # and not where one of them lives
    assert [row["ward"] for row in table(made, "middles")] == ["north", "south"]
    assert float(table(made, "incomes")[0]["m"]) == pytest.approx(1400, abs=100)
    assert table(made, "sizes")[0]["most"] == "2"
    assert table(made, "rare") == []
    assert len(table(made, "large")) == 2
    assert b"Zanzibarine" not in b"".join(file.read_bytes() for file in made.rglob("*") if file.is_file())


def test_every_column_has_a_line_that_says_how_it_came_about(made):
    lines = {(row["file"], row["column"]): row for row in table(made, "data-dictionary")}
    for name in QUESTIONS:
        header = (made / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
        assert all((f"{name}.csv", column) in lines for column in header)

    def noise(name, column):
        return lines[f"{name}.csv", column]["noise"], lines[f"{name}.csv", column]["scale"]

    assert noise("middles", "n") == ("discrete Laplace", "0.8")                   # 4 rows of a unit at a quarter of 20
    assert noise("middles", "m") == noise("middles", "sure")
    assert noise("middles", "m")[0] == "exponential mechanism"
    assert noise("middles", "sure_low") == noise("middles", "sure_high")
    assert noise("middles", "sure_low")[0] == "radius: exponential mechanism; rows around: discrete Laplace"
    assert "among 1001 values at epsilon 2.4" in noise("middles", "sure_high")[1]  # 16 % of three quarters of 20
    assert ("middles.csv", "m_low") not in lines                                  # no interval was bought
    assert "off by" in lines["middles.csv", "m"]["meaning"]
    assert noise("incomes", "n") == ("discrete Laplace", "1.2")                   # a third of the half that bounds left
    assert noise("incomes", "costs")[0] == "discrete Laplace"
    assert noise("incomes", "m")[0] == ("discrete Laplace; lower end, bounds of income: exponential mechanism; "
                                        "upper end, bounds of income: exponential mechanism")  # fmt: skip
    assert noise("people", "city") == noise("people", "n") == ("discrete Laplace and a threshold", "epsilon 20, delta 1e-6")
    assert noise("cities", "city")[0] == "chance of the optimal curve"
    assert noise("cities", "n")[0] == "discrete Laplace"
    assert lines["cities.csv", "city"]["meaning"] == "where they live; only values with enough people are released"
    assert noise("few", "ward") == ("", "")


def test_noise_that_the_dictionary_names_is_that_of_the_receipt(made):
    lines = {(row["file"], row["column"]): row for row in table(made, "data-dictionary")}
    for name, column, what in [("incomes", "n", "COUNT(*)"), ("incomes", "costs", "SUM(cost)"), ("cities", "costs", "SUM(cost)")]:
        receipt = json.loads((made / "receipts" / f"{name}.json").read_text(encoding="utf-8"))
        (mechanism,) = [each for each in receipt["mechanisms"] if each["what"] == what]
        assert lines[f"{name}.csv", column]["scale"] == mechanism["scale"]


def test_the_page_says_which_groups_are_told(made):
    page = unescape((made / "index.html").read_text(encoding="utf-8"))
    assert "Of people, cities, rare no public list has all groups: only those with enough people are released" in page
    assert "Of few only groups are shown that were chosen by their released numbers" in page
    assert "In the other tables that are not derived, every group that could be there is shown" in page


def test_where_every_key_is_public_the_page_says_so(tmp_path):
    publish(visits(tmp_path, ["middles"]), tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "<li>Every group that could be there is shown" in page
    assert "enough people" not in page


def test_where_no_key_is_public_the_page_does_not_say_that_every_group_is_shown(tmp_path):
    publish(visits(tmp_path, ["people"]), tmp_path / "out")
    page = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert "group that could be there is shown" not in page


def test_a_second_run_of_choices_is_free_and_changes_no_letter(made):
    before = {file: file.read_bytes() for file in made.rglob("*") if file.is_file()}
    again = publish(made.parent / "release.toml", made)
    assert (again.is_free, again.is_new) == (True, False)
    assert before == {file: file.read_bytes() for file in made.rglob("*") if file.is_file()}


def test_a_quote_does_not_count_groups_that_are_not_public(tmp_path):
    lines = str(publish(visits(tmp_path, ["middles", "cities"]), tmp_path / "out", dry_run=True)).splitlines()
    assert any(line.split()[0:1] == ["cities"] and " not public " in line for line in lines)
    assert any(line.split()[0:1] == ["middles"] and " 2 " in line for line in lines)


@pytest.mark.parametrize("part", ["dictionary", "page_of"])
def test_what_cannot_be_written_is_found_out_before_anything_is_charged(tmp_path, monkeypatch, part):
    file = visits(tmp_path, ["middles"])

    def broken(*_):
        raise KeyError("variance")

    monkeypatch.setattr(f"discreet.publishing.publish.{part}", broken)
    with pytest.raises(KeyError):
        publish(file, tmp_path / "out")
    assert open_table(tmp_path / "visits.toml").budget.spent == Approximate(epsilon=0, delta=0)
