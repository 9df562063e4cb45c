"""Notes on the methods: what was selected, resampled and left without an interval."""

from __future__ import annotations

from bbccli.notes.meanings.record import Meaning, Severity

OF_METHODS = (
    Meaning(
        "single-configuration",
        Severity.CARE,
        """There is one configuration, so nothing was selected and nothing is corrected; the
        table says so in place of `corrected`. Or one is left of several that were tried: the
        choice among them can't be corrected for, since the others have too few predictions,
        or take no part as asked.""",
        """if it won over others, add their predictions. Without them its figure is that of a
        winner, which is too good. If it was the only one, its naive figure has no optimism of a
        selection.""",
    ),
    Meaning(
        "not-corrected",
        Severity.CARE,
        """Of every `bbc leaderboard`: performances on the data that rank the configurations are
        too good at the top.""",
        """use the table to look at the configurations, and report the figure of `bbc correct`.""",
    ),
    Meaning(
        "winners-differ",
        Severity.CARE,
        """Selection by pooled rows and by the mean over folds pick different configurations.""",
        """decide on the rule before looking at the results, and give it with `--pooling`. If both
        are defensible, the difference says how uncertain the choice is. If the reason against
        pooling is that the folds' scores are on different scales, `--pooling within-folds` is
        the better answer for metrics of pairs such as the AUC: see [pairs within
        folds](methods.md#within-folds).""",
    ),
    Meaning(
        "risk-reversed",
        Severity.DOUBT,
        """In a survival task the median concordance of the configurations is below one half by
        more than chance explains (3.5 standard errors of risks that know nothing). Higher
        predictions may mean *later* events (predicted times instead of risks).""",
        """check what the predictions are, and give `--risk-direction later`.""",
    ),
    Meaning(
        "leave-one-out",
        Severity.DOUBT,
        """Every fold is a single sample, and the metric compares pairs of samples, such as the
        AUC. The two of a pair were predicted by different models: the one that was trained without
        the positive sample saw a smaller share of positives. So the pooled figure is too low, and
        most for models that lean on that share, such as strongly regularised ones: one that
        predicts the share alone has the AUC 0 (Parker, Günter & Bedo 2007; Airola et al. 2011).
        The selection is against such models too.""",
        """cross-validate in fewer folds, such as 10, each with samples of both classes, and compare
        pairs [within folds](methods.md#within-folds). Losses of single samples, such as the Brier
        score, have no such bias.""",
    ),
    Meaning(
        "tied-winners",
        Severity.HARMLESS,
        """Several configurations share the best performance, exactly or to the last bits. The
        first column wins.""",
        """put the one that you prefer first, such as the simplest. `bbc` makes the same choice in
        every resample.""",
    ),
    Meaning(
        "redrawn-resamples",
        Severity.CARE,
        """The metric that selects is undefined in some resamples, which were drawn again: in
        the bag for every configuration, or out of it for the one selected there. For the AUC
        that is a resample without one of the classes; accuracy needs none.""",
        """a few of a thousand are harmless. Many mean that a class is so rare that the interval
        can't be trusted: collect more of it. See [the rule](methods.md#redrawn-resamples).""",
    ),
    Meaning(
        "repeated-holdout",
        Severity.HARMLESS,
        """Every repeat predicts another part of the samples, and none predicts them all:
        repeated hold-out, or Monte-Carlo cross-validation. Each repeat is scored on its own
        part, and the performance is the mean over the repeats; a sample is drawn with all
        repeats that predict it. There are no folds, so methods over folds cannot run.""",
        """nothing if that is what was done. If the repeats are cross-validations, give every
        sample the same `row_id` in each: see [formats](formats.md#repeated-hold-out).""",
    ),
    Meaning(
        "undefined-repeats",
        Severity.CARE,
        """The performance of the winner is undefined in some repeats of a repeated hold-out,
        such as an AUC where the part held out lacks a class. The mean is over the others.""",
        """hold out more samples at a time, or the same share of each class.""",
    ),
    Meaning(
        "outer-selections",
        Severity.HARMLESS,
        """Which configuration each outer fold selected, for `ncv`.""",
        """nothing; but if the folds select very different configurations, the selection is
        unstable, and the result is for the procedure rather than for the winner that is named.""",
    ),
    Meaning(
        "undefined-resamples",
        Severity.CARE,
        """A metric that did not select the winner is undefined in some resamples, such as an
        AUC where a class is missing. These resamples are left out of its distribution.""",
        """a few are harmless. If they are many, the estimate is for the other resamples only: read
        its interval with care.""",
    ),
    Meaning(
        "tolerance-not-reached",
        Severity.CARE,
        """The Monte-Carlo standard error is above the tolerance that was asked for, with as
        many resamples as the plan allows.""",
        """allow more resamples, or a larger tolerance. Four times the resamples halve the
        error.""",
    ),
    Meaning(
        "one-se-winner",
        Severity.HARMLESS,
        """With `--select one-se` or `one-se-simplest`, which configuration was preferred to the
        best one, and by how much it is worse.""",
        """nothing; it is the rule that was asked for.""",
    ),
    Meaning(
        "collapsed-interval",
        Severity.DOUBT,
        """The pessimistic end of an interval equals the best possible value. The winner makes
        no mistake in nearly all resamples, but nothing is that certain: in simulations such
        intervals missed the truth in up to 62 % of the cases. A [gate](ci.md#the-gate) on such
        an interval is undecided.""",
        """leave out `--no-guard`: the [guard](methods.md#guard) counts one more sample that may go
        wrong. Of a method that does not resample (`wald`, `t-folds`, `delong`) report `bbc`
        instead.""",
    ),
    Meaning(
        "guard-without-bound",
        Severity.DOUBT,
        """An interval has no width, and the metric can be arbitrarily bad (a squared error,
        R²): the [guard](methods.md#guard) has no worst value to pull it towards. Intervals of
        such metrics that have a width need no guard, and there is no note.""",
        """look at what makes every error equal, such as a copy of the truth among the predictions.
        A metric with a worst value has a guarded interval.""",
    ),
    Meaning(
        "few-resamples",
        Severity.DOUBT,
        """The resamples are too few for the level: the order statistic that is the bound lies
        beyond the most extreme of them, which stands in for it, and the interval is too narrow.
        At level 0.95 two ends take 40 resamples and one end 20; at 0.99 they take 200 and
        100. A single resample has no spread, whatever the interval. A [gate](ci.md#the-gate) is
        not met by such a bound.""",
        """1000 resamples, the default, or more. `--interval t` takes no order statistic.""",
    ),
    Meaning(
        "wide-fold-mean",
        Severity.CARE,
        """With `--pooling fold-mean` a method that resamples samples scores means over folds in
        which few samples are left out of the bag. They spread far more than the estimate on all
        samples does: with ten folds, 2.5 to 3 times the standard error for an AUC of 50
        samples, about 2 times for 100. The interval is valid, but wide. It is noted where a
        fold holds fewer than 10 of the samples that the metric [rests on](methods.md#guard),
        unless the metric is a mean over samples.""",
        """`--pooling within-folds` for metrics of pairs, which needs no common scale of the folds;
        `--pooling pooled` where they have one; or `bbc-f`, which resamples folds.""",
    ),
    Meaning(
        "matched-interval",
        Severity.CARE,
        """`--interval matched` is experimental: with real training such intervals held the
        truth less often than percentile intervals; for `bbc-f` they did not keep their level
        without training either.""",
        """report `--interval percentile`, or both.""",
    ),
    Meaning(
        "beyond-bounds",
        Severity.CARE,
        """The estimate of `tt` is no possible value of the metric, such as an accuracy below 0.
        In small folds the best of many configurations beats the winner by far, and `tt` takes
        all of that off. The figure stands as the method gives it.""",
        """report `bbc`; or cross-validate in fewer, larger folds.""",
    ),
    Meaning(
        "few-folds",
        Severity.DOUBT,
        """There are fewer than 5 folds: `tt`, `bbc-f` and the other methods over folds compare
        or resample a handful of numbers.""",
        """rely on `bbc`, or use 10 folds.""",
    ),
    Meaning(
        "folds-within-repeats",
        Severity.HARMLESS,
        """With repeats `bbc-f` resamples the folds of one repeat at a time. For information;
        see [the reason](methods.md#decisions).""",
    ),
    Meaning(
        "nothing-dropped",
        Severity.CARE,
        """It is too early to drop: too few samples are predicted, only one class was seen,
        the metric is undefined for every configuration, or the rule needs more folds. All
        configurations are kept, and `bbcd` is the same as
        `bbc`.""",
        """continue with the next fold. `--min-samples` of `bbc drop` sets the number of samples;
        below 50 the rules can't tell good from bad.""",
    ),
    Meaning(
        "rule-left-out",
        Severity.CARE,
        """With `bbc drop --replay --rule all`, a rule can't be computed on this file or for
        this metric; the text says why.""",
        """nothing, or choose a metric that is a mean of losses per sample, such as accuracy.""",
    ),
    Meaning(
        "method-left-out",
        Severity.CARE,
        """A default method can't be computed on this file; the text says why. A method that is
        asked for by name gives an error instead.""",
        """what the note suggests, or nothing: the other methods stand.""",
    ),
    Meaning(
        "selected-on-evaluation",
        Severity.DOUBT,
        """A method that preselects chose the winner among several configurations on the samples
        that evaluate it. Its interval is computed at a higher level for that; the estimate
        beside it is still too good.""",
        """report the interval, or the estimate of `bbc`.""",
    ),
    Meaning(
        "no-interval",
        Severity.CARE,
        """A method that gives intervals has none on this file; the text says why. Its estimate
        stands.""",
        """what the note suggests; or `bbc`, whose interval rests on all samples.""",
    ),
    Meaning(
        "no-variance",
        Severity.DOUBT,
        """A variance is 0. DeLong's or Hanley and McNeil's: the classes are separated
        perfectly, perfectly the wrong way round, or not at all. Or, for `wald`, all samples are
        right or all wrong; for `t-folds` and `t-corrected`, all folds are equal. Or nearly all
        resamples give one value, as with constant predictions. Or a configuration differs from
        the one that it is compared with by the same on every sample. The interval has no width,
        which says nothing about the uncertainty; a comparison is undefined.""",
        """check whether the predictions vary; else use `bbc`, or collect more samples.""",
    ),
    Meaning(
        "few-evaluated",
        Severity.DOUBT,
        """Fewer than 30 samples (or groups) of a class evaluate the winner. Intervals of an AUC
        that assume a normal distribution then hold the truth too seldom, above all where the
        AUC is near 1; see the [measured inclusion](methods.md#delong).""",
        """give a larger `--evaluation-share`; or use `bbc`, which evaluates on all samples.""",
    ),
    Meaning(
        "clipped-probabilities",
        Severity.DOUBT,
        """In the log-loss the true class counts with a probability of at least `--clip`
        (1.2e-7), for a certain mistake would cost infinity. Without that, the log-loss of the
        winner would be another: a few predictions decide it.""",
        """say in the paper what `--clip` was, or report the [Brier score](metrics.md#brier), in
        which no single prediction counts more than 1. A probability of 0 is a claim that the
        data can't support: look how it came about, for example in a tree with leaves of one
        class.""",
    ),
    Meaning(
        "tilting-infeasible",
        Severity.CARE,
        """`tilting` or `mabt` finds no tilt that leads to an end of its interval: mostly
        because the figure hardly varies between resamples, as where all evaluation samples but
        one are right, sometimes because the level is low. That end is taken from another
        interval, which the note names: Wilson's for shares of samples such as accuracy,
        DeLong's for the AUC, a normal one from influence values for other metrics. After
        preselection it is at Šidák's level.""",
        """hold out more samples to evaluate on, or rely on `bbc`.""",
    ),
    Meaning(
        "gate-on-naive",
        Severity.DOUBT,
        """`--gate-method` names `cvt`, or a method that ignores that the winner was selected: the
        gate judges a figure that is too good.""",
        """judge a corrected one: leave `--gate-method` out, or `--gate-method bbc`.""",
    ),
)
