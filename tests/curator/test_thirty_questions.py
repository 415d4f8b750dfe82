"""Thirty questions as analysts of flights, shops and a census write them: each is answered, or refused with a hint that works."""

import datetime as dt
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import discreet as dc

N = 1500
EACH = np.arange(N)


@pytest.fixture(scope="module")
def flights():
    days = [dt.date(2013, 1, 1) + dt.timedelta(days=int(n) % 365) for n in EACH]
    rows = pd.DataFrame({
        "carrier": np.array(["AA", "B6", "DL", "UA"])[EACH % 4], "origin": np.array(["EWR", "JFK", "LGA"])[EACH % 3],
        "dep_delay": np.where(EACH % 17 == 0, np.nan, EACH * 7 % 200 - 30), "distance": EACH * 13 % 2500 + 90, "day": days,
        "time_hour": [dt.datetime.combine(day, dt.time(n % 24)) for n, day in enumerate(days)], "air_time": EACH * 3 % 400 + 30,
    })  # fmt: skip
    first, last = dt.date(2013, 1, 1), dt.date(2013, 12, 31)
    hours = [dt.datetime.combine(day, dt.time()) for day in (first, last)]
    return dc.table(rows, name="flights", unit="row", neighbours="add_remove", budget=10**6, columns={
        "carrier": dc.category("AA", "B6", "DL", "UA"), "origin": dc.category("EWR", "JFK", "LGA"),
        "dep_delay": dc.number(-60, 600), "distance": dc.number(50, 5000), "day": dc.date(first, last),
        "air_time": dc.number(20, 700), "time_hour": dc.timestamp(*hours),
    })  # fmt: skip


@pytest.fixture(scope="module")
def sales():
    home = EACH * 31 % 150
    rows = pd.DataFrame({
        "household_id": home, "segment": np.array(["young", "family", "older"])[home % 3], "week": EACH % 53 + 1,
        "department": np.array(["GROCERY", "DRUG", "MEAT", "PRODUCE"])[EACH * 7 % 4], "sales_value": EACH * 37 % 5000 / 100,
        "quantity": EACH % 6 + 1,
    })  # fmt: skip
    unit = {"column": "household_id", "max_rows": 20}
    return dc.table(rows, name="sales", unit=unit, neighbours="add_remove", budget=10**6, columns={
        "segment": dc.category("young", "family", "older", per_unit=True), "week": dc.integer(1, 53),
        "quantity": dc.integer(0, 50), "sales_value": dc.number(0, 500),
        "department": dc.category("GROCERY", "DRUG", "MEAT", "PRODUCE"),
    })  # fmt: skip


@pytest.fixture(scope="module")
def census():
    rows = pd.DataFrame({
        "age": EACH * 11 % 80 + 17, "sex": np.array(["Male", "Female"])[EACH % 2], "education_num": EACH % 16 + 1,
        "workclass": np.array(["Private", "Public", "Self", None], object)[EACH % 4], "hours": EACH * 3 % 60 + 20,
        "income": np.array(["<=50K", ">50K"])[(EACH % 4 == 0) * 1], "capital_gain": np.where(EACH % 20 == 0, 5000, 0),
    })  # fmt: skip
    return dc.table(rows, name="census", unit="row", neighbours="add_remove", budget=10**6, columns={
        "age": dc.integer(17, 96), "sex": dc.category("Male", "Female"), "workclass": dc.category("Private", "Public", "Self"),
        "education_num": dc.integer(1, 16), "hours": dc.integer(1, 99), "income": dc.category("<=50K", ">50K"),
        "capital_gain": dc.number(0, 100_000),
    })  # fmt: skip


BLOCK = re.compile(r"^(\w+): (.+)(?:\n  hint: (.+)\n  instead: (.+))?$", flags=re.MULTILINE)
ASKED = BLOCK.findall((Path(__file__).resolve().parents[1] / "golden" / "thirty_questions.txt").read_text(encoding="utf-8"))


def test_there_are_thirty_of_them():
    assert len({sql for _, sql, *_ in ASKED}) == 30


@pytest.mark.slow
@pytest.mark.parametrize("name", ["flights", "sales", "census"])
def test_thirty_questions_are_answered_or_refused_with_a_hint_that_works(name, request):
    table = request.getfixturevalue(name)
    for sql, hint, instead in (rest for about, *rest in ASKED if about == name):
        if instead:
            with pytest.raises(dc.QuestionError) as refused:
                table.quote(sql, epsilon=1)
            assert hint in refused.value.hint, (sql, refused.value.hint)
        assert table.ask(instead or sql, epsilon=1).rows, instead or sql
