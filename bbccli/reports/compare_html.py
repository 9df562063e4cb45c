"""What `bbc compare` says as a page that can be read anywhere: see `page/compared.py`."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.compare_schema import CompareEnvelope
from bbccli.reports.base import Style
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.page.compared import page_of_comparison


def render(documents: Sequence[CompareEnvelope], style: Style) -> str:
    """Return the page of the one document."""
    (document,) = documents
    return page_of_comparison(Exhibit(document))
