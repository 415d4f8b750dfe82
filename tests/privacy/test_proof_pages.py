"""The proofs of what this room computes name tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["composition", "concentrated", "loss-distribution", "optimal-composition", "sampled-sensitivity", "trade-off"]


@pytest.mark.parametrize("page", PAGES)
def test_every_test_that_a_proof_names_exists(page):
    text = (ROOT / "docs" / "proofs" / f"{page}.md").read_text(encoding="utf-8")
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "tests").rglob("*.py")]
    written = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    named = set(re.findall(r"\b(test_\w+)\b(?!\.py)", text))
    assert named
    assert named - written == set()


@pytest.mark.parametrize("file", sorted((ROOT / "src" / "discreet" / "privacy").glob("*.py")), ids=lambda file: file.name)
def test_every_proof_that_the_code_names_exists(file):
    for page in re.findall(r"docs/proofs/[\w-]+\.md", file.read_text(encoding="utf-8")):
        assert (ROOT / page).exists(), page
