"""Notes on what a recording says of its tries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bbccli.notes import Note, listing
from bbccli.rounding import count


def notes_on_tries(run: Mapping[str, Any], configurations: Sequence[str]) -> Iterator[Note]:
    """Yield what to say of tries of the same configurations, and of parts that can't be read.

    Parameters
    ----------
    run
        What the metadata say of the run; `again`, `tried_again` and `damaged` are lists of names.
    configurations
        Those that take part.
    """
    again, tried_again = (
        [name for name in configurations if name in _names(run, key)]
        for key in ("again", "tried_again")
    )
    if tried_again:
        yield Note(
            "tried-again",
            f"tried before with other predictions, and each try counts: {listing(tried_again)}",
            "to leave out a try that was a mistake: --exclude; record other studies in other "
            "folders",
        )
    if again:
        yield Note(
            "recorded-again",
            f"recorded again with the same predictions, which count once: {listing(again)}",
            "nothing to do",
        )
    damaged = _names(run, "damaged")
    if damaged:
        yield Note(
            "damaged-parts",
            f"{count(len(damaged), 'file')} of the recording can't be read: {listing(damaged)}",
            "run the search again with a recorder of the same folder; what is whole is kept",
        )


def _names(run: Mapping[str, Any], key: str) -> list[str]:
    """Names in metadata, which may have been written by hand."""
    said = run.get(key)
    return [str(one) for one in said] if isinstance(said, list) else []
