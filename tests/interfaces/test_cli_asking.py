"""quote and ask: prices, wishes, where a question comes from and where an answer goes, and what an interruption says."""

import contextlib
import io
import json
import re
import signal
import subprocess
import sys

import pytest
from tests.interfaces.people import FACTS

from discreet.answers.answer import AnswerColumn
from discreet.answers.words import key_in_words
from discreet.errors import EngineFault

COUNT = "SELECT COUNT(*) AS n FROM people"
BY_SEX = "SELECT Sex, COUNT(*) AS n FROM people GROUP BY Sex"


def left(people):
    return json.loads(people("budget", "people.toml", "--json").out)["remaining"]["epsilon"]


# ---- quotes


def test_a_quote_has_its_shape_and_costs_nothing(people):
    both = "SELECT COUNT(*) AS n, AVG(Age) AS m FROM people"
    told = json.loads(people("quote", "people.toml", both, "-e", "0.5", "--json").out)
    assert told["cost"] == {"epsilon": "0.5"}
    assert {frozenset(share) for share in told["split"]} == {frozenset({"what", "epsilon"})}
    assert [column["name"] for column in told["columns"]] == ["n", "m"]
    assert all(set(column) >= {"name", "plus_minus", "basis"} for column in told["columns"])
    assert told["budget"]["remaining"] == {"epsilon": "2"}
    assert told["left_out"][0] == "Age outside 0 … 120 counts as the nearest bound"
    assert told["warnings"] == ["AT_BOUNDS(Age) asks for the share of values at the bounds or beyond"]
    assert left(people) == "2"


def test_a_single_quantile_shows_how_far_its_rank_may_be_off(people):
    shown = people("ask", "people.toml", "SELECT MEDIAN(Age) AS m FROM people", "--epsilon", "1").out
    assert re.search(r"m +\d+ +rank ± \d+ *$", shown, re.MULTILINE), shown
    assert "∞" not in shown
    assert "()" not in shown


def test_a_quote_on_a_page_shows_what_would_be_left(people):
    shown = people("quote", "people.toml", COUNT, "--epsilon", "1")
    assert (shown.code, shown.err) == (0, "")
    assert "costs      ε 1; 2 left before, 1 after" in shown.out
    assert f"{'█' * 10}{'▒' * 10} ε 2 of 2 left" in shown.out


def test_a_wish_becomes_a_price(people):
    one = json.loads(people("quote", "people.toml", COUNT, "--within", "10", "--json").out)
    by_name = json.loads(people("quote", "people.toml", COUNT, "--within", "n=10", "--json").out)
    assert one["cost"] == by_name["cost"]
    assert one["columns"][0]["plus_minus"] <= 10
    sure = json.loads(people("quote", "people.toml", COUNT, "--within", "10", "--confidence", "0.99", "--json").out)
    assert float(sure["cost"]["epsilon"]) > float(one["cost"]["epsilon"])


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ([], "has no price"),
        (["--delta", "1e-6"], "stands alone"),
        (["-e", "1", "--within", "3"], "a price or a wish"),
        (["--within", "n=3", "--within", "n=4"], "NAME=NUMBER"),
        (["--within", "3", "--within", "4"], "NAME=NUMBER"),
        (["--weight", "n", "-e", "1"], "NAME=NUMBER"),
        (["-e", "one"], "epsilon is 'one'"),
        (["-e", "0"], "not above 0"),
        (["-e", "1", "--confidence", "95"], "not between 0 and 1"),
        (["--rho", "1"], ""),
    ],
)
def test_a_price_that_means_nothing_is_refused_before_anything_else(people, words, says):
    for verb in ("quote", "ask"):
        shown = people(verb, "people.toml", COUNT, *words)
        assert (shown.code, shown.out) == (2, "")
        assert says in shown.err
        assert "hint:" in shown.err
    assert left(people) == "2"


# ---- how much of each unit is read


