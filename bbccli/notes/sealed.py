"""Notes on sealed rows and their openings."""

from __future__ import annotations

from bbccli.notes.note import CARE, DOUBT, HARMLESS, Texts, note
from bbccli.platform.rounding import count


@note(DOUBT)
def fitted_rows(method: str, figure: str, end: str) -> Texts:
    """The corrected figure of the search's samples is better than the better end of the interval on
    the [vault](vault.md): the search has fitted its samples.

    Remedy: report the figure of the vault.
    """
    return (
        f"{method} gives {figure}, better than the better end of the vault's interval, {end}: the "
        "search has overfitted these rows",
        "report the figure from the vault, whose rows the search never saw",
    )


@note(HARMLESS)
def vault_closed(n_samples: int, planned: int) -> Texts:
    """The recording has a [vault](vault.md), and nothing was opened yet.

    Remedy: when the search has ended, `rec.open(name, model)`.
    """
    return (
        f"the vault of {n_samples} sealed samples is closed, {count(planned, 'opening')} planned",
        "call rec.open(name, model) when the search has ended",
    )


@note(CARE)
def vault_left() -> Texts:
    """A table holds the samples of the search alone: the [vault](vault.md) of the recording stays
    in the folder.

    Remedy: correct the recording for the figure of the vault.
    """
    return (
        "the table has the samples of the search; the vault stays in the recording",
        "for its figure, correct the recording itself",
    )


@note(CARE)
def vault_of_another(opened: str, winner: str) -> Texts:
    """The [vault](vault.md) was opened for another configuration than the one that the search's
    samples select.

    Remedy: use the configuration that was opened, or plan another opening.
    """
    return (
        f"the vault was opened for {opened}; the search's rows select {winner}",
        f"read its figure as that of {opened}, not of {winner}",
    )


@note(CARE)
def openings_uncounted(*, copied: bool) -> Texts:
    """The level of an interval on a [vault](vault.md) depends on how often it was opened, and
    openings in other copies of this folder are unknown.

    Remedy: keep one copy, with its openings.
    """
    if copied:
        return (
            "this vault is a copy: openings of the original, or of other copies, are not counted",
            "open one copy only",
        )
    return (
        "nothing counts the openings of these sealed rows, so the level is that of a single "
        "opening",
        "open them with rec.open(name, model), which counts",
    )
