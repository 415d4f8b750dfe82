"""What can be released: one statistic, one class, one file, from what it wants of an engine to its value and interval."""

__all__: list[str] = []
