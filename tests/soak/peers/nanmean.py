"""diffprivlib's nanmean of ten numbers at ε = 1, one release on each line: nine are missing, and the tenth is 0 or 1.

It divides by the numbers that are there and adds noise for ten, so that one person moves the mean ten times as far as covered.
Run by the Python of the peer's own environment: nanmean.py 0, against nanmean.py 1.
"""

import sys

import numpy as np
from diffprivlib.tools import nanmean

rows = np.array([np.nan] * 9 + [float(sys.argv[1])])
for _ in range(500):
    print(float(nanmean(rows, epsilon=1.0, bounds=(0, 1))))
