"""What nested cross-validation sees of a simulated matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from numpy.random import Generator

from bbccli.errors import OptionError
from bbccli.matrix import PredictionMatrix
from bbccli.simulation.simulated import Simulated
from bbccli.types import BoolArray


def nested(simulated: Simulated, rng: Generator) -> Iterator[tuple[PredictionMatrix, BoolArray]]:
    """Yield what nested cross-validation sees in each outer fold.

    An outer fold is left out, and an inner cross-validation of the other samples makes other
    predictions for them, from other models. So the predictions of the samples outside the fold are
    drawn anew; those of the samples in it are the ones of the matrix, made by models that were
    trained on all others. Without training the new draws follow the same law as the old ones: to
    select on the old ones (`nested-selection`) gives the same mean, and in this simulation that is
    the only difference that nesting can make.

    Yields
    ------
    matrix, test : (N,) bool
        The predictions, and the samples of the outer fold.
    """
    matrix = simulated.matrix
    if matrix.folds is None:
        raise OptionError("nested cross-validation needs folds", hint="simulate with folds")
    for fold in range(len(matrix.fold_names)):
        test = matrix.folds[0] == fold
        predictions = simulated.draw(rng)
        predictions[test] = matrix.predictions[0, test]
        yield replace(matrix, predictions=predictions[None]), test
