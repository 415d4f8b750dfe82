"""Beside the flow, for learning: continuous distributions, R's generator, made-up tables.

Nothing that answers a question imports this room, and nothing here protects anyone: floating-point noise and a
generator that can be replayed are good for understanding a text and wrong for releasing a figure.
"""

__all__: list[str] = []
