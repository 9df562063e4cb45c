"""Notes on the ensembles that tools deploy."""

from __future__ import annotations

from bbccli.notes.note import CARE, DOUBT, Texts, note


@note(DOUBT, "ensemble")
def ensemble_not_reproduced(
    name: str, tool: str, found: str, *, data_differ: bool = False
) -> Texts:
    """The rule of mljar or AutoGluon gives another ensemble than the one that is deployed: weights
    are missing, mljar chose by copies of rare rows too, or models or versions differ. The figure is
    for the best single model.

    Remedy: give what the run had, such as its weights or all its models; or `--select greedy`.
    """
    return (
        f"{name}, which {tool} deploys, can't be rebuilt from these predictions: {found}; so the "
        "figure is for the best single model",
        "give the rows, labels and weights of the run"
        if data_differ
        else "use --select greedy for an ensemble of this kind",
    )


@note(CARE, "ensemble")
def deployed_is_stacked(name: str, tool: str) -> Texts:
    """What mljar or AutoGluon deploys is a stack: models fitted to predictions of others, which a
    resample can't repeat. The figure is for the best model that is not a stack.

    Remedy: deploy that model; or leave out stacking in the run.
    """
    return (
        f"{tool} deploys {name}, a stack fitted to predictions of other models, which can't be "
        "refitted in resamples: the figure is for the best model that is not a stack",
        "ask the tool for the model that is named here, and deploy that one",
    )


@note(CARE, "ensemble")
def ensemble_not_repeated(name: str, tool: str, n_samples: int) -> Texts:
    """Repeating the ensemble that the tool deploys in every resample would take long. The figure is
    for the best single model.

    Remedy: `--select tool --n-resamples 200`.
    """
    return (
        f"{name}, which {tool} deploys, is not repeated by default with {n_samples:,} samples, "
        "because it takes long: the figure is for the best single model",
        "--select tool --n-resamples 200",
    )
