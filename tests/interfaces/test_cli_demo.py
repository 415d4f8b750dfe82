"""The demo: its sums come out to the last tenth, and what it shows is what happened."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from fractions import Fraction

import pytest

from discreet.cli.app import run
from discreet.curator import office, open_table

PRINTED = ["45", "50", "62028.67", "67036.76", "331", "336"]


def process(*words, **settings):
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    command = [sys.executable, "-m", "discreet.cli", "demo", *words]
    return subprocess.run(command, env=plain | settings, capture_output=True, encoding="utf-8", timeout=120, check=False)


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("demo") / "kept"


@pytest.fixture(scope="module")
def told(kept):
    """The story as JSON; its folder is kept."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert run(["demo", "--keep", str(kept), "--json"]) == 0
    return json.loads(out.getvalue())["steps"]


def step(told, name):
    return next(one for one in told if one["step"] == name)


def test_the_story_has_its_steps_in_order(told):
    assert [one["step"] for one in told] == [
        "registered", "E1", "E2", "what epsilon buys", "replayed", "refused", "E3", "E4", "E5", "E6", "derived", "refused",
        "verified", "chart",
    ]  # fmt: skip


def test_the_budgets_go_down_to_exactly_nothing(told):
    left = {name: [one["answer"]["budget"]["remaining"]["epsilon"] for one in step(told, name)["asked"]]
            for name in ("E1", "E2", "E3", "E4", "E5", "E6")}  # fmt: skip
    assert left == {
        "E1": ["2.1", "1.1"], "E2": ["1", "0"], "E3": ["1.3", "0.3"], "E4": ["0.2"], "E5": ["0.1", "0.1"], "E6": ["0"],
    }  # fmt: skip


def test_two_cells_in_parallel_cost_one_of_them(told):
    rural, urban = (one["answer"] for one in step(told, "E5")["asked"])
    assert rural["cost"] == urban["cost"] == {"epsilon": "0.1"}
    assert rural["budget"]["spent"] == urban["budget"]["spent"] == {"epsilon": "1.3"}


def test_four_statistics_share_one_price_as_the_page_says(told):
    (four,) = step(told, "E4")["asked"]
    assert four["quote"]["cost"] == {"epsilon": "0.1"}
    assert [share["epsilon"] for share in four["quote"]["split"]] == ["0.05", "0.05"]
    assert len(four["answer"]["rows"][0]) == 4


def test_what_the_texts_print_is_reprinted(told):
    printed = [one["printed_in_the_text"] for name in ("E1", "E2", "E3") for one in step(told, name)["asked"]]
    assert printed == PRINTED


def test_exact_answers_are_those_of_the_texts(told):
    assert step(told, "E1")["asked"][0]["exact"] == [{"n": 51}]
    assert step(told, "E2")["asked"][0]["exact"][0]["m"] == pytest.approx(67593.2163, abs=1e-4)
    assert step(told, "E3")["asked"][0]["exact"] == [{"n": 337}]
    assert [row["n"] for row in step(told, "E6")["asked"][0]["exact"]] == [4201, 553, 28, 239, 24, 88]


def test_answers_are_near_the_exact_ones_and_inside_their_intervals(told):
    for name, ratio in (("E1", 1), ("E3", 1), ("E6", 1)):
        for one in step(told, name)["asked"]:
            scale = ratio / Fraction(one["answer"]["cost"]["epsilon"])
            for row, ends, exact in zip(one["answer"]["rows"], one["answer"]["intervals"], one["exact"], strict=True):
                assert ends["n"][0] <= row["n"] <= ends["n"][1]
                assert abs(row["n"] - exact["n"]) < 60 * scale  # further away once in e^60


def test_the_ladder_says_what_epsilon_buys(told):
    by_epsilon = {rung["epsilon"]: rung for rung in step(told, "what epsilon buys")["plus_minus"]}
    assert by_epsilon["0.1"]["count"] == 30
    assert by_epsilon["0.1"]["mean"] == pytest.approx(30_138, rel=0.01)
    assert by_epsilon["1"]["mean"] == pytest.approx(3_014, rel=0.01)


