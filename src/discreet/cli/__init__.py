"""The command line: thin, and the only room that knows the terminal."""

__all__: list[str] = []
