"""The command line as a whole: how it ends, what every command has, what it prints where."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from discreet import errors
from discreet.cli import app as cli
from discreet.cli.options import Json

ROOT = Path(__file__).resolve().parents[2]


def process(*words, **settings):
    """Run the command as a process of its own."""
    plain = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
    command = [sys.executable, "-m", "discreet.cli", *words]
    return subprocess.run(command, env=plain | settings, capture_output=True, encoding="utf-8", timeout=120, check=False)


def commands():
    """Every command by its words, with its parameters."""
    found = {}

    def walk(group, words):
        for name, command in group.commands.items():
            if hasattr(command, "commands"):
                walk(command, (*words, name))
            else:
                found[*words, name] = command.params

    walk(typer.main.get_command(cli.app), ())
    return found


COMMANDS = commands()


@pytest.fixture
def command():
    """Add a command that raises the given error; taken away again afterwards."""
    before = list(cli.app.registered_commands)

    def raising(error):
        @cli.app.command("raise")
        def fail(as_json: Json = False) -> None:
            raise error

    yield raising
    cli.app.registered_commands[:] = before


# ---- commands


def test_the_commands_are_these():
    assert {" ".join(words) for words in COMMANDS} == {
        "demo", "sample", "figures",
        "init", "check", "register", "budget show", "budget raise", "version new", "freeze", "unfreeze",
        "publish", "quote", "ask", "ledger show", "ledger verify", "ledger export", "ledger witness", "ledger recover",
        "receipt show", "receipt verify", "release verify", "attack", "audit", "analyst add", "analyst list", "analyst grant",
        "analyst ungrant", "analyst limit", "analyst rotate", "analyst revoke", "serve",
        "history", "backup", "restore", "report", "forget",
    }  # fmt: skip


@pytest.mark.parametrize("words", sorted(COMMANDS), ids=" ".join)
def test_every_command_has_json_and_a_page_of_help(words):
    assert "--json" in [option for parameter in COMMANDS[words] for option in parameter.opts]
    shown = CliRunner().invoke(cli.app, [*words, "--help"])
    assert (shown.exit_code, "Usage: " in shown.stdout) == (0, True)


@pytest.mark.parametrize("words", sorted(COMMANDS), ids=" ".join)
def test_every_command_is_in_the_docs(words):
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")  # their options are filled in when the site is made
    assert re.search(rf"`{' '.join(words)}\b", page)


@pytest.mark.parametrize(
    "words",
    [["sampel"], ["sample"], ["demo", "--fast"], ["demo", "twice"], ["--nothing"], ["ask"], ["budget"], ["budget", "raise"],
     ["ledger"]],
)
def test_a_wrong_command_line_ends_with_2_and_says_where_help_is(words, discreet):
    shown = discreet(*words)
    assert (shown.code, shown.out) == (2, "")
    assert re.search(r"\nhint:  see discreet.* --help\n$", shown.err)


# ---- endings


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (errors.QuestionError("m", hint="h"), 2),
        (errors.FactsError("m", hint="h"), 2),
        (errors.ParameterError("m", hint="h"), 2),
        (errors.BudgetError("m", hint="h"), 3),
        (errors.AccessError("m", hint="h"), 5),
    ],
    ids=lambda value: type(value).__name__,
)
def test_every_refusal_has_its_exit_code(command, capsys, error, exit_code):
    command(error)
    assert cli.run(["raise"]) == exit_code
    assert capsys.readouterr().err == "error: m\nhint:  h\n"
    assert cli.run(["raise", "--json"]) == exit_code
    assert json.loads(capsys.readouterr().err) == {"error": error.code, "message": "m", "hint": "h"}


@pytest.mark.parametrize("error", [errors.EngineFault("m", hint="h"), errors.LedgerFault("m", hint="h")], ids=["data", "ledger"])
def test_a_fault_ends_with_4_and_its_reference(command, capsys, error):
    command(error)
    assert cli.run(["raise"]) == 4
    assert capsys.readouterr().err == f"error: m (reference {error.reference})\nhint:  h\n"
    assert cli.run(["raise", "--json"]) == 4
    told = {"error": "fault", "message": "m", "hint": "h", "reference": error.reference}
    assert json.loads(capsys.readouterr().err) == told


def test_wrong_facts_say_file_line_and_key(command, capsys):
    command(errors.FactsError("m", hint="h", file="x.toml", line=3, key="table.unit"))
    assert cli.run(["raise"]) == 2
    assert capsys.readouterr().err == "error: x.toml:3 · table.unit: m\nhint:  h\n"
    cli.run(["raise", "--json"])
    told = {"error": "facts", "message": "m", "hint": "h", "file": "x.toml", "line": 3, "key": "table.unit"}
    assert json.loads(capsys.readouterr().err) == told


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


# ---- the rest


def test_the_version_and_the_help_are_printed():
    runner = CliRunner()
    assert runner.invoke(cli.app, ["--version"]).stdout.startswith("discreet 0.")
    for words in ([], ["--help"], ["-h"]):
        shown = runner.invoke(cli.app, words)
        assert shown.exit_code == 0
        assert all(name in shown.stdout for name in ("demo", "register", "ask", "--version"))


@pytest.mark.parametrize("module", ["discreet", "discreet.cli"])
def test_the_package_runs_as_the_command(module):
    shown = subprocess.run([sys.executable, "-m", module, "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout.startswith("discreet 0.")


def test_help_needs_neither_numpy_nor_the_tables():
    heavy = ("numpy", "duckdb", "sqlglot", "discreet.lessons", "discreet.curator", "discreet.engines", "discreet.cli.demo.story")
    code = f"import sys; from discreet.cli.app import app\nprint([name for name in {heavy} if name in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


def test_the_shell_is_taught_to_complete_commands():
    script = process("--show-completion", "bash", _TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION="1")
    assert (script.returncode, "_DISCREET_COMPLETE" in script.stdout) == (0, True)
    found = process(_DISCREET_COMPLETE="complete_bash", COMP_WORDS="discreet ledger ver", COMP_CWORD="2")
    assert found.stdout.split() == ["verify"]


def test_a_sample_is_written_where_asked(discreet, folder):
    shown = discreet("sample", "ce_book", "--out", "new")
    assert (shown.code, shown.err) == (0, "")
    assert "made up" in shown.out
    assert sorted(file.name for file in (folder / "new").iterdir()) == ["ce_book.csv", "ce_book.toml"]


def test_a_sample_goes_to_the_working_folder_and_says_so_as_json(discreet, folder):
    shown = discreet("sample", "devices", "--json")
    assert json.loads(shown.out) == {
        "name": "devices", "data": "devices.csv", "facts": "devices.toml", "release": "devices_release.toml",
    }  # fmt: skip
    assert (folder / "devices.toml").exists()


def test_an_unknown_sample_ends_with_2_and_a_hint():
    shown = process("sample", "census")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert shown.stderr.splitlines() == [
        "error: there is no sample called 'census'",
        "hint:  choose one of adult, ce_book, ce_slides, devices, fulton",
    ]


def test_with_json_an_error_is_one_object_on_stderr():
    shown = process("sample", "census", "--json")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert json.loads(shown.stderr) == {
        "error": "parameter",
        "message": "there is no sample called 'census'",
        "hint": "choose one of adult, ce_book, ce_slides, devices, fulton",
    }


def test_figures_are_drawn_with_their_numbers_and_words(tmp_path):
    assert cli.run(["figures", str(tmp_path / "f"), "--page", "8", "--page", "17", "--as", "txt"]) == 0
    drawn = {f"{name}.{ending}" for name in ("08_more_epsilon", "17_tester") for ending in ("alt.txt", "csv", "txt")}
    made = {path.name for path in (tmp_path / "f").iterdir()}
    assert drawn <= made
    assert all(name.endswith("_sliders.html") for name in made - drawn)
    assert cli.run(["figures", str(tmp_path), "--page", "31"]) == 2
