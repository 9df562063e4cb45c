"""Intervals: of resample distributions, and of estimates with a standard error."""

from bbccli.intervals.normal import normal
from bbccli.intervals.resampled import Basis, interval_of
from bbccli.intervals.sides import side_of

__all__ = ["Basis", "interval_of", "normal", "side_of"]
