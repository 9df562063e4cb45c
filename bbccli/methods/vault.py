"""Samples that were sealed before the search, and opened a counted number of times.

Needs samples that took no part in the search: `Recorder(vault=0.2)` and `rec.open(name, model)`, or
`bbc vault` and `bbc correct --vault`. It is then the figure to report, whatever the search did with
the other samples; see [the vault](vault.md).

Formula, with k of M sealed samples right and j the number of the opening:

```text
share of samples  Clopper-Pearson: beta quantiles of (k, M - k + 1) and (k + 1, M - k)
AUC A             logit A ∓ z s / (A (1 - A)), with DeLong's standard error s
other metrics     percentiles over resamples of the M samples, or of their groups
level             1 - a / P while only "not yet" was said, of P planned openings
                  1 - a 2^-j / (M + 1)^(j - 1) once a figure was shown
```

Algorithm: score the last opening whose figure was shown on the sealed samples; nothing was selected
on them, so nothing is corrected. A search that was only told "not yet" has a single history; one
that saw figures has a history for each of their values, and the level is shared among these. For
shares the interval is exact, whatever the search did with what it was shown. An AUC of 0 or 1 has
the interval of as many pairs as share no sample.

Assumptions: sealed samples are like those that the result is for, the search has read none of them,
and groups are sealed whole. `bbc` counts what was opened here, not what was opened in a copy.

When to use: whenever the search builds on its best so far, or reads the samples. When not: with
fewer than about 150 samples, where nested cross-validation is a better use of them.

Cost: none; other metrics take B resamples of M samples.

Source: Clopper & Pearson 1934; DeLong, DeLong & Clarke-Pearson 1988; the union over histories
follows Blum & Hardt 2015.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import compress

from bbccli.domain.source import Opened
from bbccli.errors import UndefinedError
from bbccli.methods.base import INTERVAL, Method, Need
from bbccli.notes import Note
from bbccli.notes.intervals import openings_uncounted, vault_of_another
from bbccli.stats.case import Answer, Case
from bbccli.stats.selection import Choice
from bbccli.stats.vault import figure_of, outside_of, shown_by


def run(case: Case) -> Answer:
    """Return the figure of the last opening that was shown, at the level that is left.

    Raises UndefinedError: no opening was shown, or the metric is undefined on the sealed rows.
    """
    vault = case.matrix.vault
    assert vault is not None  # it is a need
    shown = shown_by(vault)
    if not any(opening.matrix for opening in compress(vault.openings, shown)):
        raise UndefinedError(
            f"{len(shown)} of {vault.planned} openings so far: not yet",
            hint="continue the search; or open it without reach, for the figure",
        )
    kept = zip(vault.openings, shown, strict=True)
    last, name, matrix = [
        (number, opening.name, opening.matrix)
        for number, (opening, seen) in enumerate(kept, 1)
        if seen and opening.matrix is not None
    ][-1]
    n = vault.n_samples
    outside = outside_of(last, shown, vault.planned, n, 1 - case.plan.level)
    answer = figure_of(matrix, case.metric, case.plan, outside)
    choice, notes = case.choice, list[Note](answer.notes)
    names = case.matrix.configurations
    if name in names and names[choice.winner] != name:
        notes.append(vault_of_another(name, names[choice.winner]))
        at = names.index(name)
        choice = Choice(at, case.measured.figure(at))
    if vault.copied or not vault.place:
        notes.append(openings_uncounted(copied=vault.copied))
    counted = bool(vault.place) and not vault.copied
    opened = Opened(name, last, len(shown), vault.planned, n, 1 - outside, counted)
    return replace(
        answer, choice=choice, notes=tuple(notes), opened=opened, distribution=None, selection=()
    )


METHODS = (
    Method(
        name="vault",
        label="sealed",
        answer=run,
        gives=INTERVAL,
        summary="the opened model on rows that were sealed before the search",
        reference="Clopper & Pearson 1934; DeLong et al. 1988",
        needs=frozenset({Need.VAULT}),
        done="the winner was scored on {held_out}",
    ),
)
