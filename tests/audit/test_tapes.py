"""Tapes: what they write down and play, and that no registered table ever meets one (rule 32)."""

import ast
from pathlib import Path

import numpy as np
import pytest

import discreet as dc
from discreet.curator import curator_in_memory
from discreet.engines.reference.engine import Reference
from discreet.facts import parse_facts
from discreet.mechanisms.observing import observed, observer
from discreet.mechanisms.quantile import Quantile
from discreet.mechanisms.tally import Tally
from discreet.mechanisms.tape import among, played, recorded, taped
from discreet.noise.keystream import source
from discreet.testing import repeatable

SOURCE = Path(dc.__file__).parent
FACTS = """
[table]
name = "t"
source = "t.csv"
unit = "row"
neighbours = "add_remove"
[budget]
epsilon = 100
delta = 0.1
[columns.x]
type = "integer"
lower = 0
upper = 100
[columns.c]
type = "category"
values = [1, 2]
[columns.name]
type = "text"
"""
RELEASE = """
[release]
title = "T"
table = "t.toml"
[[question]]
name = "n"
sql = "SELECT COUNT(*) AS n FROM t"
epsilon = 0.1
"""
COUNT = dc.Laplace(epsilon=1, sensitivity=1)


# ---- what is taped is played


@pytest.mark.parametrize("values", [5, 2.5, np.array([1, 2, 3]), np.array([0.5, 1.5])], ids=str)
def test_a_tape_gives_the_second_table_what_the_first_released(values):
    with taped() as tape:
        first = COUNT.release(values)
    with played(tape) as calls:
        second = COUNT.release(values + 7)
        beyond = COUNT.release(10**9)
    assert np.array_equal(first, second)
    assert not np.array_equal(calls[0].exact, tape.calls[0].exact)
    assert abs(beyond - 10**9) < 1000  # past the end of the tape there is fresh noise


def test_what_is_taped_is_what_came_out_and_is_drawn_as_always():
    with taped() as tape:
        released = [COUNT.release(0) for _ in range(200)]
        large = COUNT.release_whole(np.array([2**80], dtype=object))
    assert tape.released[:200] == released
    assert len(set(released)) > 3
    assert tape.released[-1] == large
    assert abs(large[0] - 2**80) < 1000


def test_a_chosen_value_is_played_though_the_other_table_would_hardly_choose_it():
    median, places = Quantile(epsilon=200, sensitivity="1/2", q="1/2"), np.arange(50)
    low, high = (Tally(101, at, np.ones(50, np.int64)) for at in (places, places + 50))
    with taped() as tape:
        first = median.select(low)
    with played(tape) as calls:
        second = median.select(high)
    with played(tape):
        other = median.select(Tally(1001, places + 900, np.ones(50, np.int64)))  # another lattice: not alike
    assert first == second < 50
    assert other > 900
    assert len(tape.calls) == len(calls) == 1  # the draws inside a choice are part of it
    assert among(tape.calls[0]) == (0, 100)


def test_told_keys_are_played_though_the_other_table_lacks_them():
    facts = parse_facts(FACTS, "t.toml")

    def told(names):
        curator = curator_in_memory(facts, Reference(facts, [{"name": name, "x": 50} for name in names]))
        answer = curator.ask("SELECT name, AVG(x) AS m FROM t GROUP BY name", epsilon=50, delta="0.01")
        return [tuple(row.values()) for row in answer.rows]

    with taped() as tape:
        first = told(["a"] * 30 + ["b"] * 30)
    with played(tape):
        assert told(["c"] * 30) == first
    assert [name for name, _ in first] == ["a", "b"]


def test_another_call_than_on_the_tape_draws_for_itself():
    with taped() as tape:
        COUNT.release(10**9)
    with played(tape):
        assert abs(dc.Laplace(epsilon=2, sensitivity=1).release(0)) < 1000
    with played(tape):
        assert abs(COUNT.release(np.array([0]))[0]) < 1000


def test_what_is_changed_after_it_left_stays_as_it_was_on_the_tape():
    with taped() as tape:
        COUNT.release(np.zeros(3, np.int64))[:] = 77
    with played(tape):
        again = COUNT.release(np.zeros(3, np.int64))
    assert 77 not in again
    assert np.array_equal(again, tape.released[0])


def test_without_a_tape_the_hook_is_the_draw_itself():
    assert observer.get() is None
    assert observed(COUNT, 5, lambda: 7) == 7