def test_a_replay_is_free_and_repeats_the_answer(told):
    again = step(told, "replayed")["answer"]
    assert again["replayed"]
    assert again["rows"] == step(told, "E1")["asked"][1]["answer"]["rows"]


def test_the_last_questions_are_refused_at_zero(told):
    refusals = [one for one in told if one["step"] == "refused"]
    assert [one["table"] for one in refusals] == ["ce_book", "ce_slides"]
    for one in refusals:
        assert one["budget"]["remaining"] == {"epsilon": "0"}
        assert one["error"]["error"] == "budget"


def test_ledger_and_receipt_are_verified_and_stay_so(told, kept):
    verified = step(told, "verified")
    assert (verified["ledger"]["ok"], verified["receipt"]["ok"]) == (True, True)
    assert office.verify(kept).ok
    key = (kept / ".discreet" / "public.pem").read_bytes()
    receipt = json.loads((kept / "receipt.json").read_text(encoding="utf-8"))
    assert office.verify_receipt(receipt, key) == ()
    assert office.verify_receipt(receipt | {"question": "SELECT 1"}, key) != ()


def test_what_is_kept_is_spent_and_drawn(told, kept):
    files = {file.name for file in kept.iterdir()}
    assert files >= {"ce_book.toml", "ce_slides.toml", "receipt.json", step(told, "chart")["file"]}
    for name, cap in (("ce_book", "2.2"), ("ce_slides", "1.4")):
        state = open_table(kept / f"{name}.toml").budget.to_dict()
        assert (state["spent"], state["remaining"]) == ({"epsilon": cap}, {"epsilon": "0"})


def test_a_folder_in_use_is_left_alone(told, kept, capsys):
    assert run(["demo", "--keep", str(kept)]) == 2
    assert "not an empty folder" in capsys.readouterr().err


@pytest.mark.parametrize(("columns", "widest"), [("80", 80), ("300", 100)])
def test_the_page_has_every_figure_fits_and_is_not_filled_where_it_is_wide(columns, widest):
    shown = process(COLUMNS=columns)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert all(figure in shown.stdout for figure in PRINTED)
    words = ("± 30 000", "ε 0 of 2.2 left", "ε 0 of 1.4 left", "replayed, free", "consistent")
    assert all(word in shown.stdout for word in words)
    assert max(map(len, shown.stdout.splitlines())) <= widest
    assert "\x1b" not in shown.stdout  # not a terminal: no colour


def test_an_old_terminal_is_no_crash_and_no_color_is_respected_where_colour_is_forced():
    old = process(PYTHONIOENCODING="ascii", COLUMNS="80", FORCE_COLOR="1", NO_COLOR="1")
    assert (old.returncode, old.stderr) == (0, "")
    assert "####" in old.stdout
    assert "epsilon 0 of 2.2 left" in old.stdout
    assert "\x1b[36m" not in old.stdout
    letters = re.sub(r"\x1b\[[0-9;]*m", "", old.stdout)
    assert re.search(r"(?<![a-z])\?", letters.replace("rural?", "").replace("income?", "")) is None  # no letter was lost


def test_colour_is_there_where_it_is_forced(monkeypatch, capsys):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert run(["demo"]) == 0
    assert "\x1b[36m" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform == "win32", reason="missing part: signals that end a process and let it clear away")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_however_the_served_demo_is_ended_no_rows_are_left(tmp_path, name):
    pytest.importorskip("uvicorn", reason="missing part: the service extra")
    command = [sys.executable, "-m", "discreet.cli", "demo", "--serve", "--json"]
    env, number = os.environ | {"TMPDIR": str(tmp_path)}, getattr(signal, name)

    def heeded():                                     # under nohup, say, it would be born deaf to it
        signal.signal(number, signal.SIG_DFL if name != "SIGINT" else signal.default_int_handler)

    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          preexec_fn=heeded) as served:  # noqa: PLW1509 - no thread of ours runs meanwhile  # fmt: skip
        try:
            assert '"address"' in served.stdout.readline()
            assert list(tmp_path.glob("discreet-demo-*/*.csv"))
            served.send_signal(number)
            assert served.wait(timeout=60) == 128 + number
        finally:
            served.kill()
    assert list(tmp_path.glob("discreet-demo-*")) == []
