"""The few hot loops, and the one place that chooses between their forms."""

from bbccli.kernels.pairs import PresortedPairs, concordant_weight, presort

__all__ = ["PresortedPairs", "concordant_weight", "presort"]
