"""What a matrix and an outcome refuse, and in which words."""

from dataclasses import replace

import numpy as np
import pytest
from matrices import binary, multiclass, regression

from bbccli import PredictionMatrix
from bbccli.domain.outcome import Outcome
from bbccli.domain.source import Source
from bbccli.errors import InputError, OptionError, UndefinedError, UnsupportedError
from bbccli.types import PredictionKind, RiskDirection, Task

DATA = binary(n_samples=20, n_configurations=3, n_folds=4)


def changed(**parts):
    return lambda: replace(DATA, source=Source("m.csv"), **parts)


def spoilt(value):
    predictions = DATA.predictions.copy()
    predictions[0, 4, 1] = value
    return changed(predictions=predictions)


def of_two(weights):
    return lambda: Outcome(Task.BINARY, np.arange(2), ("a", "b"), weights=np.array(weights))


ONE_CLASS = Outcome(Task.BINARY, np.zeros(20, int), ("no", "yes"))
REFUSED = [
    (changed(predictions=DATA.predictions[0]), InputError,
     r"m.csv: predictions have shape \(20, 3\), not \(R, N, C\) or \(R, N, C, K\)", ""),
    (changed(predictions=DATA.predictions[:, :, :0], configurations=()), InputError,
     "m.csv: no configuration column", "one column per configuration"),
    (changed(predictions=DATA.predictions[:, :0]), InputError, "m.csv: no samples", "one row"),
    (changed(predictions=DATA.predictions[:0]), InputError, "m.csv: no samples", "one row"),
    (changed(predictions=DATA.predictions[:, :9]), InputError,
     r"m.csv: outcome have shape \(20,\), but the predictions need \(9,\)", ""),
    (changed(configurations=("a", "b")), InputError,
     r"configurations have shape \(2,\), but the predictions need \(3,\)", ""),
    (changed(folds=DATA.folds[:, :9]), InputError,
     r"folds have shape \(1, 9\), but the predictions need \(1, 20\)", ""),
    (changed(groups=np.arange(9)), InputError,
     r"groups have shape \(9,\), but the predictions need \(20,\)", ""),
    (changed(available=np.ones((1, 20, 2), bool)), InputError,
     r"available have shape \(1, 20, 2\), but the predictions need \(1, 20, 3\)", ""),
    (changed(configurations=("a", " ", "c")), InputError, "m.csv: configuration 1 has no name",
     "give every configuration column a name"),
    (changed(configurations=("a", "b", "a")), InputError,
     r"m.csv: two configurations have the same name \(column 'a'\)",
     "rename one of the two columns"),
    (spoilt(np.nan), InputError,
     r"prediction is not a finite number \(column 'c1', row 4, value nan\)",
     "leave the cell empty"),
    (spoilt(np.inf), InputError, "prediction is not a finite number .*value inf", "leave the"),
    (changed(outcome=ONE_CLASS), UndefinedError, r"the outcome has only one class \(no\)",
     "samples of at least two"),
    (changed(threshold=1.5), OptionError,
     "threshold is 1.5, but the predictions are probabilities", "for example 0.5"),
    (lambda: binary(kind=PredictionKind.SCORE).with_threshold(np.inf), OptionError,
     "threshold is inf, but the predictions are scores without bounds", "a finite number"),
    (lambda: regression().with_threshold(0.5), OptionError,
     "these predictions are values of a regression task", "leave it out"),
    (lambda: binary(kind=PredictionKind.LABEL).with_threshold(0.5), OptionError,
     "these predictions are class labels of a binary task", "leave it out"),
    (lambda: multiclass().with_threshold(0.5), OptionError,
     "threshold is for scores or probabilities of two classes", "leave it out"),
    (lambda: DATA.with_risk_direction(RiskDirection.LATER), OptionError,
     "risk_direction is for survival tasks; this one is binary", "leave it out"),
    (lambda: regression().as_kind(PredictionKind.LABEL), UnsupportedError,
     "values can't be taken as class labels", ""),
    (of_two([1.0, 1.0, 1.0]), InputError,
     r"sample weights have shape \(3,\), not \(2,\)", ""),
    (of_two([1.0, 0.0]), InputError,
     r"sample weight is not a positive number \(row 1, value 0.0\)",
     "remove samples that should not count"),
    (of_two([np.inf, 1]), InputError,
     r"sample weight is not a positive number \(row 0, value inf\)",
     "remove samples that should not count"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "kind", "message", "hint"), REFUSED)
def test_what_is_refused(build, kind, message, hint):
    with pytest.raises(kind, match=message) as e:
        build()
    assert e.value.hint.startswith(hint) or hint in e.value.hint
    assert e.value.hint


def test_what_is_accepted():
    assert isinstance(changed()(), PredictionMatrix)
    assert changed(threshold=0.3)().threshold == 0.3
