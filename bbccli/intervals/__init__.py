"""Intervals: of resample distributions, and of estimates with a standard error."""

from bbccli.intervals.base import Basis
from bbccli.intervals.ends import interval_by, normal, side_of
from bbccli.intervals.registry import INTERVALS
from bbccli.intervals.resampled import interval_of

__all__ = ["INTERVALS", "Basis", "interval_by", "interval_of", "normal", "side_of"]