@pytest.fixture
def visits(discreet, folder):
    """A table of units with three rows each, registered."""
    text = FACTS.replace('"people"', '"visits"').replace("people.csv", "visits.csv")
    (folder / "visits.toml").write_text(text.replace('unit = "row"', 'unit = { column = "Who" }'), encoding="utf-8")
    rows = "".join(f"{place // 3},{20 + place % 50},{1 + place % 2},x\n" for place in range(90))
    (folder / "visits.csv").write_text(f"Who,Age,Sex,Note\n{rows}", encoding="utf-8")
    assert discreet("register", "visits.toml").code == 0
    return discreet


CAPS = [
    (["--max-rows", "2"], "PER UNIT 2 ROWS"),
    (["--max-rows-per-group", "3"], "PER UNIT 3 ROWS PER GROUP"),
    (["--max-rows", "5", "--max-groups", "1", "--max-rows-per-group", "4"], "PER UNIT 5 ROWS, 1 GROUPS, 4 ROWS PER GROUP"),
]


@pytest.mark.parametrize(("words", "clause"), CAPS)
def test_caps_on_the_command_line_are_those_of_the_clause(visits, words, clause):
    sql = "SELECT Sex, COUNT(*) AS n FROM visits GROUP BY Sex"
    shown = visits("quote", "visits.toml", sql, "-e", "1", *words)
    assert (shown.code, shown.err) == (0, "")
    assert clause in shown.out
    asked = json.loads(visits("ask", "visits.toml", sql, "-e", "1", *words, "--json").out)
    again = json.loads(visits("ask", "visits.toml", f"{sql} {clause}", "-e", "1", "--json").out)
    assert not asked["replayed"]
    assert again["replayed"]


def test_caps_that_cannot_be_or_are_missing_are_refused_with_what_to_write(visits, people):
    count = "SELECT COUNT(*) AS n FROM visits"
    for words, says in (([], "nothing limits"), (["--max-rows", "0"], "whole number from 1"), (["--max-rows", "-3"], "from 1")):
        shown = visits("ask", "visits.toml", count, "-e", "1", *words)
        assert (shown.code, shown.out) == (2, "")
        assert says in shown.err
        assert "hint:" in shown.err
    assert visits("ask", "visits.toml", count, "-e", "1", "--max-rows", "few").code == 2
    shown = people("ask", "people.toml", COUNT, "-e", "1", "--max-groups", "2")
    assert shown.code == 2
    assert "unit of its own" in shown.err


def test_intervals_of_values_are_bought_on_the_command_line(people):
    sql = "SELECT MEDIAN(Age) AS m FROM people"
    plain = json.loads(people("quote", "people.toml", sql, "-e", "1", "--json").out)
    bought = json.loads(people("quote", "people.toml", sql, "-e", "1", "--value-intervals", "--json").out)
    parts = [[each["what"] for each in quote["split"]] for quote in (plain, bought)]
    assert parts == [["MEDIAN(Age)"], ["MEDIAN(Age, INTERVAL)"]]
    told = json.loads(people("ask", "people.toml", sql, "-e", "1", "--value-intervals", "--json").out)
    assert told["intervals"][0]["m"]


# ---- answers


def test_an_answer_has_its_shape(people):
    told = json.loads(people("ask", "people.toml", BY_SEX, "-e", "0.5", "--json").out)
    assert {"id", "columns", "rows", "intervals", "confidence", "cost", "budget", "replayed", "warnings"} <= set(told)
    key = {"name": "Sex", "kind": "key", "labels": {"1": "female", "2": "male"}}
    assert told["columns"] == [key, {"name": "n", "kind": "count"}]
    assert [row["Sex"] for row in told["rows"]] == [1, 2, None]
    assert all(ends["n"][0] < row["n"] < ends["n"][1] for row, ends in zip(told["rows"], told["intervals"], strict=True))
    assert (told["confidence"], told["cost"], told["replayed"]) == (0.95, {"epsilon": "0.5"}, False)
    assert told["budget"]["cap"] == {"epsilon": "2"}
    assert told["budget"]["remaining"] == {"epsilon": "1.5"}


