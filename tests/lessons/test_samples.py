"""The made-up tables: the texts' totals to the unit, within the bounds that their facts state, the same everywhere."""

import csv
import hashlib
import math
import tomllib
from collections import Counter
from fractions import Fraction

import pytest

from discreet.errors import ParameterError
from discreet.lessons.samples import NAMES, sample, write_sample

# a change of rows needs a new `version` in the facts file, and then new digests here
DIGESTS = {
    "adult": "dde6a985a5299726",
    "ce_book": "411af5acdf7eab08",
    "ce_slides": "23bb139ac4817a90",
    "devices": "56d1ed968527018e",
    "fulton": "6be1d9be902904fb",
}


@pytest.fixture(scope="module")
def made():
    return {name: sample(name) for name in NAMES}


def test_the_book_sample_has_the_totals_of_the_book(made):
    book = made["ce_book"]
    assert book.header == ("UrbanRural", "Income", "Race", "Expenditure")
    assert len(book.rows) == 994
    assert Counter(book.column("UrbanRural")) == {1: 943, 2: 51}
    assert sum(book.column("Income")) == 67_187_657
    assert Counter(book.column("Race")) == {1: 816, 2: 109, 3: 7, 4: 39, 5: 6, 6: 17}
    assert round(math.fsum(book.column("Expenditure")) / 994, 4) == 9421.9719


def test_the_slides_sample_has_the_totals_of_the_slides(made):
    slides = made["ce_slides"]
    assert slides.header == ("UrbanRural", "Income", "Race", "Expenditure", "KidsCount")
    assert len(slides.rows) == 5133
    assert Counter(slides.column("UrbanRural")) == {1: 4796, 2: 337}
    assert sum(slides.column("Income")) == 395_629_922
    assert round(sum(slides.column("Income")) / 5133, 4) == 77075.7689
    assert Counter(slides.column("Race")) == {1: 4201, 2: 553, 3: 28, 4: 239, 5: 24, 6: 88}
    assert round(math.fsum(slides.column("Expenditure")) / 5133, 4) == 10197.3821


def test_the_fulton_sample_has_the_mean_education_of_the_notebook(made):
    educ = made["fulton"].column("educ")
    assert len(educ) == 25_766
    assert sum(educ) == 273_340
    assert sum(educ) / len(educ) == 10.608553908251183
    assert (min(educ), max(educ)) == (1, 16)


def test_the_adult_sample_has_the_counts_of_the_text_and_one_karrie_trusslove(made):
    adult = made["adult"]
    assert len(adult.rows) == 32_561
    assert sum(age >= 40 for age in adult.column("Age")) == 14_237
    assert len(set(adult.column("Name"))) == 32_561
    [karrie] = [dict(zip(adult.header, row, strict=True)) for row in adult.rows if row[0] == "Karrie Trusslove"]
    assert (karrie["Age"], karrie["Target"]) == (39, "<=50K")
    assert Counter(adult.column("Target")).keys() == {"<=50K", ">50K"}


def test_the_devices_sample_has_thousands_of_households_in_a_hundred_zips_that_mean_something(made):
    devices = made["devices"]
    zips = tomllib.loads(devices.facts_toml)["columns"]["zip"]["values"]
    assert set(devices.column("zip")) == set(zips)
    assert len(zips) == 120
    assert len(set(devices.column("household"))) == 24_000
    assert len(set(zip(devices.column("household"), devices.column("zip"), strict=True))) == 24_000  # nobody lives in two
    assert Counter(devices.column("speed")).keys() == {"low", "high"}
    assert Counter(devices.column("uses_services")).keys() == {True, False}
    sizes = sorted(Counter(devices.column("zip")).values())
    assert sizes[60] > 250                                    # beside noise of scale 10, most shares are good to a few per cent


