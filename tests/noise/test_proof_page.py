"""The page that proves the noise exact names tests; they exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_every_test_that_the_proof_names_exists():
    named = set(re.findall(r"`(test_\w+)`", (ROOT / "docs" / "proofs" / "noise.md").read_text(encoding="utf-8")))
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in (ROOT / "tests").rglob("*.py")]
    written = {node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    assert named
    assert named <= written
