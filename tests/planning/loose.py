"""A table some of whose columns lack bounds."""

from fractions import Fraction

from discreet.facts import parse_facts
from discreet.facts.model import Integer, Number
from discreet.planning.build import make_plan
from discreet.planning.price import read_price
from discreet.privacy.prices import approximate, concentrated, pure
from discreet.questions.sql import read_sql

__all__ = ["COLUMNS", "PRICES", "RELATIONS", "facts", "of_kind", "planned"]

FACTS = """
[table]
name = "t"
source = "t.csv"
unit = {unit}
neighbours = "{neighbours}"
{size}
[budget]
epsilon = 100000
delta = 0.1
[columns.x]
type = "number"
[columns.k]
type = "integer"
[columns.up]
type = "number"
lower = 0
[columns.down]
type = "integer"
upper = -3
[columns.y]
type = "number"
lower = 0
upper = 10
[columns.score]
type = "number"
null = 7
[columns.word]
type = "text"
[columns.c]
type = "category"
null = "drop"
values = [1, 2]
"""
RELATIONS = [("add_remove", ""), ("change_one", "rows = 6")]
PRICES = [{"epsilon": 1}, {"rho": "0.1"}, {"epsilon": 1, "delta": "1e-6"}]
COLUMNS = [Number("x"), Integer("k"), Number("x", lower=Fraction(0)), Integer("k", upper=-3), Number("x", lower=Fraction(-5, 3)),
           Number("x", upper=Fraction(1000)), Number("x", lower=Fraction(1023)), Integer("k", lower=100)]  # fmt: skip


def facts(neighbours="add_remove", unit='"row"', size=""):
    return parse_facts(FACTS.format(neighbours=neighbours, unit=unit, size=size), "t.toml")


def planned(sql, about=None, **price):
    about = about or facts()
    return make_plan(read_sql(sql, about), about, read_price(**(price or {"epsilon": 1})))


def of_kind(price):
    return {"rho": concentrated, "delta": approximate}.get("delta" if "delta" in price else next(iter(price)), pure)
