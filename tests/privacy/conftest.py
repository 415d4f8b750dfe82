"""Losses and conversions are compared in forty digits."""

from collections.abc import Iterator

import mpmath
import pytest


@pytest.fixture(autouse=True)
def _forty_digits() -> Iterator[None]:
    with mpmath.workdps(40):
        yield
