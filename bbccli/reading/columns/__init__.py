"""What columns are, told by their values before they become configurations; a module per family.

A rule is applied wherever files are read, by `bbc inspect` too. Its docstring says what is seen
(the identity in the values, and what names must say), what it means and what is done, in Markdown:
the table in docs/formats.md. Names only help; columns named by hand or in the metadata are always
configurations.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType

import numpy as np

from bbccli.reading.columns.blends import set_aside_blends
from bbccli.reading.columns.bounds import leave_out_bounds, leave_out_certainty, leave_out_spread
from bbccli.reading.columns.classes import tell_models
from bbccli.reading.columns.features import (
    leave_out_copies,
    set_aside_features,
    set_aside_indicators,
)
from bbccli.reading.columns.glance import Glance
from bbccli.reading.columns.groups import set_aside_groups
from bbccli.reading.columns.labels import one_of_each_model, set_aside_numbers, turn_confidence
from bbccli.reading.columns.residuals import refuse_residuals
from bbccli.reading.columns.searches import (
    doubt_rows_of_folds,
    refuse_metrics,
    refuse_scores,
    refuse_totals,
    refuse_units,
)
from bbccli.reading.columns.texts import refuse_subsets, refuse_subsets_as_folds, set_aside_texts
from bbccli.reading.roles import Hints, Request
from bbccli.reading.sheet import Problems, Sheet
from bbccli.reading.table import Table

_TableRule = Callable[[Table, Request, Hints, Collection[str]], None]

TABLE_RULES: Mapping[str, _TableRule] = MappingProxyType(
    {
        "subsets": refuse_subsets,
        "scores of a search": refuse_scores,
        "totals": refuse_totals,
        "units": refuse_units,
    }
)
"""Rules on whole tables, before their columns have roles."""

RULES: Mapping[str, Callable[[Glance], Sheet]] = MappingProxyType(
    {
        "subsets": refuse_subsets_as_folds,
        "metrics of a system": refuse_metrics,
        "rows of folds": doubt_rows_of_folds,
        "times and texts": set_aside_texts,
        "keys and groups": set_aside_groups,
        "values in columns": set_aside_indicators,
        "classes of one model": tell_models,
        "bounds and quantiles": leave_out_bounds,
        "residuals and losses": refuse_residuals,
        "other scales": leave_out_copies,
        "certainty": leave_out_certainty,
        "spread": leave_out_spread,
        "probability of the predicted class": turn_confidence,
        "numbers beside labels": set_aside_numbers,
        "labels of probabilities": one_of_each_model,
        "whole numbers": set_aside_features,
        "blends": set_aside_blends,
    }
)
"""All rules on columns, in the order in which they are applied."""


def applied(sheet: Sheet, request: Request, problems: Problems) -> Sheet:
    """Apply the rules on columns one after another."""
    glance = Glance(sheet, request)
    with np.errstate(all="ignore"):
        for name, rule in RULES.items():
            with problems.of(name):
                left = rule(glance)
                glance = glance if left is glance.sheet else glance.after(left)
    return glance.sheet
