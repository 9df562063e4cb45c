"""Notes on what is made of the configurations in every resample."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.notes.note import CARE, HARMLESS, Texts, note
from bbccli.platform.rounding import count


@note(CARE)
def incomplete_members(n_members: int, n_all: int) -> Texts:
    """For ensembles, tuned cuts and calibration only configurations that predict every sample take
    part.

    Remedy: `--missing common-rows` keeps all configurations, on the samples that all of them
    predict.
    """
    return (
        f"{n_members} of {count(n_all, 'configuration')} predict every sample, and only these "
        "enter the ensemble, cut or calibration",
        "to keep all of them, on fewer samples, give --missing common-rows",
    )


@note(CARE)
def few_for_a_cut(n_positive: int) -> Texts:
    """The cut is tuned with fewer than ten positive, or negative, samples. The estimate is too
    strict: in studies with eight positive samples by .04 to .05 of the F1.

    Remedy: choose the cut by what mistakes cost, with `--threshold X`; or collect more of the rare
    class.
    """
    return (
        f"the cut is tuned with {n_positive} samples of the rarer class, so the estimate is "
        "likely too pessimistic",
        "choose the cut by the cost of mistakes, and give it as --threshold X",
    )


@note(CARE)
def cut_unseen(threshold: str, metrics: Sequence[str]) -> Texts:
    """A cut was asked for, and no metric here depends on it.

    Remedy: name a metric of predicted classes beside the one that selects, such as
    `--metric auc --metric f1`.
    """
    shown = (*metrics, threshold.partition(":")[2] or "f1")
    return (
        f"no figure here depends on the cut, --threshold {threshold}",
        f"to see what it does, give {' '.join(f'--metric {one}' for one in shown)}",
    )


@note(HARMLESS)
def one_member(rule: str, configuration: str) -> Texts:
    """The ensemble of all samples has a single member. In the resamples it may have several: the
    estimate is that of the rule.

    Remedy: nothing.
    """
    return f"the {rule} ensemble of all samples is one configuration, {configuration}", "nothing"
