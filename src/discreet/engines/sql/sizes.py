"""How large expressions become where an engine merges each SELECT into the one around it.

A column that is named three times is then written out three times, at every stage again: with stages that name columns of the
stage before, time to plan grows as a power. Sizes are counted here before a statement is sent, from its text alone. Where a stage
would become too large a fence goes in front of it: behind a fence every column is as small as its name.
"""

import re
from collections.abc import Mapping, Sequence

__all__ = ["fences"]

_WORD = re.compile(r"""'(?:[^']|'')*'|"[^"]*"|\w+|[^\w\s]""")


def fences(stages: Sequence[Mapping[str, str]], most: int | None) -> list[bool]:
    """Whether a fence goes after each stage, given as the columns that it adds; ``most`` words are merged into one stage.

    What is tested before a stage stands beside its columns, under no name.
    """
    found = [False] * len(stages)
    if most is None:
        return found
    sizes: dict[str, int] = {}
    for place, added in enumerate(stages):
        merged = {name: _size(sql, sizes) for name, sql in added.items()}
        if place and sum(merged.values()) > most:
            found[place - 1], sizes = True, {}
            merged = {name: _size(sql, sizes) for name, sql in added.items()}
        sizes |= merged
    if stages and sum(sizes.values()) > most:
        found[-1] = True  # whatever is around the last of them names its columns a few times more
    return found


def _size(sql: str, sizes: Mapping[str, int]) -> int:
    """The words of a piece of SQL, columns written out."""
    return sum(sizes.get(word.strip('"'), 1) for word in _WORD.findall(sql))
