"""Intervals: of resample distributions, and of estimates with a standard error."""

from bbccli.stats.intervals.ends import interval_by, normal, side_of
from bbccli.stats.intervals.resampled import INTERVALS, Basis, interval_of

__all__ = ["INTERVALS", "Basis", "interval_by", "interval_of", "normal", "side_of"]
