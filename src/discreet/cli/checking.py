"""All that is wrong with facts files: each alone, then its source, then a folder of them beside each other; and release files."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from discreet.cli.options import is_there
from discreet.engines.duckdb.lookup_values import wrong_lookups
from discreet.engines.headers import Lack, lacking
from discreet.errors import FactsError
from discreet.facts.file import Problem, check_facts, parse_facts, read_facts, read_folder, text_of
from discreet.facts.lines import key_text, line_of, lines_of
from discreet.facts.model import Companion, Facts, Joinable

__all__ = ["check_all", "is_release", "joins_in", "warnings_in"]

_RELEASE = re.compile(r"^\s*\[release\]", re.MULTILINE)  # a release file beside the facts that it asks


def check_all(path: Path) -> tuple[list[Path], list[Problem]]:
    """The facts files at ``path``, a file or a folder, and every problem in them. No row is read."""
    if not is_there(path):
        raise FactsError("there is no such file or folder", hint="write the path of a facts file, or of a folder of them",
                         file=str(path))  # fmt: skip
    files = sorted(file for file in path.glob("*.toml") if not file.name.startswith(".")) if path.is_dir() else [path]
    problems = [problem for file in files for problem in _in_file(file)]
    if path.is_dir() and not problems:
        try:
            read_folder(path)  # names and people that do not go together
        except FactsError as error:
            problems = [_as_problem(error, path)]
    return files, problems


def _in_file(file: Path) -> list[Problem]:
    try:
        text = file.read_bytes().decode("utf-8")
    except (OSError, ValueError):  # parse_facts says which, and where
        return _of_error(lambda: read_facts(file), file)
    if _RELEASE.search(text):
        from discreet.publishing.release_file import read_release

        return _of_error(lambda: read_release(file), file)
    problems = list(check_facts(text, str(file)))
    if problems:
        return [_still_to_do(problem) for problem in problems]
    lines = lines_of(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    facts = parse_facts(text, str(file))
    wrong = [_error_as_problem(error, file, lines) for error in wrong_lookups(facts)] if facts.joins else []
    return [*(_lack_as_problem(lack, file, lines) for lack in lacking(facts)), *wrong]


def is_release(file: Path) -> bool:
    """Whether it is a release file, which stands beside the facts that it asks."""
    return _RELEASE.search(text_of(file)) is not None


def joins_in(file: Path) -> list[str]:
    """How the table of a sound facts file may be joined, in words."""
    if is_release(file):
        return []
    facts = read_facts(file)
    return [_in_words(join, facts) for join in facts.joins]


def warnings_in(file: Path) -> tuple[str, ...]:
    """Advice about a sound facts file."""
    from discreet.curator.advice import past_end
    from discreet.curator.same_people import same_people_notes

    if is_release(file):
        return ()
    facts = read_facts(file)
    return (*past_end(facts.budget), *same_people_notes(facts, file.parent))


def _in_words(join: Joinable, facts: Facts) -> str:
    most = f"at most {join.max_matches:,} row{'' if join.max_matches == 1 else 's'} of {join.name} for each"
    columns = ", ".join(column.name for column in join.columns) or "no columns"
    kind = f"; confidential, with one budget for {facts.people}" if isinstance(join, Companion) else ""
    return f"{facts.name}.{join.column} = {join.name}.{join.match}, {most}: {columns}{kind}"


def _still_to_do(problem: Problem) -> Problem:
    """A place that a draft left open is not wrong, it is not there yet."""
    what, is_open, _ = problem.message.partition(" is 'TODO'")
    return replace(problem, message=f"{what} is still to be written") if is_open else problem


def _of_error(read: Callable[[], object], file: Path) -> list[Problem]:
    try:
        read()
    except FactsError as error:
        return [_as_problem(error, file)]
    return []


def _lack_as_problem(lack: Lack, file: Path, lines: dict[tuple[str | int, ...], int]) -> Problem:
    path: tuple[str | int, ...] = ("table", "source") if lack.column is None else ("columns", lack.column)
    if path not in lines and lack.column is not None:
        path = ("table", "unit")
    return Problem(str(file), line_of(lines, path), key_text(path), lack.message, lack.hint)


def _error_as_problem(error: FactsError, file: Path, lines: dict[tuple[str | int, ...], int]) -> Problem:
    path = tuple((error.key or "").split("."))
    return Problem(str(file), line_of(lines, path), error.key or "", error.message, error.hint)


def _as_problem(error: FactsError, file: Path) -> Problem:
    return Problem(error.file or str(file), error.line or 1, error.key or "", error.message, error.hint)
