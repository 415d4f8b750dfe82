"""A command line in this process, in a folder of its own, with a small table to ask."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.interfaces.people import FACTS, rows

from discreet.cli.app import run


@dataclass(frozen=True, slots=True)
class Shown:
    """How a command line ended, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with people.csv and people.toml."""
    for name in ("NO_COLOR", "FORCE_COLOR", "DISCREET_TRACEBACK"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "people.csv").write_text(rows(), encoding="utf-8")
    (tmp_path / "people.toml").write_text(FACTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def discreet(folder: Path, capsys: pytest.CaptureFixture[str]) -> Callable[..., Shown]:
    """``discreet("ask", …)`` runs one command line in the folder."""

    def command(*words: str) -> Shown:
        capsys.readouterr()
        code = run(words)
        said = capsys.readouterr()
        return Shown(code, said.out, said.err)

    return command


@pytest.fixture
def people(discreet: Callable[..., Shown]) -> Callable[..., Shown]:
    """The same, with people registered."""
    assert discreet("register", "people.toml").code == 0
    return discreet
