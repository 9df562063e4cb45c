"""What `bbc correct` is asked for, and its answer: the same for one file and for many."""

from bbccli.analysis.asked import Analysis

__all__ = ["Analysis"]
