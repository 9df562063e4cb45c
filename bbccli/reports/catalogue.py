"""What `bbc explain`, `methods` and `metrics` tell: of one name in full, of all a line each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from inspect import getdoc, getmodule
from math import isfinite
from textwrap import fill
from types import ModuleType

from bbccli.comparisons import pairs
from bbccli.comparisons.across import ranks
from bbccli.documents.correct import Envelope, is_single, notes_of
from bbccli.documents.gate import NAIVE
from bbccli.domain.estimate import Estimate
from bbccli.dropping import over_folds, over_samples
from bbccli.errors import OptionError, nearest
from bbccli.methods import DEFAULT_METHODS, METHODS, Method
from bbccli.methods.base import ASSUMED, formula, part
from bbccli.metrics import ALIASES, METRICS, Metric, canonical, meant_by, metric_named
from bbccli.notes import NOTES, Note, NoteKind, by_severity, listing
from bbccli.platform.records import Json
from bbccli.platform.text import brief, percent, without_markdown
from bbccli.reports import Style
from bbccli.reports import words as phrases
from bbccli.reports.content import AnswerLines, Block, BlockTable, FactList, Heading, Line
from bbccli.reports.content.correct import shown_label
from bbccli.reports.forms.terminal import NARROWEST, terminal
from bbccli.reports.words.for_papers import sentences, what_it_did
from bbccli.reports.words.sentences import answer_sentences, steps_of
from bbccli.stats import selection
from bbccli.stats.intervals import INTERVALS
from bbccli.stats.intervals.coverage import COVERED
from bbccli.stats.making import calibration, cut, greedy, mean, sklearn_cut, stack, tool
from bbccli.types import IntervalKind

MIN_WORD = 3
"""Letters of a word that is looked for in summaries, at least one more."""


def facts_of_methods(name: str | None) -> list[Json]:
    """Return everything about each method, or about one.

    Raises OptionError: there is none of the name.
    """
    if name is not None and name not in METHODS:
        raise OptionError(f"no method named {name!r}", hint=hint_of(name, METHODS, "methods"))
    return [_of_method(METHODS[method]) for method in (METHODS if name is None else [name])]


def facts_of_metrics(name: str | None) -> list[Json]:
    """Return everything about each metric, or about one, by any of its names.

    Raises OptionError: there is none of the name.
    """
    if name is None:
        return [_of_metric(metric) for metric in METRICS.values()]
    if canonical(name, METRICS) not in METRICS and ":" not in name:
        spellings = [*METRICS, *(alias.replace("_", "-") for alias in ALIASES)]
        hint = hint_of(name.lower().replace("_", "-"), spellings, "metrics")
        raise OptionError(f"no metric named {name!r}", hint=hint)
    return [_of_metric(metric_named(name))]


def hint_of(name: str, known: Iterable[str], command: str) -> str:
    """Return a hint for an unknown name: its meaning elsewhere, or similar names.

    Where no name is, those count whose summary has the word.

    Parameters
    ----------
    known
        Names that the command would have taken.
    command
        That lists them.
    """
    meanings = {code: note.meaning for code, note in NOTES.items()}
    meanings |= {name: method.summary for name, method in METHODS.items()}
    meanings |= {name: metric.summary for name, metric in METRICS.items()}
    known, word = list(dict.fromkeys(known)), name.lower()
    other = canonical(meant_by(word.replace("_", "-")), METRICS)
    if other in (*meanings, *INTERVALS) and other not in known:
        return f"bbc explain {other}"
    meant = [n for n in known if len(word) > MIN_WORD and word in meanings.get(n, "").lower()]
    others = f"{listing(meant)} may be what you mean; " if meant else ""
    return nearest(
        other if other in known else name, known, f"{others}bbc {command} lists all names"
    )


def _of_method(method: Method) -> Json:
    return {
        "name": method.name,
        "summary": method.summary,
        "label": method.label,
        "needs": sorted(method.needs),
        "gives": sorted(method.gives),
        "ignores_selection": method.ignores_selection,
        "experimental": method.experimental,
        "default": method.name in DEFAULT_METHODS,
        "source": method.reference,
    }


def _of_metric(metric: Metric) -> Json:
    return {
        "name": metric.name,
        "summary": metric.summary,
        "label": metric.label,
        "aliases": [alias for alias, name in ALIASES.items() if name == metric.name],
        "tasks": sorted(metric.tasks),
        "needs": metric.wants.value,
        "direction": metric.direction.value,
        "bounds": list(metric.bounds),
        "formula": metric.formula,
        "under_weights": metric.under_weights,
        "undefined": metric.undefined,
        "remarks": metric.remarks,
        "source": metric.reference,
    }


def render(documents: Sequence[Json], style: Style) -> str:
    """Return a line on each method or metric; for a single one the text of `bbc explain`."""
    if len(documents) == 1:
        return terminal((of_metric if "tasks" in documents[0] else of_method)(documents[0]), style)
    width = max(len(facts["name"]) for facts in documents) + 2
    groups: dict[str, str] = {}
    for facts in documents:
        name = f"  {facts['name']:<{width}}"
        room = max(style.width, len(name) + NARROWEST)
        indent = " " * len(name)
        line = fill(facts["summary"], room, initial_indent=name, subsequent_indent=indent)
        groups[_title(facts)] = groups.get(_title(facts), "") + f"{line}\n"
    return "\n".join(f"{title}\n{lines}" for title, lines in groups.items())


def _title(facts: Json) -> str:
    if "tasks" in facts:
        return " and ".join(facts["tasks"])
    if facts["name"] == NAIVE:
        return "for comparison"
    if facts["ignores_selection"]:
        return "ignore that the winner was selected"
    return "account for the selection of the winner"


WHICH = (
    "Report the row that the table marks >, with its interval, and the sentence that begins with "
    "report. It is the first estimate whose interval accounts for the selection, by default that "
    "of bbc. The other rows are for comparison: reporting the most favourable of several would be "
    "another choice, and nothing corrects for it. The naive (apparent) score is too good because "
    "the winner was picked for it."
)
"""Answer to "which number do I report" without a result."""


def of_nothing() -> list[Block]:
    """Return advice on which number to report, and what can be explained: one screen."""
    rows = [
        ("a result", "result.json, as bbc correct --output wrote it"),
        ("a method", f"one of {len(METHODS)}, such as bbc or tt: bbc methods lists them"),
        ("a metric", f"one of {len(METRICS)}, such as auc: bbc metrics lists them"),
        ("an interval", listing(list(INTERVALS))),
        ("a test, a rule", "of bbc compare --test or bbc drop --rule, such as mcnemar or bbcd"),
        ("a choice", listing(list(STEPS), len(STEPS))),
        ("a note", f"one of {len(NOTES)}, by the code that a result shows, such as few-folds"),
    ]
    return [Line(WHICH), BlockTable.of_text(("bbc explain", "NAME"), rows)]


def of_method(facts: Json) -> list[Block]:
    """Return a method's summary, formula, assumptions, evidence, limits and source.

    Parameters
    ----------
    facts
        As `facts_of_methods` has them.
    """
    name = facts["name"]
    use, _, never = part(name, "When to use").partition("When not: ")
    beware = ["ignores that the winner was selected"] if facts["ignores_selection"] else []
    beware += ["experimental: there is little evidence for it yet"] if facts["experimental"] else []
    return _facts(
        ("method", name),
        ("what", facts["summary"]),
        ("in tables", shown_label(facts["label"])),
        ("gives", ", ".join(facts["gives"])),
        ("needs", ", ".join(facts["needs"])),
        ("default", "run where it fits, unless --method names others" * facts["default"]),
        ("beware", "; ".join(beware)),
        *(("" if n else "formula", line) for n, line in enumerate(formula(name))),
        *(("" if n else "all assume", line) for n, line in enumerate(ASSUMED)),
        ("assumes", part(name, "Assumptions")),
        ("evidence", part(name, "Evidence")),
        ("when", use),
        ("when not", never),
        ("source", facts["source"]),
    )


def of_metric(facts: Json) -> list[Block]:
    """Return a metric's definition, needs, undefined cases and source.

    Parameters
    ----------
    facts
        As `facts_of_metrics` has them.
    """
    name, label = facts["name"], facts["label"]
    values = _range(*facts["bounds"])
    return _facts(
        ("metric", f"{name} ({label})" if label != name else name),
        ("what", facts["summary"]),
        ("aliases", ", ".join(facts["aliases"])),
        ("formula", facts["formula"]),
        ("values", f"{values}; {BETTER[facts['direction']]} is better"),
        ("weights", facts["under_weights"]),
        ("assumes", f"{' or '.join(facts['tasks'])} tasks, and {NEEDS[facts['needs']]}"),
        ("when not", f"undefined {facts['undefined']}"),
        ("", facts["remarks"]),
        ("source", facts["source"]),
    )


BETTER = {"maximize": "higher", "minimize": "lower"}


def _range(lower: float, upper: float) -> str:
    if isfinite(lower) and isfinite(upper):
        return f"{brief(lower)} to {brief(upper)}"
    if isfinite(lower):
        return f"{brief(lower)} or more"
    return f"{brief(upper)} or less" if isfinite(upper) else "any number"


def of_interval(kind: IntervalKind) -> list[Block]:
    """Return the definition of a kind of interval, and its measured coverage."""
    text = getdoc(getmodule(INTERVALS[kind].law)) or ""
    first, _, rest = text.partition("\n\n")
    seen = [
        (f"covered, {method}", "; ".join(f"{name} {percent(share)}" for name, share in by.items()))
        for (method, of_kind), by in COVERED.items()
        if of_kind == kind
    ]
    if seen:
        seen.append(("", "of studies whose models are trained, by kind of metric; both ends, 95%"))
    source = " ".join(rest.rpartition("Source: ")[2].split())
    return _facts(("interval", kind), ("what", first.rstrip(".")), *seen, ("source", source))


STEPS: dict[str, tuple[ModuleType, str]] = {
    "best": (selection, "--select best"),
    "one-se": (selection, "--select one-se"),
    "one-se-simplest": (selection, "--select one-se-simplest"),
    "greedy": (greedy, "--select greedy[:ROUNDS]"),
    "mean": (mean, "--select mean:K"),
    "stack": (stack, "--select stack"),
    "tool": (tool, "--select tool, --threshold tool"),
    "tuned": (cut, "--threshold tuned[:METRIC]"),
    "sklearn": (sklearn_cut, "--threshold sklearn[:METRIC]"),
    "platt": (calibration, "--calibrate platt"),
    "temperature": (calibration, "--calibrate temperature"),
    "isotonic": (calibration, "--calibrate isotonic"),
}
"""What is chosen on all samples and again in every resample: where it is told, and its option."""


def of_step(name: str) -> list[Block]:
    """Return what a choice does, paragraph by paragraph, as the module that makes it says."""
    module, option = STEPS[name]
    shared = sum(holder is module for holder, _ in STEPS.values()) > 1
    return _described("choice", name, option, getdoc(module) or "", f"`{name}`" * shared)


def _described(kind: str, name: str, option: str, text: str, within: str = "") -> list[Block]:
    """The paragraphs of a text, those that have some words in it, and its source."""
    text, _, source = text.replace("```text\n", "").replace("\n```", "").partition("Source: ")
    parts = [part for part in re.split(r"\n\n|\n(?=\d\. )", text.strip()) if within in part]
    return _facts(
        (kind, name),
        ("option", option),
        *(("" if n else "what", " ".join(part.split())) for n, part in enumerate(parts)),
        ("source", " ".join(source.split())),
    )


TESTED: dict[str, tuple[str, Sequence[ModuleType]]] = {
    "--test": ("test", pairs.MODULES),
    "--across --test": ("test", (ranks,)),
    "--rule": ("rule", (over_samples, over_folds)),
}
"""Options of `bbc compare` and `bbc drop` that name a test: the word for one, and its modules."""


def of_tests(name: str) -> list[list[Block]]:
    """Return what each test, or rule of dropping, of this name does, as its module says."""
    return [
        _described(kind, name, f"{option} {name}", section)
        for option, (kind, modules) in TESTED.items()
        for module in modules
        for title, section in re.findall(
            r"^## (\S+)\n\n(.*?)(?=^## |\Z)", getdoc(module) or "", re.M | re.S
        )
        if title == name
    ]


NEEDS = {
    "label": "predicted classes",
    "probability": "probabilities",
    "score": "probabilities or scores; not class labels",
    "value": "predicted values",
}
"""Predictions that metrics need, in words."""


def of_note(code: str) -> list[Block]:
    """Return the meaning of a note, its severity, and the remedy."""
    return _facts(("note", code), *_meaning(NOTES[code]))


def of_result(document: Envelope) -> list[Block]:
    """Return which number of a result to report and why, and the meaning of its notes."""
    estimates = [e for e in document.estimates if phrases.is_reported(e, document)]
    notes = by_severity(notes_of(document))
    codes = dict.fromkeys(note.code for note in notes)
    return [
        Heading(document.input.path, phrases.input_line(document)),
        AnswerLines(answer_sentences(document)),
        FactList([("report", sentence) for sentence in sentences(document)]),
        *(Line(_reason(estimate, document)) for estimate in estimates),
        *(fact for code in codes for fact in _explained(code, notes)),
    ]


def _picked(estimate: Estimate) -> str:
    """What was picked for its score."""
    made = estimate.made
    steps = "" if made is None else steps_of(made)
    if made is None or made.ensemble or not steps:
        return f"{steps or estimate.winner} was {'made' if steps else 'picked'}"
    return f"{estimate.winner} with {steps} was picked"


def _reason(estimate: Estimate, document: Envelope) -> str:
    """Explain why to report this estimate, and what its interval leaves out."""
    read, name = document.input, estimate.method
    label, winner = phrases.metric_label(estimate.metric), estimate.winner
    which = f"Report the {label} from {name}"
    if is_single(document):
        if phrases.alone(document):
            return (
                f"{which}. There was only one configuration, so no selection made its score too "
                "good."
            )
        return (
            f"{which}. {winner} is {phrases.only_one(document)}: if it was chosen over the others, "
            "its score is too good, and nothing here can correct for that."
        )
    does = what_it_did(estimate, document)
    others = [e.method for e in document.of_metric(estimate.metric)]
    others = [method for method in others if method != name]
    chosen_on = "these" if estimate.n_evaluation is None else "the"
    among = f" among {phrases.configurations(read)}" * (read.n_configurations > 1)
    naive = (
        f"The naive (apparent) score does not account for it: {_picked(estimate)} for its score"
        f"{among}, and part of that score is luck on {chosen_on} "
        f"{phrases.n_deciding(estimate, read)} samples{' that chose it' * (chosen_on == 'the')}."
    )
    parts = [
        f"{which}{does and f': {does}'}.",
        "It is the first estimate whose interval accounts for the choice.",
        naive,
        _size(estimate, document),
        f"The others here ({', '.join(others)}) are for comparison." if others else "",
        "Reporting the most favourable of several would be another choice, and nothing corrects "
        "for it.",
        f"The {phrases.interval_name(document, [estimate])} allows for chance in the samples and "
        "for the choice among the configurations in the file, but not for configurations that are "
        "missing, nor for predictions of samples that a model was trained on.",
    ]
    return " ".join(filter(None, parts))


def _size(estimate: Estimate, document: Envelope) -> str:
    """The size correction, if there is one."""
    if estimate.size_correction is None:
        return ""
    digits, label = phrases.digits_in(document, estimate.metric), phrases.metric_label
    moved = digits.difference(abs(estimate.size_correction))
    return (
        f"The expected {label(estimate.metric)} depends on the number of samples, and a resample "
        f"leaves out only about 37% of the {document.input.n_samples}: the estimate was corrected "
        f"for that by {'-' * (estimate.size_correction < 0)}{moved}; --no-size-correction gives "
        "the figure without it."
    )


def _explained(code: str, notes: Sequence[Note]) -> list[Block]:
    """Notes of one code, with their meaning."""
    same = [note for note in notes if note.code == code]
    meaning = _meaning(NOTES[code]) if code in NOTES else [("do", same[0].remedy)]
    seen = [("" if n else "seen", note.text) for n, note in enumerate(same)]
    facts = [(name, without_markdown(text)) for name, text in meaning]
    return [FactList([("note", code), *seen, *facts])]


def _meaning(note: NoteKind[...]) -> list[tuple[str, str]]:
    return [
        ("matters", f"{note.severity.name.lower()}: {note.severity.words}"),
        ("means", note.meaning),
        ("do", note.remedy),
    ]


def _facts(*rows: tuple[str, str]) -> list[Block]:
    return [FactList([(name, without_markdown(text)) for name, text in rows])]
