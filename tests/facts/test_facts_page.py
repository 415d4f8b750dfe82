"""The page about facts files names every key that one may have, every encoding and every code of a format."""

from pathlib import Path

from discreet.facts.formats import CODES
from discreet.facts.vocabulary import BUDGET, COLUMN, COMPANION, CSV, DOCUMENT, ENCODINGS, JOIN, TABLE, UNIT

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "facts.md").read_text(encoding="utf-8")


def part(header: str) -> str:
    """The page from a header on to the next one of its kind."""
    return PAGE.split(f"\n## `{header}`\n")[1].split("\n## ")[0]


def test_every_key_is_on_the_page_where_it_belongs():
    homes = {
        "[table]": (*TABLE, *UNIT), "[csv]": CSV, "[budget]": BUDGET, "[join.NAME]": (*JOIN, *COMPANION),
        "[columns.NAME]": {key for keys in COLUMN.values() for key in keys} | set(COLUMN),
    }  # fmt: skip
    lacking = {home: [key for key in keys if key not in part(home)] for home, keys in homes.items()}
    assert {home: keys for home, keys in lacking.items() if keys} == {}
    assert {header.strip("[]").partition(".")[0] for header in homes} == set(DOCUMENT)


def test_every_encoding_and_every_code_is_on_the_page():
    assert [encoding for encoding in ENCODINGS if f'"{encoding}"' not in part("[csv]")] == []
    assert [code for code in CODES if f"`{code}`" not in part("[columns.NAME]")] == []
