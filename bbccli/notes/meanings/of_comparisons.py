"""Notes on comparisons: after selection, of fixed pairs, and across data sets."""

from __future__ import annotations

from bbccli.notes.meanings.record import Meaning, Severity

OF_COMPARISONS = (
    Meaning(
        "winner-is-baseline",
        Severity.CARE,
        """The baseline of `bbc compare` has the best performance itself, so the difference is 0
        and nothing is corrected.""",
        """nothing, if the baseline is the simple choice: take it. Else ask which configurations
        may be the best.""",
    ),
    Meaning(
        "paired-test-alone",
        Severity.CARE,
        """What a paired test of the winner against the baseline would say if the two had been
        named before the data were seen. They were not: the winner was selected. Where no
        configuration is better than the baseline such a test says "better" in more than half of
        all studies.""",
        """report the simultaneous bound and its p-value, which hold for whichever configuration
        wins.""",
    ),
    Meaning(
        "no-influence",
        Severity.CARE,
        """The metric is undefined for a configuration on the samples, or once one of them is left
        out, such as the precision of a configuration that predicts a single positive. It has no
        influence values, so no bound, p-value or interval, and takes no part in those of the
        others.""",
        """another metric, or leave the configuration out with `--exclude`.""",
    ),
    Meaning(
        "unequal-budgets",
        Severity.CARE,
        """Two families are compared by their best configurations, and one had more of them to
        choose from. The best of many looks better than the best of few, so the difference as
        measured favours it.""",
        """report the corrected difference, in which both sides select in every resample.""",
    ),
    Meaning(
        "screened-rivals",
        Severity.HARMLESS,
        """There are more than 1,000 configurations, so each was tested against those that are not
        far behind the winner, instead of all. Those left out lead nowhere, and the set is
        hardly any different.""",
        """nothing.""",
    ),
    Meaning(
        "further-families",
        Severity.CARE,
        """Families are compared in pairs, of which many have no reader. The ten best ones take
        part.""",
        """leave configurations out with `--exclude`, or choose a coarser `--by`.""",
    ),
    Meaning(
        "undefined-test",
        Severity.DOUBT,
        """A test has nothing to decide by: all folds or samples differ by the same amount, there
        are fewer than two of something, or the metric jumps. Its p-value is missing: it is
        neither 0 nor 1.""",
        """take the test that the note names, or collect more samples.""",
    ),
    Meaning(
        "test-left-out",
        Severity.HARMLESS,
        """With all tests asked for, this one does not fit the metric, the task or the data, for
        the reason it gives. A test that is asked for by name is refused instead.""",
        """nothing; or what the note says.""",
    ),
    Meaning(
        "identical-predictions",
        Severity.CARE,
        """Two configurations predict the same on all samples, so that p is 1, and Bayesian tests
        are undefined.""",
        """compare configurations that differ. Two that never differ are one.""",
    ),
    Meaning(
        "selected-pair",
        Severity.DOUBT,
        """One of the configurations that are compared is the best of all on the same samples.
        Tests of pairs take it as if it had been named before anyone saw a result. Where no
        configuration is better than another, a paired test of the winner says "better" in 57 of
        100 studies.""",
        """name pairs beforehand, or compare the winner with a baseline, which allows for the
        selection.""",
    ),
    Meaning(
        "unpaired",
        Severity.DOUBT,
        """`two-proportions` takes the predictions of the two as if they were of different samples.
        It is there to check published figures.""",
        """`mcnemar`.""",
    ),
    Meaning(
        "too-liberal",
        Severity.DOUBT,
        """`k-fold-t` takes folds for independent. Their models share training samples, and so it
        finds differences that are not there.""",
        """`corrected-t`, which costs the same.""",
    ),
    Meaning(
        "samples-in-common",
        Severity.CARE,
        """Not all of the compared configurations predict every sample. Those that all of them
        predict are compared.""",
        """complete the predictions.""",
    ),
    Meaning(
        "undefined-swaps",
        Severity.CARE,
        """In a permutation test, the metric has no value after some swaps, such as the precision
        where no sample is predicted positive. These swaps count against a difference.""",
        """take a metric that is always defined, or collect more samples.""",
    ),
    Meaning(
        "few-data-sets",
        Severity.CARE,
        """Even where all data sets agree, a signed-rank test of so few can't reach the level: of
        five the smallest p-value is 0.0625.""",
        """add data sets.""",
    ),
    Meaning(
        "incomplete-data-sets",
        Severity.CARE,
        """Some data sets lack the performance of a family. Ranks need complete ones, so these are
        left out.""",
        """complete them. What is missing is rarely missing by chance.""",
    ),
)
