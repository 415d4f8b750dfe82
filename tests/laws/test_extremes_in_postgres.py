"""The law of extreme constants on PostgreSQL: accepted questions are answered whatever the rows are, as the reference answers."""

from functools import cache

import pytest
from tests.laws import test_extremes as law
from tests.laws.engines_of_laws import Compared, framed, in_postgres

from discreet.engines.reference import Reference

OF_EACH = 40


@cache
def in_server(unit, relation, table, stored="frame"):
    facts, rows = law.worlds.facts_for(unit, relation, table), law.worlds.rows_of(table)
    lookups = {join.name: law.worlds.BESIDE[join.name] for join in facts.joins}
    return Compared(in_postgres(facts, *framed(facts, rows, lookups)), Reference(facts, rows, lookups), table != "many")


@pytest.fixture(autouse=True)
def _on_postgres(monkeypatch):
    monkeypatch.setattr(law.worlds, "engine_for", in_server)


def test_extreme_constants_are_refused_or_answered_whatever_the_rows_are():
    answered = 0
    for number in range(OF_EACH):
        asked, tables = law.asked_on(f"postgres {number}")
        answered += law.holds(asked, [each for each in tables if each != "many"]) == "answered"
    assert answered >= 0.5 * OF_EACH


@pytest.mark.parametrize(("unit", "sql", "said"), law.CHOSEN)
def test_questions_that_once_failed_are_refused_or_answered(unit, sql, said):
    asked = law.extremes.Asked("chosen", unit, "add_remove", "", sql, {"epsilon": "0.001", **said})
    law.holds(asked, ("one", "bounds", "empty"))
