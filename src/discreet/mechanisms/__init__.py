"""Answers: one mechanism per file, each with its cost, its release, its interval and its proof."""

from discreet.mechanisms.above_threshold import AboveThreshold
from discreet.mechanisms.bernstein import Bernstein
from discreet.mechanisms.exponential import Exponential
from discreet.mechanisms.gaussian import Gaussian
from discreet.mechanisms.keys import KeySelection, NoisyThreshold
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.noisy_max import NoisyMax
from discreet.mechanisms.permute_and_flip import PermuteAndFlip
from discreet.mechanisms.randomized_response import RandomizedResponse

__all__ = [
    "AboveThreshold",
    "Bernstein",
    "Exponential",
    "Gaussian",
    "KeySelection",
    "Laplace",
    "NoisyMax",
    "NoisyThreshold",
    "PermuteAndFlip",
    "RandomizedResponse",
]
