"""Notes on the file: what was left out, and what its columns may be."""

from __future__ import annotations

from bbccli.notes.meanings.record import Meaning, Severity

OF_FILES = (
    Meaning(
        "samples-left-out",
        Severity.DOUBT,
        """Some samples have no prediction by any configuration in some repeat, or only by
        configurations that are left out for their gaps. They are left out of everything.""",
        """complete the predictions. If samples are missing because a learner failed on them,
        the result is for the easier samples only. `--missing error` refuses.""",
    ),
    Meaning(
        "configurations-dropped",
        Severity.DOUBT,
        """Some configurations lack predictions that others have. They can't win, and the
        correction does not count them.""",
        """nothing, if they were pruned or their fits failed, so that they lack whole folds: they
        take no part, and the correction is slightly too small. Else complete their predictions.
        `--missing error` refuses; `--missing common-rows` keeps the configurations and drops
        samples.""",
    ),
    Meaning(
        "common-rows",
        Severity.DOUBT,
        """With `--missing common-rows`, only samples that every configuration predicts are
        used.""",
        """complete the predictions. What is missing is rarely missing by chance: a learner
        that fails on hard samples leaves easy ones in common.""",
    ),
    Meaning(
        "available-cases",
        Severity.DOUBT,
        """No configuration predicts all samples, or `--missing available` was given: each
        configuration is scored on the samples that it predicts, in the selection and in every
        resample. Configurations that predict fewer than half of the samples take no part.""",
        """complete the predictions. Configurations scored on easier samples look better.
        `--missing common-rows` compares all on the same samples, if there are any; `--missing
        error` refuses.""",
    ),
    Meaning(
        "gaps-within-folds",
        Severity.DOUBT,
        """To `bbc drop`, a configuration that lacks predictions which another has was dropped
        earlier. These have gaps within a fold: they failed on some samples, or the fold is not
        complete.""",
        """complete the fold. A configuration that lacks even one prediction can't be compared on
        the same samples, and is not trained on.""",
    ),
    Meaning(
        "folds-unknown",
        Severity.CARE,
        """There is no fold column, or some rows have no fold. `tt` and `bbc-f` can't run.""",
        """add a column `fold`, name it with `--fold`, or give `--folds FILE`. `bbc` does not need
        it.""",
    ),
    Meaning(
        "bounds-unknown",
        Severity.CARE,
        """Scores without a truth (`--task score`) that are not all 0 or 1, and nothing says how
        bad or good a score can be. The intervals are not guarded: where all scores of the
        winner are alike they collapse.""",
        """give `--bounds LOW,HIGH`, for example `1,5` for marks from 1 to 5.""",
    ),
    Meaning(
        "folds-differ",
        Severity.DOUBT,
        """In a long table or in several files, samples lie in different folds for different
        configurations. The folds are taken as unknown; `bbc` runs, methods over folds can't. So it
        is of two files of the same samples that are compared: rows are, and no folds.""",
        """cross-validate all configurations on the same folds. It also makes them comparable.""",
    ),
    Meaning(
        "joined-by-position",
        Severity.CARE,
        """Rows of several files belong together because they stand in the same place: no file
        has a key of the samples, or `--by-position` was given. If one file is in another order,
        its rows are those of other samples, and the figures are wrong without a sign of it.""",
        """give every file a column `row_id` with the key of the sample; if the key has a name of
        its own, name it with `--row-id`, and with `--labels-row-id` or `--folds-row-id` where
        those files call it otherwise. Nothing, if you know that the order is the same.""",
    ),
    Meaning(
        "few-groups",
        Severity.DOUBT,
        """`bbc` resamples whole groups, and there are fewer than 20. Such an interval is coarse
        and tends to be too narrow.""",
        """collect more groups, or read the interval with care.""",
    ),
    Meaning(
        "group-spans-folds",
        Severity.DOUBT,
        """Samples of one group lie in several folds. Models were tested on groups that they had
        seen: every performance may be too good, and no method here can correct that.""",
        """cross-validate again with whole groups in folds.""",
    ),
    Meaning(
        "repeated-samples",
        Severity.DOUBT,
        """Samples seem to be there several times: the truth repeats block by block, as where the
        repeats of a cross-validation stand under one another without a column `repeat`; the folds
        do, with the same truths; scores without a truth nearly do; or every row is there several
        times, under other ids. Each time counts as a sample, and k times make an interval too
        narrow by the square root of k. A truth that is sorted, alternates or is too short to tell
        is not meant: that another one repeats, or rows coincide, by accident happens in fewer than
        one of a million files.""",
        """tell repeats apart by columns `repeat` and `row_id`, and keep each sample once. Different
        samples in a fixed order, such as the trials of several subjects, need a column `group`.""",
    ),
    Meaning(
        "polarity",
        Severity.DOUBT,
        """The median AUC of the configurations is below one half by more than 3.5 standard
        errors of a single AUC of predictions that know nothing, sqrt((n + m + 1) / (12 n m))
        with n and m samples of the classes. All configurations predict the same samples, so
        their number does not count. Models trained on pure noise get this note in about 3 of
        1000 files. The predictions may be of the other class.""",
        """check which class the predictions are of, and give `--positive`. If they are right as
        they are, the configurations are worse than chance. Nothing is flipped.""",
    ),
    Meaning(
        "turned-round",
        Severity.DOUBT,
        """A configuration goes against the truth far beyond chance, while another goes with it as
        far: an AUC, an accuracy, a correlation or a concordance on the wrong side. It may hold the
        probability of the other class, labels that are swapped, or a loss where a score is meant.
        The limit is that of chance within folds, for as many configurations as there are: of
        models trained on noise alone there is no note, and beside good models one of noise has it
        in fewer than 5 of 1000 files. Samples of different folds are not compared, and
        predictions near the mean truth are passed over, so that a model that learnt nothing is not
        meant. Nothing is turned round.""",
        """look where its column comes from. Turn it round in the file, or `--exclude` it if it is
        no configuration; a model that is worse than chance stays in and costs nothing.""",
    ),
    Meaning(
        "duplicate-configurations",
        Severity.HARMLESS,
        """Some columns are exact copies of others. Harmless for the estimate.""",
        """check that the settings that should distinguish them differ in effect.""",
    ),
    Meaning(
        "configurations-left-out",
        Severity.CARE,
        """`--only` or `--exclude` leaves some configurations out.""",
        """leave out only what is not a candidate. A configuration that was tried and lost belongs
        to the selection that is corrected for; without it the correction is too small.""",
    ),
    Meaning(
        "equals-truth",
        Severity.DOUBT,
        """A configuration predicts the truth of every sample. As a rule that is an error: a
        copy of the truth is no prediction. It is a note where the configuration was named by
        `--only` or by the metadata, and in a cross-validation in progress, where a few samples
        may all be right.""",
        """`--exclude` it, unless it is a model that is always right.""",
    ),
    Meaning(
        "constant-predictions",
        Severity.CARE,
        """A configuration has one and the same value for every sample: a seed or a setting
        rather than predictions, or a model that learnt nothing. It is not said of class
        labels.""",
        """`--exclude` what is not a configuration. A constant model is harmless.""",
    ),
    Meaning(
        "fold-like",
        Severity.DOUBT,
        """A configuration has one value per fold, or whole numbers that follow from the order
        of the rows: a fold, a row number, a time per fold. A baseline that predicts the mean,
        the median or the share of the positive class of the other folds is not meant.""",
        """`--exclude` what is not a configuration.""",
    ),
    Meaning(
        "off-scale",
        Severity.DOUBT,
        """A configuration lies elsewhere than the others. In a binary or multiclass task most
        are probabilities and it is none: since one column makes all of them scores, metrics of
        probabilities are lost. In a regression its median lies beyond all values of the
        truth.""",
        """`--exclude` it if it is no configuration, such as an age or a time; else write its
        predictions on the scale of the others.""",
    ),
    Meaning(
        "perfect-configuration",
        Severity.DOUBT,
        """A configuration orders all samples as the truth does, or exactly the other way round,
        and the best of the others does not come near: its AUC or accuracy is more than three
        standard errors below 1, its correlation with a numeric truth below 0.95. What is no more
        than the mean of the other samples' truth goes the other way by itself and is passed
        over.""",
        """find out why. It may be a transformed copy of the truth, or a model that has seen it.""",
    ),
    Meaning(
        "truth-rounded",
        Severity.HARMLESS,
        """The truth, time or weight of a sample differs between files, configurations or
        repeats in its last digits: by less than 1e-9 of its value, by the precision of float32, or,
        near zero, by the rounding errors of numbers of the column's size. The first one counts.
        A larger difference is an error that names the row and both values.""",
        """nothing; or write all digits.""",
    ),
    Meaning(
        "targets-scaled",
        Severity.HARMLESS,
        """mljar scales the targets of some models of a regression, and writes them scaled back: 65
        becomes 64.99999999999999. Of a skewed target it scales the logarithm, and clips what is
        smaller than all targets of the training rows. The truth is taken from a model without
        scaling; the targets of others may differ from it by that much and no more. A score of the
        leaderboard is computed again on the targets that the model was scored on.""",
        """nothing.""",
    ),
    Meaning(
        "targets-clipped",
        Severity.DOUBT,
        """The same of a run whose models all scale the logarithm of their targets: what the
        smallest targets were before they were clipped is not in the folder.""",
        """train the `Baseline` too; decision trees and nearest neighbors keep the targets as
        well.""",
    ),
    Meaning(
        "classes-in-order",
        Severity.CARE,
        """A column holds lists with one probability for each class, and nothing names the classes.
        They are taken in sorted order, as scikit-learn has them in `classes_`; numbers by their
        value.""",
        """One column `config::class` per class, if the models have another order.""",
    ),
    Meaning(
        "weight-by-name",
        Severity.CARE,
        """A column called `weight`, `weights` or `sample_weight` weights the samples in every
        figure, for no other reason than its name. It may be a body weight.""",
        """`--weight NAME`, or the [metadata](formats.md#metadata)'s `"weight"`, if it is meant;
        `--unweighted` if it is not.""",
    ),
    Meaning(
        "uneven-weights",
        Severity.DOUBT,
        """The effective number of samples (or groups) under their weights, Kish's
        (Σ w)² / Σ w², is less than a third of their number, in some class where there are
        classes. A few heavy samples decide which configuration wins and what it scores. The
        [guard](methods.md#guard) counts the effective number, so guarded intervals are wide;
        without a guard, as in comparisons and for losses without a worst value, they may be too
        narrow.""",
        """check the weights, or cut the largest ones. `--unweighted` counts all samples alike.""",
    ),
    Meaning(
        "columns-ignored",
        Severity.CARE,
        """A column has a name that could play a role which another column plays, or is the first
        one and holds the numbers of the rows in another order. It is not taken for a
        configuration.""",
        """if it is a configuration, rename it, or name it by `--only`; else nothing.""",
    ),
    Meaning(
        "row-numbers",
        Severity.HARMLESS,
        """A column numbers or names the rows and is no configuration: the index that pandas and R
        write beside the data, without a name or as `Unnamed: 0` or `X`, or a first column with
        the numbers from 0 or 1 on. Rows are not matched by it unless `--row-id` names it.""",
        """nothing. `--only NAME --only '*'` takes it for a configuration.""",
    ),
    Meaning(
        "metadata-contradicted",
        Severity.CARE,
        """The metadata declare another task than the truth allows. The truth counts.""",
        """give `--task`, or correct the metadata.""",
    ),
    Meaning(
        "averaged-repeats",
        Severity.CARE,
        """The predictions are means over the repeats of a cross-validation (flag
        `averaged_over_repeats`; mljar and AutoGluon keep nothing else). A sample was in several
        folds, so the folds are taken as unknown, and methods over folds cannot run. The
        estimate is that of the mean of several models, which is usually better than one of
        them.""",
        """save the predictions of each repeat if you deploy one model.""",
    ),
    Meaning(
        "flagged-left-out",
        Severity.CARE,
        """Configurations with the flags `ensemble`, `stacked`, `calibrated_on_fold`,
        `low_fidelity` or `dummy` take no part. The first three were fitted to the labels that
        their predictions are scored with, so that no correction for the selection makes them
        honest; the last two are no candidates. `bbc convert` keeps them.""",
        """nothing, or `--include ensembles`, `stacked`, `calibrated`, `low-fidelity`, `dummies` or
        `all`, knowing that the figure is then too good.""",
    ),
    Meaning(
        "validity-flags",
        Severity.DOUBT,
        """The metadata flag configurations whose predictions may not be what they seem, such as
        `early_stopping_on_fold` or `averaged_over_repeats`. The number of configurations stands
        behind each flag. See [formats](formats.md#metadata).""",
        """leave flagged configurations out if the flag makes their predictions too good; `rounded`
        is harmless but for ties.""",
    ),
    Meaning(
        "candidates-missing",
        Severity.DOUBT,
        """More configurations were tried than the file holds, as the metadata or the folder of a
        run say: failed fits, pruned trials, models that were deleted. The winner was the best of
        more, so the correction is too small. The first line, the answer and the sentence to
        report say how many were tried; in JSON it is `input.n_tried`.""",
        """add the others.""",
    ),
    Meaning(
        "tried-again",
        Severity.CARE,
        """A recording has several predictions of the same configuration for the same rows: of
        other features, of a model without a seed, or of two models by one name. All were tried, so
        the correction is for choosing among all of them. Other features are named `X=2`, other
        tries `#2`.""",
        """if a try was a mistake that could not have been chosen, leave it out by `--exclude`.
        Record other studies in other folders.""",
    ),
    Meaning(
        "recorded-again",
        Severity.HARMLESS,
        """A search or a loop ran again in the folder of its recording, and predicted the same:
        after it was killed, for instance. The same predictions count once.""",
        """nothing.""",
    ),
    Meaning(
        "damaged-parts",
        Severity.DOUBT,
        """Files of a recording can't be read, after a loss of power or on a full disk. A
        configuration that lost one of several is incomplete; one that lost all is not here.""",
        """run the search again with a recorder of the same folder, and `finish`: what is whole is
        kept, and counts once.""",
    ),
)
