"""How often each configuration wins in the resamples."""

from __future__ import annotations

from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import (
    CORRECTED,
    Drawn,
    labels,
    layer,
    name_of,
    names_axis,
    spec_of,
)
from bbccli.rounding import percent
from bbccli.text import visible


def wins(exhibit: Exhibit) -> Drawn | str:
    """Return the shares of the first estimate that has some."""
    document = exhibit.document
    if document.input.n_configurations == 1:
        return "a single configuration takes part"
    estimate = next((e for e in document.estimates if e.selection), None)
    if estimate is None:
        return "no method here selects in resamples"
    shares = estimate.selection
    names = labels(share.configuration for share in shares)
    rest = 1 - sum(share.share for share in shares)
    values = [
        {"name": name, "share": share.share} for name, share in zip(names, shares, strict=True)
    ]
    rows = [(visible(share.configuration), percent(share.share, 1)) for share in shares]
    if rest > 1e-9:
        rows.append(("all others together", percent(rest, 1)))
    winner = next((s.share for s in shares if s.configuration == estimate.winner), None)
    method = phrases.method_name(estimate.method)
    axis = {"format": "%", "tickCount": 5}
    x = {"field": "share", "type": "quantitative", "title": "share of resamples", "axis": axis}
    bars = layer("bar", {"y": names_axis(names), "x": x}, color=CORRECTED)
    return Drawn(
        _reading(estimate.winner, winner, method),
        f"Share of the resamples of {method} in which a configuration is the best one in the bag; "
        f"the first {len(shares)}. Shares ignore how close the others are: configurations that "
        "predict nearly the same share the wins between them.",
        ("configuration", "share of resamples"),
        rows,
        spec_of(values, [bars], height={"step": 22}),
    )


def _reading(winner: str, share: float | None, method: str) -> str:
    if share is None:
        return f"{name_of(winner)} wins in fewer of the resamples of {method} than those shown."
    doubt = (
        "another sample would mostly have chosen another one"
        if share < 0.5
        else "the choice is fairly stable"
    )
    return f"{name_of(winner)} wins in {percent(share, 0)} of the resamples of {method}: {doubt}."
