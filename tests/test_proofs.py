"""Proof pages and the code point to each other: every test that a page names exists, and every page that the code names."""

import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted({*(ROOT / "docs" / "proofs").glob("*.md")} - {ROOT / "docs" / "proofs" / "index.md"})  # which lists the others


@cache
def written_tests() -> frozenset[str]:
    texts = [file.read_text(encoding="utf-8") for file in (ROOT / "tests").rglob("*.py")]
    return frozenset(name for text in texts for name in re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_test_that_a_proof_names_exists(page):
    named = set(re.findall(r"\b(test_\w+)\b(?!\.py)", page.read_text(encoding="utf-8")))
    assert named, "a proof names the tests that would fail if it were wrong"
    assert named - written_tests() - {file.stem for file in (ROOT / "tests").rglob("test_*.py")} == set()


def test_every_proof_that_the_code_names_exists():
    for file in (ROOT / "src").rglob("*.py"):
        for page in re.findall(r"docs/proofs/[\w-]+\.md", file.read_text(encoding="utf-8")):
            assert (ROOT / page).exists(), f"{file.name} names {page}"
