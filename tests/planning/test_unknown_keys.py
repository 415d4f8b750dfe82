"""Keys that no public list names: what leaves the engine, what is told how often, and what it costs."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from math import exp

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests.repeated import answers

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines import open_engine
from discreet.engines.reference.engine import Reference
from discreet.engines.wanted import KeysWanted
from discreet.facts import parse_facts
from discreet.facts.model import Budget, Source
from discreet.ledger.entries.codec import released_from as stored_from
from discreet.ledger.entries.codec import released_to as stored_to
from discreet.mechanisms import KeySelection, NoisyThreshold
from discreet.noise.probabilities import mass, tail
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.planning.unknown import opened
from discreet.questions.algebra import Aggregate
from discreet.questions.sql import read_sql
from discreet.statistics.keys import counts_told, keys_as_integers, keys_told, law_of, law_told
from discreet.testing import recorded
from discreet.views.estimates import estimate
from discreet.views.expected import expected_errors

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 1000
delta = 0.1
[columns.word]
type = "text"
max_length = 12
[columns.code]
type = "integer"
null = "drop"
[columns.x]
type = "number"
lower = 0
upper = 10
null = 0
[columns.sex]
type = "category"
null = "drop"
values = ["f", "m"]
"""
PRICE = {"epsilon": 1, "delta": "1e-6"}
COUNTED = "SELECT word, COUNT(*) AS n FROM t GROUP BY word"
MEAN = "SELECT word, AVG(x) AS m FROM t GROUP BY word"


def facts(neighbours="add_remove", unit='"row"', size=""):
    return parse_facts(FACTS.format(neighbours=neighbours, unit=unit, size=size), "t.toml")


def rows_of(**counts):
    return [{"word": word, "code": len(word), "x": 5.0, "sex": "f"} for word, n in counts.items() for _ in range(n)]


def planned(sql, about=None, **price):
    about = about or facts()
    return make_plan(read_sql(sql, about), about, read_price(**(price or PRICE)))


ODD = ["a", "a", "a", " a", " a", "a ", "a ", "A", "A", "ä", "ä", "a\u0308", "a\u0308", "", "", "?", "?", None, None, "long" * 9,
       "long" * 9, "longlonglong", "b", "%", "%", "it's", "it's", "🙂", "🙂",
       "a\t", "a\t", "a\u00a0", "a\u00a0", "a\u200b", "a\u200b", "K", "K", "\u212a", "\u212a", "ß", "ß", "ss", "ss", "SS", "SS",
       "ﬁ", "ﬁ", "fi", "fi", "i", "i", "İ", "İ", "ı", "ı"]  # fmt: skip


@pytest.mark.parametrize("of", ["word", "code"])
@pytest.mark.parametrize("at_least", [1, 2, 3])
def test_both_engines_find_the_same_candidates_and_keep_the_odd_ones_apart(of, at_least):
    rows = [{"word": word, "code": place % 5 - 2, "x": 1.0, "sex": "f"} for place, word in enumerate(ODD)]
    about = facts()
    wanted = KeysWanted(read_sql("SELECT COUNT(*) AS n FROM t WHERE x < 3", about).where,
                        read_sql(f"SELECT {of}, COUNT(*) AS n FROM t GROUP BY {of}", about).keys[0], at_least)  # fmt: skip
    engine = open_engine(about, pd.DataFrame(rows))
    one, other = engine.keys(wanted).take(), Reference(about, rows).keys(wanted).take()
    engine.close()
    assert one.values == other.values
    assert one.units.tolist() == other.units.tolist()
    assert list(one.values) == sorted(one.values)
    assert all(one.units >= at_least)
    if of == "word" and at_least == 1:
        counted = Counter(word[:12] for word in ODD if word not in (None, "", "?"))
        assert dict(zip(one.values, one.units.tolist(), strict=True)) == counted


