"""The shape of the project. Layers themselves are import-linter's, in pyproject.toml; here is what it cannot see."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tempfile
import tomllib
from functools import cache
from pathlib import Path

import pytest

import discreet

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "discreet"
FILES = [file.relative_to(SOURCE).as_posix() for file in sorted(SOURCE.rglob("*.py"))]
MODULES = ["discreet", *sorted(module.name for module in pkgutil.walk_packages([str(SOURCE)], "discreet."))]
ENTROPY = {"noise/keystream.py", "testing.py"}
BANNED = ("numpy.random", "os.getrandom", "os.urandom", "random", "secrets")
HEAVY = {"altair", "duckdb", "fastapi", "pandas", "polars", "pyarrow", "pydantic", "pyspark", "rich", "scipy", "sqlglot", "typer"}


@cache
def parsed(file: str) -> ast.Module:
    return ast.parse((SOURCE / file).read_text(encoding="utf-8"), file)


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(tree))


def named(tree: ast.AST) -> set[str]:
    """Every dotted name that the code imports or reaches through an imported name: `np.random.x` is numpy.random.x."""
    found: set[str] = set()
    alias: dict[str, str] = {}
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            found.update(name.name for name in node.names)
            alias.update({name.asname or name.name.partition(".")[0]: name.name if name.asname else name.name.partition(".")[0]
                          for name in node.names})
        elif isinstance(node, ast.ImportFrom) and not node.level:
            found.update(f"{node.module}.{name.name}" for name in node.names)
            alias.update({name.asname or name.name: f"{node.module}.{name.name}" for name in node.names})
    for node in nodes(tree):
        if isinstance(node, ast.Attribute) and (path := dotted(node)):
            first, *rest = path
            found.add(".".join([alias.get(first, f"local {first}"), *rest]))
    return found


def dotted(node: ast.expr) -> list[str]:
    """The parts of `a.b.c`; none of what is reached through anything but names."""
    if isinstance(node, ast.Attribute):
        return [*before, node.attr] if (before := dotted(node.value)) else []
    return [node.id] if isinstance(node, ast.Name) else []


@cache
def names_in(file: str) -> set[str]:
    return named(parsed(file))


def randomness(names: set[str]) -> set[str]:
    return {name for name in names for banned in BANNED if name == banned or name.startswith(banned + ".")}


# ---- rooms and files


def test_only_the_keystream_and_testing_reach_for_randomness():
    assert set(FILES) > ENTROPY
    assert {file: found for file in FILES if file not in ENTROPY and (found := randomness(names_in(file)))} == {}


@pytest.mark.parametrize("code", ["import random", "from random import Random", "import secrets as s", "from os import urandom",
                                  "import os as o\no.urandom(8)", "import numpy.random", "from numpy import random as r",
                                  "import numpy as np\nnp.random.default_rng(1)", "def f():\n    import random"])
def test_every_way_to_spell_randomness_is_seen(code):
    assert randomness(named(ast.parse(code)))


@pytest.mark.parametrize("code", ["import numpy as np\nnp.array(1)", "import os\nos.path", "from x import y\ny.random()",
                                  "from discreet.noise import random_bits"])
def test_what_only_looks_like_randomness_is_let_through(code):
    assert not randomness(named(ast.parse(code)))


def test_only_one_folder_names_sqlite():
    """Also inside functions and by the names of its files: what keeps a ledger can be another database."""
    naming = {file for file in FILES if any(name.partition(".")[0] == "sqlite3" for name in names_in(file))}
    assert naming
    assert {file for file in naming if not file.startswith("ledger/sqlite/")} == set()
    opening = {file for file in FILES if any(name.startswith("discreet.ledger.sqlite") for name in names_in(file))}
    assert {file for file in opening if not file.startswith("ledger/sqlite/")} == {"ledger/folder.py"}


def openings(tree: ast.AST) -> list[str]:
    """Calls of ``take()`` without arguments: that of Private, and that of a cursor over tokens, which is called so."""
    calls = [node.func for node in nodes(tree) if isinstance(node, ast.Call) and not node.args]
    takes = [ast.unparse(each.value) for each in calls if isinstance(each, ast.Attribute) and each.attr == "take"]
    return [each for each in takes if each.split(".")[-1] != "cursor"]


def test_only_releasing_opens_what_is_private():
    """Import-linter holds that no other room names the wrapper; here is that none opens one that it is handed."""
    assert openings(ast.parse("x = engine.run(wanted).take()"))
    assert not openings(ast.parse("cursor.take(); self.cursor.take(); tallies.take(near)"))
    opening = {file for file in FILES if openings(parsed(file))}
    assert {file for file in opening if not file.startswith("releasing/")} <= {"questions/cursor.py"}
    assert len([file for file in opening if file.startswith("releasing/")]) >= 4


def test_only_the_office_has_rows_counted_for_whoever_holds_them():
    """Exact counts that nothing wraps: they go to a terminal and nowhere else, so that one file can be looked through for it."""
    calling = {file for file in FILES if any(name.startswith("discreet.engines.inspection") for name in names_in(file))}
    assert calling == {"curator/office.py", "cli/inspecting.py"}


def test_files_stay_small_enough_to_read():
    lines = {file: len((SOURCE / file).read_text(encoding="utf-8").splitlines()) for file in FILES}
    assert {file: length for file, length in lines.items() if length >= 400} == {}


def front_doors(tree: ast.AST) -> list[str]:
    """Imports of the package itself: `from discreet import Laplace` loads lazily, which would lead around the layers unseen."""
    return [ast.unparse(node) for node in nodes(tree) if isinstance(node, ast.Import | ast.ImportFrom) for name in node.names
            if (isinstance(node, ast.Import) and name.name == "discreet")
            or (isinstance(node, ast.ImportFrom) and node.module == "discreet" and f"discreet.{name.name}" not in MODULES)]


def test_below_the_top_floor_no_room_imports_the_front_door():
    below = [file for file in FILES if not file.startswith("cli/")]
    assert {file: doors for file in below if (doors := front_doors(parsed(file)))} == {}
    assert front_doors(ast.parse("import discreet\nfrom discreet import Laplace\nfrom discreet import noise")) == [
        "import discreet", "from discreet import Laplace"]


def own_privates(tree: ast.AST) -> set[str]:
    """Private names that a file gives to something: to members, functions, classes and modules alike."""
    made = {node.name for node in nodes(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    made |= {node.id for node in nodes(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    made |= {node.attr for node in nodes(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    return {name for name in made if name.startswith("_")}


def others_privates(tree: ast.AST) -> set[str]:
    """Private names that a file reaches for in something that is not itself."""
    reached = [node for node in nodes(tree) if isinstance(node, ast.Attribute) and re.match(r"_[^_]", node.attr)]
    return {node.attr for node in reached if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls"))}


def test_no_room_reaches_for_the_private_parts_of_another():
    rooms: dict[str, set[str]] = {}
    for file in FILES:
        rooms.setdefault(file.partition("/")[0], set()).update(own_privates(parsed(file)))
    found = {file: others_privates(parsed(file)) - rooms[file.partition("/")[0]] for file in FILES}
    found |= {file: others_privates(parsed(file)) for file in FILES if file.startswith("curator/")}   # nor inside of this one
    assert {file: names for file, names in found.items() if names} == {}
    assert others_privates(ast.parse("self._mine\nfound.curator._ledger.cost\nx.__class__")) == {"_ledger"}


def test_all_is_sorted_and_true():
    exports = {name: list(getattr(importlib.import_module(name), "__all__", [])) for name in MODULES}
    assert [name for name, exported in exports.items() if exported != sorted(set(exported))] == []
    missing = {name: [each for each in exported if not hasattr(sys.modules[name], each)] for name, exported in exports.items()}
    assert {name: names for name, names in missing.items() if names} == {}


def test_import_discreet_is_light():
    script = f"import sys, discreet; print(*sorted({HEAVY!r} & set(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


# ---- proofs


def mechanisms() -> list[type]:
    room = importlib.import_module("discreet.mechanisms")
    return [thing for name in room.__all__ if inspect.isclass(thing := getattr(room, name))]


def test_every_mechanism_has_a_proof():
    assert mechanisms()
    for mechanism in mechanisms():
        page = re.search(r"Proof: (docs/proofs/[\w-]+\.md)", mechanism.__doc__ or "")
        assert page, f"{mechanism.__name__} names no proof; write `Proof: docs/proofs/x.md` in its docstring"


# ---- the project


def repository() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip("missing part: a git checkout, to know which files are the project's")
    return [file for name in listed.stdout.split("\0") if name and (file := ROOT / name).is_file()]


def test_no_file_says_where_it_was_written():
    places = {ROOT, ROOT.parent, Path.home()} - {Path("/"), Path("/home"), Path("/tmp"), Path(tempfile.gettempdir())}
    pattern = re.compile("|".join(rf"(?<![\w.]){re.escape(str(place))}[/\\]" for place in places))
    told = [file.relative_to(ROOT).as_posix() for file in repository()
            if pattern.search(file.read_text(encoding="utf-8", errors="replace"))]
    assert told == []


def test_constraints_are_names_and_versions_and_nothing_else():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    assert lines == sorted(lines)
    assert [line for line in lines if not re.fullmatch(r"[a-z0-9-]+==\d[\w.]*", line)] == []


def test_versions_agree():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert discreet.__version__ == project["version"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_release_says_what_changed_for_privacy():
    _, *releases = re.split(r"^## ", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert releases
    assert [release.splitlines()[0] for release in releases if "### Privacy" not in release] == []


def test_dev_py_needs_the_standard_library_only():
    tree = ast.parse((ROOT / "dev.py").read_text(encoding="utf-8"))
    modules = {name.name for node in nodes(tree) if isinstance(node, ast.Import) for name in node.names}
    modules |= {node.module or "" for node in nodes(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.partition(".")[0] for module in modules} <= sys.stdlib_module_names


def test_make_forwards_every_command_and_each_has_a_line_of_help():
    listed = subprocess.run([sys.executable, "dev.py"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    commands = re.findall(r"^  (\w+) +\S.*$", listed, flags=re.MULTILINE)
    targets = re.search(r"^([\w ]+):\n\t@\$\(PYTHON\) dev\.py \$@", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert targets
    assert sorted(commands) == sorted(targets[1].split())


def test_every_file_of_the_room_of_soaks_is_marked_as_one():
    files = sorted((ROOT / "tests" / "soak").glob("test_*.py"))
    assert files
    assert [file.name for file in files if "\npytestmark = pytest.mark.soak\n" not in file.read_text(encoding="utf-8")] == []


def test_every_decision_says_its_context_choice_and_cost():
    pages = sorted((ROOT / "docs" / "decisions").glob("*.md"))
    numbers = [page.name[:5] for page in pages]
    assert numbers == sorted(set(numbers)), "two decisions have one number"
    for page in pages:
        assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", page.name)
        headings = re.findall(r"^## (\w+)", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
        assert headings == ["Context", "Choice", "Cost"], page.name


def test_every_rule_that_is_named_has_its_line():
    said = set(map(int, re.findall(r"^(\d+)\. ", (ROOT / "docs" / "rules.md").read_text(encoding="utf-8"), re.M)))
    pages = [*(ROOT / "src").rglob("*.py"), *(ROOT / "docs").rglob("*.md")]
    named = {int(number) for page in pages for number in re.findall(r"\b[Rr]ules? (\d+)", page.read_text(encoding="utf-8"))}
    assert named <= said
