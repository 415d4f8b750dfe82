"""The demo: two made-up tables, registered for real and asked until nothing is left."""

__all__: list[str] = []
