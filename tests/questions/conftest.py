"""The facts that these tests ask about: at least one column of every kind."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import pytest

from discreet.facts.model import Boolean, Budget, ByColumn, Category, Date, EachRow, Facts, Integer, Number, Text, Timestamp
from discreet.privacy.losses import Approximate, Pure


@pytest.fixture(scope="session")
def people() -> Facts:
    return Facts(
        name="people",
        source="people.csv",
        unit=EachRow(),
        neighbours="add_remove",
        budget=Budget(cap=Pure(epsilon=1)),
        columns=(
            Integer("Age", 0, 120),
            Integer("Children"),
            Number("Income", Fraction(0), Fraction(1_000_000)),
            Number("Debt"),
            Number("Gain", lower=Fraction(-5)),
            Number("Rate", Fraction(1, 10), Fraction(9, 10)),
            Category("Race", (1, 2, 3, 4, 5, 6)),
            Category("UrbanRural", (1, 2), ("Urban", "Rural")),
            Category("Sex", ("male", "female"), other=True),
            Boolean("Married"),
            Date("Born", date(1900, 1, 1), date(2020, 12, 31)),
            Date("Moved"),
            Timestamp("Seen", datetime.fromisoformat("2020-01-01"), datetime.fromisoformat("2020-12-31 23:59")),
            Text("Name"),
            Text("Group"),
            Text("Home Town"),
        ),
    )


@pytest.fixture(scope="session")
def keyed(people) -> Facts:
    """The same with a budget that pays for unknown keys."""
    return replace(people, budget=Budget(cap=Approximate(epsilon=1, delta="0.01")))


@pytest.fixture(scope="session")
def members(keyed) -> Facts:
    """The same with units of many rows."""
    return replace(keyed, unit=ByColumn("Name", max_rows=4))


@pytest.fixture(scope="session")
def gaps(members) -> Facts:
    """The same where rows without a key are a group, unless the column says otherwise."""
    rules = {"Race": {"null": 6}, "UrbanRural": {"drop": True}, "Born": {"null_label": "unknown"}}
    columns = tuple(replace(column, **rules.get(column.name, {})) for column in members.columns)
    return replace(members, columns=columns, null_keys=True)
