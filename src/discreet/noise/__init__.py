"""Randomness: exact noise, integers in and integers out."""

from discreet.noise.draws import discrete_gaussian, discrete_laplace

__all__ = ["discrete_gaussian", "discrete_laplace"]
