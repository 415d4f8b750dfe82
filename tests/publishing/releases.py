"""What the tests of releases share: a small registered table, and release files about it."""

from pathlib import Path

from discreet.curator import office

CANARY = "Zanzibarine"

FACTS = """\
[table]
name = "homes"
source = "homes.csv"
unit = "row"
neighbours = "{neighbours}"
rows_about = 400
[budget]
epsilon = {epsilon}
{budget}
[columns.region]
type = "category"
values = ["n", "s"]
null = "drop"
labels = ["North", "South & <b>"]
description = "where it is"
[columns.rent]
type = "integer"
lower = 0
upper = 1000
[columns.owner]
type = "text"
"""

RELEASE = """\
[release]
title = "Homes"
description = "About homes."
table = "homes.toml"

[[question]]
name = "counts"
sql = "SELECT region, COUNT(*) AS n FROM homes GROUP BY region"
epsilon = 0.5

[[question]]
name = "rents"
title = "Rents <by> region"
sql = "SELECT region, AVG(rent) AS rent FROM homes GROUP BY region"
epsilon = 0.25

[[derived]]
name = "share"
confidence = 0.9
sql = '''
SELECT region, n / (SELECT sum(n) FROM counts) AS share,
       n_low / (n_low + 10) AS share_low, n_high / (n_high + 1) AS share_high, 7 AS seven
FROM counts
'''
"""


def homes(
    folder: Path, *, epsilon: str = "1", neighbours: str = "add_remove", budget: str = "", release: str = RELEASE, rows: int = 400
) -> Path:
    """A registered table of homes, one of them the canary's; the path of a release file about it."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = [f"{'ns'[i % 3 == 0]},{100 + i},owner{i}" for i in range(rows - 1)] + [f"n,999,{CANARY}"]
    (folder / "homes.csv").write_text("region,rent,owner\n" + "\n".join(lines) + "\n", encoding="utf-8")
    facts = FACTS.format(epsilon=epsilon, neighbours=neighbours, budget=budget)
    (folder / "homes.toml").write_text(facts, encoding="utf-8")
    office.register(folder / "homes.toml")
    file = folder / "release.toml"
    file.write_text(release, encoding="utf-8")
    return file


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a folder by its name."""
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}
