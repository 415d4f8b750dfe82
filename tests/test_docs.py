"""Every block in README.md, CONTRIBUTING.md and docs/ runs, and shows what it really shows.

    ```python    runs with seeded noise; the blocks of a file share one namespace and one empty folder. A ```text block
                 right below it is its output, to the letter: what it prints, the value of each expression on a line of
                 its own, and `ParameterError: …` if it ends in a refusal.
    ```console   lines `$ discreet …` run in the same folder with real noise. The lines below each are its output, with
                 numbers and spacing free; a line `...` stands for any lines; `[exit 3]` ends one that does not exit with 0.
    ```sh        and everything else is not run.

The test compares each file with itself, refreshed; `python tests/test_docs.py --update` writes the refreshed text.
"""

import ast
import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
import zlib
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n(?:\n?^```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
FENCE = re.compile(r"^[ >\t]*`{3,}[ \t]*(?:python|py|pycon|console)\b", re.MULTILINE)
NUMBER = re.compile(r"\b[0-9a-f]{12,64}\b|[-+−]?\d+(?:[.,]\d+)*(?:e[-+]?\d+)?")  # names of answers and hashes too


def refreshed(text: str, name: str) -> str:
    """The page with the outputs that its blocks have now."""
    space: dict[str, Any] = {"__name__": "__main__"}

    def redo(block: re.Match[str]) -> str:
        kind, source, shown = block.groups()
        line = text.count("\n", 0, block.start()) + 2
        if kind == "console":
            commands = re.split(r"^(?=[$] )", source, flags=re.MULTILINE)
            return f"```console\n{''.join(map(console, commands))}{text[block.end(2) : block.end()]}"
        output = python(source, space, f"{name}, line {line}", may_refuse=shown is not None)
        whole = block.group()
        return whole if shown is None else f"{whole[: whole.rindex('```text')]}```text\n{output}```\n"

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return BLOCK.sub(redo, text)


def python(source: str, space: dict[str, Any], place: str, *, may_refuse: bool) -> str:
    """What the block prints, as if typed at the prompt."""
    from discreet import DiscreetError, testing

    seed = zlib.crc32(source.encode())                       # by its text: a change up the page leaves the other outputs alone
    typed = ast.Interactive(body=ast.parse(source, place).body)
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), testing.seeded(seed), prompt():
        try:
            exec(compile(typed, place, "single"), space)
        except DiscreetError as error:
            if not may_refuse:
                raise
            print(f"{type(error).__name__}: {error}")
    return "".join(f"{line.rstrip()}\n" for line in shown.getvalue().splitlines())


@contextlib.contextmanager
def prompt():
    """Expressions show their value; unlike the real prompt's hook, this one does not touch `builtins._`."""
    before, sys.displayhook = sys.displayhook, lambda value: None if value is None else print(repr(value))
    try:
        yield
    finally:
        sys.displayhook = before


def console(typed: str) -> str:
    """One `$ discreet …` line with its output: as it stands if it agrees, else as it is now."""
    if not typed:
        return typed
    first, _, expected = typed.partition("\n")
    dollar, *words = shlex.split(first)
    assert [dollar, *words[:1]] == ["$", "discreet"], f"only `$ discreet …` can be run here, not {first!r}; put it in a sh block"
    code, shown = commanded(words[1:])
    output = "".join(f"{line.rstrip()}\n" for line in shown.splitlines())
    if code:
        output += f"[exit {code}]\n"
    return typed if agrees(expected, output, code) else f"{first}\n{output}"


def commanded(words: list[str]) -> tuple[int, str]:
    """How a command line ends, and all that it prints: in this process, since a new one takes a second to begin."""
    from discreet.cli.app import run

    shown = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    plain = patch.dict(os.environ, NO_COLOR="1", COLUMNS="100")
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown), plain:
        code = run(words)
    return code, shown.buffer.getvalue().decode()


def agrees(expected: str, output: str, code: int) -> bool:
    """Whether the page shows this output; one that shows nothing asks for success alone."""
    exit_line = re.search(r"^\[exit (\d+)\]$", expected, re.MULTILINE)
    if code != int(exit_line[1] if exit_line else 0):        # a line `...` does not cover a failure
        return False
    pattern = ".*".join(map(re.escape, re.split(r"^\.\.\.\n", masked(expected), flags=re.MULTILINE)))
    return not expected.strip() or re.fullmatch(pattern, masked(output), re.DOTALL) is not None


def masked(text: str) -> str:
    """The text without what real noise may change: numbers, and the spaces and rules that line them up."""
    lines = (line if line.startswith("[exit ") else NUMBER.sub("#", line) for line in text.splitlines())
    words = (re.sub(r"(?:[ ─━═]|--+)+", " ", line).strip() for line in lines)
    return "".join(f"{line}\n" for line in words if line)


@pytest.mark.slow
@pytest.mark.parametrize("page", [page.relative_to(ROOT).as_posix() for page in PAGES if page.exists()])
def test_every_block_runs_and_shows_what_it_says(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert len(FENCE.findall(text)) == len(BLOCK.findall(text)), "a block is indented, misspelt or not closed, and would not run"
    assert refreshed(text, page) == text


PAGE = """
```python
print("a")
6 * 7
None
```
```text
{}
```
```python
import discreet as dc
raise dc.Refused("no", hint="yes")
```

```text
{}
```
"""


@pytest.mark.slow
def test_a_wrong_output_is_put_right_and_a_right_one_is_left_alone():
    right = PAGE.format("a\n42", "Refused: no; yes")
    assert refreshed(right, "page") == right
    assert refreshed(PAGE.format("a\n41", "Refused"), "page") == right


def test_a_refusal_that_the_page_does_not_show_is_an_error():
    from discreet import Refused

    with pytest.raises(Refused):
        refreshed('```python\nimport discreet as dc\nraise dc.Refused("no")\n```\n', "page")


def test_numbers_and_spacing_may_differ_in_console_output_and_words_may_not():
    assert agrees("count  51 ± 30\n", "\ncount 101 ± 3.5\n──────\n", 0)
    assert not agrees("count 51\n", "sum 51\n", 0)
    assert agrees("a 1\n...\nd\n", "a 2\nb\nc\nd\n", 0)


def test_an_exit_code_must_be_said_even_below_an_ellipsis():
    assert agrees("", "anything\n", 0)
    assert agrees("...\n[exit 3]\n", "over budget\n[exit 3]\n", 3)
    assert not agrees("...\n", "over budget\n[exit 3]\n", 3)
    assert not agrees("...\n[exit 2]\n", "over budget\n[exit 3]\n", 3)


def update() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8") if page.exists() else ""
        if (now := refreshed(text, page.name)) != text:
            page.write_text(now, encoding="utf-8", newline="\n")
            print(f"updated {page.relative_to(ROOT).as_posix()}")


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("write: python tests/test_docs.py --update (the checks themselves run under pytest)")
    update()
