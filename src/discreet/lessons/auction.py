"""An auction whose revenue jumps with the price: why a choice is made by score and not by adding noise to a number.

Money is in whole cents, so that every score is an exact integer.
"""

from collections.abc import Sequence

__all__ = ["BIDS", "PRICES", "revenue", "score_sensitivity"]

BIDS = (100, 100, 301)  # what each of three bidders would pay
PRICES = (100, 101, 301, 302)  # what the house may ask; public


def revenue(price: int, bids: Sequence[int] = BIDS) -> int:
    """What the house takes, in cents: the price from everyone who would pay it."""
    return price * sum(bid >= price for bid in bids)


def score_sensitivity(prices: Sequence[int] = PRICES) -> int:
    """The most that one bidder can change any price's revenue: the highest price, whoever comes, goes or changes."""
    return max(prices)