def test_an_answer_on_a_page_has_labels_intervals_and_the_bar(people):
    shown = people("ask", "people.toml", BY_SEX, "-e", "1", "--plot")
    assert (shown.code, shown.err) == (0, "")
    assert "1 female" in shown.out
    assert "± 3" in shown.out
    assert f"{'█' * 10}{'░' * 10} ε 1 of 2 left" in shown.out
    assert "n by Sex" in shown.out  # the chart
    assert max(map(len, shown.out.splitlines())) <= 100


def test_what_was_answered_is_free_and_says_so(people):
    first = json.loads(people("ask", "people.toml", COUNT, "-e", "1", "--json").out)
    again = json.loads(people("ask", "people.toml", "select count( * ) as n from PEOPLE", "-e", "0.5", "--json").out)
    assert (again["replayed"], again["rows"]) == (True, first["rows"])
    assert "replayed, free" in people("ask", "people.toml", COUNT, "-e", "1").out
    assert left(people) == "1"


def test_beyond_the_budget_is_3_and_spends_nothing(people):
    shown = people("ask", "people.toml", COUNT, "-e", "3")
    assert (shown.code, shown.out) == (3, "")
    assert "costs epsilon 3 and epsilon 2 is left" in shown.err
    told = json.loads(people("ask", "people.toml", COUNT, "-e", "3", "--json").err)
    assert told["error"] == "budget"
    assert left(people) == "2"


def test_a_wrong_question_is_pointed_at(people):
    shown = people("ask", "people.toml", "SELECT COUNT(*) AS n,\n  AVG(Agge) AS m FROM people", "-e", "1")
    assert shown.code == 2
    assert shown.err.splitlines() == [
        "error: column Agge is not declared", "    AVG(Agge) AS m FROM people", "        ^", "hint:  write Age",
    ]  # fmt: skip
    told = json.loads(people("ask", "people.toml", "SELECT AVG(Agge) AS m FROM people", "-e", "1", "--json").err)
    assert (told["error"], told["line"], told["column"]) == ("question", 1, 12)


def test_the_mark_stays_below_its_place_in_a_long_line(people):
    counts = ", ".join(f"COUNT(*) AS n{place}" for place in range(20))
    long = f"SELECT {counts}, AVG(Agge) AS m, COUNT(*) AS last FROM people"
    lines = people("ask", "people.toml", long, "-e", "1").err.splitlines()
    assert len(lines[1]) < 84
    assert lines[1][lines[2].index("^") :].startswith("Agge")


def test_an_analyst_is_recorded(people):
    assert people("ask", "people.toml", COUNT, "-e", "0.5", "--as", "alice").code == 0
    spent = {"epsilon": "0.5"}
    assert json.loads(people("budget", "people.toml", "--json").out)["analysts"]["alice"]["spent"] == spent
    assert "alice" in people("budget", "people.toml").out
    told = json.loads(people("budget", "people.toml", "--as", "alice", "--json").out)
    assert (told["analyst"]["name"], told["analyst"]["spent"], "analysts" in told) == ("alice", spent, False)
    other = json.loads(people("quote", "people.toml", COUNT, "-e", "0.5", "--as", "bob", "--json").out)
    assert (other["budget"]["analyst"]["name"], other["affordable"]) == ("bob", True)


def test_a_rehearsal_is_free_and_marked(people):
    told = json.loads(people("ask", "people.toml", COUNT, "-e", "1", "--rehearse", "--json").out)
    assert told["rehearsed"]
    shown = people("ask", "people.toml", COUNT, "-e", "1", "--rehearse")
    assert "rehearsal" in shown.out.splitlines()[0]
    assert left(people) == "2"
    assert people("ask", "people.toml", COUNT, "-e", "1", "--rehearse", "--receipt", "r.json").code == 2


def test_a_key_makes_two_requests_one(people):
    words = ("ask", "people.toml", COUNT, "-e", "0.5", "--key", "monday", "--json")
    assert json.loads(people(*words).out)["rows"] == json.loads(people(*words).out)["rows"]
    assert left(people) == "1.5"


