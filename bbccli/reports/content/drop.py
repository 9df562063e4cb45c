"""The content of `bbc drop`: who stays and who goes, or what dropping would have saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bbccli.documents.correct import notes_of
from bbccli.documents.drop import DropEnvelope
from bbccli.dropping.results import Decision, DropDecision, Fate, Replay, ReplayRun
from bbccli.notes import listing
from bbccli.platform.text import Digits, every, percent
from bbccli.reports import words as phrases
from bbccli.reports.content import AnswerLines, Block, BlockTable, Heading, Notes, TableColumn

PROBABILITY = Digits(3, bounds=(0.0, 1.0))


def blocks(document: DropEnvelope) -> Iterator[Block]:
    """Yield the decision or the replays, and the notes."""
    lines = phrases.lines_on_run(document)
    yield Heading(document.input.path, phrases.input_line(document), lines)
    yield AnswerLines(drop_sentences(document))
    facts: list[tuple[str, str]] = []
    if document.decision:
        yield _configurations(document.decision)
        facts = _basis(document.decision)
    elif document.replays:
        yield _replays(document.replays)
    yield Notes(notes_of(document), facts)


def drop_sentences(document: DropEnvelope) -> list[str]:
    """Return what to train, or what dropping would have saved and changed, in sentences."""
    if document.decision is not None:
        return [_of_decision(document.decision)]
    if not document.replays:
        return ["No rule could be computed."]
    first = document.replays[0]
    if not any(
        step.dropped
        for replay in document.replays
        for run in replay.runs
        for step in run.trace.steps
    ):
        n_models = first.runs[0].trace.n_models
        return [
            (f"No configuration would have been dropped: all {n_models:,} models would be trained.")
        ]
    return [_saved(document.replays), _changed(first)]


def _saved(replays: Sequence[Replay]) -> str:
    """Models that the first rule would have saved, and whether it kept the winner."""
    first, others = replays[0], len(replays) - 1
    runs, models = first.runs, [run.trace.n_models - run.trace.n_trained for run in first.runs]
    n_all, saved = runs[0].trace.n_models, sum(models) / len(models)
    share = f"{percent(saved / n_all, 0)}" if n_all else "none"
    n_kept = sum(run.kept_winner for run in runs)
    whose = f"{first.rule} would have saved" if others else "Dropping would have saved"
    text = f"{whose} {round(saved):,} of {n_all:,} models ({share})"
    if len(runs) > 1:
        orders = f"{len(runs)} orders of the folds"
        return f"{text} on average over {orders}, and kept the winner, {first.winner}, in {n_kept}."
    return f"{text} and {'kept' if n_kept else 'lost'} the winner, {first.winner}."


def _changed(replay: Replay) -> str:
    """Effect of dropping on the estimate, and on the best score if the winner is lost."""
    digits, runs = _digits_of(replay), replay.runs
    value = sum(run.value for run in runs) / len(runs)
    text = f"The corrected {phrases.metric_label(replay.metric)} is {digits.performance(value)} "
    text += f"with dropping (bbcd), {digits.performance(replay.value)} without (bbc)"
    loss = max(run.loss for run in runs)
    if all(run.kept_winner for run in runs):
        return f"{text}."
    most = "at most " * (len(runs) > 1)
    return f"{text}; the best one left scored {most}{digits.difference(loss)} worse."


def _of_decision(decision: DropDecision) -> str:
    fates = [decided.fate for decided in decision.decisions]
    n_all, n_kept, n_now = len(fates), fates.count(Fate.KEEP), fates.count(Fate.DROP)
    n_earlier = n_all - n_kept - n_now
    earlier = f"; {n_earlier} {'was' if n_earlier == 1 else 'were'} dropped earlier" * (
        n_earlier > 0
    )
    if decision.n_folds_to_come == 0:
        verb = "is" if n_kept == 1 else "are"
        return f"All folds are trained: {n_kept} of {n_all} configurations {verb} left."
    now = f"drop {n_now} now" if n_now else "none is dropped now"
    which = f"{n_kept} of {n_all} configurations"
    which = every(n_all, "configuration") if n_kept == n_all else which
    if decision.n_folds_seen is None:
        return f"Keep {which}; {now}{earlier}."
    start = f"Train {which} on the next fold"
    if decision.n_folds_to_come is None:
        start = f"If folds remain, train {which} on the next one"
    return f"{start}; {now}{earlier}."


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], n_figures: int) -> BlockTable:
    """Rows of which the first column and those behind the figures are text."""
    columns = [TableColumn(name, text=not 0 < n <= n_figures) for n, name in enumerate(names)]
    return BlockTable(columns, rows, most=len(rows))


def _basis(decision: DropDecision) -> list[tuple[str, str]]:
    return [
        ("folds", _folds(decision)),
        ("models", _models(decision)),
        ("rule", f"{decision.rule}, at a confidence of {percent(decision.threshold)}"),
    ]


def _folds(decision: DropDecision) -> str:
    seen, to_come = decision.n_folds_seen, decision.n_folds_to_come
    if seen is None:
        return "unknown"
    return f"{seen} so far" + ("" if to_come is None else f", {to_come} to come")


def _models(decision: DropDecision) -> str:
    if decision.n_trained is None:
        return ""
    trained, saved = decision.n_trained, decision.n_saved or 0
    text = f"{trained:,} trained so far"
    if saved:
        text += f", {saved:,} saved ({percent(saved / (trained + saved), 0)})"
    if decision.n_models is None:
        return text
    rest = f"{decision.n_to_save:,} of the folds to come need not be trained"
    return f"{text}; {rest}, of {decision.n_models:,} in all"


def _configurations(decision: DropDecision) -> BlockTable:
    """The best, and those dropped now beside it, the best first; where none is, those that stay."""
    sign = -1 if decision.direction == "maximize" else 1
    n_now = len(decision.named(Fate.DROP))
    shown = [
        d
        for d in decision.decisions
        if d.fate is (Fate.DROP if n_now else Fate.KEEP) or d.configuration == decision.best
    ]
    rows = sorted(
        shown,
        key=lambda d: (
            d.configuration != decision.best,
            d.performance is None,
            sign * (d.performance or 0.0),
        ),
    )
    digits = phrases.digits_by(decision.metric, [d.performance for d in rows])
    tested = any(d.p_value is not None for d in rows)

    def chance(row: Decision) -> str:
        if row.configuration == decision.best:
            return "best"
        return PROBABILITY.performance(row.p_value if tested else row.probability)

    return BlockTable.of(
        [
            TableColumn("configuration", lambda row: row.configuration, text=True),
            TableColumn("decision", lambda row: row.fate, text=True),
            TableColumn(
                phrases.metric_label(decision.metric),
                lambda row: digits.performance(row.performance),
            ),
            TableColumn("p" if tested else "P(worse)", chance),
        ],
        rows,
        rest="and {} more: " + ("--list drop" if n_now else "--list keep"),
        marked=0 if rows and rows[0].configuration == decision.best else None,
    )


def _replays(replays: Sequence[Replay]) -> BlockTable:
    first, several = replays[0], len(replays[0].runs) > 1
    if len(replays) == 1 and not several:
        return _steps(first.runs[0])
    names = ("rule", *(OVER_ORDERS if several else IN_ORDER))
    rows = [_over_orders(replay) if several else _in_order(replay) for replay in replays]
    table = _table(names, rows, len(names))
    return replace(table, marked=0) if len(rows) > 1 else table


def _steps(run: ReplayRun) -> BlockTable:
    """The folds, counted from 1; those after which nothing changed together."""
    steps = run.trace.steps
    first_label = steps[0].fold if steps else ""
    start = int(first_label) if first_label in ("0", "1") else 0
    # the numbers 0, 1, 2, ... of the file are the count itself
    named = [step.fold for step in steps] != [str(start + at) for at in range(len(steps))]
    rows, first = [], 0
    for at, step in enumerate(steps):
        following = steps[at + 1] if at + 1 < len(steps) else None
        if following and not (step.dropped or following.dropped):
            continue
        folds = f"{first + 1} to {at + 1}" if at > first else f"{at + 1}"
        label = [step.fold] if named else []
        figures = [f"{step.n_samples}", f"{step.n_raced}", str(len(step.dropped))]
        rows.append([folds, *label, *figures, listing(step.dropped, 2)])
        first = at + 1
    names = ["folds", *(["last"] if named else []), "samples", "trained", "dropped", "who"]
    return _table(names, rows, len(names) - 2)


IN_ORDER = ("models saved", "share", "winner kept", "score lost", "bbcd", "bbcd - bbc")


def _in_order(replay: Replay) -> list[str]:
    """Models saved, the fate of the winner, and the estimate."""
    (run,), digits = replay.runs, _digits_of(replay)
    return [
        replay.rule,
        f"{run.trace.n_models - run.trace.n_trained:,} of {run.trace.n_models:,}",
        percent(_share_saved(run), 0),
        "yes" if run.kept_winner else "no",
        digits.difference(run.loss),
        digits.performance(run.value),
        digits.difference(run.shift),
    ]


OVER_ORDERS = ("saved", "from to", "winner kept", "most lost", "bbcd - bbc", "from to")


def _over_orders(replay: Replay) -> list[str]:
    """Means over the orders of the folds, and their ranges."""
    runs, digits = replay.runs, _digits_of(replay)
    shares, shifts = [_share_saved(run) for run in runs], [run.shift for run in runs]
    return [
        replay.rule,
        percent(sum(shares) / len(shares), 0),
        f"{percent(min(shares), 0)} to {percent(max(shares), 0)}",
        f"{sum(run.kept_winner for run in runs)} of {len(runs)}",
        digits.difference(max(run.loss for run in runs)),
        digits.difference(sum(shifts) / len(shifts)),
        f"{digits.difference(min(shifts))} to {digits.difference(max(shifts))}",
    ]


def _share_saved(run: ReplayRun) -> float:
    n_models = run.trace.n_models
    return 1 - run.trace.n_trained / n_models if n_models else 0.0


def _digits_of(replay: Replay) -> Digits:
    return phrases.digits_by(replay.metric, (replay.naive, replay.value))
