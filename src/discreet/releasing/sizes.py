"""Whether what the facts call public is true: the one thing that is looked at in the data and not released."""

from discreet.engines.wanted import Engine, Wanted

__all__ = ["is_counted"]


def is_counted(engine: Engine, wanted: Wanted, size: int) -> bool:
    """Whether the one count that is wanted is ``size``, which the data holder has declared. Rule 3."""
    return int(engine.run(wanted).take().whole()[0, 0]) == size
