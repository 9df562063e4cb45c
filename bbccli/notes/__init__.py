"""Every note that a result may carry: what is shaky, and the remedy.

A note is data: reports print it, JSON carries it, tests match its `code`.
"""

from __future__ import annotations

from bbccli.notes.intervals import (
    beyond_bounds,
    capped_errors,
    clipped_probabilities,
    collapsed_interval,
    few_evaluated,
    guard_without_bound,
    large_losses,
    matched_interval,
    no_interval,
    no_variance,
    not_calibrated,
    resamples_alike,
    tilting_infeasible,
    unbounded_loss,
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
    "capped_errors",
    "clipped_probabilities",
    "collapsed_interval",
    "few_evaluated",
    "few_folds",
    "few_groups",
    "few_resamples",
    "gate_on_naive",
    "guard_without_bound",
    "large_losses",
    "listing",
    "matched_interval",
    "method_left_out",
    "no_interval",
    "no_variance",
    "not_calibrated",
    "not_corrected",
    "nothing_dropped",
    "one_se_winner",
    "outer_selections",
    "partial_folds",
    "redrawn_resamples",
    "resamples_alike",
    "risk_reversed",
    "rule_left_out",
    "selected_on_evaluation",
    "single_configuration",
    "tied_winners",
    "tilting_infeasible",
    "tolerance_not_reached",
    "unbounded_loss",
    "undefined_repeats",
    "undefined_resamples",
    "wide_fold_mean",
    "winners_differ",
]
