"""The page about facts files has every key that one may have, with an example that is one, every encoding and every code."""

import re
import tomllib
from pathlib import Path

from discreet.facts.formats import CODES
from discreet.facts.vocabulary import BUDGET, COLUMN, COMPANION, CSV, DOCUMENT, ENCODINGS, JOIN, TABLE, UNIT

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "facts.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (.+) \| (.+) \| `(.+)` \|$", re.MULTILINE)  # a key, what it says, its default, an example
HOMES = {
    "[table]": {*TABLE, *UNIT}, "[csv]": {*CSV}, "[budget]": {*BUDGET}, "[join.NAME]": {*JOIN, *COMPANION},
    "[columns.NAME]": {key for keys in COLUMN.values() for key in keys},
}  # fmt: skip


def part(header: str) -> str:
    """The page from a header on to the next one of its kind."""
    return PAGE.split(f"\n## `{header}`\n")[1].split("\n## ")[0]


def test_every_key_is_on_the_page_where_it_belongs_and_no_other():
    found = {home: [key for key, *_ in ROW.findall(part(home))] for home in HOMES}
    assert {home: set(keys) for home, keys in found.items()} == HOMES
    assert {header.strip("[]").partition(".")[0] for header in HOMES} == set(DOCUMENT)


def test_every_type_is_on_the_page_with_its_keys():
    shown = {kind: set(re.findall("`(.+?)`", keys)) for kind, keys in re.findall(r"^\| `(\w+)` \| .+ \| (.+) \|$", PAGE, re.M)
             if kind in COLUMN}  # fmt: skip
    assert shown == {kind: set(keys) - {"type", "per_unit", "description"} for kind, keys in COLUMN.items()}


def test_every_example_is_the_key_that_it_stands_beside():
    for home in HOMES:
        for key, _, _, example in ROW.findall(part(home)):
            assert list(tomllib.loads(example)) == [key]


def test_every_encoding_and_every_code_is_on_the_page():
    assert [encoding for encoding in ENCODINGS if f'"{encoding}"' not in part("[csv]")] == []
    assert [code for code in CODES if f"`{code}`" not in part("[columns.NAME]")] == []
