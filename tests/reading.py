"""Shortcuts of tests that read files."""

import numpy as np
import pytest

from bbccli.errors import BbcError, InputError
from bbccli.reading import read
from bbccli.stats.verification import verified


def refused(message, source, *, hint="", kind: type[BbcError] = InputError, **options):
    """The error of `read`, of this class, with this message; its hint has these words."""
    with pytest.raises(kind, match=message) as caught:
        read(source, **options)
    given = (caught.value.hint, caught.value.told()[1])  # in Python, and on the command line
    assert all(given)
    assert any(hint in one for one in given)
    return caught.value


def fault(words, source, at=None, *, by=read, hint="", **options):
    """The error of reading a source: it has these words, and its path is `at`; so has its hint."""
    with pytest.raises(InputError) as caught:
        by(source, **options)
    error = caught.value
    assert words in error.problem
    assert at is None or error.path == str(at)
    assert error.hint
    assert hint in error.hint
    return error


def notes_of(matrix, code):
    """The notes of a matrix with this code."""
    return [note for note in matrix.notes if note.code == code]


def note_of(matrix, code):
    """The only one of them."""
    (found,) = notes_of(matrix, code)
    return found


def checked(source, **options):
    """Read a run, and verify the scores that it reports."""
    return verified(read(source, **options))


def assert_same(one, other, *, dtype=True):
    """Two matrices say the same of the same samples, in the same precision unless told not to."""
    for name in ("configurations", "task", "kind", "fold_names"):
        assert getattr(one, name) == getattr(other, name), name
    assert one.outcome.classes == other.outcome.classes
    for name in ("predictions", "folds", "groups", "available"):
        np.testing.assert_equal(getattr(one, name), getattr(other, name))
    for name in ("values", "event", "weights"):
        np.testing.assert_equal(getattr(one.outcome, name), getattr(other.outcome, name))
    assert not dtype or one.predictions.dtype == other.predictions.dtype
    assert one.outcome.values.dtype == other.outcome.values.dtype
    assert one.keys.tolist() == other.keys.tolist()
