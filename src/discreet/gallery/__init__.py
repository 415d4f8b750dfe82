"""The gallery: the pictures of five teaching texts, drawn anew, and sliders to play with.

It stands beside the flow, for learning; nothing that answers a question imports it. Every number is worked out when it is asked
for, from mechanisms, from teaching functions or from made-up tables with the texts' totals.
"""

from discreet.gallery.catalogue import PAGES, Page, page
from discreet.gallery.writing import write_figures

__all__ = ["PAGES", "Page", "page", "write_figures"]
