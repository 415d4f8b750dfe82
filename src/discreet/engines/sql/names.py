"""Names and constants in SQL text that no character can break out of."""

__all__ = ["UNIT", "quoted", "quoted_text", "safe_name"]

UNIT = "u"  # what the column of the units is called in an engine


def safe_name(place: int) -> str:
    """The name of a declared column in an engine, whatever people call it."""
    return f"c{place}"


def quoted(name: str) -> str:
    """A name that no character can break out of."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """A text constant that no character can break out of."""
    return "'" + text.replace("'", "''") + "'"
