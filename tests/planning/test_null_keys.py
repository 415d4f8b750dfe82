"""Rows without a key are a group of their own, unless the facts say otherwise. Rule 4; made-up households with gaps."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import discreet as dc
from discreet.curator import office
from discreet.curator.opening import open_table
from discreet.engines.reference.engine import Reference
from discreet.facts import read_facts
from discreet.planning.build import make_plan
from discreet.privacy.losses import Pure
from discreet.questions.sql import read_sql

HOMES = ["Owner"] * 500 + ["Renter"] * 210 + [None] * 270 + ["?", "", "Castle"] * 10  # the last is not declared


def households(home=None, **more):
    columns = {"home": home or dc.category("Owner", "Renter", null_label="unknown"), "size": dc.integer(1, 4, null=1),
               "age": dc.number(0, 100), "moved": dc.date("2019-01-01", "2020-12-31"), "late": dc.boolean(null="drop"),
               "zip": dc.text()}  # fmt: skip
    rows = pd.DataFrame({"home": HOMES, "size": [None, 2, 3, 9, 4] * 202, "age": ["x", 10, 90, 20.5, None] * 202,
                         "moved": ["2019-05-01", None] * 505, "late": ["yes", None] * 505, "zip": ["a", "b"] * 505})  # fmt: skip
    return dc.table(rows, name="h", columns=columns, unit="row", neighbours="add_remove", budget=10**6, **more)


def counted(table, key, tail=""):
    answer = table.ask(f"SELECT {key} AS k, COUNT(*) AS n FROM h {tail} GROUP BY {key}", epsilon=1000)
    return {row["k"]: row["n"] for row in answer.rows}


def test_whoever_has_no_home_is_a_group_with_a_name_and_all_rows_are_in_some():
    table = households()
    answer = table.ask("SELECT home, COUNT(*) AS n FROM h GROUP BY home ORDER BY home DESC", epsilon=1000)
    assert [(row["home"], row["n"]) for row in answer.rows] == [("Renter", 210), ("Owner", 500), (None, 300)]
    assert answer.to_dict()["columns"][0]["labels"] == {"null": "unknown"}
    assert "unknown" in repr(answer)
    assert "unknown" in answer._repr_html_()
    assert not any("no group" in each for each in answer.left_out)


@pytest.mark.slow
def test_numbers_bins_and_parts_of_dates_have_the_group_too_and_a_value_in_its_place_is_counted_there():
    table = households()
    assert counted(table, "size") == {1: 202, 2: 202, 3: 202, 4: 404}
    assert counted(table, "BIN(age, 50)") == {0: 404, 50: 202, 100: 0, None: 404}
    assert counted(table, "FLOOR(age / 50) * 50") == {0: 404, 50: 202, 100: 0, None: 404}
    assert counted(table, "EXTRACT(YEAR FROM moved)") == {2019: 505, 2020: 0, None: 505}
    assert counted(table, "late") == {False: 0, True: 505}
    assert counted(households(dc.category("Owner", "Renter", null="drop")), "home") == {"Owner": 500, "Renter": 210}
    table = households(dc.category("Owner", "Renter", null="Renter"))
    assert counted(table, "home") == {"Owner": 500, "Renter": 510}
    assert counted(table, "SUBSTR(home, 1, 1)") == {"O": 500, "R": 510}
    assert counted(table, "home LIKE 'R%'") == {False: 500, True: 510}
    assert counted(households(dc.category("Owner", "Renter", other=True)), "home") == {"Owner": 500, "Renter": 210, "other": 300}


def test_where_excludes_the_group_of_null_like_any_other():
    table = households()
    assert counted(table, "home", "WHERE home IS NULL") == {None: 300}
    assert counted(table, "home", "WHERE home <> 'Owner'") == {"Renter": 210}
    assert counted(table, "BIN(age, 50)", "WHERE age < 50") == {0: 404}
    assert counted(table, "size", "WHERE size IS NULL") == {1: 202, 2: 0, 3: 0, 4: 0}  # where it counts is not looked at


def test_a_left_join_keeps_what_it_was_written_to_keep():
    zips = pd.DataFrame({"zip": ["a"], "ward": ["north"]})
    columns = {"ward": dc.category("north", "south", null_label="elsewhere")}
    table = households(joins={"zips": dc.lookup(zips, key="zip", columns=columns)})
    assert counted(table, "zips.ward", "LEFT JOIN zips USING (zip)") == {"north": 505, "south": 0, None: 505}


def test_running_counts_are_over_bins_and_rows_without_a_value_are_in_none():
    answer = households().ask("SELECT BIN(age, 50) AS b, RUNNING_COUNT(*) AS upto FROM h GROUP BY b", epsilon=10**5)
    assert [round(row["upto"]) for row in answer.rows] == [404, 606, 606]
    assert "rows whose BIN(age, 50) is missing are in no group" in answer.left_out
    assert round(answer.total(0, 100).value) == 606


def test_a_chart_over_a_scale_says_that_one_group_is_not_on_it():
    from discreet.plots.view import view_of

    view = view_of(households().ask("SELECT BIN(age, 10) AS b, COUNT(*) AS n FROM h GROUP BY b", epsilon=1000))
    assert view.keys[0].places == tuple(range(0, 101, 10))
    assert view.note == "1 more row is not drawn"


FACTS = """
[table]
name = "h"
source = "h.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 100
[columns.home]
type = "category"
values = ["Owner", "Renter"]
[columns.size]
type = "integer"
lower = 1
upper = 4
null = 1
"""


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_table_that_was_registered_before_keeps_its_groups_until_a_new_version(tmp_path, version):
    file = tmp_path / "h.toml"
    file.write_text(FACTS, encoding="utf-8")
    (tmp_path / "h.csv").write_text("home,size\nOwner,\n,2\n", encoding="utf-8")
    facts = read_facts(file)
    before = replace(facts, null_keys=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(office, "public_facts", lambda _: before)
        office.register(file)
    if version == "2":
        file.write_text(FACTS.replace('name = "h"', 'name = "h"\nversion = "2"'), encoding="utf-8")
        office.new_version(file, reason="rows without a key")
    groups = {"1": (2, 4), "2": (3, 4)}[version]
    table = open_table(file)
    asked = [table.ask(f"SELECT {key}, COUNT(*) AS n FROM h GROUP BY {key}", epsilon=1) for key in ("home", "size")]
    assert tuple(len(each.rows) for each in asked) == groups
    assert table.facts.null_keys is (version == "2")


def test_the_cell_of_null_takes_no_row_of_another_and_moves_by_one_row():
    facts = replace(households().facts, located=None)
    for key in ("home", "size", "BIN(age, 50)", "EXTRACT(YEAR FROM moved)"):
        plan = make_plan(read_sql(f"SELECT {key} AS k, COUNT(*) AS n FROM h GROUP BY {key}", facts), facts, Pure(epsilon=1))
        rows = [dict.fromkeys(("home", "size", "age", "moved")), {"home": "Owner", "size": 2, "age": 60, "moved": "2020-01-01"}]
        one, both = (Reference(facts, some).run(plan.wanted).take().whole() for some in (rows[:1], rows))
        assert one.sum() == 1
        assert np.abs(both - one).sum() == 1


def test_a_declared_value_called_other_is_not_mixed_up_with_what_is_none_of_them():
    """Both rows of an answer were called other, and nobody could tell which was which."""
    facts = households(home=dc.category("a", "other", other=True)).facts
    plan = make_plan(read_sql("SELECT home, COUNT(*) AS n FROM h GROUP BY home", facts), facts, Pure(epsilon=1))
    assert plan.axes[0].values == ("a", "other", "none of these")