def test_simultaneous_intervals_are_wider(people):
    def width(*words):
        told = json.loads(people("ask", "people.toml", BY_SEX, "-e", "0.1", "--json", *words).out)
        return told["intervals"][0]["n"][1] - told["intervals"][0]["n"][0]

    assert width("--simultaneous") > width()


# ---- where questions come from and answers go


def test_a_question_may_come_from_stdin_or_a_file(people, folder, monkeypatch):
    (folder / "q.sql").write_text(f"\ufeff-- how many\n{COUNT}\n", encoding="utf-8")
    assert people("quote", "people.toml", "--file", "q.sql", "-e", "1").code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(COUNT.encode()), encoding="utf-8"))
    assert people("quote", "people.toml", "-", "-e", "1").code == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"\xff\xff"), encoding="utf-8"))
    assert "not UTF-8" in people("quote", "people.toml", "-", "-e", "1").err
    assert "cannot be read" in people("quote", "people.toml", "--file", "none.sql", "-e", "1").err
    assert "two questions" in people("quote", "people.toml", COUNT, "--file", "q.sql", "-e", "1").err
    assert "no question" in people("quote", "people.toml", "-e", "1").err


def test_csv_has_ends_beside_every_number(people):
    lines = people("ask", "people.toml", BY_SEX, "-e", "1", "--csv").out.splitlines()
    assert lines[0] == "Sex,n,n_low,n_high"
    assert len(lines) == 4  # and one of those without a value


def test_what_an_answer_leaves_out_stands_beside_its_csv(people):
    question = "SELECT AVG(Age) AS m FROM people WHERE Sex = 1"
    told = json.loads(people("ask", "people.toml", question, "-e", "1", "--json").out)
    assert told["left_out"] or told["warnings"]
    said = people("ask", "people.toml", question, "-e", "1", "--csv")
    assert len(said.out.splitlines()) == 2
    for sentence in (*told["left_out"], *told["warnings"]):
        assert sentence in said.err
        assert sentence not in said.out


def test_a_number_that_is_hardly_ever_off_has_no_empty_brackets(people):
    assert people("budget", "raise", "people.toml", "--epsilon", "20", "--reason", "a try").code == 0
    out = people("ask", "people.toml", COUNT, "-e", "9").out
    assert "± < 1" in out
    assert "()" not in out


def test_a_key_with_blanks_at_an_end_shows_them(people):
    column = AnswerColumn("k", "key")
    assert [key_in_words(column, each) for each in ("I21.4", "I21.4 ", " ", None)] == ["I21.4", "'I21.4 '", "' '", "none"]


@pytest.mark.parametrize("name", ["a.csv", "a.json", "a.txt", "a.svg"])
def test_an_answer_is_saved_as_its_ending_says(people, folder, part, name):
    if name.endswith("svg"):
        part("vl_convert")
    assert people("ask", "people.toml", BY_SEX, "-e", "1", "--save", name).code == 0
    text = (folder / name).read_text(encoding="utf-8")
    assert {"a.csv": "Sex,n,n_low", "a.json": '"intervals"', "a.txt": "female", "a.svg": "<svg"}[name] in text


@pytest.mark.parametrize(
    "words", [["--save", "a.pdf"], ["--save", "nowhere/a.csv"], ["--receipt", "nowhere/r.json"], ["--csv", "--json"]]
)
def test_what_could_not_be_written_is_refused_before_the_charge(people, words):
    assert people("ask", "people.toml", COUNT, "-e", "1", *words).code == 2
    assert left(people) == "2"


def test_only_registered_tables_are_asked(discreet, folder):
    shown = discreet("ask", "people.toml", COUNT, "-e", "1")
    assert (shown.code, "discreet register" in shown.err) == (2, True)
    assert not (folder / ".discreet").exists()
    assert discreet("ask", "none.toml", COUNT, "-e", "1").code == 2
    assert discreet("ask", ".", COUNT, "-e", "1").code == 2
    assert "token" in discreet("ask", "https://example.org/people", COUNT, "-e", "1").err


# ---- interruptions


