"""The command line: what it prints, what it writes, and how it ends."""

import json
import os
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from discreet import errors
from discreet.cli import app as cli
from discreet.cli.story import tell

PRINTED = [45, 50, 62028.67, 67036.76, 331, 336]


def discreet(*words, **settings):
    """Run the command as a process of its own."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    command = [sys.executable, "-m", "discreet.cli", *words]
    return subprocess.run(command, env=plain | settings, capture_output=True, encoding="utf-8", timeout=120, check=False)


@pytest.fixture(scope="module")
def story():
    return tell()


@pytest.fixture
def command():
    """Add a command that raises the given error; taken away again afterwards."""
    before = list(cli.app.registered_commands)

    def raising(error):
        @cli.app.command("raise")
        def fail(as_json: cli.Json = False) -> None:
            raise error

    yield raising
    cli.app.registered_commands[:] = before


def test_the_demo_reprints_what_the_texts_print(story):
    assert [round(release.answer, 2) for release in story.printed] == PRINTED
    assert all(type(release.answer) is int for release in story.printed if release.question == "rural units")


def test_the_demo_answers_with_intervals_around_each_answer(story):
    assert len(story.exact) == 6
    for answer in story.exact:
        release = answer.release
        assert answer.low < release.answer < answer.high
        assert abs(release.answer - release.truth) < 60 * release.scale  # further away once in e^60


def test_the_demo_says_what_epsilon_buys(story):
    by_epsilon = {rung.epsilon: rung for rung in story.worth}
    assert by_epsilon["0.1"].mean_plus_minus == pytest.approx(30_138, rel=1e-3)
    assert by_epsilon["1"].mean_plus_minus == pytest.approx(3_014, rel=1e-3)
    assert by_epsilon["0.1"].count_plus_minus == 30


def test_the_malicious_question_is_answered_and_useless(story):
    assert story.singled.answer.release.truth == 1
    assert story.singled.answer.high - story.singled.answer.low == 60
    assert story.singled.belief == pytest.approx(0.52498, abs=1e-5)


def test_the_auction_has_its_revenues_and_probabilities(story):
    assert [(price.price, price.revenue) for price in story.auction.prices] == [(100, 300), (101, 101), (301, 301), (302, 0)]
    for chances in zip(*(price.probabilities for price in story.auction.prices), strict=True):
        assert sum(chances) == pytest.approx(1)
    assert set(story.auction.chosen) <= {100, 101, 301, 302}


@pytest.mark.parametrize("columns", ["80", "100"])
def test_the_demo_prints_every_figure_and_fits_the_page(columns):
    shown = discreet("demo", COLUMNS=columns)
    assert (shown.returncode, shown.stderr) == (0, "")
    assert all(str(figure) in shown.stdout for figure in PRINTED)
    assert all(word in shown.stdout for word in ("Karrie Trusslove", "95 % interval", "3.02", "52.5 %", "█"))
    assert max(map(len, shown.stdout.splitlines())) <= int(columns)
    assert "\x1b" not in shown.stdout  # not a terminal: no colour


def test_a_wide_page_is_not_filled_and_an_old_terminal_is_no_crash():
    assert max(map(len, discreet("demo", COLUMNS="300").stdout.splitlines())) <= 100
    old = discreet("demo", PYTHONIOENCODING="ascii")
    assert (old.returncode, old.stderr) == (0, "")
    assert "####" in old.stdout


def test_no_color_is_respected_where_colour_is_forced():
    assert "\x1b[36m" in discreet("demo", FORCE_COLOR="1").stdout
    assert "\x1b[36m" not in discreet("demo", FORCE_COLOR="1", NO_COLOR="1").stdout


def test_the_demo_as_json_is_one_object_with_epsilons_as_text():
    shown = discreet("demo", "--json")
    assert (shown.returncode, shown.stderr) == (0, "")
    told = json.loads(shown.stdout)
    assert set(told) == {"printed", "exact", "worth", "singled", "auction"}
    assert [round(release["answer"], 2) for release in told["printed"]] == PRINTED
    assert {release["epsilon"] for release in told["printed"]} == {"0.1", "1"}


def test_two_demos_draw_different_noise():
    first, second = tell(), tell()
    assert first.printed == second.printed
    assert first.exact != second.exact


def test_a_sample_is_written_where_asked(tmp_path):
    shown = CliRunner().invoke(cli.app, ["sample", "ce_book", "--out", str(tmp_path / "new")])
    assert shown.exit_code == 0
    assert "made up" in shown.stdout
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["ce_book.csv", "ce_book.toml"]


def test_a_sample_goes_to_the_working_folder_and_says_so_as_json(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shown = CliRunner().invoke(cli.app, ["sample", "devices", "--json"])
    assert json.loads(shown.stdout) == {"name": "devices", "data": "devices.csv", "facts": "devices.toml"}
    assert (tmp_path / "devices.toml").exists()


def test_an_unknown_sample_ends_with_2_and_a_hint():
    shown = discreet("sample", "census")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.splitlines() == [
        "there is no sample called 'census'",
        "choose one of adult, ce_book, ce_slides, devices, fulton",
    ]


def test_with_json_an_error_is_one_object_on_stderr():
    shown = discreet("sample", "census", "--json")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert json.loads(shown.stderr) == {
        "error": "parameter",
        "message": "there is no sample called 'census'",
        "hint": "choose one of adult, ce_book, ce_slides, devices, fulton",
    }


@pytest.mark.parametrize("words", [["sampel"], ["sample"], ["demo", "--fast"], ["demo", "twice"], ["--nothing"]])
def test_a_wrong_command_line_ends_with_2_and_no_traceback(words, capsys):
    assert cli.run(words) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.endswith("see discreet --help\n")


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (errors.QuestionError("m", hint="h"), 2),
        (errors.FactsError("m", hint="h"), 2),
        (errors.ParameterError("m", hint="h"), 2),
        (errors.BudgetError("m", hint="h"), 3),
        (errors.EngineFault("m", hint="h"), 4),
        (errors.LedgerFault("m", hint="h"), 4),
        (errors.AccessError("m", hint="h"), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_error_has_its_exit_code(command, capsys, error, exit_code):
    command(error)
    assert cli.run(["raise"]) == exit_code
    assert capsys.readouterr().err == "m\nh\n"
    assert cli.run(["raise", "--json"]) == exit_code
    assert json.loads(capsys.readouterr().err) == {"error": error.code, "message": "m", "hint": "h"}


def test_a_crash_ends_with_70_and_does_not_quote_what_it_saw(command, capsys, monkeypatch):
    monkeypatch.delenv("DISCREET_TRACEBACK", raising=False)
    command(KeyError("canary"))
    assert cli.run(["raise"]) == 70
    said = capsys.readouterr()
    assert "unexpected KeyError" in said.err
    assert "canary" not in said.err + said.out
    monkeypatch.setenv("DISCREET_TRACEBACK", "1")
    assert cli.run(["raise"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_an_interruption_ends_with_130(command):
    command(KeyboardInterrupt())
    assert cli.run(["raise"]) == 130


@pytest.mark.skipif(os.name == "nt", reason="missing part: pipes that close, which Windows does not have")
def test_a_reader_that_leaves_is_no_crash():
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        ended = subprocess.run([sys.executable, "-m", "discreet.cli", "demo"], stdout=closed, stderr=subprocess.PIPE, check=False)
    assert (ended.returncode, ended.stderr) == (141, b"")


def test_the_version_and_the_help_are_printed():
    runner = CliRunner()
    assert runner.invoke(cli.app, ["--version"]).stdout.startswith("discreet 0.")
    for words in ([], ["--help"], ["-h"]):
        shown = runner.invoke(cli.app, words)
        assert shown.exit_code == 0
        assert all(name in shown.stdout for name in ("demo", "sample", "--version"))


def test_help_needs_neither_numpy_nor_the_tables():
    code = (
        "import sys; from discreet.cli.app import app\n"
        "print([name for name in ('numpy', 'discreet.lessons', 'discreet.cli.story') if name in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
