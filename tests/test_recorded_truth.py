"""The truth and the groups that a recorder is given, in whatever arrays they come."""

import numpy as np
import pytest

from bbccli.errors import OptionError
from bbccli.recording.given import codes_and_names, truth_of
from bbccli.types import Task


def objects(*values):
    return np.array(values, object)


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
    ("y", "task", "values", "names"),
    [
        (objects("no", "yes", "no"), Task.BINARY, [0, 1, 0], ("no", "yes")),
        (objects(True, False, True), Task.BINARY, [1, 0, 1], ("False", "True")),
        (objects(0.5, 2.0, 1.25), Task.REGRESSION, [0.5, 2.0, 1.25], ()),
        (objects("a", "c", "b"), Task.MULTICLASS, [0, 2, 1], ("a", "b", "c")),
        (np.array([[1.0], [0.0]]), Task.BINARY, [1, 0], ("0", "1")),
    ],
)
def test_objects_are_what_they_hold(y, task, values, names):
    found = truth_of(y, None, None)
    assert (found.task, found.values.tolist(), found.names) == (task, values, names)


@pytest.mark.one_in(1)
@pytest.mark.parametrize(
    ("y", "problem"),
    [
        (objects("a", 1, "a"), "mixes texts and numbers"),
        (objects("a", None, "b"), "missing values"),
        (objects("a", float("nan"), "b"), "missing values"),
        (objects([1, 2], [3], 4), "mixes texts and numbers"),
        (np.array([]), "single column"),
    ],
)
def test_objects_that_are_no_truth(y, problem):
    with pytest.raises(OptionError, match=problem):
        truth_of(y, None, None)


@pytest.mark.parametrize("groups", [objects("b", 1, "b", 2.5), np.array([7, 1, 7, 2])])
def test_groups_are_told_apart_whatever_they_are(groups):
    codes = codes_and_names(groups, 4)
    assert (codes[:, None] == codes).tolist() == (groups[:, None] == groups).tolist()
