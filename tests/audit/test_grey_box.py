"""The grey box finds broken planners by neighbouring tables of its own, and finds nothing in ours."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import discreet as dc
from discreet.audit import question
from discreet.facts import parse_facts

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1
[columns.x]
type = "number"
lower = -5
upper = 10.5
null = 0
[columns.c]
type = "category"
values = [1, 2, 3]
[columns.name]
type = "text"
"""
ADD = parse_facts(FACTS.format(neighbours="add_remove", size=""), "t.toml")
CHANGE = parse_facts(FACTS.format(neighbours="change_one", size="rows = 5"), "t.toml")
OURS = "SELECT c, COUNT(*) AS n, AVG(x) AS m FROM t WHERE name <> 'Alice' GROUP BY c HAVING n > 0"
COUNT = dc.Laplace(epsilon=1, sensitivity=1)


def audited(release, facts=ADD, **words):
    with dc.testing.seeded(1):
        return question(facts, "SELECT COUNT(*) FROM t WHERE name = 'Alice'", release=release, **({"epsilon": 1} | words))


def names(rows):
    return [row.get("name") for row in rows]


@pytest.mark.slow
@pytest.mark.parametrize("facts", [ADD, CHANGE], ids=["add_remove", "change_one"])
@pytest.mark.parametrize("price", [{"epsilon": "0.5"}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-6"}], ids=str)
def test_nothing_is_found_in_our_own_questions(facts, price):
    with dc.testing.seeded(2):
        found = question(facts, OURS, **price, pairs=25)
    assert found.verdict == "no violation found"
    assert found.pairs == 25


def test_a_release_that_is_right_is_not_flagged():
    found = audited(lambda facts, rows: COUNT.release(names(rows).count("Alice")))
    assert found.verdict == "no violation found"


def test_a_sensitivity_that_is_too_small_is_found_and_the_counterexample_is_small():
    found = audited(lambda facts, rows: COUNT.release(2 * len(rows)))
    assert found.verdict == "violation"
    assert "moved by 2 steps, declared 1" in found.problems[0]
    assert sorted(map(len, found.pair.tables)) == [0, 1]
    assert all(not row for rows in found.pair.tables for row in rows)


def test_shrinking_keeps_what_the_violation_needs():
    found = audited(lambda facts, rows: COUNT.release(100 * names(rows).count("Alice")))
    tables = sorted(found.pair.tables, key=len)
    assert tables == [[], [{"name": "Alice"}]]
    assert "Alice" in repr(found)
    assert found.to_dict()["counterexample"]


def test_a_sensitivity_3_percent_too_small_is_found():
    gauss = dc.Gaussian(rho="0.5", sensitivity_squared="0.97", step=1)
    found = audited(lambda facts, rows: gauss.release(len(rows)), epsilon=None, rho="0.6")
    assert not found.found_violation  # on step 1 a sensitivity of 0.97 is one of 1, and that is what is paid for
    tight = dc.Laplace(epsilon=1, sensitivity=100)
    found = audited(lambda facts, rows: tight.release(103 * len(rows)))
    assert "moved by 103 steps, declared 100" in found.problems[0]


def test_two_releases_for_the_price_of_one_are_found():
    found = audited(lambda facts, rows: (COUNT.release(len(rows)), COUNT.release(len(rows))))
    assert found.problems == ("all calls together lose ε = 2, and ε = 1 was paid",)


def test_gaussian_noise_for_a_pure_price_is_found():
    gauss = dc.Gaussian(rho="0.01", sensitivity=1)
    assert "and more" in audited(lambda facts, rows: gauss.release(len(rows))).problems[0]


@pytest.mark.parametrize("price", [{"epsilon": None, "rho": "0.1"}, {"epsilon": "0.5", "delta": "1e-9"}], ids=str)
def test_gaussian_noise_that_costs_more_than_was_paid_is_found(price):
    gauss = dc.Gaussian(rho="0.11", sensitivity=1)
    assert "was paid" in audited(lambda facts, rows: gauss.release(len(rows)), **price).problems[0]


def test_a_call_that_depends_on_the_data_is_found():
    found = audited(lambda facts, rows: COUNT.release(1) if "Alice" in names(rows) else 0)
    assert "calls of mechanisms" in found.problems[0]


def test_noise_whose_scale_depends_on_the_data_is_found():
    found = audited(lambda facts, rows: dc.Laplace(scale=1 + len(rows), sensitivity=1).release(0))
    assert found.problems[0].startswith("call 1 is Laplace(scale=")


def test_a_vector_whose_length_depends_on_the_data_is_found():
    found = audited(lambda facts, rows: COUNT.release(np.zeros(1 + len(rows), np.int64)).size)
    assert "of shape" in found.problems[0]


def test_a_scale_without_a_sensitivity_is_found():
    bare = dc.Laplace(scale=10)
    assert "declares no sensitivity" in audited(lambda facts, rows: bare.release(len(rows))).problems[0]


@pytest.mark.parametrize(
    ("leak", "said"),
    [
        (len, "what leaves differs"),
        (lambda rows: 1 / 0 if "Alice" in names(rows) else 1, "what leaves differs"),
        (lambda rows: float("nan") if "Alice" in names(rows) else 1.0, "not finite leaves: nan"),
        (lambda rows: sorted({str(row.get("c")) for row in rows}), "what leaves differs"),
    ],
    ids=["size", "error", "NaN", "keys"],
)
def test_what_leaves_beside_the_noisy_numbers_is_found(leak, said):
    found = audited(lambda facts, rows: {"n": COUNT.release(len(rows)), "more": leak(rows)})
    assert said in found.problems[0]


def test_a_mean_divided_by_a_private_count_is_found():
    found = audited(lambda facts, rows: COUNT.release(len([row for row in rows if row.get("c") == 1])) / max(1, len(rows)))
    assert found.found_violation


CHOICES = [kind(epsilon=1, sensitivity=1) for kind in (dc.Exponential, dc.PermuteAndFlip, dc.NoisyMax)]


@pytest.mark.slow
@pytest.mark.parametrize("choice", CHOICES, ids=lambda each: type(each).__name__)
def test_choices_by_score_are_followed_too(choice):
    def scores(rows):
        return [sum(row.get("c") == value for row in rows) for value in (1, 2, 3)]

    assert not audited(lambda facts, rows: choice.select(scores(rows))).found_violation
    found = audited(lambda facts, rows: choice.select([score * Fraction(103, 100) for score in scores(rows)]))
    assert "moved by 1.03 in a score, declared 1" in found.problems[0]
    found = audited(lambda facts, rows: (choice.select(scores(rows)), choice.select(scores(rows))))
    assert found.problems == ("all calls together lose ε = 2, and ε = 1 was paid",)
    rho = {"epsilon": None, "rho": "1/8"}
    is_dear = isinstance(choice, dc.PermuteAndFlip)  # it costs half of epsilon squared, the others an eighth
    assert audited(lambda facts, rows: choice.select(scores(rows)), **rho).found_violation == is_dear


def test_weights_that_depend_on_the_data_are_found():
    choice = CHOICES[0]
    found = audited(lambda facts, rows: choice.select([0, 0], weights=[1, 1 + len(rows)]))
    assert "call 1 is given" in found.problems[0]


@pytest.mark.slow
def test_a_mixture_of_mechanisms_is_priced_by_what_each_of_them_costs():
    count, choice = dc.Laplace(epsilon="0.2", sensitivity=1), dc.Exponential(epsilon="0.4", sensitivity=1)
    gauss = dc.Gaussian(rho="0.01", sensitivity=1)

    def release(facts, rows):
        return count.release(len(rows)), choice.select([len(rows), 0]), gauss.release(len(rows))

    assert not audited(release, epsilon=None, rho="0.05").found_violation  # 0.02 + 0.02 + 0.01
    assert "ρ = 0.05, and ρ = 0.0485" in audited(release, epsilon=None, rho="0.0485").problems[0]
    assert not audited(release, epsilon=2, delta="1e-6").found_violation
    assert audited(release, epsilon=1, delta="1e-6").found_violation
    assert not audited(lambda facts, rows: count.release(len(rows)), epsilon="0.2", delta="1e-9").found_violation


def test_arrays_that_leave_are_compared():
    found = audited(lambda facts, rows: np.zeros(1 + len(rows)))
    assert "what leaves differs" in found.problems[0]


def test_a_release_that_always_fails_gives_no_verdict():
    with pytest.raises(dc.ParameterError, match="nothing was ever released"):
        audited(lambda facts, rows: 1 / 0)


def test_a_question_that_is_refused_is_refused_at_once():
    with pytest.raises(dc.QuestionError):
        question(ADD, "SELECT MEDIAN(nothing) FROM t", epsilon=1)
    with pytest.raises(dc.ParameterError, match="no price"):
        question(ADD, "SELECT COUNT(*) FROM t")


@pytest.mark.slow
def test_a_registered_table_is_audited_without_its_rows(tmp_path):
    (tmp_path / "t.toml").write_text(FACTS.format(neighbours="add_remove", size=""), encoding="utf-8")
    (tmp_path / "t.csv").write_text("x,c,name\n1,1,Canary\n", encoding="utf-8")
    dc.register(tmp_path / "t.toml")
    (tmp_path / "t.csv").unlink()
    before = sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file())
    found = question(tmp_path / "t.toml", "SELECT COUNT(*) FROM t", epsilon=1, pairs=3)
    assert found.verdict == "no violation found"
    assert sorted((path, path.stat().st_mtime_ns) for path in tmp_path.rglob("*") if path.is_file()) == before


@pytest.mark.parametrize("facts", [ADD, CHANGE], ids=["add_remove", "change_one"])
def test_made_up_tables_are_neighbours_and_hold_odd_values_and_the_constants_of_the_question(facts):
    from discreet.audit.tables import made_up_pairs as pairs

    seen = set()
    for pair in pairs(facts, "SELECT COUNT(*) FROM t WHERE name = 'Zoë' AND x > 3.25", 300):
        one, other = pair.tables
        assert abs(len(one) - len(other)) == (facts is ADD)
        assert facts is ADD or pair.facts.rows == len(one)
        seen |= {str(value) for row in [*one, *other] for value in row.values()}
    assert {"Zoë", "3.25", "2.25", "nan", "inf", "None", "10.5", "-5.0", "1e400"} <= seen


def test_a_table_of_people_with_several_rows_changes_by_one_person():
    from discreet.audit.tables import made_up_pairs as pairs
    from discreet.facts.model import ByColumn

    largest = 0
    for relation in ("add_remove", "change_one"):
        size = 1 if relation == "change_one" else None
        facts = replace(ADD, unit=ByColumn("name", max_rows=3), neighbours=relation, units=size)
        for pair in pairs(facts, "", 50):
            who = [{row["name"] for row in part} for part in (pair.one, pair.other)]
            assert sorted(map(len, who)) == ([0, 1] if relation == "add_remove" else [1, 1])
            others = {row["name"] for row in pair.shared}
            assert not (who[0] | who[1]) & others
            assert pair.facts.units in (None, 1 + len(others - {None}))
            largest = max(largest, len(pair.one))
    assert largest > 3  # also more than count
