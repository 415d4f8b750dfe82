"""Prices: events, losses, how they add up, and what one means in terms of another."""

from discreet.privacy.composition import group, parallel, sequential
from discreet.privacy.losses import Approximate, Concentrated, Loss, Pure, zCDP

__all__ = ["Approximate", "Concentrated", "Loss", "Pure", "group", "parallel", "sequential", "zCDP"]