def test_ctrl_c_before_the_charge_says_that_nothing_was_charged(people, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.curator.desk.Desk.ready", interrupted)
    shown = people("ask", "people.toml", COUNT, "-e", "1")
    assert (shown.code, shown.out) == (130, "")
    assert "interrupted; nothing was charged" in shown.err
    assert left(people) == "2"


def test_ctrl_c_after_the_charge_says_that_it_stays(people, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("discreet.curator.desk.released_parts", interrupted)
    shown = people("ask", "people.toml", COUNT, "-e", "1")
    assert (shown.code, shown.out) == (130, "")
    assert "was charged, and the charge stays" in shown.err
    assert left(people) == "1"


@pytest.fixture
def ctrl_c():
    """The handler that Python starts with: under nohup, or behind `&` in a script, Ctrl-C is ignored and raises nothing."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield signal.default_int_handler
    signal.signal(signal.SIGINT, before)


def test_a_database_that_turns_ctrl_c_into_an_error_is_not_believed(people, monkeypatch, ctrl_c):
    def swallowed(*_):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        raise EngineFault("the source could not be read")

    monkeypatch.setattr("discreet.curator.desk.Desk.ready", swallowed)
    shown = people("ask", "people.toml", COUNT, "-e", "1")
    assert (shown.code, shown.err) == (130, "\ninterrupted; nothing was charged\n")
    assert signal.getsignal(signal.SIGINT) is ctrl_c


def test_a_fault_without_ctrl_c_is_a_fault(people, monkeypatch):
    def broken(*_):
        raise EngineFault("the source could not be read")

    monkeypatch.setattr("discreet.curator.desk.Desk.ready", broken)
    assert people("ask", "people.toml", COUNT, "-e", "1").code == 4


# ---- a process of its own


def test_a_person_s_way_from_file_to_answer_in_processes(folder, discreet):
    def process(*words):
        command = [sys.executable, "-m", "discreet.cli", *words]
        return subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120, check=False)

    assert discreet("check", "people.toml").code == 0
    assert process("register", "people.toml").returncode == 0
    asked = process("ask", "people.toml", COUNT, "--epsilon", "1.5")
    assert (asked.returncode, asked.stderr) == (0, "")
    assert "ε 0.5 of 2 left" in asked.stdout
    over = process("ask", "people.toml", BY_SEX, "--epsilon", "1")
    assert (over.returncode, over.stdout) == (3, "")
    (folder / "people.toml").write_text(FACTS.replace("epsilon = 2", "epsilon = 9"), encoding="utf-8")
    assert discreet("ask", "people.toml", BY_SEX, "--epsilon", "1").code == 3  # the cap lives in the ledger
    assert discreet("budget", "raise", "people.toml", "--epsilon", "9", "--reason", "a new survey").code == 0
    assert discreet("ask", "people.toml", BY_SEX, "--epsilon", "1").code == 0


# ---- bounds that nobody knows


def test_a_share_of_the_price_finds_bounds_in_quote_and_ask_and_a_replay_tells_them_again(folder, discreet):
    (folder / "people.toml").write_text(FACTS.replace("lower = 0\nupper = 120\n", ""), encoding="utf-8")
    assert discreet("register", "people.toml").code == 0
    mean = "SELECT AVG(Age) AS m FROM people"
    assert "--bounds-share" in discreet("ask", "people.toml", mean, "-e", "1").err
    quote = json.loads(discreet("quote", "people.toml", mean, "-e", "1", "--bounds-share", "0.25", "--json").out)
    assert quote["split"] == [{"what": "bounds of Age", "epsilon": "0.25"}, {"what": "AVG(Age)", "epsilon": "0.75"}]
    assert quote["columns"][0]["basis"] == "range"
    first = json.loads(discreet("ask", "people.toml", mean, "-e", "1", "--bounds-share", "0.25", "--json").out)
    assert first["left_out"][0].endswith("(bounds found) counts as the nearest bound")
    again = json.loads(discreet("ask", "people.toml", f"{mean} BOUNDS SHARE 1/4", "-e", "1", "--json").out)
    assert again["replayed"]
    assert all(again[each] == first[each] for each in ("rows", "left_out", "warnings"))
    assert left(discreet) == "1"
