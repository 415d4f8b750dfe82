"""CSV that spreadsheets open: a text that one of them would run as a formula is told to be a text."""

__all__ = ["safe_cell"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what OWASP lists under CSV injection


def safe_cell(value: object) -> object:
    """``value``, with an apostrophe before a text that begins like a formula. Numbers stay what they are.

    A bare carriage return, which Python's writer puts between rows unquoted, becomes an end of line, which it quotes.
    """
    if not isinstance(value, str):
        return value
    mark = "'" if value.startswith(_FORMULA) else ""
    return mark + value.replace("\r\n", "\n").replace("\r", "\n")
