"""Answers: one mechanism per file, each with its cost, its release, its interval and its proof."""

from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.laplace import Laplace

__all__ = ["Exponential", "Gaussian", "Laplace"]
