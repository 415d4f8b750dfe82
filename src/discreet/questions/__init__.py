"""TEXT OR PYTHON → Question: the closed algebra as frozen data, the SQL reader, the builder.

Everything here is decided from the text of the question and the public facts; no row is ever seen. A question passes through

    tokens → grammar, statement    text → expressions, with their places in the text; the limits are here
    resolve                        names → declared columns, keys, aliases
    types, bounds, check           does every operation fit its values, and is every number publicly bounded
    normal                         one form for all ways of writing it; fingerprint
"""

__all__: list[str] = []