@pytest.mark.parametrize("name", NAMES)
def test_every_value_is_what_the_facts_allow(made, name):
    table = made[name]
    columns = tomllib.loads(table.facts_toml)["columns"]
    assert set(columns) <= set(table.header)
    for column, facts in columns.items():
        values = set(table.column(column))
        match facts["type"]:
            case "number" | "integer":
                assert facts["lower"] <= min(values)
                assert max(values) <= facts["upper"]
            case "category" if facts.get("other"):
                assert set(facts["values"]) <= values
            case "category":
                assert values == set(facts["values"])
                assert len(facts.get("labels", facts["values"])) == len(facts["values"])
            case "boolean":
                assert values == {0, 1}
            case "text":
                assert all(isinstance(value, str) for value in values)
            case other:
                pytest.fail(f"{column} has an unknown type {other}")


TABLES = {
    "adult": {"neighbours": "add_remove", "rows_about": 30_000},
    "ce_book": {"neighbours": "change_one", "rows": 994},
    "ce_slides": {"neighbours": "add_remove", "rows_about": 5000},
    "devices": {"neighbours": "add_remove", "rows_about": 50_000},
    "fulton": {"neighbours": "change_one", "rows": 25_766},
}
BUDGETS = {
    "adult": {"epsilon": 1},
    "ce_book": {"epsilon": 2.2},
    "ce_slides": {"epsilon": 1.4, "partition": "UrbanRural"},
    "devices": {"epsilon": 0.2},
    "fulton": {"epsilon": 1},
}


@pytest.mark.parametrize("name", NAMES)
def test_the_facts_say_unit_relation_size_and_budget(made, name):
    facts = tomllib.loads(made[name].facts_toml)
    common = {"name": name, "source": f"{name}.csv", "version": "sample-1", "unit": "row"}
    assert facts["table"] == common | TABLES[name]
    assert facts["budget"] == BUDGETS[name]
    if "rows" in facts["table"]:
        assert facts["table"]["rows"] == len(made[name].rows)
    else:
        assert facts["table"]["rows_about"] == pytest.approx(len(made[name].rows), rel=0.1)


@pytest.mark.parametrize("name", NAMES)
def test_the_rows_are_the_same_on_every_machine(made, name):
    assert hashlib.sha256(made[name].csv().encode()).hexdigest()[:16] == DIGESTS[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_written_sample_reads_back_as_it_was(made, name, tmp_path):
    data, facts = write_sample(name, tmp_path / "new" / "folder")
    assert (data.name, facts.name) == (f"{name}.csv", f"{name}.toml")
    assert data.parent == facts.parent
    assert facts.read_text(encoding="utf-8") == made[name].facts_toml
    header, *rows = csv.reader(data.read_text(encoding="utf-8").splitlines())
    assert tuple(header) == made[name].header
    assert len(rows) == len(made[name].rows)
    assert rows[-1] == [str(cell).lower() if isinstance(cell, bool) else str(cell) for cell in made[name].rows[-1]]
    assert b"\r" not in data.read_bytes()


def test_money_is_in_whole_cents(made):
    for name in ("ce_book", "ce_slides"):
        assert all((100 * Fraction(str(amount))).denominator == 1 for amount in made[name].column("Expenditure"))


def test_writing_again_changes_nothing_but_a_strangers_file_is_left_alone(tmp_path):
    data, facts = write_sample("ce_book", tmp_path)
    write_sample("ce_book", tmp_path)
    data.write_text("mine\n", encoding="utf-8")
    facts.unlink()
    with pytest.raises(ParameterError, match="not this sample"):
        write_sample("ce_book", tmp_path)
    assert data.read_text(encoding="utf-8") == "mine\n"
    assert not facts.exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path):
    (tmp_path / "taken").write_text("", encoding="utf-8")
    with pytest.raises(ParameterError, match="cannot write"):
        write_sample("ce_book", tmp_path / "taken")


def test_an_unknown_name_is_refused_with_the_names_there_are():
    with pytest.raises(ParameterError, match="no sample called 'census'") as caught:
        sample("census")
    assert all(name in caught.value.hint for name in NAMES)


def test_an_unknown_column_is_an_error():
    with pytest.raises(ValueError, match="tuple"):
        sample("ce_book").column("Name")
