"""Two samples of consumer units: ``ce_book`` (994 rows) and ``ce_slides`` (5133 rows, with the number of children)."""

from collections.abc import Mapping

from discreet.lessons.r import R
from discreet.lessons.samples.making import Ints, along, chosen, dealt, with_total, words
from discreet.lessons.samples.shape import Sample

__all__ = ["ce_book", "ce_slides"]

_HEADER = ("UrbanRural", "Income", "Race", "Expenditure")
_MOST_INCOME, _MOST_CENTS = 1_000_000, 50_000_000
_URBAN, _RURAL = 1, 2

_INCOME = (
    (0, 300), (50, 6_000), (100, 11_500), (250, 24_000), (500, 47_000), (750, 90_000),
    (900, 150_000), (950, 198_000), (990, 370_000), (998, 560_000), (1000, 780_000),
)  # fmt: skip
_OTHER_CENTS = (
    (0, 9_000), (100, 90_000), (250, 180_000), (500, 330_000), (750, 570_000), (900, 900_000),
    (990, 2_400_000), (1000, 5_200_000),
)  # fmt: skip
_KIDS = (62, 16, 14, 5, 2, 1)


def ce_book() -> Sample:
    """994 consumer units, 51 of them rural; incomes sum to 67 187 657 and the mean expenditure is 9421.9719."""
    source = R(994)
    races = {1: 816, 2: 109, 3: 7, 4: 39, 5: 6, 6: 17}
    columns = _units(source, rural=51, races=races, income=67_187_657, cents=936_544_011)
    return Sample("ce_book", _HEADER, _rows(*columns), _BOOK_FACTS)


def ce_slides() -> Sample:
    """5133 consumer units, 337 of them rural; incomes sum to 395 629 922 and the mean expenditure is 10197.3821."""
    source = R(5133)
    races = {1: 4201, 2: 553, 3: 28, 4: 239, 5: 24, 6: 88}
    columns = _units(source, rural=337, races=races, income=395_629_922, cents=5_234_316_209)
    kids = chosen(words(source, 5133), _KIDS)
    rows = tuple((*row, count) for row, count in zip(_rows(*columns), kids.tolist(), strict=True))
    return Sample("ce_slides", (*_HEADER, "KidsCount"), rows, _SLIDES_FACTS)


def _units(source: R, *, rural: int, races: Mapping[int, int], income: int, cents: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Place, income, race and expenditure in cents: one entry per consumer unit."""
    n = sum(races.values())
    place = dealt(words(source, n), {_URBAN: n - rural, _RURAL: rural})
    race = dealt(words(source, n), races)
    earned = along(words(source, n), _INCOME) * (12 - 2 * place) // 10  # less in the country
    earned = with_total(earned, income, 0, _MOST_INCOME)
    spent = along(words(source, n), _OTHER_CENTS) + 7 * earned  # 7 % of a year's income in a quarter, and more
    return place, earned, race, with_total(spent, cents, 0, _MOST_CENTS)


def _rows(place: Ints, income: Ints, race: Ints, cents: Ints) -> tuple[tuple[int | float, ...], ...]:
    spent = [amount / 100 for amount in cents.tolist()]
    return tuple(zip(place.tolist(), income.tolist(), race.tolist(), spent, strict=True))


_COLUMNS = """\
[columns.UrbanRural]
type = "category"
null = "drop"
values = [1, 2]
labels = ["Urban", "Rural"]

[columns.Income]
type = "number"
lower = 0
upper = 1_000_000
null = 0
description = "income before taxes in the past 12 months"

[columns.Race]
type = "category"
null = "drop"
values = [1, 2, 3, 4, 5, 6]
labels = ["White", "Black", "Native American", "Asian", "Pacific Islander", "Multi-race"]
description = "race of the reference person"

[columns.Expenditure]
type = "number"
lower = 0
upper = 500_000
null = 0
description = "total expenditures in the last quarter"
"""

_BOOK_FACTS = f"""\
# Public facts about a made-up table of consumer units. The number of rows is public, and a neighbour changes one row.
[table]
name = "ce_book"
source = "ce_book.csv"
version = "sample-1"
unit = "row"
neighbours = "change_one"
rows = 994

[budget]
epsilon = 2.2

{_COLUMNS}"""

_SLIDES_FACTS = f"""\
# Public facts about a made-up table of consumer units. The number of rows is private, and a neighbour adds or removes one.
[table]
name = "ce_slides"
source = "ce_slides.csv"
version = "sample-1"
unit = "row"
neighbours = "add_remove"
rows_about = 5000

[budget]
epsilon = 1.4
partition = "UrbanRural"

{_COLUMNS}
[columns.KidsCount]
type = "integer"
lower = 0
upper = 10
null = 0
description = "children under 18 in the unit"
"""
