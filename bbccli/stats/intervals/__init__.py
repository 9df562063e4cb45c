"""Intervals: of resample distributions, and of estimates with a standard error."""

from bbccli.stats.intervals.resampled import INTERVALS, Basis, guards_losses, interval_of

__all__ = ["INTERVALS", "Basis", "guards_losses", "interval_of"]
