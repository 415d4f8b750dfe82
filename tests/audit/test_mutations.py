"""Planners with one mistake each: a sensitivity halved, a charge left out, a cap that nobody applies. Each is found."""

import importlib
import pkgutil
from dataclasses import replace

import numpy as np
import pytest

import discreet as dc
from discreet import statistics
from discreet.audit import question
from discreet.facts import parse_facts
from discreet.mechanisms.keys import KeySelection
from discreet.planning import build
from discreet.statistics import rank_drafts
from discreet.statistics.keys import KeysDraft
from discreet.statistics.ranks import Ranks
from discreet.testing import seeded

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
[budget]
epsilon = 1
[columns.who]
type = "text"
[columns.age]
type = "integer"
lower = 0
upper = 120
[columns.rate]
type = "number"
lower = -1
upper = 3
[columns.c]
type = "category"
values = [1, 2]
[columns.town]
type = "text"
"""
RELATIONS = ["add_remove", "change_one"]
ROW, WHO = '"row"', '{ column = "who" }'
PRICE_OF_KEYS = {"epsilon": 1, "delta": "0.01", "neighbours": "add_remove"}
EPSILON, RHO, KEYS = {"epsilon": 1}, {"rho": "0.1"}, {"epsilon": 10, "delta": "0.01"}


def audited(sql, price, unit=ROW, neighbours="add_remove", pairs=100):
    with seeded(3):
        return question(parse_facts(FACTS.format(unit=unit, neighbours=neighbours), "t.toml"), sql, **price, pairs=pairs)


def mutated(monkeypatch, of, name, change):
    """``of.name`` with its result changed."""
    right = getattr(of, name)
    monkeypatch.setattr(of, name, lambda *words, **named: change(right(*words, **named)))


def is_found(found, *said):
    """A violation that is told in these words, on two small tables."""
    assert found.found_violation, found
    assert any(words in problem for problem in found.problems for words in said), found
    assert sum(map(len, found.pair.tables)) < 40, found
    return True


SUMS = [
    (ROW, "change_one", "SELECT c, COUNT(*) AS n FROM t GROUP BY c", EPSILON),
    (ROW, "add_remove", "SELECT SUM(age) AS s FROM t", EPSILON),
    (ROW, "add_remove", "SELECT c, AVG(age) AS m FROM t GROUP BY c", EPSILON),
    (ROW, "add_remove", "SELECT VAR_POP(age) AS v FROM t", RHO),
    (ROW, "change_one", "SELECT CORR(age, rate) AS r FROM t", EPSILON),
    (ROW, "change_one", "SELECT c, COUNT(DISTINCT town) AS n FROM t GROUP BY c", EPSILON),
    (ROW, "change_one", "SELECT age, RUNNING_COUNT(*) AS n FROM t GROUP BY age", EPSILON),
    (ROW, "change_one", "SELECT AT_BOUNDS(age) AS e FROM t", EPSILON),
    (WHO, "add_remove", "SELECT COUNT(*) AS n FROM t PER UNIT 4 ROWS", EPSILON),
    (WHO, "add_remove", "SELECT c, COUNT(*) AS n FROM t GROUP BY c PER UNIT 2 ROWS PER GROUP", EPSILON),
    (WHO, "add_remove", "SELECT c, COUNT_UNITS(*) AS n FROM t GROUP BY c PER UNIT 2 GROUPS", EPSILON),
    (WHO, "add_remove", "SELECT c, AVG(age) AS m FROM t GROUP BY c PER UNIT 2 ROWS", RHO),
    (WHO, "change_one", "SELECT c, SUM(age) AS s FROM t GROUP BY c PER UNIT 2 ROWS", EPSILON),
]


def halved(found):
    return replace(found, l1=found.l1 / 2, l2_squared=found.l2_squared / 4)


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "neighbours", "sql", "price"), SUMS)
def test_a_halved_sensitivity_of_sums_is_found(monkeypatch, unit, neighbours, sql, price):
    assert not audited(sql, price, unit, neighbours, pairs=3).found_violation
    names = [each.name for each in pkgutil.iter_modules(statistics.__path__)]
    for file in [importlib.import_module(f"discreet.statistics.{name}") for name in names]:
        if hasattr(file, "sensitivity_of"):
            mutated(monkeypatch, file, "sensitivity_of", halved)
    assert is_found(audited(sql, price, unit, neighbours), "steps")


RANKED = [
    (ROW, "SELECT MEDIAN(age) AS m FROM t"),
    (ROW, "SELECT c, MEDIAN(age) AS m FROM t GROUP BY c"),
    (ROW, "SELECT QUANTILE(rate, 0.1) AS a, QUANTILE(rate, 0.5) AS b, QUANTILE(rate, 0.7) AS c FROM t"),
    (ROW, "SELECT MAX(age) AS m, COUNT(*) AS n FROM t"),
    (WHO, "SELECT MEDIAN(age) AS m FROM t PER UNIT 3 ROWS"),
    (WHO, "SELECT c, QUANTILE(age, 0.1) AS m FROM t GROUP BY c PER UNIT 2 ROWS"),
]


@pytest.mark.slow
@pytest.mark.parametrize("turn", [0, 1])
@pytest.mark.parametrize("place", range(len(RANKED)))
def test_a_halved_sensitivity_of_choices_by_rank_is_found(monkeypatch, place, turn):
    """Each under both relations and at both kinds of price; which of them go together takes turns."""
    (unit, sql), neighbours, price = RANKED[place], RELATIONS[turn], [EPSILON, RHO][(place + turn) % 2]
    assert not audited(sql, price, unit, neighbours, pairs=3).found_violation
    mutated(monkeypatch, rank_drafts, "_moves", lambda found: found / 2)
    assert is_found(audited(sql, price, unit, neighbours), "rows, declared")


@pytest.mark.slow
def test_choices_in_groups_that_are_charged_once_where_a_row_can_move_are_found(monkeypatch):
    sql = "SELECT c, MEDIAN(age) AS m FROM t GROUP BY c"
    mutated(monkeypatch, Ranks, "event", lambda event: replace(event, epsilon=event.epsilon / 2))
    assert is_found(audited(sql, EPSILON, neighbours="change_one"), "all calls together lose ε = 1, and ε = 0.5 was paid")
    assert is_found(audited(sql, RHO, neighbours="change_one"), "was paid")


KEYED = [
    (ROW, "SELECT town, COUNT(*) AS n FROM t GROUP BY town"),
    (ROW, "SELECT town, AVG(age) AS m FROM t GROUP BY town"),
    (WHO, "SELECT town, COUNT_UNITS(*) AS n FROM t GROUP BY town PER UNIT 2 GROUPS"),
    (WHO, "SELECT town, COUNT(*) AS n FROM t GROUP BY town PER UNIT 2 GROUPS, 1 ROW PER GROUP"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "sql"), KEYED)
def test_keys_that_are_priced_as_if_nobody_could_change_theirs_are_found(monkeypatch, unit, sql):
    assert not audited(sql, KEYS, unit, "change_one", pairs=3).found_violation
    wrong = {"neighbours": "add_remove"}
    mutated(monkeypatch, KeysDraft, "planned", lambda keys: replace(keys, mechanism=priced_as(keys.mechanism, **wrong)))
    assert is_found(audited(sql, KEYS, unit, "change_one"), "units of keys, declared")


@pytest.mark.slow
@pytest.mark.parametrize(("unit", "sql"), KEYED[2:])
def test_keys_of_a_unit_that_are_priced_as_one_are_found(monkeypatch, unit, sql):
    mutated(monkeypatch, KeysDraft, "planned", lambda keys: replace(keys, mechanism=priced_as(keys.mechanism, groups=1)))
    assert is_found(audited(sql, KEYS, unit), "units of keys, declared 1")


def priced_as(of, **words):
    right = {name: getattr(of, name) for name in ("epsilon", "delta", "groups", "neighbours", "at_least")}
    return type(of)(**right | words)


@pytest.mark.slow
def test_a_unit_that_counts_twice_under_one_key_is_found(monkeypatch):
    from discreet.engines.reference import engine as reference

    mutated(monkeypatch, reference, "candidates", lambda found: replace(found, units=2 * found.units))
    assert is_found(audited(KEYED[0][1], KEYS), "units of keys, declared 1")
    assert is_found(audited(KEYED[2][1], KEYS, WHO), "units of keys, declared 2", "units of one key")


@pytest.mark.slow
def test_a_delta_that_is_not_charged_is_found(monkeypatch):
    from discreet.privacy.events import LaplaceRelease, Sequence

    sql = KEYED[1][1]
    def without(event):
        return Sequence(tuple(LaplaceRelease(part.epsilon) if hasattr(part, "delta") else part for part in event.parts))

    mutated(monkeypatch, build, "_event", without)
    assert is_found(audited(sql, KEYS), "which was paid")


@pytest.mark.slow
@pytest.mark.parametrize("sql", ["SELECT c, COUNT(*) AS n, AVG(age) AS m FROM t GROUP BY c PER UNIT 2 ROWS",
                                 "SELECT MEDIAN(age) AS m FROM t PER UNIT 2 ROWS",
                                 "SELECT c, COUNT(*) AS n FROM t GROUP BY c PER UNIT 1 GROUP, 2 ROWS PER GROUP"])  # fmt: skip
def test_a_cap_that_is_priced_and_not_applied_is_found(monkeypatch, sql):
    assert not audited(sql, EPSILON, WHO, pairs=3).found_violation
    mutated(monkeypatch, build, "bound_of", lambda bound: replace(bound, groups=None, rows=None, rows_per_group=None))
    assert is_found(audited(sql, EPSILON, WHO), "moved by")


def test_a_mechanism_that_no_tape_follows_gives_no_verdict():
    facts = parse_facts(FACTS.format(unit=ROW, neighbours="add_remove"), "t.toml")
    told, watch, keys = dc.RandomizedResponse(epsilon=1), dc.AboveThreshold(epsilon=1, threshold=3), KeySelection(**PRICE_OF_KEYS)
    releases = [lambda _, rows: told.release(len(rows) % 2), lambda _, rows: watch.release([len(rows)]),
                lambda _, rows: keys.select(np.array([len(rows)])).tolist()]  # fmt: skip
    for release in releases:
        with pytest.raises(dc.ParameterError, match="cannot be followed call by call"):
            question(facts, "", epsilon=1, pairs=3, release=release)
