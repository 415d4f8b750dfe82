"""``devices``: some twelve thousand devices of 6000 households in 240 made-up zips, for a release of broadband coverage.

The first three digits of a zip are its county. Towns are fast, villages slow, so that coverage differs from zip to zip.
"""

import numpy as np

from discreet.lessons.r import R
from discreet.lessons.samples.making import along, chosen, happens, words
from discreet.lessons.samples.table import Sample

__all__ = ["devices"]

_HOUSEHOLDS = 6000
_HEADER = ("zip", "household", "speed", "uses_services")
_COUNTIES, _ZIPS_PER_COUNTY = (695, 696, 697, 698, 699), 48
_ZIPS = tuple(f"{county}{place:02d}" for county in _COUNTIES for place in range(1, _ZIPS_PER_COUNTY + 1))
_SIZE = ((0, 6), (300, 12), (600, 22), (850, 45), (1000, 120))  # how many households a zip has beside the others
_FAST = ((0, 80), (250, 300), (500, 520), (800, 780), (1000, 950))  # per mille of fast devices in a zip
_DEVICES = (300, 380, 210, 110)  # weights of 1, 2, 3 and 4 devices in a household


def devices() -> Sample:
    """One row for each device: its zip, its household, its speed class (high is 25 Mbps or more), whether it uses services."""
    source = R(240)
    size = along(words(source, len(_ZIPS)), _SIZE)
    fast = along(words(source, len(_ZIPS)), _FAST)
    home = np.sort(chosen(words(source, _HOUSEHOLDS), tuple(size.tolist())))  # the zip of each household
    owner = np.repeat(np.arange(_HOUSEHOLDS), 1 + chosen(words(source, _HOUSEHOLDS), _DEVICES))
    place = home[owner]
    high = happens(words(source, owner.size), fast[place])
    uses = happens(words(source, owner.size), 620 + 160 * high)
    rows = zip(place.tolist(), owner.tolist(), high.tolist(), uses.tolist(), strict=True)
    table = tuple((_ZIPS[zip_], f"H{house + 1:04d}", ("low", "high")[speed], used == 1) for zip_, house, speed, used in rows)
    return Sample("devices", _HEADER, table, _FACTS)


def _zip_lines() -> str:
    """The zips as lines of a TOML array."""
    lines = (_ZIPS[start : start + 12] for start in range(0, len(_ZIPS), 12))
    return "\n".join("  " + " ".join(f'"{code}",' for code in line) for line in lines)


_FACTS = f"""\
# Public facts about a made-up table of devices. The number of devices is private; a neighbour adds or removes one.
[table]
name = "devices"
source = "devices.csv"
version = "sample-1"
unit = "row"
neighbours = "add_remove"
rows_about = 12000

[budget]
epsilon = 0.2

[columns.zip]
type = "category"
values = [
{_zip_lines()}
]
description = "made-up postal code; its first three digits are the county"

[columns.speed]
type = "category"
values = ["low", "high"]
labels = ["below 25 Mbps", "25 Mbps or more"]

[columns.uses_services]
type = "boolean"
description = "the device uses the provider's services"
"""
