"""What `bbc compare` says as a page that can be read anywhere: see `page/compared.py`."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.documents import Document, Json
from bbccli.reports.base import Style
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.page.compared import page_of_comparison


def render(documents: Sequence[Json], style: Style) -> str:
    """Return the page of the one document."""
    (document,) = documents
    return page_of_comparison(Exhibit(Document(document)))
