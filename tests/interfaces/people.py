"""A small table to ask from the command line, with a note and an age in it that nobody may see."""

__all__ = ["CANARY", "FACTS", "ODD_AGE", "rows"]

FACTS = """\
[table]
name = "people"
source = "people.csv"
unit = "row"
neighbours = "add_remove"
rows_about = 40

[budget]
epsilon = 2

[columns.Age]
type = "integer"
lower = 0
upper = 120

[columns.Sex]
type = "category"
values = [1, 2]
labels = ["female", "male"]

[columns.Note]
type = "text"
"""
CANARY = "Zanzibar-7413"
ODD_AGE = 7413997


def rows() -> str:
    """Forty people; one has a note that nobody may see, and one an age that cannot be."""
    lines = [f"{20 + place},{1 + place % 2},note {place}" for place in range(38)]
    return "\n".join(["Age,Sex,Note", *lines, f"41,1,{CANARY}", f"{ODD_AGE},2,x"]) + "\n"
