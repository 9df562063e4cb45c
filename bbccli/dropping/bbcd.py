"""BBCD: drop what is worse than the best in more than 99 % of bootstrap draws.

The test itself is step 2 of the method `bbcd`, see `methods/bbcd.py`. It resamples rows, so it
needs no folds, takes any metric, and can drop after the first fold.
"""

from __future__ import annotations

from bbccli.dropping.base import Rule, Verdict
from bbccli.methods.bbcd import THRESHOLD, worse_shares
from bbccli.methods.elimination import Standing


def bbcd(standing: Standing, threshold: float) -> Verdict:
    """Drop configurations that are strictly worse than the best in too many draws.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis 2018, section 4.
    """
    shares = worse_shares(standing)
    return Verdict(shares > threshold, probability=shares)


RULE = Rule(
    name="bbcd",
    label="bootstrap of the rows",
    run=bbcd,
    needs=frozenset(),
    threshold=THRESHOLD,
    min_folds=0,
    reference="Tsamardinos, Greasidou & Borboudakis 2018, section 4",
)
