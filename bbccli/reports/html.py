"""The document as a page that can be read anywhere: see `page/whole.py`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import IO

from bbccli.documents import Document, Json
from bbccli.reports.base import Style
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.page.whole import page


def render(documents: Sequence[Json], style: Style) -> str:
    """Return one page, with the figures that documents alone can give."""
    exhibits = [Exhibit(Document(one)) for one in documents if "error" not in one]
    return page(exhibits, [one for one in documents if "error" in one])


def write_batch(records: Iterable[Json], file: IO[bytes]) -> None:
    """Write a page with a line per record."""
    seen = list(records)
    exhibits = [Exhibit(one["document"]) for one in seen if "document" in one]
    failures = [one for one in seen if "document" not in one]
    file.write(page(exhibits, failures).encode(errors="backslashreplace"))
