"""A made-up survey of households, for tests in a browser and for pictures of every view."""

import random
from pathlib import Path

from discreet.curator import accounts, office

REGIONS = {"North": 1420, "Lakes": 2300, "Capital": 3100, "Midlands": 1890, "East Coast": 1280, "South": 1490,
           "Highlands": 410, "Islands": 100, "Overseas": 8}  # fmt: skip
FACTS = """\
[table]
name = "households"
source = "households.csv"
version = "2025-Q3"
unit = "row"
neighbours = "add_remove"
rows_about = 12000
description = "Household survey, third quarter of 2025"
[budget]
epsilon = 4
{budget}
[columns.region]
type = "category"
values = [1, 2, 3, 4, 5, 6, 7, 8, 9]
labels = ["North", "Lakes", "Capital", "Midlands", "East Coast", "South", "Highlands", "Islands", "Overseas"]
null = "drop"
description = "where the household lives"
[columns.tenure]
type = "category"
values = [1, 2, 3]
labels = ["owned", "rented", "other"]
null = "drop"
[columns.income]
type = "number"
lower = 0
upper = 250000
null = "drop"
description = "dollars a year, before tax"
[columns.rent]
type = "number"
lower = 0
upper = 5000
null = "drop"
description = "dollars a month"
[columns.age]
type = "integer"
lower = 16
upper = 110
null = "drop"
description = "of the oldest adult"
[columns.children]
type = "integer"
lower = 0
upper = 12
null = 0
description = "under 18"
[columns.town]
type = "text"
description = "as it was written down"
"""


def write_households(folder: Path, *, budget: str = "") -> Path:
    """The rows and the facts; the facts file."""
    chance = random.Random(17)
    base = {name: 38_000 + 4_500 * (at % 4) + (26_000 if name == "Capital" else 0) for at, name in enumerate(REGIONS)}
    lines = []
    for code, (name, count) in enumerate(REGIONS.items(), start=1):
        for _ in range(count):
            income = max(0, int(chance.gauss(base[name], 17_000)))
            tenure, age = chance.choices((1, 2, 3), (55, 38, 7))[0], min(109, max(17, int(chance.gauss(52, 17))))
            rent = max(0, int(income / 42 + chance.gauss(0, 160))) if tenure == 2 else 0
            town = chance.choice(("Alder", "Birch", "Cedar", "Elm"))
            lines.append(f"{code},{tenure},{income},{rent},{age},{chance.choices(range(5), (55, 18, 17, 7, 3))[0]},{town}")
    header = "region,tenure,income,rent,age,children,town"
    (folder / "households.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
    (folder / "households.toml").write_text(FACTS.format(budget=budget), encoding="utf-8")
    return folder / "households.toml"


def open_households(folder: Path, *, budget: str = "") -> dict[str, str]:
    """The table registered, with people who may ask it; their tokens by name."""
    office.register(write_households(folder, budget=budget))
    names = {"alice": "analyst", "bkim": "analyst", "carla": "analyst", "dana": "holder"}
    tokens = {name: accounts.add(folder, name, role) for name, role in names.items()}
    for name, role in names.items():
        if role == "analyst":
            accounts.grant(folder, name, ["households"])
    return tokens
