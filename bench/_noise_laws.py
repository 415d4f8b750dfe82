"""The laws that noise.py and its two helpers measure, by the name they have in results."""

LAPLACE = {"1": 1, "10": 10, "10^6": 10**6, "2^34": 2**34}    # scales
GAUSSIAN = {"1": 1, "10": 10, "10^6": 10**6}                  # standard deviations