def unit_rows():
    """Twelve people, each with rows under several words; one without a name."""
    people = [f"p{i}" for i in range(12)] + [None]
    return [{"who": who, "word": f"w{(i * 7 + j) % 9}", "code": i * j % 4, "x": 1.0, "sex": "f"}
            for i, who in enumerate(people) for j in range(1 + i % 6) for _ in range(1 + j)]  # fmt: skip


@pytest.mark.parametrize("groups", [1, 2, 20])
@pytest.mark.parametrize("of", ["word", "code"])
def test_units_with_many_keys_count_for_some_of_them_the_same_on_both_engines_in_any_order(groups, of):
    about = facts(unit='{ column = "who", max_rows = 50, max_groups = 3 }')
    rows = unit_rows()
    wanted = KeysWanted(None, read_sql(f"SELECT {of}, COUNT(*) AS n FROM t GROUP BY {of}", about).keys[0], 1, groups, 7)
    engines = [open_engine(about, pd.DataFrame(rows)), Reference(about, rows), Reference(about, rows[::-1])]
    found = [engine.keys(wanted).take() for engine in engines]
    engines[0].close()
    assert len({(each.values, tuple(each.units.tolist())) for each in found}) == 1
    assert found[0].units.sum() <= 12 * groups
    if groups == 20:
        assert found[0].units.sum() == len({(row["who"], row[of]) for row in rows if row["who"] is not None})


@pytest.mark.slow
@pytest.mark.parametrize(("of", "name"), [("word", lambda i: f"p{i}"), ("code", lambda i: i), ("x", lambda i: i / 8)])
def test_units_that_have_the_same_keys_keep_different_ones_so_that_each_key_stays_about_equally_often(of, name):
    about = facts(unit='{ column = "who", max_rows = 50, max_groups = 2 }')
    wanted = KeysWanted(None, read_sql(f"SELECT {of}, COUNT(*) AS n FROM t GROUP BY {of}", about).keys[0], 1, 2, 7)
    rows = [{"who": name(i), "word": "abcdef"[j], "code": j, "x": j / 10, "sex": "f"} for i in range(1000) for j in range(6)]
    engine = open_engine(about, pd.DataFrame(rows))
    one, other = engine.keys(wanted).take(), Reference(about, rows).keys(wanted).take()
    engine.close()
    assert (one.values, one.units.tolist()) == (other.values, other.units.tolist())
    assert one.units.sum() == 2000
    assert one.units.tolist() == pytest.approx([1000 / 3] * 6, abs=60)  # four times sqrt(1000 / 3 * 2 / 3)


def test_which_keys_a_unit_keeps_is_the_same_whoever_else_is_there():
    about = facts(unit='{ column = "who", max_groups = 2 }')
    rows = [{"who": f"p{i}", "word": f"w{j}", "code": j, "x": j / 3, "sex": "f"} for i in range(20) for j in range(7)]
    for of in ("word", "code", "x"):
        wanted = KeysWanted(None, read_sql(f"SELECT {of}, COUNT(*) AS n FROM t GROUP BY {of}", about).keys[0], 1, 2, 7)
        alone, kept = Counter(), set()
        for i in range(20):
            found = Reference(about, [row for row in rows if row["who"] == f"p{i}"]).keys(wanted).take().values
            alone.update(found)
            kept.add(found)
        together = Reference(about, rows).keys(wanted).take()
        assert dict(zip(together.values, together.units.tolist(), strict=True)) == alone
        assert len(kept) > 8


def test_what_is_said_of_how_many_units_a_key_needs_is_about_those_that_keep_it():
    capped = facts(unit='{ column = "who", max_groups = 2 }')
    (of_units,) = planned(COUNTED.replace("COUNT(*)", "COUNT(DISTINCT who)"), capped).vectors[0].notes()
    (of_rows,) = planned(COUNTED).vectors[0].notes()
    assert "a key that about 33 units keep (each keeps 2 at most) is released half the time" in of_units
    assert "a key with about 16 rows is released half the time" in of_rows


