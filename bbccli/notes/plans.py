"""Notes on plans of studies."""

from __future__ import annotations

from bbccli.notes import CARE, DOUBT, Texts, note
from bbccli.platform.text import count, figure


@note(CARE)
def not_attainable(target: str, value: float, attainable: float, most: int) -> Texts:
    """`bbc plan` was asked for a width or an optimism that even a million samples do not reach. The
    answer is for a million.

    Remedy: ask for a larger `--width` or `--optimism`, or plan with fewer `--configurations`.
    """
    return (
        f"{target} {figure(value)} needs more than {most:,} samples: with that many, the smallest "
        f"is {figure(attainable)}",
        "ask for a larger one, or plan with fewer configurations",
    )


@note(DOUBT)
def near_perfect() -> Texts:
    """The pilot's contenders are within two standard errors of the best possible value, so the
    optimism is only known to be between 0 and the distance from it.

    Remedy: take the upper figure as a limit; a larger pilot gives a narrower range.
    """
    return (
        "the best configurations are within two standard errors of the best possible value, where "
        "a pilot says little: take the upper figure of the optimism as a limit",
        "use a larger pilot for a narrower range",
    )


@note(CARE)
def no_true_spread() -> Texts:
    """`--spread` is 0. The optimism is that of equally good configurations, the largest that the
    noise allows.

    Remedy: plan with fewer configurations: none of them is better.
    """
    return (
        "the stated spread is 0, so all configurations are taken to be equally good",
        "plan with fewer configurations, which would do as well",
    )


@note(CARE)
def rough_pilot(n_samples: int, n_configurations: int) -> Texts:
    """The pilot has fewer than 50 samples or 10 configurations, so the plan is rough.

    Remedy: take a larger pilot, or plan for a third more samples.
    """
    return (
        f"a pilot of {count(n_samples, 'sample')} and {count(n_configurations, 'configuration')} "
        "shows only roughly how performances vary",
        "use a pilot of at least 50 samples and 10 configurations",
    )


@note(CARE)
def few_planned_rows(n_samples: int) -> Texts:
    """The plan is for fewer than 50 samples, whose scores are far from normal, as it assumes.

    Remedy: plan for at least 50 samples, or look at `--check`, which simulates the cell.
    """
    return (
        "the figures assume normally distributed performances, which "
        f"{count(n_samples, 'sample')} do not give",
        "plan for at least 50 samples, or rely on the simulation of --check",
    )
