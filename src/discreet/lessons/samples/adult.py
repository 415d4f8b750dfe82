"""``adult``: 32 561 working people with names, for a count by age and for the question that singles one person out."""

import numpy as np

from discreet.lessons.r import R
from discreet.lessons.samples.making import Ints, along, chosen, happens, words
from discreet.lessons.samples.shape import Sample

__all__ = ["adult"]

_ROWS, _AGED_40_OR_MORE = 32_561, 14_237
_HEADER = ("Name", "Age", "Workclass", "Education", "Education-Num", "Marital Status", "Sex", "Hours per week", "Target")
_SINGLED_OUT, _HER_AGE = "Karrie Trusslove", 39

_YOUNGER = ((0, 17), (200, 22), (500, 29), (800, 36), (1000, 40))  # 17..39
_OLDER = ((0, 40), (350, 45), (700, 54), (920, 66), (990, 78), (1000, 91))  # 40..90
_HOURS = ((0, 4), (60, 18), (150, 32), (240, 40), (620, 41), (800, 48), (930, 58), (990, 75), (1000, 100))
_WORKCLASSES = {
    "Private": 700, "Self-emp-not-inc": 79, "Local-gov": 64, "?": 55, "State-gov": 40, "Self-emp-inc": 33, "Federal-gov": 29,
}  # fmt: skip
_EDUCATIONS = {         # level → weight; years of schooling follow the order
    "Preschool": 2, "1st-4th": 5, "5th-6th": 10, "7th-8th": 20, "9th": 16, "10th": 29, "11th": 36, "12th": 13, "HS-grad": 323,
    "Some-college": 224, "Assoc-voc": 42, "Assoc-acdm": 33, "Bachelors": 165, "Masters": 53, "Prof-school": 17, "Doctorate": 12,
}  # fmt: skip
_MARITAL = {"Married": 470, "Never-married": 330, "Divorced": 136, "Separated": 33, "Widowed": 31}
_GIVEN = (
    "Ada", "Amos", "Anselm", "Bertil", "Brida", "Calla", "Corin", "Dagny", "Delphine", "Edda", "Elric", "Fabian", "Fenna",
    "Gerda", "Gideon", "Hanne", "Hugo", "Ilse", "Ivor", "Jarl", "Jonna", "Kasimir", "Lale", "Leopold", "Maren", "Moritz", "Nadja",
    "Nils", "Odile", "Oskar", "Petra", "Quentin", "Runa", "Silvan", "Tilda", "Ulrik", "Vera", "Wanda", "Yorick", "Zelda",
)  # fmt: skip
_FAMILY_START = (
    "Alder", "Ash", "Birk", "Black", "Bram", "Cold", "Crow", "Dun", "Elm", "Fair", "Fern", "Glen", "Grey", "Hart", "Hazel",
    "Holl", "Iron", "Kest", "Lang", "Lind", "Mar", "Mill", "Moss", "North", "Oak", "Pen", "Quill", "Raven", "Red", "Rook",
    "Sand", "Stone", "Summer", "Thorn", "Under", "Wald", "West", "White", "Wind", "Winter",
)  # fmt: skip
_FAMILY_END = (
    "acre", "berg", "bourne", "brook", "by", "croft", "dale", "den", "field", "ford", "gate", "ham", "hurst", "ley", "man",
    "mere", "more", "ridge", "shaw", "son", "stead", "ton", "wick", "worth",
)  # fmt: skip


def adult() -> Sample:
    """32 561 rows, 14 237 aged 40 or more; one Karrie Trusslove, aged 39, whose Target is ``<=50K``."""
    source = R(_ROWS)
    age = _ages(source)
    workclass = chosen(words(source, _ROWS), tuple(_WORKCLASSES.values()))
    years = 1 + chosen(words(source, _ROWS), tuple(_EDUCATIONS.values()))
    marital = chosen(words(source, _ROWS), tuple(_MARITAL.values()))
    sex = happens(words(source, _ROWS), 669)
    hours = along(words(source, _ROWS), _HOURS)
    chance = np.clip(28 * years + 7 * np.minimum(age, 50) + 3 * hours + 140 * (marital == 0) - 500, 0, 900)
    above = happens(words(source, _ROWS), chance)
    columns = (
        _names(age, above),
        age.tolist(),
        _spelt(workclass, tuple(_WORKCLASSES)),
        _spelt(years - 1, tuple(_EDUCATIONS)),
        years.tolist(),
        _spelt(marital, tuple(_MARITAL)),
        _spelt(sex, ("Female", "Male")),
        hours.tolist(),
        _spelt(above, ("<=50K", ">50K")),
    )
    return Sample("adult", _HEADER, tuple(zip(*columns, strict=True)), _FACTS)


def _ages(source: R) -> Ints:
    older = along(words(source, _AGED_40_OR_MORE), _OLDER)
    younger = along(words(source, _ROWS - _AGED_40_OR_MORE), _YOUNGER)
    return np.concatenate([older, younger])[np.argsort(words(source, _ROWS), kind="stable")]


def _names(age: Ints, above: Ints) -> list[str]:
    """A different name for every row; Karrie's is given to the first row that fits her."""
    families = [start + end for start in _FAMILY_START for end in _FAMILY_END]
    people = len(_GIVEN) * len(families)
    turns = (7927 * row % people for row in range(age.size))  # 7927 is prime to the number of names: none comes twice
    names = [f"{_GIVEN[turn % len(_GIVEN)]} {families[turn // len(_GIVEN)]}" for turn in turns]
    names[np.flatnonzero((age == _HER_AGE) & (above == 0))[0]] = _SINGLED_OUT
    return names


def _spelt(index: Ints, spellings: tuple[str, ...]) -> list[str]:
    return [spellings[place] for place in index.tolist()]


def _array(spellings: tuple[str, ...]) -> str:
    return "[" + ", ".join(f'"{spelling}"' for spelling in spellings) + "]"


_FACTS = f"""\
# Public facts about a made-up table of working people. The number of rows is private; a neighbour adds or removes one.
[table]
name = "adult"
source = "adult.csv"
version = "sample-1"
unit = "row"
neighbours = "add_remove"
rows_about = 30000

[budget]
epsilon = 1

[columns.Name]
type = "text"

[columns.Age]
type = "integer"
null = "drop"
lower = 17
upper = 90

[columns.Workclass]
type = "category"
values = {_array(tuple(name for name in _WORKCLASSES if name != "?"))}
other = true

[columns.Education]
type = "category"
null = "drop"
values = {_array(tuple(_EDUCATIONS))}

[columns."Education-Num"]
type = "integer"
null = "drop"
lower = 1
upper = 16

[columns."Marital Status"]
type = "category"
null = "drop"
values = {_array(tuple(_MARITAL))}

[columns.Sex]
type = "category"
null = "drop"
values = ["Female", "Male"]

[columns."Hours per week"]
type = "integer"
null = "drop"
lower = 1
upper = 99

[columns.Target]
type = "category"
null = "drop"
values = ["<=50K", ">50K"]
description = "yearly income"
"""
