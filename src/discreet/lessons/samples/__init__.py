"""Made-up tables with the totals that the texts print, and a facts file for each.

Every row is invented by arithmetic from a fixed start, the same on every machine; nobody is in them. Only the totals
are the texts' own, so that the figures printed there come out of any copy of this library.
"""

from discreet.lessons.samples.shape import Sample
from discreet.lessons.samples.shelf import NAMES, sample, write_sample

__all__ = ["NAMES", "Sample", "sample", "write_sample"]
