"""The figure of a plan: what more rows give."""

from __future__ import annotations

from bbccli.reports.content.plan import difference_text, optimism
from bbccli.reports.evidence import Exhibit
from bbccli.reports.figures import base as vega
from bbccli.reports.figures.base import Drawn, Spec

WIDTH, OPTIMISM = "width of the interval", "optimism"


def rows(exhibit: Exhibit) -> Drawn | str:
    """Return the width and the optimism, with its bracket, against the rows.

    The cells are those of the table, with as many configurations as the answer is for.
    """
    document, chosen = exhibit.document, exhibit.document.planned.chosen
    cells = {
        cell.n_samples: cell
        for cell in (*document.planned.cells, chosen)
        if cell.n_configurations == chosen.n_configurations
    }
    if len(cells) < 2:
        return "it has a single number of samples"
    shown = [cells[n] for n in sorted(cells)]
    texts = [
        (f"{cell.n_samples:,}", difference_text(cell.width, document), optimism(cell, document))
        for cell in shown
    ]
    values = [
        {
            "rows": cell.n_samples,
            "series": series,
            "value": value,
            "hover": (f"{rows} samples: {said}"),
        }
        | ({} if series == WIDTH else {"lower": cell.optimism_lower, "upper": cell.optimism_upper})
        for cell, (rows, width, bracket) in zip(shown, texts, strict=True)
        for series, value, said in (
            (WIDTH, cell.width, f"{width} wide"),
            (OPTIMISM, cell.optimism, f"optimism {bracket}"),
        )
        if value is not None
    ]
    x: Spec = {"field": "rows", "type": "quantitative", "title": "samples"}
    x["scale"] = {"type": "log", "nice": False}
    x["axis"] = {"grid": False, "values": [cell.n_samples for cell in shown], "format": ","}
    y = vega.number("value", "in the unit of the metric", scale={"zero": True})
    looks = {
        "color": vega.nominal("series", (WIDTH, OPTIMISM), (vega.CORRECTED, vega.NAIVE)),
        "strokeDash": vega.nominal("series", (WIDTH, OPTIMISM), (vega.SOLID, vega.DASHED)),
    }
    band = {"x": x, "y": y | {"field": "lower"}, "y2": {"field": "upper"}}
    dots = {"x": x, "y": y, "color": looks["color"], **vega.HOVER}
    at = [{"rows": chosen.n_samples}]
    return Drawn(
        f"The interval is {texts[0][1]} wide with {texts[0][0]} samples, {texts[-1][1]} with "
        f"{texts[-1][0]}.",
        "Solid: mean width of the winner's interval. Dashed: optimism of its naive score, with "
        "its range as a band. Only the dots are computed, for the rows of the table; lines join "
        "them. Dotted: the number of samples in the answer.",
        ("samples", WIDTH, OPTIMISM),
        texts,
        vega.spec_of(
            values,
            [
                vega.layer("area", band, vega.KNOWN, color=vega.NAIVE, opacity=0.2),
                vega.layer("line", {"x": x, "y": y, **looks}, strokeWidth=2.5),
                vega.layer("rule", {"x": x}, data=at, strokeDash=vega.DOTTED, color=vega.INK),
                vega.layer("point", dots, filled=True, size=60, opacity=1),
            ],
            height=210,
        ),
    )
