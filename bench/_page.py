"""Makes docs/benchmarks.md from bench/results/*.json; no figure there is typed by hand.

The words above a benchmark's tables are the docstring of bench/NAME.py: its first line is the heading.
"""

import ast
import json
import textwrap
from pathlib import Path
from typing import Any

from _record import BENCH, RESULTS, ROOT, Row, shown

PAGE = ROOT / "docs" / "benchmarks.md"
HEAD = """# Benchmarks

`make bench` measures, writes `bench/results/*.json`, and makes this page from those files; edit `bench/*.py` instead. Figures
belong to the machine, versions and commit named above them, and to no other. They are reported, never asserted by a test.
"""


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, *(section(file) for file in sorted(RESULTS.glob("*.json")))])


def section(file: Path) -> str:
    """One benchmark."""
    result = json.loads(file.read_text(encoding="utf-8"))
    script = BENCH / f"{file.stem}.py"
    words = (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) if script.exists() else None) or file.stem
    heading, _, about = words.partition("\n")
    return "\n".join([f"## {heading}", *([about] if about else []), "", wrapped(circumstances(result)), "",
                      *(part for table in result["tables"] for part in (f"### {table['title']}", *told(table), ""))])


def told(table: dict[str, Any]) -> list[str]:
    """The note and the rows."""
    return [*([wrapped(table["note"]), ""] if table["note"] else []), *drawn(table["rows"])]


def wrapped(text: str) -> str:
    """The text in lines of the usual length."""
    return textwrap.fill(text, 126, break_long_words=False, break_on_hyphens=False)


def drawn(rows: list[Row]) -> list[str]:
    """The rows as a Markdown table; numbers to the right."""
    names = list(rows[0])
    is_number = {name: all(isinstance(row[name], int | float | None) and not isinstance(row[name], bool) for row in rows)
                 for name in names}
    rule = ["---:" if is_number[name] else "---" for name in names]
    return [f"| {' | '.join(cells)} |" for cells in (names, rule, *([shown(row[name]) for name in names] for row in rows))]


def circumstances(result: dict[str, Any]) -> str:
    """When, what and where, in one paragraph."""
    machine, versions, load = result["machine"], result["versions"], result["load"]
    loads = ", ".join(f"{'unknown' if load[when] is None else load[when][0]} {when}" for when in ("before", "after"))
    memory = "" if machine["memory_gb"] is None else f", {machine['memory_gb']} GB of memory"
    return (f"Measured {result['date']} at commit `{result['commit']}` on {machine['cores']} cores{memory} ({machine['system']}, "
            f"{machine['processor']}), with {', '.join(f'{name} {number}' for name, number in versions.items())}. "
            f"Load of the machine over one minute: {loads}; the benchmark itself is up to 1 of the latter.")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    print(f"written to {PAGE.relative_to(ROOT).as_posix()}")
