"""What a sample is: a header, rows, and the facts file that goes with them."""

import csv
import io
from dataclasses import dataclass

__all__ = ["Sample", "Value"]

Value = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Sample:
    """A made-up table and what is public about it. ``facts_toml`` is the text of its facts file."""

    name: str
    header: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    facts_toml: str
    release_toml: str = ""  # questions to publish about it, where the texts do so

    def column(self, name: str) -> list[Value]:
        """The values of one column, in the order of the rows. Raises ValueError for a name not in the header."""
        place = self.header.index(name)
        return [row[place] for row in self.rows]

    def csv(self) -> str:
        """The table as a CSV file with a header; truth is written ``true`` and ``false``."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([str(cell).lower() if isinstance(cell, bool) else cell for cell in row] for row in self.rows)
        return text.getvalue()
