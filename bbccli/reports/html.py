"""The document as a page that can be read anywhere: see `page/whole.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO

from bbccli.documents import Document, Json
from bbccli.reports.base import Style
from bbccli.reports.batch import error_of
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.page.whole import page
from bbccli.schema import Envelope, ErrorEnvelope


def render(results: Sequence[Envelope | ErrorEnvelope], style: Style) -> str:
    """Return one page, with the figures that documents alone can give."""
    exhibits = [Exhibit(one) for one in results if isinstance(one, Envelope)]
    return page(exhibits, [one for one in results if isinstance(one, ErrorEnvelope)])


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a page with a line per record."""
    results = [
        Document(one["document"], Envelope).record if "document" in one else error_of(one).record
        for one in records
    ]
    file.write(render(results, Style()).encode(errors="backslashreplace"))
