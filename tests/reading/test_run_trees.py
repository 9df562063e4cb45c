"""Folders of real runs in which something else lies in the place of a file."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from day import daily, swept
from fuzz.case import REAL, tree_of
from fuzz.trees import TREES

from bbccli.errors import BbcError, InputError
from bbccli.reading import Roles, read
from bbccli.stats.verification import verified

pytestmark = pytest.mark.skipif(os.name == "nt", reason="pipes and devices of POSIX")


def of_each_kind(tree):
    """The first file of each name but for its numbers."""
    kinds = {}
    for name in tree_of(tree):
        path = Path(name).relative_to("run")
        kinds.setdefault((path.parts[0] if len(path.parts) > 1 else "", path.suffix), path)
    return list(kinds.values())


@contextmanager
def at_most(seconds):
    def hang(*_):
        raise AssertionError("it waits, or reads without end")

    before = signal.signal(signal.SIGALRM, hang)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def opened(run):
    """Read a run with the labels that lie in it."""
    labels = run / "train.csv"
    apart = f"run/{labels.name}" in tree_of(str(run.name).replace("-", "/"))
    how = {"labels": labels, "roles": Roles(truth="target")} if apart else {}
    return verified(read(run, **how))


@pytest.mark.parametrize("kind", ["pipe", "device", "loop"])
@pytest.mark.parametrize("tree", daily(TREES, ["autogluon", "mljar", "optuna"]))
def test_what_is_no_file_is_neither_waited_for_nor_read_without_end(tree, kind, copied):
    run, whole = copied(tree), opened(REAL / tree) if "/" not in tree else None
    for place in of_each_kind(tree):
        if place.name == "train.csv":  # named on the command line, where a pipe is welcome
            continue
        path = run / place
        content = path.read_bytes()
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero" if kind == "device" else path.name)
        with at_most(20):
            try:
                found = opened(run)
            except BbcError as error:
                assert error.hint
                assert "\n" not in error.problem
            else:
                assert whole is None or found.n_samples == whole.n_samples
        path.unlink()
        path.write_bytes(content)
    assert opened(run).n_samples >= 100


def test_parts_of_a_recording_that_can_not_be_read_are_told(copied):
    run = copied("flaml")
    first, second, *_ = sorted((run / "parts").iterdir())
    for path, target in ((first, "no/where"), (second, second.name)):
        path.unlink()
        path.symlink_to(target)
    with at_most(20):
        said = {note.code: note.text for note in read(run).notes}["damaged-parts"]
    assert all(path.name in said for path in (first, second))


@pytest.mark.parametrize("code", [np.nan, swept(np.inf), swept(1e30), swept(-1.0), swept(0.5)])
def test_truths_of_auto_sklearn_that_are_no_class_warn_of_nothing(copied, code):
    run = copied("autosklearn")
    path = run / ".auto-sklearn" / "true_targets_ensemble.npy"
    truth = np.load(path)
    truth[65] = code
    np.save(path, truth.astype(np.float16) if np.isinf(code) else truth)
    with pytest.raises(InputError, match="truth") as error:
        opened(run)
    assert error.value.row == 65
