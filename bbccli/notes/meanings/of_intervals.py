"""Notes on intervals whose factors, losses or spreads need care."""

from __future__ import annotations

from bbccli.notes.meanings.record import Meaning, Severity

OF_INTERVALS = (
    Meaning(
        "not-calibrated",
        Severity.DOUBT,
        """The factors of `calibrated` and `sharp` intervals were measured for `bbc`, `bbc-632` and
        `bbc-eb`. This is another method: nobody knows how often its intervals hold the truth.""",
        """report `bbc-eb`, or `--interval percentile`.""",
    ),
    Meaning(
        "unbounded-loss",
        Severity.DOUBT,
        """A squared error has no worst value, and the rare huge errors that make the mean may not
        be in the sample. On 28 populations, bounds of level 0.95 of the MSE held the truth in 37 to
        97 % of the studies, whatever the method and the interval; skewness corrections, bootstrap-t
        and a fitted tail repaired nothing. With `--cap 0.95` they held in 97 to 98 % on the four
        populations where that was measured, those of the MAE in 79 to 97 %. No sign in one sample
        tells a miss, because a miss is a sample whose tail is not there. Populations do differ: at
        N = 150 a median tail index of the squared errors of 0.51 to 0.59 went with 93 to 97 %, 0.77
        with 82 %, 0.98 to 1.64 with 68 to 85 %. So the note gives the tail index (Hill 1975, from
        the top tenth of the values, five at least) of the outcome's distances from its median and
        of the winner's squared errors: the larger, the heavier; from 0.5 on the variance does not
        exist, from 1 on not even the mean. For the log-loss there is a sign: a winner so sure that
        it gives some class a chance under 1 in 10,000, be it right or wrong. In 773 studies of 16
        populations bounds held the truth in 61 % where it was, in 99 % where it was not; nearly
        separable classes make such winners, and their rare mistakes are not in the sample. The note
        also stands where some truth was given a chance under 1 in 1000.""",
        """report an MSE with `--cap`, which has a worst value and a guard; or `mae` or `medae`,
        whose errors are not squared. For the log-loss report `brier`, or decide on a `--clip`
        such as 0.001 beforehand, with which no mistake costs more than 6.9.""",
    ),
    Meaning(
        "capped-errors",
        Severity.CARE,
        """With `--cap Q` no error of a prediction counts as more than the Q quantile of |yᵢ -
        median(y)|, of the outcome alone. What is estimated is then the mean of capped errors,
        which has a worst value: the guard applies. It is another number than the mean of all
        errors, and smaller.""",
        """choose Q before seeing results, and say in the paper what it was.""",
    ),
    Meaning(
        "locally-simultaneous",
        Severity.CARE,
        """`zf` says how many configurations may be the best. Its interval allows for the selection
        among them; the estimate beside it is the naive figure, which is too good.""",
        """report the interval, with the estimate of `bbc`.""",
    ),
    Meaning(
        "nested-spread",
        Severity.CARE,
        """`ncv-interval` says how far the spread of its interval is from that of independent
        losses: 1 where training on other samples changes nothing that can be seen, √K for K
        outer folds at most. From a single repeat the ratio is hardly known.""",
        """repeat the nested cross-validation with other folds; the paper takes 200 repeats.""",
    ),
)