@pytest.mark.parametrize("sql", [COUNTED, MEAN])
@pytest.mark.parametrize(("relation", "size", "shares"), [("add_remove", "", 1), ("change_one", "rows = 100", 2)])
def test_the_chance_of_a_key_obeys_the_price_between_neighbouring_counts_and_one_row_is_never_told(sql, relation, size, shares):
    plan = planned(sql, facts(relation, size=size))
    mechanism = plan.vectors[0].mechanism
    assert isinstance(mechanism, NoisyThreshold if sql == COUNTED else KeySelection)
    part = Fraction(1) if sql == COUNTED else Fraction(1, 2)
    assert (mechanism.epsilon, mechanism.delta) == (part, Fraction(1, 10**6))
    assert mechanism.at_least > 1
    epsilon, delta = float(mechanism.epsilon) / shares, 1e-6 / shares
    chances = [float(mechanism.probability(n)) for n in range(200)]
    assert chances[1] == 0
    for fewer, more in pairwise(chances):
        assert more <= exp(epsilon) * fewer + delta * (1 + 1e-9)
        assert 1 - fewer <= (exp(epsilon) * (1 - more) + delta) * (1 + 1e-9)
    if sql == MEAN:  # the optimal curve spends all of its delta
        assert max(more - exp(epsilon) * fewer for fewer, more in pairwise(chances)) > 0.97 * delta
    assert chances[plan.vectors[0].readable] > 0.4
    assert chances[plan.vectors[0].readable // 4] < 0.01


@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
def test_neighbouring_tables_differ_by_one_unit_in_one_key_or_in_two_and_in_nothing_else(relation):
    one = rows_of(a=30, b=4, c=1)
    other = one[1:] if relation == "add_remove" else [*one[1:], {"word": "new", "x": 1.0, "sex": "m", "code": 3}]
    about = facts(relation, size="rows = 35" if relation == "change_one" else "")
    assert planned(MEAN, about) == planned(MEAN, about)
    wanted = KeysWanted(None, read_sql(MEAN, about).keys[0], 1)
    found = [Reference(about, rows).keys(wanted).take() for rows in (one, other)]
    counts = [Counter(dict(zip(each.values, each.units.tolist(), strict=True))) for each in found]
    moved = {key: abs(counts[0][key] - counts[1][key]) for key in {*counts[0], *counts[1]}}
    assert max(moved.values()) == 1
    assert sum(moved.values()) == (1 if relation == "add_remove" else 2)


@pytest.mark.slow
def test_keys_are_told_as_often_as_their_chance_says_and_sorted():
    rows = rows_of(often=400, half=26, few=3, once=1)
    curator = curator_in_memory(facts(), Reference(facts(), rows))
    told, runs = Counter(), 250
    for answer in answers(curator, "SELECT word, AVG(x) AS m FROM t GROUP BY word", runs, **PRICE):
        words = [row["word"] for row in answer.rows]
        assert words == sorted(words)
        told.update(words)
    mechanism = planned(MEAN).vectors[0].mechanism
    for word, n in (("often", 400), ("half", 26), ("few", 3), ("once", 1)):
        chance = float(mechanism.probability(n))
        assert abs(told[word] / runs - chance) <= 5 * (chance * (1 - chance) / runs) ** 0.5 + 1e-5
    assert 0.05 < told["half"] / runs < 0.95
    assert told["once"] == 0


@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
def test_statistics_are_about_the_keys_that_are_told(relation):
    rows = rows_of(cat=300, dog=500)
    for place, row in enumerate(rows):
        row |= {"x": 2.0 if row["word"] == "cat" else 8.0, "sex": "fm"[place % 2]}
    about = facts(relation, size="rows = 800" if relation == "change_one" else "")
    curator = curator_in_memory(about, Reference(about, rows))
    answer = curator.ask("SELECT word, sex, AVG(x) AS m, COUNT(*) AS n FROM t GROUP BY word, sex", epsilon=50, delta="1e-6")
    assert [(row["word"], row["sex"]) for row in answer.rows] == [("cat", "f"), ("cat", "m"), ("dog", "f"), ("dog", "m")]
    assert [row["m"] for row in answer.rows] == pytest.approx([2, 2, 8, 8], abs=0.2)
    assert [row["n"] for row in answer.rows] == pytest.approx([150, 150, 250, 250], abs=3)
    assert curator.budget.spent == dc.Approximate(epsilon=50, delta="1e-6")
    assert [what for what, _ in answer.split] == ["keys word", "AVG(x), COUNT(*)"]
    counts = curator.ask("SELECT code, COUNT(*) AS n FROM t GROUP BY code", epsilon=50, delta="1e-6")
    assert [(row["code"], abs(row["n"] - 800) < 3) for row in counts.rows] == [(3, True)]


@pytest.mark.slow
def test_noisy_counts_that_come_with_their_keys_are_within_their_intervals():
    rows = rows_of(a=40, b=60, c=90)
    curator = curator_in_memory(facts(), Reference(facts(), rows))
    held = total = 0
    for answer in answers(curator, "SELECT word, COUNT(*) AS n FROM t GROUP BY word", 200, confidence="0.9", **PRICE):
        for row, ends in zip(answer.rows, answer.intervals, strict=True):
            held += ends["n"][0] <= {"a": 40, "b": 60, "c": 90}[row["word"]] <= ends["n"][1]
            total += 1
    assert total > 590
    assert held >= (0.9 - 5 * (0.09 / total) ** 0.5) * total


def test_a_ledger_of_rho_charges_half_the_square_of_every_epsilon_and_the_delta():
    about = replace(facts(), budget=Budget(dc.Approximate(epsilon=3, delta="1e-5"), accounting="concentrated"))
    curator = curator_in_memory(about, Reference(about, rows_of(a=100)))
    curator.ask(MEAN, epsilon="0.2", delta="2e-6")
    assert curator.budget.spent == dc.Concentrated(rho=2 * Fraction(1, 10) ** 2 / 2)
    curator.ask(MEAN, anew=True, epsilon="0.2", delta="2e-6")
    with pytest.raises(dc.BudgetError):  # half of the delta is for keys: 5e-6 in all
        curator.ask(MEAN, anew=True, epsilon="0.2", delta="2e-6")


@pytest.mark.parametrize("price", [{"epsilon": 1}, {"rho": 1}])
def test_a_price_without_delta_tells_no_unknown_keys(price):
    for key, instead in (("word", "category"), ("code", "lower and upper"), ("x", "BIN(x, width)")):
        with pytest.raises(dc.QuestionError, match="requires a delta") as refused:
            planned(f"SELECT {key}, AVG(x) AS m FROM t GROUP BY {key}", **price)
        assert instead in refused.value.hint


def test_hints_about_keys_that_nobody_listed_lead_to_an_answer():
    from discreet.remedies import on_command_line, said

    rows = [{"who": place, "word": "a", "x": 1} for place in range(300)]
    sql = "SELECT word, COUNT(*) AS n FROM t GROUP BY word"
    for caps, is_capped in (({"max_rows": 100}, False), ({"max_rows": 2, "max_groups": 2}, True)):
        unit, budget = {"column": "who"} | caps, {"epsilon": 9, "delta": "1e-5"}
        with dc.table(rows, columns={"word": dc.text()}, unit=unit, neighbours="add_remove", budget=budget) as t:
            with pytest.raises(dc.QuestionError, match="requires a delta") as refused:
                t.ask(sql, epsilon=1)
            assert ("--delta 1e-6 and --max-groups 5" in said(refused.value.hint, on_command_line)) == (not is_capped)
            assert "--delta 1e-6" in said(refused.value.hint, on_command_line)
            lets = any("PER UNIT 5 GROUPS" in each for each in t.quote(sql, epsilon=1, delta="1e-6").warnings)
            assert lets == (not is_capped)
            assert len(t.ask(sql, epsilon=1, delta="1e-6", max_groups=1).rows) == 1
    unlimited = dc.table(rows, columns={"word": dc.text()}, unit={"column": "who"}, neighbours="add_remove",
                         budget={"epsilon": 9, "delta": "1e-5"})  # fmt: skip
    with unlimited as t, pytest.raises(dc.QuestionError, match="how many keys") as refused:
        t.quote("SELECT word, COUNT(DISTINCT who) AS n FROM t GROUP BY word", epsilon=1)
    assert said(refused.value.hint, on_command_line) == "write --max-groups 5 beside --epsilon 1 and --delta 1e-6"


def test_quotes_about_keys_that_nobody_listed_are_for_groups_of_several_sizes():
    about = replace(facts(), rows_about=336_000)
    quote = curator_in_memory(about, Reference(about, [])).quote(MEAN, **PRICE)
    assert [(each.basis, each.rows) for each in quote.columns if each.name == "m"] == [("table", n) for n in (100, 1000, 10_000)]
    assert "for 100 / 1 000 / 10 000 rows in a group" in repr(quote)
    told = curator_in_memory(about, Reference(about, [])).quote(MEAN, **PRICE, assuming=50)
    assert [(each.basis, each.rows) for each in told.columns] == [("assuming", 50)]


@pytest.mark.parametrize("cap", [dc.Pure(epsilon=3), dc.Concentrated(rho=3)])
def test_a_budget_without_delta_cannot_pay_for_them(cap):
    about = replace(facts(), budget=Budget(cap, accounting="basic" if isinstance(cap, dc.Pure) else "concentrated"))
    curator = curator_in_memory(about, Reference(about, rows_of(a=100)))
    with pytest.raises(dc.QuestionError, match="not public"):
        curator.ask(MEAN, **PRICE)


REFUSED = [
    "SELECT word, code, COUNT(*) AS n FROM t GROUP BY word, code",
    "SELECT word, MEDIAN(x) AS n FROM t GROUP BY word",
    "SELECT word, COUNT(*) AS n FROM t GROUP BY word HAVING word = 'a'",
    "SELECT code, RUNNING_COUNT(*) AS n FROM t GROUP BY code",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_not_answered_about_unknown_keys_is_refused_before_anything_is_read(sql):
    with pytest.raises(dc.QuestionError):
        planned(sql)


def test_an_answer_may_have_no_keys_at_all():
    curator = curator_in_memory(facts(), Reference(facts(), []))
    related = "SELECT word, sex, CORR(x, x * x) AS r FROM t GROUP BY word, sex"
    for sql in (COUNTED, MEAN, related, MEAN + " ORDER BY m DESC LIMIT 2"):
        assert curator.ask(sql, **PRICE).rows == ()


def test_nothing_is_charged_for_what_is_about_keys_of_which_none_was_chosen():
    curator = curator_in_memory(facts(), Reference(facts(), []))
    assert curator.ask(MEAN, **PRICE).rows == ()
    spent = curator.budget.spent
    for sql in ("SELECT word, AVG(x) AS m, STDDEV(x) AS s FROM t GROUP BY word ORDER BY s",
                "SELECT word, sex, SUM(x) AS s FROM t GROUP BY word, sex"):  # fmt: skip
        quote, again = curator.quote(sql, **PRICE), curator.ask(sql, **PRICE)
        assert (again.rows, again.replayed, quote.replay) == ((), True, True)
        assert any("no key was released" in each for each in quote.warnings)
        assert curator.budget.spent == spent
    assert curator.ask(MEAN, **PRICE, anew=True).rows == ()
    assert curator.budget.spent != spent


def test_keys_that_were_chosen_go_before_a_choice_of_none():
    curator = curator_in_memory(facts(), Reference(facts(), rows_of(a=100)))
    first = curator.ask(MEAN, epsilon="0.001", delta="1e-9")
    second = curator.ask(MEAN, **PRICE)
    assert (first.rows, [row["word"] for row in second.rows]) == ((), ["a"])
    other = curator.ask("SELECT word, AVG(x) AS m, STDDEV(x) AS s FROM t GROUP BY word", epsilon="0.001", delta="1e-9")
    assert [row["word"] for row in other.rows] == ["a"]
    assert not other.replayed


def test_chosen_keys_survive_the_ledger_and_a_replay_has_them():
    keys = ["", "a", "it's", "🙂 x", "\x00"]
    told = keys_as_integers(keys, [5, 6, 7, 8, 2**70])
    (again,) = stored_from(stored_to((told,)))
    plan = planned(COUNTED)
    assert opened(plan, (again,)).axes[0].values == tuple(keys)
    assert counts_told(again).tolist() == [5, 6, 7, 8, float(2**70)]
    numbers = keys_as_integers([-1.5, 0.1, 1e300, 7.0])
    by_code = planned("SELECT code, AVG(x) AS m FROM t GROUP BY code")
    assert opened(by_code, (numbers,)).axes[0].values == (-1.5, 0.1, int(1e300), 7)
    curator = curator_in_memory(facts(), Reference(facts(), rows_of(a=100, b=200)))
    one, other = curator.ask(MEAN, **PRICE), curator.ask(MEAN, **PRICE)
    assert other.replayed
    assert one.rows == other.rows


def stored(folder, about, *selects):
    """An engine over a DuckDB file that holds these rows."""
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"CREATE TABLE rows AS {' UNION ALL '.join(selects)}")
    return open_engine(about, Source("duckdb", str(folder / "t.duckdb"), "rows"))


LOUD = "SELECT 'loud' AS who, 'mine' AS word, 1 AS code, 1.0 AS x, 'f' AS sex FROM range(1000000)"
OTHERS = "SELECT 'p' || i AS who, 'ours' AS word, 2 AS code, 1.0 AS x, 'f' AS sex FROM range(200) AS t(i)"
BY_WORD = "AS n FROM t GROUP BY word"


@pytest.mark.slow
@pytest.mark.parametrize("relation", ["add_remove", "change_one"])
@pytest.mark.parametrize("counted", ["COUNT(*)", "COUNT(DISTINCT who)"])
@pytest.mark.parametrize("epsilon", [1, 20])
def test_one_person_with_very_many_rows_under_a_key_of_their_own_does_not_surface_it(tmp_path, relation, counted, epsilon):
    size = "units = 201" if relation == "change_one" else ""
    about = facts(relation, unit='{ column = "who", max_rows = 3, max_groups = 2 }', size=size)
    engine = stored(tmp_path, about, LOUD, OTHERS)
    curator = curator_in_memory(about, engine)
    with recorded() as calls:
        answer = curator.ask(f"SELECT word, {counted} {BY_WORD}", epsilon=epsilon, delta="1e-6")
    mechanism, seen = calls[0].mechanism, calls[0].exact
    assert mechanism == planned(f"SELECT word, {counted} {BY_WORD}", about, epsilon=epsilon, delta="1e-6").vectors[0].mechanism
    units = dict(zip(seen.values, seen.units.tolist(), strict=True))
    assert units == {"ours": 200} | ({"mine": 1} if mechanism.at_least == 1 else {})  # a million rows, and one unit
    shares = 2 if relation == "change_one" else 1
    assert 1 - (1 - mechanism.key_delta * shares) ** mechanism.groups <= mechanism.delta == Fraction(1, 10**6)
    if isinstance(mechanism, KeySelection):
        assert mechanism.probability(1, exact=True) <= mechanism.key_delta
    else:
        assert mechanism.probability(1) <= float(mechanism.key_delta) * (1 + 1e-9)
    assert mechanism.at_least > 1 or mechanism.probability(1) > 0  # both kinds were met: never told, and hardly ever
    assert {row["word"] for row in answer.rows} <= {"ours"}
    if epsilon == 20:
        assert [row["n"] for row in answer.rows] == pytest.approx([200], abs=40)
    engine.close()


def test_keys_are_counted_by_units_as_they_are_spelt_and_rows_without_one_do_not_count():
    about = facts(unit='{ column = "who", max_groups = 2 }')
    people = ["Ann", "ann", "ANN", "ann ", " ann", None, "", "?", float("nan"), 7, "7", 7.0, "07"]
    rows = [{"who": who, "word": "w", "code": 1, "x": 1.0, "sex": "f"} for who in people * 3]
    wanted = KeysWanted(None, read_sql(COUNTED, about).keys[0], 1, 2, 7)
    for engine in (open_engine(about, pd.DataFrame(rows, dtype=object)), Reference(about, rows)):
        assert engine.keys(wanted).take().units.tolist() == [7]  # five spellings of ann, 7 and 07


def test_a_table_of_one_unit_has_as_many_keys_as_a_unit_may_have_each_of_one_unit():
    about = facts(unit='{ column = "who", max_groups = 2 }')
    rows = [{"who": "only", "word": f"w{i % 50}", "code": i, "x": 1.0, "sex": "f"} for i in range(500)]
    wanted = KeysWanted(None, read_sql(COUNTED, about).keys[0], 1, 2, 7)
    for engine in (open_engine(about, pd.DataFrame(rows)), Reference(about, rows)):
        assert engine.keys(wanted).take().units.tolist() == [1, 1]


def test_units_that_nothing_limits_tell_no_keys():
    about = facts(unit='{ column = "who" }')
    with pytest.raises(dc.QuestionError):
        planned("SELECT word, COUNT(DISTINCT who) AS n FROM t GROUP BY word", about)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['"row"', '{ column = "who", max_rows = 3, max_groups = 1 }'])
