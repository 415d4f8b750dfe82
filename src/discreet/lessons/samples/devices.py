"""``devices``: some fifty thousand devices of 24 000 households in 120 made-up zips, for a release of broadband coverage.

The first three digits of a zip are its county. Towns are fast, villages slow, so that coverage differs from zip to zip; most zips
are large beside the noise of a tenth of ε, and some are not.
"""

import numpy as np

from discreet.lessons.r import R
from discreet.lessons.samples.making import along, chosen, happens, words
from discreet.lessons.samples.shape import Sample

__all__ = ["devices"]

_HOUSEHOLDS = 24_000
_HEADER = ("zip", "household", "speed", "uses_services")
_COUNTIES, _ZIPS_PER_COUNTY = (695, 696, 697, 698, 699), 24
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
    table = tuple((_ZIPS[zip_], f"H{house + 1:05d}", ("low", "high")[speed], used == 1) for zip_, house, speed, used in rows)
    return Sample("devices", _HEADER, table, _FACTS, _RELEASE)


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
rows_about = 50000

[budget]
epsilon = 0.2

[columns.zip]
type = "category"
null = "drop"
values = [
{_zip_lines()}
]
description = "made-up postal code; its first three digits are the county"

[columns.speed]
type = "category"
null = "drop"
values = ["low", "high"]
labels = ["below 25 Mbps", "25 Mbps or more"]

[columns.uses_services]
type = "boolean"
null = "drop"
description = "the device uses the provider's services"
"""

_RELEASE = """\
# The broadband release: every zip is counted twice, and the coverage is worked out from these counts.
#
#     discreet register devices.toml
#     discreet publish devices_release.toml --out broadband --dry-run
#     discreet publish devices_release.toml --out broadband
#
# A device has one zip and one speed: adding or removing it changes one count of the first question by one, and one of the
# second. So each question costs 0.1, and both 0.2. The coverage is derived from released counts and costs nothing.
[release]
title = "Broadband coverage"
description = "The share of devices that connect at 25 Mbps or more, by county and by zip, from a made-up table of devices."
table = "devices.toml"

[[question]]
name = "speed"
title = "Devices by speed"
sql = '''
SELECT zip,
       COUNT(*) FILTER (WHERE speed = 'low')  AS slow,
       COUNT(*) FILTER (WHERE speed = 'high') AS fast
FROM devices
GROUP BY zip
'''
epsilon = 0.1
confidence = 0.975        # two such intervals make one of 95 % for the coverage
[question.columns]
slow = "devices below 25 Mbps (L)"
fast = "devices at 25 Mbps or more (H)"

[[question]]
name = "services"
title = "Devices by use of services"
sql = '''
SELECT zip,
       COUNT(*) FILTER (WHERE uses_services)     AS users,
       COUNT(*) FILTER (WHERE NOT uses_services) AS others
FROM devices
GROUP BY zip
'''
epsilon = 0.1
confidence = 0.975
[question.columns]
users = "devices that use the provider's services (M)"
others = "devices that do not (O)"

[[derived]]
name = "county"
title = "Coverage by county"
description = "The noise of the zips is independent, so the errors of their counts add up by squares, and not one by one."
confidence = 0.95
sql = '''
WITH noisy AS (
  SELECT left(zip, 3) AS county,
         sum(slow) AS slow, sqrt(sum(((slow_high - slow_low) / 2) ** 2)) AS slow_error,
         sum(fast) AS fast, sqrt(sum(((fast_high - fast_low) / 2) ** 2)) AS fast_error,
         sum(users + others) AS again,
         sqrt(sum(((users_high - users_low) / 2) ** 2 + ((others_high - others_low) / 2) ** 2)) AS again_error
  FROM speed JOIN services USING (zip)
  GROUP BY county
), total AS (
  SELECT county, (slow + fast + again) / 2 AS devices,
         sqrt(slow_error ** 2 + fast_error ** 2 + again_error ** 2) / 2 AS devices_error
  FROM noisy
)
SELECT county,
       fast / (slow + fast) AS coverage,
       (fast - fast_error) / (fast - fast_error + slow + slow_error) AS coverage_low,
       (fast + fast_error) / (fast + fast_error + slow - slow_error) AS coverage_high,
       devices,
       devices - devices_error AS devices_low,
       devices + devices_error AS devices_high
FROM noisy JOIN total USING (county)
ORDER BY county
'''
[derived.columns]
county = "the first three digits of the zip"
coverage = "share of devices at 25 Mbps or more"
devices = "all devices: both questions count them, and their mean is the better guess"

[[derived]]
name = "coverage"
title = "Coverage by zip"
description = "The noise of a count has scale 10. What it does to a share follows from the released counts; small zips err much."
confidence = 0.95
sql = '''
WITH shares AS (
  SELECT *, greatest(slow + fast, 1) AS devices, least(greatest(fast / greatest(slow + fast, 1), 0), 1) AS share FROM speed
)
SELECT zip,
       CASE WHEN slow + fast > 0 THEN share END AS coverage,
       CASE WHEN fast_low > 0 THEN fast_low / (fast_low + greatest(slow_high, 0)) ELSE 0 END AS coverage_low,
       CASE WHEN slow_low > 0 THEN greatest(fast_high, 0) / (greatest(fast_high, 0) + slow_low) ELSE 1 END AS coverage_high,
       least(10 * (1 - share * (1 - share)) / devices, 1) AS mean_absolute_error,
       least(greatest(200 * (2 * share - 1) / devices ** 2, -1), 1) AS mean_signed_deviation
FROM shares
ORDER BY zip
'''
[derived.columns]
coverage = "share of devices at 25 Mbps or more"
mean_absolute_error = "how far off the share is on average, by the noise alone"
mean_signed_deviation = "which way, on average"
"""
