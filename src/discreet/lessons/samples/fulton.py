"""``fulton``: 25 766 adults of a county, for the private mean of years of education."""

import numpy as np

from discreet.lessons.r import R
from discreet.lessons.samples.making import along, chosen, happens, nudged, words
from discreet.lessons.samples.shape import Sample

__all__ = ["fulton"]

_ROWS, _EDUC_TOTAL = 25_766, 273_340
_HEADER = ("sex", "age", "educ", "income", "married", "uscitizen", "children", "disability", "employed")
_AGE = ((0, 18), (100, 23), (250, 30), (500, 41), (750, 53), (900, 67), (980, 82), (1000, 94))
_EDUC = (11, 6, 14, 18, 20, 29, 35, 42, 200, 54, 154, 45, 244, 88, 30, 12)  # weights of the levels 1..16
_INCOME = ((0, 0), (80, 0), (250, 12_000), (500, 27_000), (750, 48_000), (900, 83_000), (980, 190_000), (1000, 460_000))


def fulton() -> Sample:
    """25 766 rows; ``educ`` is in 1..16 and sums to 273 340, a mean of 10.608553908251183."""
    source = R(_ROWS)
    sex = happens(words(source, _ROWS), 528)
    age = along(words(source, _ROWS), _AGE)
    educ = nudged(1 + chosen(words(source, _ROWS), _EDUC), _EDUC_TOTAL, 1, 16)
    employed = happens(words(source, _ROWS), np.where(age < 65, 720, 160))
    income = along(words(source, _ROWS), _INCOME) * (educ + 2) // 12 * (1 + 2 * employed) // 3
    married = happens(words(source, _ROWS), np.where(age < 28, 190, 520))
    citizen = happens(words(source, _ROWS), 926)
    children = happens(words(source, _ROWS), np.where(age < 50, 60 + 190 * married, 15))
    disability = happens(words(source, _ROWS), 100 + 4 * np.maximum(age - 18, 0))
    columns = (sex, age, educ, income, married, citizen, children, disability, employed)
    return Sample("fulton", _HEADER, tuple(zip(*(column.tolist() for column in columns), strict=True)), _FACTS)


_FACTS = """\
# Public facts about a made-up table of adults. The number of rows is public, and a neighbour changes one row.
[table]
name = "fulton"
source = "fulton.csv"
version = "sample-1"
unit = "row"
neighbours = "change_one"
rows = 25766

[budget]
epsilon = 1

[columns.sex]
type = "category"
null = "drop"
values = [0, 1]
labels = ["Male", "Female"]

[columns.age]
type = "integer"
lower = 18
upper = 100
null = 18

[columns.educ]
type = "integer"
lower = 1
upper = 16
null = 1
description = "level of education, from 1 (none) to 16 (doctorate)"

[columns.income]
type = "number"
lower = 0
upper = 1_000_000
null = 0
description = "income in the past 12 months"

[columns.married]
type = "boolean"
null = "drop"

[columns.uscitizen]
type = "boolean"
null = "drop"

[columns.children]
type = "boolean"
null = "drop"
description = "has children at home"

[columns.disability]
type = "boolean"
null = "drop"

[columns.employed]
type = "boolean"
null = "drop"
"""
