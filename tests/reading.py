"""Shortcuts of tests that read files."""

import pytest

from bbccli.errors import BbcError, InputError
from bbccli.readers import read


def refused(message, source, *, hint="", kind: type[BbcError] = InputError, **options):
    """The error of `read`, of this class, with this message; its hint has these words."""
    with pytest.raises(kind, match=message) as caught:
        read(source, **options)
    given = caught.value.told()[1] if hint.startswith("-") else caught.value.hint
    assert given
    assert hint in given
    return caught.value


def codes(matrix):
    """The codes of the notes."""
    return [note.code for note in matrix.notes]
