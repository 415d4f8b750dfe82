"""audit: a question or two programs, a verdict, and an exit code that says the same."""

import json
import sys

import pytest
from tests.interfaces.people import CANARY

QUESTION = "SELECT Sex, COUNT(*) AS n, AVG(Age) AS m FROM people GROUP BY Sex"
MODULE = """
import itertools
turns = itertools.count()
def one(): return next(turns) % 2
def other(): return 2
def many(n): return [1] * n
def few(n): return [2] * n
def needs_more(data): return 1
number = 3
"""


@pytest.fixture
def module(folder, monkeypatch):
    """A module of mechanisms in the folder, imported anew."""
    (folder / "mechanisms_to_audit.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield "mechanisms_to_audit"
    sys.modules.pop("mechanisms_to_audit", None)


def test_a_question_is_audited_without_opening_its_data(discreet, folder):
    (folder / "people.csv").unlink()
    told = discreet("audit", "people.toml", QUESTION, "--epsilon", "1", "--pairs", "8")
    assert (told.code, told.err) == (0, "")
    assert told.out == "no violation found in 8 made-up pairs of neighbouring tables\n"
    assert not (folder / ".discreet").exists()


def test_a_registered_table_is_audited_on_made_up_rows_and_nothing_is_charged(people):
    before = people("budget", "people.toml", "--json").out
    told = json.loads(people("audit", "people.toml", QUESTION, "--rho", "0.1", "--pairs", "5", "--json").out)
    assert (told["verdict"], told["pairs"], told["problems"]) == ("no violation found", 5, [])
    assert CANARY not in json.dumps(told)
    assert people("budget", "people.toml", "--json").out == before


def test_a_wrong_question_is_pointed_at(discreet):
    told = discreet("audit", "people.toml", "SELECT MEDIAN(Hat) FROM people", "--epsilon", "1")
    assert told.code == 2
    assert "^" in told.err


def test_programs_that_differ_end_with_exit_code_1_a_chart_and_json(discreet, folder):
    words = ("audit", "--command", f'"{sys.executable}" -c "print(1)"', "--against", f'"{sys.executable}" -c "print(2)"',
             "--epsilon", "1", "--samples", "25", "--alpha", "0.25")  # fmt: skip
    told = discreet(*words, "--plot", "--save", "audit.txt")
    assert told.code == 1
    assert told.out.startswith("violation: ε ≥ 1.")
    assert "! is the most that the claim allows there" in told.out
    assert "violation" in (folder / "audit.txt").read_text(encoding="utf-8")
    found = discreet(*words, "--json")
    assert found.code == 1
    assert json.loads(found.out)["verdict"] == "violation"


def test_functions_in_a_module_are_audited_one_by_one_and_in_batches(discreet, module):
    def audited(one, other, *words):
        return discreet("audit", "--python", f"{module}:{one}", "--against", f"{module}:{other}", "--samples", "99", *words)

    alone = audited("one", "other", "-e", "1")
    assert (alone.code, alone.err) == (1, "")
    batch = audited("many", "many", "--mu", "1", "--batch")
    assert batch.code == 0
    assert batch.out.startswith("no violation found; μ ≥ 0 (claimed μ = 1)")
    assert "ever varied" in batch.out
    assert audited("many", "few", "--rho", "0.1", "--batch").code == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--epsilon", "1"), "there is not one thing to audit"),
        (("people.toml", QUESTION, "--command", "x", "--epsilon", "1"), "there is not one thing to audit"),
        (("--command", "x", "--python", "y", "--against", "z", "-e", "1"), "there is not one thing to audit"),
        (("--command", "echo 1", "-e", "1"), "two programs are needed"),
        (("--against", "echo 1", "-e", "1"), "two programs are needed"),
        (("--command", "no-such-program-here", "--against", "no-such-program-here", "-e", "1"), "there is no program"),
        (("--python", "no_such_module:f", "--against", "no_such_module:f", "-e", "1"), "no_such_module:f is not there"),
        (("people.toml", QUESTION), "no price"),
        (("people.toml", QUESTION, "--mu", "1"), "price in epsilon or rho"),
        (("people.toml", "--epsilon", "1"), "there is no question"),
        (("no.toml", QUESTION, "--epsilon", "1"), "no.toml"),
    ],
)
def test_what_is_no_audit_is_refused_with_a_hint(discreet, words, said):
    told = discreet("audit", *words)
    assert told.code == 2
    assert said in told.err
    assert "hint:" in told.err


def test_functions_that_cannot_be_called_are_refused(discreet, module):
    for name, said in (("needs_more", "cannot be called"), ("number", "is not a function"), ("nothing", "is not there")):
        told = discreet("audit", "--python", f"{module}:{name}", "--against", f"{module}:{name}", "-e", "1")
        assert (told.code, said in told.err) == (2, True), told