def test_a_tape_ends_with_its_block_even_if_that_fails():
    for tape in (recorded, taped):
        with pytest.raises(ZeroDivisionError), tape():
            COUNT.release(1 / 0)
        assert observer.get() is None


# ---- a registered table


@pytest.fixture
def registered(tmp_path):
    (tmp_path / "t.toml").write_text(FACTS, encoding="utf-8")
    (tmp_path / "t.csv").write_text("x,c,name\n1,1,Canary\n", encoding="utf-8")
    (tmp_path / "release.toml").write_text(RELEASE, encoding="utf-8")
    dc.register(tmp_path / "t.toml")
    return tmp_path


def on(name):
    return {"recorded": recorded, "taped": taped, "played": lambda: played(_some_tape())}[name]()


def _some_tape():
    with taped() as tape:
        COUNT.release(1)
    return tape


QUESTIONS = ["SELECT COUNT(*) AS n FROM t", "SELECT c, MEDIAN(x) AS m FROM t GROUP BY c"]
ACTS = {
    "ask": lambda table, _: table.ask(QUESTIONS[0], epsilon="0.1"),
    "ask for a median": lambda table, _: table.ask(QUESTIONS[1], epsilon="0.1"),
    "ask for keys": lambda table, _: table.ask("SELECT name, COUNT(*) AS n FROM t GROUP BY name", epsilon=1, delta="0.01"),
    "ask_all": lambda table, _: table.ask_all(QUESTIONS, epsilon="0.1"),
    "recover": lambda table, _: table.recover(),
    "publish": lambda _, folder: dc.publish(folder / "release.toml", folder / "out"),
}


@pytest.mark.slow
@pytest.mark.parametrize("tape", ["recorded", "taped", "played"])
@pytest.mark.parametrize("act", ACTS)
def test_a_registered_table_refuses_every_question_while_a_tape_is_on(registered, act, tape):
    table = dc.open(registered / "t.toml")
    with on(tape) as written, pytest.raises(dc.AccessError, match="real noise only"):
        ACTS[act](table, registered)
    assert not getattr(written, "calls", written)
    assert table.budget.spent.epsilon == 0
    assert table.ask(QUESTIONS[0], epsilon="0.1").rows  # and is as before, once it is off


def test_a_tape_that_is_put_on_after_the_charge_gets_nothing(registered):
    late = taped()

    def progress(what, *_):
        nonlocal tape
        if what.startswith("asking"):
            tape = late.__enter__()

    tape = None
    try:
        with pytest.raises(dc.Fault):
            dc.publish(registered / "release.toml", registered / "out", progress=progress)
    finally:
        late.__exit__(None, None, None)
    assert tape.calls == []


def test_noise_that_repeats_itself_is_refused_likewise(registered):
    token = source.set(lambda: repeatable("x"))
    try:
        with pytest.raises(dc.AccessError, match="real noise only"):
            dc.open(registered / "t.toml").ask(QUESTIONS[0], epsilon="0.1")
    finally:
        source.reset(token)


# ---- who knows of tapes


def files_that(condition, word):
    """Files of which a node meets the condition, which none does without the word."""
    texts = {file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8") for file in SOURCE.rglob("*.py")}
    trees = {name: ast.parse(text) for name, text in texts.items() if word in text}
    return {name for name, tree in trees.items() if any(condition(node) for node in ast.walk(tree))}


def test_only_audits_and_testing_know_of_tapes():
    def imports(node):
        return (isinstance(node, ast.ImportFrom) and node.module == "discreet.mechanisms.tape") or (
            isinstance(node, ast.Import) and any(name.name.startswith("discreet.mechanisms.tape") for name in node.names)
        )

    knowing = files_that(imports, "tape")
    assert "audit/grey.py" in knowing
    assert {name.partition("/")[0] for name in knowing} == {"audit", "testing.py"}


def test_only_a_tape_sets_the_hook_and_nobody_but_the_curator_looks_at_it():
    def names(node):
        return isinstance(node, ast.ImportFrom) and any(name.name == "observer" for name in node.names)

    # the choices of many cells are drawn at once, and told one by one only where somebody listens
    assert files_that(names, "observer") == {"mechanisms/tape.py", "mechanisms/at_once.py", "curator/desk.py"}

    def sets(node):
        return isinstance(node, ast.Attribute) and node.attr == "set" and ast.unparse(node.value) == "observer"

    assert files_that(sets, "observer") == {"mechanisms/tape.py"}
