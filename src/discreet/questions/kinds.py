"""The kinds of values, and what people call them."""

from typing import Literal as OneOfThese

__all__ = ["NAMES", "Type"]

Type = OneOfThese["number", "code", "text", "truth", "day", "moment", "null"]

NAMES: dict[Type, str] = {
    "number": "a number",
    "code": "a category",
    "text": "a text",
    "truth": "true or false",
    "day": "a date",
    "moment": "a timestamp",
    "null": "NULL",
}
