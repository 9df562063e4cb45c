"""How a comparison was made, for a paper, and whom to cite for what was used."""

from __future__ import annotations

from bbccli.compare_schema import CompareEnvelope
from bbccli.comparisons.across import TESTS as ACROSS
from bbccli.comparisons.pairs import TESTS as PAIRS
from bbccli.reports import compare_phrases as said
from bbccli.reports import counts, phrases
from bbccli.reports.figures.differences import of_baseline
from bbccli.reports.page.citations import BIBTEX
from bbccli.reports.page.markup import Markup, code, listing, section, tag
from bbccli.rounding import percent


def methods_of_comparison(document: CompareEnvelope) -> Markup:
    """Return a paragraph for the methods of a paper, and what to cite."""
    tests = references(document)
    others = [f"{name}: {reference}" for name, reference in tests.items() if reference]
    parts = [tag("p", " ".join(_sentences(document)))]
    if others:
        parts += [tag("h3", "References of the tests"), listing(others)]
    if keys := keys_of(document):
        parts += [tag("h3", "To cite"), code("\n\n".join(BIBTEX[key] for key in keys))]
    return section("Methods, for a paper", "methods", *parts)


def keys_of(document: CompareEnvelope) -> list[str]:
    """Return what to cite, of that which was used."""
    found = []
    if document.best_set is not None:
        found.append("lei2020")
    if of_baseline(document):
        found.append("westfall1993")
    if said.is_selected(document):
        found.append("tsamardinos2018")
    if document.ranks is not None:
        found += ["tsamardinos2018", "demsar2006", "benavoli2016"]
    return found


def references(document: CompareEnvelope) -> dict[str, str]:
    """Return the references of the tests that were run, by their names."""
    ranks = document.ranks
    if ranks is not None:
        names = dict.fromkeys(one.test for one in [*ranks.overall, *ranks.pairs])
        return {name: ACROSS[name].reference for name in names if name in ACROSS}
    names = dict.fromkeys(one.test for one in document.comparisons)
    return {name: PAIRS[name].reference for name in names if name in PAIRS}


def _sentences(document: CompareEnvelope) -> list[str]:
    label, plan = phrases.metric_label(document.metric), document.plan
    level = percent(plan.level)
    return [
        _of_data(document, label),
        *_of_selected(document, level),
        *_of_pairs(document),
        *_of_set(document, level),
        *_of_ranks(document, level),
        f"Software: bbc {document.version}, seed {plan.seed}.",
    ]


def _of_data(document: CompareEnvelope, label: str) -> str:
    if document.data_sets:
        return f"Families were compared by {label} on {len(document.data_sets)} data sets."
    read = document.input
    return (
        f"Out-of-sample predictions of {counts.configurations(read)} for {counts.samples(read)} "
        f"were compared by {label}."
    )


def _of_selected(document: CompareEnvelope, level: str) -> list[str]:
    if of_baseline(document):
        bounds = (
            f"Bounds of the differences to {document.comparisons[0].second} hold for all "
            f"configurations at once at {level} (max-T of multipliers on influence values; "
            "Westfall & Young 1993)."
        )
        return [bounds, *(_CORRECTED if said.is_selected(document) else ())]
    return list(_CORRECTED) if said.is_selected(document) else []


_CORRECTED = (
    "The difference was corrected for the selection by bootstrap bias correction: on each "
    "resample the choice was made again, and scored out of the bag (Tsamardinos, Greasidou & "
    "Borboudakis 2018).",
)


def _of_pairs(document: CompareEnvelope) -> list[str]:
    names = [name for name in references(document) if name in PAIRS]
    if not names or document.ranks is not None:
        return []
    adjusted = document.comparisons[0].adjustment
    more = f", with p-values adjusted by {adjusted}" if adjusted else ""
    return [f"Configurations were compared by {', '.join(names)}{more}."]


def _of_set(document: CompareEnvelope, level: str) -> list[str]:
    if document.best_set is None:
        return []
    return [
        f"The set of configurations that may be the best holds the best one with a probability of "
        f"{level} (cross-validation with confidence; Lei 2020); intervals of the performances hold "
        "for all configurations at once."
    ]


def _of_ranks(document: CompareEnvelope, level: str) -> list[str]:
    if document.ranks is None:
        return []
    names = ", ".join(references(document))
    return [
        "Families of several configurations were measured by their estimate corrected for the "
        "selection within them (Tsamardinos, Greasidou & Borboudakis 2018), those of one as they "
        f"are; ranks were compared by {names} at {level} (Demšar 2006; Benavoli, Corani & Mangili "
        "2016)."
    ]
