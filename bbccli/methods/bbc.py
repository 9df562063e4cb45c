"""BBC, bootstrap bias corrected cross-validation, over samples.

The method to report by default. The table marks its row with `>`; the others are there for
comparison, not to choose from.

Formula: the estimate is (1/B) Σ_b m(w_b; out of bag b), where w_b is the winner in bag b.

Algorithm:

1. Select the winner and its naive performance as `cvt` does.
2. B times: draw N of the N rows with replacement. A draw that leaves no row out of the bag is drawn
   again, and so is one in which the metric is undefined: in the bag for every configuration, or out
   of it for the one selected there ([the rule](#redrawn-resamples)).
3. Select the best configuration on the rows in the bag, each as often as it was drawn, by the rule
   of step 1.
4. Score that configuration on the rows out of the bag.
5. The estimate is the mean of the B performances; the interval is made of their percentiles.

No model is trained: only rows of predictions are drawn. With repeats, a sample's predictions of all
repeats enter a resample together or not at all; a performance is computed per repeat and averaged.
Where samples come in groups (patients with several rows, sites), step 2 draws G of the G groups,
each with all its samples.

Assumptions: those above; and, with pooled selection, that predictions of different folds are on one
scale (the pooled AUC compares them with each other). If they are not, use `--pooling within-folds`,
which compares samples of one fold only, or `--pooling fold-mean` for metrics that are not of pairs.

Where the true performances are fixed, as in simulations that train no model, it is slightly
conservative: a bag holds about 63 % of the samples, so the selection in it is a little worse than
the real one. Trained models can turn that round. A sample's prediction depends on the other samples
through the model, so a configuration that suits the sample as a whole suits what is out of the bag
as well as what is in it, and the weaker the signal, the more of the lead is such luck. Without any
signal BBC was optimistic by about 0.02 at N = 100: by 0.018 ± 0.003 in the
[simulation](#bbc-632plus) below, by 0.024 ± 0.006 in another.

When to use: nearly always. When not: with a handful of samples in a class; see the note
[redrawn-resamples](notes.md#redrawn-resamples).

Cost: time O(B N C), memory O(B + N C) beside blocks of bounded size.

Source: Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5; interval: section 3.1.
"""

from __future__ import annotations

from bbccli.bootstrap.of_samples import corrected
from bbccli.methods.base import DISTRIBUTION, Method

METHODS = (
    Method(
        name="bbc",
        label="corrected",
        answer=corrected,
        gives=DISTRIBUTION,
        summary="select in bootstrap resamples of the rows, score out of the bag",
        reference="Tsamardinos, Greasidou & Borboudakis 2018, Algorithm 5",
    ),
)
