"""Shortcuts of tests that read files."""

import pytest

from bbccli.errors import BbcError, InputError
from bbccli.readers import read


def refused(message, source, *, hint="", kind: type[BbcError] = InputError, **options):
    """The error of `read`, of this class, with this message; its hint has these words."""
    with pytest.raises(kind, match=message) as caught:
        read(source, **options)
    given = (caught.value.hint, caught.value.told()[1])  # in Python, and on the command line
    assert all(given)
    assert any(hint in one for one in given)
    return caught.value
