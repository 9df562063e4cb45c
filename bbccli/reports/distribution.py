"""Every resample of every estimate: performance out of the bag, and winner."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from bbccli.core.results import Estimate
from bbccli.errors import OptionError
from bbccli.reports import Kind, forms_of

NAMES = ("method", "metric", "resample", "performance", "winner", "probability")


def render_distributions(
    path: str, configurations: Sequence[str], estimates: Sequence[Estimate]
) -> bytes:
    """Return the content of a `.json` or `.parquet` file, chosen by the suffix of the path.

    One row, or record, per resample: method, metric, resample, performance, winner, and its
    probability, which is null for resamples that were drawn.

    Raises
    ------
    OptionError
        Another suffix.
    """
    known = {end: form for form in forms_of(Kind.DISTRIBUTION).values() for end in form.suffixes}
    suffix = PurePath(path).suffix
    if suffix not in known:
        raise OptionError(
            f"--distribution cannot write {suffix or 'a file without suffix'}",
            hint=f"end the name with {' or '.join(known)}",
        )
    return known[suffix].distribution(columns_of(configurations, estimates))


def columns_of(
    configurations: Sequence[str], estimates: Sequence[Estimate]
) -> dict[str, list[object]]:
    """Return the columns `NAMES`, the estimates one after the other."""
    columns: dict[str, list[object]] = {name: [] for name in NAMES}
    for estimate in estimates:
        found = estimate.distribution
        if found is None:
            continue
        columns["method"] += [estimate.method] * len(found.values)
        columns["metric"] += [estimate.metric] * len(found.values)
        for name, held in found.columns(configurations).items():
            columns[name] += held
    return columns
