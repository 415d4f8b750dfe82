"""diffprivlib's LinearRegression at ε = 1 with a lower bound of 0, the slope of one fit on each line.

The noise on the sum of x² is scaled by the square of the lower bound alone, so that there is none, and one person's x shows in
the slope. Run by the Python of the peer's own environment: regression.py 1, against regression.py 0.001.
"""

import sys

import numpy as np
from diffprivlib.models import LinearRegression

x, y = np.array([[float(sys.argv[1])], [0.001]]), np.array([0.0, 0.0])
for _ in range(500):
    model = LinearRegression(epsilon=1.0, bounds_X=(0, 1), bounds_y=(0, 1), fit_intercept=False)
    print(float(model.fit(x, y).coef_[0]))
