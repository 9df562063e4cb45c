"""Laws of matrices with their truth: the settings of the papers, and a few beyond them.

The key of a setting and the number of a repetition are its seed.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any
from zlib import crc32

import numpy as np
from numpy.random import Generator

from bbccli.planning.simulation import Simulated, binormal, multinormal, noisy, right_or_wrong


@dataclass(frozen=True, slots=True)
class Setting:
    """A law of matrices with their truth.

    Parameters
    ----------
    key
        Names it in the records: changing it makes another setting.
    metric, draw
        Name of the metric; draws a matrix.
    row
        What it is, as columns of a table.
    n_repetitions
        Repetitions wanted.
    of_2018, of_2024
        Whether it is one of the 147 of the 2018 paper, or of the 16 of the 2024 paper.
    """

    key: str
    metric: str
    draw: Callable[[Generator], Simulated]
    row: dict[str, Any]
    n_repetitions: int = 200
    of_2018: bool = False
    of_2024: bool = False

    def seed(self, repetition: int) -> list[int]:
        """Seed of a repetition: the same on every machine."""
        return [crc32(self.key.encode()), repetition]

    def simulated(self, repetition: int) -> Simulated:
        """The matrix of a repetition."""
        return self.draw(np.random.default_rng(self.seed(repetition)))


LAWS_2018 = ((9, 6), (14, 6), (24, 6))
N_2018 = (20, 40, 60, 80, 100, 500, 1000)
C_2018 = (50, 100, 200, 300, 500, 1000, 2000)

N_DROP = (100, 500, 1000)
C_DROP = 200

LAWS_2024 = ((9, 6), (24, 6))
N_2024 = (50, 500)
C_2024 = (100, 500)
BALANCES_2024 = {0.1: "0.1", 0.5: "equal"}


def bias_settings() -> list[Setting]:
    """Figure 1 of the 2018 paper: accuracies, independent configurations, 10 folds."""
    return [_accuracy(law, n, c) for law in LAWS_2018 for n in N_2018 for c in C_2018]


def drop_settings() -> list[Setting]:
    """The same with 200 configurations, of which the bad ones are dropped after each fold."""
    return [
        Setting(
            f"drop, accuracy Be({law[0]},{law[1]}) N={n} C={C_DROP}",
            "accuracy",
            partial(_right_or_wrong, law, n, C_DROP),
            {"law": law, "N": n, "C": C_DROP},
        )
        for law in LAWS_2018
        for n in N_DROP
    ]


def _right_or_wrong(law: tuple[int, int], n: int, c: int, rng: Generator) -> Simulated:
    return right_or_wrong(rng.beta(*law, c), n, rng)


def inclusion_settings() -> list[Setting]:
    """The 16 settings of the 2024 paper, then some that it leaves out."""
    paper = [
        _auc(law, n, c, balance)
        for law in LAWS_2024
        for n in N_2024
        for c in C_2024
        for balance in BALANCES_2024
    ]
    return [*paper, *beyond()]


def beyond() -> list[Setting]:
    """Near-perfect winners, configurations that err together, other tasks and metrics."""
    return [
        _beyond("AUC near 1", right=False, law=(297, 3), n=60, c=75),
        _beyond("accuracy near 1", right=True, law=(297, 3), n=60, c=75),
        _beyond("AUC, correlation 0.8", right=False, law=(9, 6), n=100, c=200, correlation=0.8),
        _beyond("accuracy", right=True, law=(9, 6), n=100, c=200),
        _beyond("accuracy, correlation 0.8", right=True, law=(9, 6), n=100, c=200, correlation=0.8),
        Setting(
            "multiclass AUC N=90 C=100",
            "auc-ovr",
            lambda rng: multinormal(rng.beta(9, 6, 100), 90, rng),
            _row("multiclass AUC", (9, 6), 90, 100),
        ),
        Setting(
            "MSE N=100 C=100",
            "mse",
            lambda rng: noisy(1 - rng.beta(9, 6, 100), 100, rng),
            _row("MSE, 1 - Be(a, b)", (9, 6), 100, 100),
        ),
    ]


def _accuracy(law: tuple[int, int], n: int, c: int) -> Setting:
    return Setting(
        f"accuracy Be({law[0]},{law[1]}) N={n} C={c}",
        "accuracy",
        partial(_right_or_wrong, law, n, c),
        {"law": law, "N": n, "C": c},
        of_2018=True,
    )


def _auc(law: tuple[int, int], n: int, c: int, balance: float) -> Setting:
    name = f"alpha_{law[0]}_beta_{law[1]}_samples_{n}_config_{c}_balance_{BALANCES_2024[balance]}"
    return Setting(
        f"{name}_classes_2",  # as in the files of the paper
        "auc",
        lambda rng: binormal(rng.beta(*law, c), n, rng, balance=balance),
        _row("AUC", law, n, c) | {"class 0": balance},
        of_2024=True,
    )


def _beyond(
    name: str, *, right: bool, law: tuple[int, int], n: int, c: int, correlation: float = 0.0
) -> Setting:
    make = right_or_wrong if right else binormal
    return Setting(
        f"{name} N={n} C={c}",
        "accuracy" if right else "auc",
        lambda rng: make(rng.beta(*law, c), n, rng, correlation=correlation),
        _row(name, law, n, c),
    )


def _row(metric: str, law: tuple[int, int], n: int, c: int) -> dict[str, Any]:
    return {"metric": metric, "law": law, "N": n, "C": c, "class 0": 0.5}


def beta(law: tuple[int, int]) -> str:
    """Name of a Beta law."""
    return f"Be({law[0]}, {law[1]})"
