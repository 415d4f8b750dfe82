"""What pyproject.toml asks for: every lower bound is the oldest version that `make lowest` runs with, installed there."""

import importlib.util
import os
import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ELSEWHERE = ("spark",)  # a client that cannot be beside what tests run with: see decision 35


def development():
    spec = importlib.util.spec_from_file_location("dev", ROOT / "dev.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DEV = development()


def numbers(text: str) -> tuple[int, ...]:
    """A version as numbers that compare: 2 is 2.0.0."""
    found = [int(part) for part in re.match(r"\d+(\.\d+)*", text)[0].split(".")]
    while found and found[-1] == 0:
        found.pop()
    return tuple(found)


@pytest.mark.parametrize(("older", "newer"), [("2", "2.0.1"), ("2.9", "2.10"), ("1.9.0", "1.9.0.post1"), ("13", "13.0")])
def test_versions_compare_by_their_numbers(older, newer):
    assert numbers(older) <= numbers(newer)
    assert (numbers(older) == numbers(newer)) == (newer in ("1.9.0.post1", "13.0"))


def test_every_requirement_is_a_name_and_its_oldest_version():
    extras = [line for name, lines in PROJECT["optional-dependencies"].items() if name not in ELSEWHERE for line in lines]
    asked = [*PROJECT["dependencies"], *extras]
    assert [line for line in asked if not re.fullmatch(r"[a-z0-9-]+>=\d+(\.\d+)*", line)] == []
    assert {line.partition(">=")[0] for line in asked} == {*DEV.oldest_versions(), *DEV.READERS, *DEV.NEWEST}


def test_what_is_tested_with_is_allowed():
    held = dict(line.split("==") for line in (ROOT / "constraints.txt").read_text(encoding="utf-8").split())
    extras = [line for name, lines in PROJECT["optional-dependencies"].items() if name not in ELSEWHERE for line in lines]
    bounds = [*PROJECT["dependencies"], *extras]
    asked = dict(line.split(">=") for line in bounds)
    assert {name: held.get(name) for name, oldest in asked.items() if numbers(held.get(name, "0")) < numbers(oldest)} == {}


def test_the_oldest_versions_are_installed_where_they_are_tried_and_none_that_is_older_elsewhere():
    installed = {name: numbers(version(name)) for name in DEV.oldest_versions()}
    oldest = {name: numbers(bound) for name, bound in DEV.oldest_versions().items()}
    if os.environ.get("DISCREET_LOWEST") == "1":
        assert installed == oldest
    assert {name for name, bound in oldest.items() if installed[name] < bound} == set()
