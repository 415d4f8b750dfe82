"""Plain Python without SQL, as an oracle, and for rows that are made up."""

from discreet.engines.reference.engine import Reference

__all__ = ["Reference"]