def test_ten_million_keys_of_one_unit_each_do_not_leave_the_engine(tmp_path, unit):
    about = facts(unit=unit)
    each = "SELECT i AS who, NULL AS word, 1000000 + i AS code, 1.0 AS x, 'f' AS sex FROM range(10000000) AS t(i)"
    common = "SELECT -1 - i AS who, NULL AS word, i % 5 AS code, 1.0 AS x, 'f' AS sex FROM range(1000) AS t(i)"
    engine = stored(tmp_path, about, each, common)
    with recorded() as calls:
        answer = curator_in_memory(about, engine).ask("SELECT code, AVG(x) AS m FROM t GROUP BY code", **PRICE)
    seen = calls[0].exact
    assert dict(zip(seen.values, seen.units.tolist(), strict=True)) == {float(code): 200 for code in range(5)}
    assert [row["code"] for row in answer.rows] == [0, 1, 2, 3, 4]
    engine.close()


@pytest.mark.slow
def test_a_million_candidates_are_no_reason_to_refuse():
    code = np.concatenate([np.repeat(np.arange(3000), 100), np.arange(10**6) + 10**6])
    frame = pd.DataFrame({"code": code, "x": np.ones(code.size), "word": pd.Series(["w"] * code.size), "sex": "f"})
    curator = curator_in_memory(facts(), open_engine(facts(), frame))
    answer = curator.ask("SELECT code, COUNT(*) AS n FROM t GROUP BY code", **PRICE)
    assert [row["code"] for row in answer.rows] == list(range(3000))
    every = KeysWanted(None, read_sql("SELECT code, COUNT(*) AS n FROM t GROUP BY code", facts()).keys[0], 1)
    found = open_engine(facts(), frame).keys(every).take()
    assert len(found.values) == 1_003_000
    places = KeySelection(epsilon=1, delta="1e-6", neighbours="add_remove").select(found.units)
    assert 3000 <= places.size <= 3010


