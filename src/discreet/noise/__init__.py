"""Randomness: exact noise, integers in and integers out.

Names are imported when they are first used: prices need the enclosures of this room, and no draws.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discreet.noise.draws import discrete_gaussian, discrete_laplace

__all__ = ["discrete_gaussian", "discrete_laplace"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'discreet.noise' has no attribute {name!r}")
    from discreet.noise import draws

    return getattr(draws, name)
