"""Every note that a result may carry: what is shaky, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`.
"""

from __future__ import annotations

from bbccli.notes.after_selection import (
    constant_difference,
    folds_differ,
    further_families,
    no_influence,
    paired_test_alone,
    screened_rivals,
    unequal_budgets,
    winner_is_baseline,
)
from bbccli.notes.intervals import (
    beyond_bounds,
    clipped_probabilities,
    collapsed_interval,
    few_evaluated,
    guard_without_bound,
    matched_interval,
    no_interval,
    no_variance,
    resamples_alike,
    tilting_infeasible,
)
from bbccli.notes.note import Note, listing
from bbccli.notes.resamples import (
    few_folds,
    few_groups,
    few_resamples,
    partial_folds,
    redrawn_resamples,
    tolerance_not_reached,
    undefined_repeats,
    undefined_resamples,
    wide_fold_mean,
)
from bbccli.notes.selection import (
    gate_on_naive,
    method_left_out,
    not_corrected,
    nothing_dropped,
    one_se_winner,
    outer_selections,
    risk_reversed,
    rule_left_out,
    selected_on_evaluation,
    single_configuration,
    tied_winners,
    winners_differ,
)

__all__ = [
    "Note",
    "beyond_bounds",
    "clipped_probabilities",
    "collapsed_interval",
    "constant_difference",
    "few_evaluated",
    "few_folds",
    "few_groups",
    "few_resamples",
    "folds_differ",
    "further_families",
    "gate_on_naive",
    "guard_without_bound",
    "listing",
    "matched_interval",
    "method_left_out",
    "no_influence",
    "no_interval",
    "no_variance",
    "not_corrected",
    "nothing_dropped",
    "one_se_winner",
    "outer_selections",
    "paired_test_alone",
    "partial_folds",
    "redrawn_resamples",
    "resamples_alike",
    "risk_reversed",
    "rule_left_out",
    "screened_rivals",
    "selected_on_evaluation",
    "single_configuration",
    "tied_winners",
    "tilting_infeasible",
    "tolerance_not_reached",
    "undefined_repeats",
    "undefined_resamples",
    "unequal_budgets",
    "wide_fold_mean",
    "winner_is_baseline",
    "winners_differ",
]
