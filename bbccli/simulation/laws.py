"""The laws by name, and studies drawn by them: predictions whose true performances are known.

The true performances are drawn from a Beta law; those of an error, which is better when small, are
1 less such a number.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from bbccli.arguments import entry, settle
from bbccli.errors import OptionError, parameter
from bbccli.simulation.labels import right_or_wrong
from bbccli.simulation.scores import binormal, multinormal
from bbccli.simulation.simulated import Simulated
from bbccli.simulation.values import noisy

EDGE = 1e-9
"""True performances keep this distance from 0 and 1."""


@dataclass(frozen=True, slots=True)
class Law:
    """A law of predictions.

    Attributes
    ----------
    draw
        One of the functions of `bbccli.simulation`.
    summary
        What it draws, in a few words.
    options
        Which of `balance` and `n_classes` it takes.
    errors
        Whether its performances are errors.
    """

    draw: Callable[..., Simulated]
    summary: str
    options: frozenset[str]
    errors: bool = False


LAWS: Mapping[str, Law] = {
    "right-or-wrong": Law(
        right_or_wrong, "two classes, labels with known accuracies", frozenset({"balance"})
    ),
    "binormal": Law(binormal, "two classes, scores with known AUCs", frozenset({"balance"})),
    "multinormal": Law(
        multinormal, "several classes, scores with known AUCs", frozenset({"n_classes"})
    ),
    "noisy": Law(noisy, "values with known mean squared errors", frozenset(), errors=True),
}


@dataclass(frozen=True, slots=True)
class Study:
    """What a simulated study is like; `beta` is the law of the true performances.

    Raises
    ------
    OptionError
        An unknown law, a count below 1, parameters of the Beta law that are not positive, or an
        option that the law does not take.
    """

    law: str
    n_samples: int = 100
    n_configurations: int = 100
    n_folds: int = 10
    correlation: float = 0.0
    beta: tuple[float, float] = (9.0, 6.0)
    seed: int = 0
    balance: float | None = None
    n_classes: int | None = None

    def __post_init__(self) -> None:
        entry(LAWS, self.law, "law")
        settle(self)
        if self.seed < 0:
            raise OptionError(
                f"{parameter('seed')} is {self.seed}", hint="a whole number, 0 or more"
            )
        if not all(0 < part < np.inf for part in self.beta):
            raise OptionError(
                f"{parameter('beta')} is {self.beta[0]:g},{self.beta[1]:g}",
                hint="two numbers above 0: 9,6",
            )
        for word in ("samples", "configurations"):
            if getattr(self, f"n_{word}") < 1:
                number = getattr(self, f"n_{word}")
                raise OptionError(
                    f"{parameter(f'n_{word}')} is {number}", hint="a whole number from 1"
                )
        for name in {"balance", "n_classes"} - LAWS[self.law].options:
            if getattr(self, name) is not None:
                fits = [law for law, one in LAWS.items() if name in one.options]
                raise OptionError(
                    f"{parameter(name)} does not go with {self.law}",
                    hint=f"it is for {', '.join(fits)}",
                )

    def drawn(self, position: int = 0) -> Simulated:
        """Return a simulated file; `position` counts the files of one seed, from 0.

        Raises
        ------
        OptionError
            A balance, correlation, or number of classes or folds that is out of range.

        Examples
        --------
        >>> study = Study("noisy", n_samples=20, n_configurations=3)
        >>> study.drawn().performances.round(2)
        array([0.36, 0.41, 0.3 ])
        """
        law, entropy = LAWS[self.law], np.random.SeedSequence(self.seed, spawn_key=(position,))
        rng = np.random.default_rng(entropy)
        found = np.clip(rng.beta(*self.beta, self.n_configurations), EDGE, 1 - EDGE)
        given = {name: getattr(self, name) for name in law.options}
        return law.draw(
            *(1 - found if law.errors else found, self.n_samples, rng),
            n_folds=self.n_folds,
            correlation=self.correlation,
            **{name: value for name, value in given.items() if value is not None},
        )
