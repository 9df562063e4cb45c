"""The end of a page: how it was done, whom to cite, and what it was made from."""

from __future__ import annotations

from bbccli.core.results import Estimate
from bbccli.core.rounding import count, percent
from bbccli.methods import METHODS
from bbccli.reports import phrases
from bbccli.reports.exhibit import Exhibit
from bbccli.reports.figures.base import name_of
from bbccli.reports.page.citations import BIBTEX, keys_of
from bbccli.reports.page.markup import Markup, code, section, table, tag
from bbccli.reports.page.verdict import reported
from bbccli.schema.correct import Envelope

MOST = 50
"""Data sets that are listed; the rest are counted."""


def methods_paragraph(document: Envelope) -> Markup:
    """Return a paragraph for the methods of a paper, and what to cite."""
    estimate = reported(document)
    if estimate is None:
        return Markup()
    keys = keys_of(estimate.method)
    entries = "\n\n".join(BIBTEX[key] for key in keys)
    return section(
        "Methods, for a paper",
        "methods",
        tag("p", Markup(_paragraph(estimate, document))),
        tag("h3", "To cite"),
        code(entries),
    )


def _paragraph(estimate: Estimate, document: Envelope) -> str:
    read, plan = document.input, document.plan
    label = phrases.metric_label(estimate.selected_by)
    name = phrases.method_name(estimate.method)
    known = METHODS.get(estimate.method)
    source = f" ({known.reference})" if known and known.reference else ""
    folds = f" in {phrases.folds(read)}" if read.n_folds else ""
    repeats = f", {count(read.n_repeats, 'repeat')}" if read.n_repeats > 1 else ""
    data = f"{phrases.configurations(read)} for {phrases.samples(read)}{folds}{repeats}"
    rule = phrases.RULES.get(plan.select, plan.select)
    parts = [
        f"Out-of-sample predictions of {data} were compared by {label} "
        f"({phrases.pooling_of(estimate, document)}), and the configuration selected was the "
        f"{rule}.",
        f"Its performance was estimated by {name}{source}, which corrects the figure of the "
        "selected configuration for the selection.",
    ]
    if read.n_configurations == 1:
        parts = [
            f"There were out-of-sample predictions of {data}.",
            f"Its performance was estimated by {name}{source}; nothing was corrected for.",
        ]
    if known and known.summary:
        parts.append(f"In short: {known.summary}.")
    if estimate.n_resamples:
        drawn = "all" if estimate.exact else f"seed {plan.seed}"
        parts.append(f"There were {count(estimate.n_resamples, 'resample')} ({drawn}).")
    if estimate.interval:
        guard = ", kept from collapsing by a guard" if plan.guard else ""
        parts.append(
            f"The {percent(plan.level)} interval is made of them by the rule "
            f"{plan.interval}{guard}."
        )
    return tag("span", " ".join(parts) + f" Software: bbc {document.version}.")


def made_from(exhibit: Exhibit) -> Markup:
    """Return the command line, versions and the hash of the input."""
    document = exhibit.document
    read, plan = document.input, document.plan
    sets = getattr(document, "data_sets", ())
    facts = [
        *((name_of(one.path), f"SHA-256 {one.sha256 or 'unknown'}") for one in sets[:MOST]),
        *([("more files", str(len(sets) - MOST))] if len(sets) > MOST else []),
        *([] if sets else [("file", read.path), ("SHA-256", read.sha256 or "unknown")]),
        ("bbc", document.version),
        ("seed", str(plan.seed)),
        ("format of results", document.schema),
    ]
    rows = table("What this page was made from", ("what", "value"), facts)
    parts = [tag("div", rows, class_="words")]
    if exhibit.command:
        parts.insert(0, code(exhibit.command))
    return section("Made from", "made", *parts)
