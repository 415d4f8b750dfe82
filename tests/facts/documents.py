"""A facts file that uses every key, and a way to spoil it."""

SOUND = """\
[table]
name = "ce_book"
source = "data/ce_book.csv"
version = "2017Q1"
unit = "row"
neighbours = "change_one"
rows = 994
people = "consumers"
description = "consumer units"

[csv]
delimiter = ";"
quote = "'"
header = true
encoding = "latin-1"

[budget]
epsilon = 2.2
delta = 1e-6
accounting = "concentrated"
partition = "UrbanRural"
per_analyst = { epsilon = 1.1, delta = "1/2000000" }
max_epsilon_per_question = 0.5
expires = 2030-12-31

[columns.UrbanRural]
type = "category"
values = [1, 2]
labels = ["Urban", "Rural"]
other = true
description = "where"

[columns.Income]
type = "number"
lower = 0
upper = 1_000_000.5
null = 0.1
decimal = ","
thousands = "."

[columns.Kids]
type = "integer"
lower = -1
upper = 10
null = "drop"

[columns."Marital Status"]
type = "category"
values = [
  "married",
  "single",
]

[columns.Owns]
type = "boolean"
null = false
true = ["Y", "ja", 1]
false = ["N", 2]

[columns.Born]
type = "date"
lower = 1900-01-01
upper = 2017-12-31
format = "%d.%m.%Y"

[columns.Seen]
type = "timestamp"
lower = 2017-01-01T00:00:00
upper = 2017-12-31T23:59:59.5
format = "%d.%m.%Y %H:%M"
zone = "Europe/Berlin"

[columns.Name]
type = "text"
max_length = 40
"""


def spoilt(*changes: tuple[str, str]) -> str:
    """The sound file with each old text, which must be there, replaced by a new one."""
    text = SOUND
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text