def shown_at(plan, counts, alpha=0.05):
    """The ends of the intervals of told counts."""
    law = law_of(plan.vectors[0].mechanism)
    released = (keys_as_integers([f"w{number}" for number in counts], list(counts), law),)
    shown = estimate(opened(plan, released), Aggregate("count_rows"), released, alpha)
    return shown.low.astype(int), shown.high.astype(int)


def coverages(mechanism, counts, ends, units):
    """How often intervals hold, given that a count is told: by the exact law, from below and from above."""
    told = tail(mechanism.law, mechanism.threshold - units)
    held = [mass(mechanism.law, y - units) for y, low, high in zip(counts, *ends, strict=True) if low <= units <= high]
    beyond = tail(mechanism.law, counts[-1] + 1 - units)[1]
    return sum(each[0] for each in held) / told[1], (sum(each[1] for each in held) + beyond) / told[0]


@pytest.mark.parametrize("epsilon", ["0.2", "1", "0.05"])
def test_told_counts_have_intervals_that_hold_given_that_they_are_told_and_none_that_are_wider_than_that_takes(epsilon):
    plan = planned(COUNTED, epsilon=epsilon, delta="1e-6")
    mechanism = plan.vectors[0].mechanism
    t, scale = mechanism.threshold, 1 / float(mechanism.key_epsilon)
    counts = range(t, t + int(30 * scale))
    sizes = [mechanism.at_least, 10, 12, 14, 20, 40, *(t + int(k * scale) for k in (-2, 0, 1, 2, 3, 5))]
    sizes = [n for n in sizes if n >= mechanism.at_least] + (list(range(t - 5, t + 12)) if epsilon == "1" else [])
    low, high = shown_at(plan, counts)
    for beside in (counts - low, high - counts):
        assert (beside >= 0).all()
    for rises in (np.diff(low), np.diff(high)):
        assert (rises >= 0).all()
    assert min(coverages(mechanism, counts, (low, high), n)[0] for n in sizes) >= Fraction(95, 100)
    above = [t + 1 if each <= t else each + 1 for each in low]  # all that is at most t has the same law
    assert min(coverages(mechanism, counts, (above, high), n)[1] for n in sizes) < Fraction(95, 100)
    assert min(coverages(mechanism, counts, (low, high - 1), n)[1] for n in sizes) < Fraction(95, 100)
    if epsilon == "1":
        assert f"{float(coverages(mechanism, counts, (low, high), 12)[0]):.4f}" == "0.9502"
        assert [(y, low[y - t], high[y - t]) for y in (16, 19, 40)] == [(16, 2, 18), (19, 17, 22), (40, 37, 43)]


def test_the_law_of_told_counts_is_stored_with_them_and_old_draws_are_read_by_that_of_the_plan():
    plan, other = planned(COUNTED), planned(COUNTED, epsilon="0.5", delta="1e-6")
    law = law_of(plan.vectors[0].mechanism)
    stored = stored_from(stored_to((keys_as_integers(["a"], [30], law),)))
    assert law_told(stored[0]) == law
    assert keys_told(stored[0]) == ("a",)
    ends = []
    for by, released in ((plan, stored), (other, stored), (plan, (keys_as_integers(["a"], [30]),))):
        shown = estimate(opened(by, released), Aggregate("count_rows"), released, 0.05)
        ends.append((shown.low[0], shown.high[0]))
    assert ends == [(27, 33)] * 3


def test_the_quote_of_told_counts_is_the_plus_minus_of_one_far_above_the_threshold():
    for assuming in (5, 16, 1000):
        (expected,) = expected_errors(planned(COUNTED), 0.95, assuming)
        assert expected.plus_minus == 3
