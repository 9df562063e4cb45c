"""What figures show of a result beyond its document: resamples, folds, and curves of the winner."""

from __future__ import annotations

from bbccli.reports.evidence.gathering import gather
from bbccli.reports.evidence.records import Curves, Evidence, FoldSpread, Histogram, Ranked, Ranking

__all__ = ["Curves", "Evidence", "FoldSpread", "Histogram", "Ranked", "Ranking", "gather"]
