"""The content of `bbc drop`: who stays and who goes, or what dropping would have saved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bbccli.core.notes import listing
from bbccli.core.rounding import Digits, count, percent
from bbccli.dropping.results import Decision, DropDecision, Fate, Replay, ReplayRun
from bbccli.reports import phrases
from bbccli.reports.blocks import (
    Block,
    BlockTable,
    FactList,
    Heading,
    Line,
    Notes,
    TableColumn,
)
from bbccli.schema.drop import DropEnvelope

PROBABILITY = Digits(3, bounds=(0.0, 1.0))
SPEED_UP = Digits(1)


def blocks(document: DropEnvelope) -> Iterator[Block]:
    """Yield the decision or the replays, and the notes."""
    lines = phrases.lines_on_run(document)
    yield Heading(document.input.path, phrases.understood(document), lines)
    yield Line(answer(document), strong=True)
    if document.decision:
        yield from _decision(document.decision)
    else:
        yield from _replays(document.replays)
    yield Notes(phrases.notes_of(document))


def answer(document: DropEnvelope) -> str:
    """Return what to train, or what dropping would have saved, in one sentence."""
    if document.decision is not None:
        return _of_decision(document.decision)
    if not document.replays:
        return "No rule could be computed."
    first, others = document.replays[0], len(document.replays) - 1
    runs, models = first.runs, [run.trace.n_models - run.trace.n_trained for run in first.runs]
    n_all, saved = runs[0].trace.n_models, sum(models) / len(models)
    share = f"{percent(saved / n_all, 0)}" if n_all else "none"
    n_kept = sum(run.kept_winner for run in runs)
    kept = "kept" if n_kept else "lost"
    which = f"the winner, {first.winner}"
    whose = f"{first.rule} would have saved" if others else "Dropping would have saved"
    text = f"{whose} {round(saved):,} of {n_all:,} models ({share})"
    if len(runs) > 1:
        return f"{text} on average over {len(runs)} orders, and kept {which} in {n_kept}."
    return f"{text} and {kept} {which}."


def _of_decision(decision: DropDecision) -> str:
    fates = [one.fate for one in decision.decisions]
    n_kept, n_now = fates.count(Fate.KEEP), fates.count(Fate.DROP)
    if decision.n_folds_to_come == 0:
        return f"All folds are trained: {n_kept} of {len(fates)} configurations are left."
    if n_now == 0:
        return (
            f"Train {n_kept} of {len(fates)} configurations on the next fold: none is dropped now."
        )
    return f"Train {n_kept} of {len(fates)} configurations on the next fold; drop {n_now} now."


def _table(names: Sequence[str], rows: Sequence[Sequence[str]], n_figures: int) -> BlockTable:
    """Rows of which the first column and those behind the figures are text."""
    columns = [TableColumn(name, text=not 0 < n <= n_figures) for n, name in enumerate(names)]
    return BlockTable(columns, rows, most=len(rows), gap=3)


def _decision(decision: DropDecision) -> Iterator[Block]:
    """Totals, and one row per configuration."""
    fates = [d.fate for d in decision.decisions]
    n_kept, n_now = fates.count(Fate.KEEP), fates.count(Fate.DROP)
    n_all, n_earlier = count(len(fates), "configuration"), len(fates) - n_kept - n_now
    yield FactList(
        [
            ("keep", f"{n_kept} of {n_all}; {n_now} dropped now, {n_earlier} dropped earlier"),
            ("folds", _folds(decision)),
            ("models", _models(decision)),
            ("rule", f"{decision.rule} above {percent(decision.threshold)}"),
        ]
    )
    yield _configurations(decision)


def _folds(decision: DropDecision) -> str:
    seen, to_come = decision.n_folds_seen, decision.n_folds_to_come
    if seen is None:
        return "unknown"
    return f"{seen} seen, {'unknown' if to_come is None else to_come} to come"


def _models(decision: DropDecision) -> str:
    if decision.n_trained is None:
        return "unknown, as the folds are"
    trained, saved = decision.n_trained, decision.n_saved or 0
    text = f"{trained} trained so far, {saved} saved ({percent(saved / (trained + saved), 0)})"
    if decision.n_models is None:
        return text
    rest = f"{decision.n_to_save} of the folds to come need not be trained"
    return f"{text}; {rest}, of {decision.n_models} in all"


def _configurations(decision: DropDecision) -> BlockTable:
    """Those to keep first, the best first; then those dropped now, then those dropped earlier."""
    sign, fates = -1 if decision.direction == "maximize" else 1, list(Fate)
    rows = sorted(
        decision.decisions,
        key=lambda d: (fates.index(d.fate), d.performance is None, sign * (d.performance or 0.0)),
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
            TableColumn("p" if tested else "worse", chance),
        ],
        rows,
        rest="and {} more, see --format json",
        looks=["" if row.fate is Fate.KEEP else "dim" for row in rows],
        gap=3,
    )


def _replays(replays: Sequence[Replay]) -> Iterator[Block]:
    """The steps of one rule, fold by fold; and one row per rule."""
    if not replays:
        yield Line("no rule could be computed")
        return
    first = replays[0]
    digits, several = _digits_of(first), len(first.runs) > 1
    naive, bbc = digits.performance(first.naive), digits.performance(first.value)
    yield FactList([("winner", f"{first.winner}   naive {naive}, bbc {bbc}")])
    if len(replays) == 1 and not several:
        yield _steps(first.runs[0])
    names = ("rule", *(OVER_ORDERS if several else IN_ORDER))
    rows = [_over_orders(one) if several else _in_order(one) for one in replays]
    yield _table(names, rows, len(names))


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
        rows.append([folds, *label, *figures, listing(step.dropped, 4)])
        first = at + 1
    names = ["folds", *(["last"] if named else []), "samples", "trained", "dropped", "who"]
    return _table(names, rows, len(names) - 2)


IN_ORDER = ("models trained", "speed-up", "winner kept", "loss", "bbcd", "shift")


def _in_order(replay: Replay) -> list[str]:
    """Models trained, the fate of the winner, and the estimate."""
    (run,), digits = replay.runs, _digits_of(replay)
    return [
        replay.rule,
        f"{run.trace.n_trained} of {run.trace.n_models}",
        SPEED_UP.difference(run.trace.speed_up),
        "yes" if run.kept_winner else "no",
        digits.difference(run.loss),
        digits.performance(run.value),
        digits.difference(run.shift),
    ]


OVER_ORDERS = ("speed-up", "from to", "winner kept", "largest loss", "shift", "from to")


def _over_orders(replay: Replay) -> list[str]:
    """Means over the orders of the folds, and between which ends they lie."""
    runs, digits = replay.runs, _digits_of(replay)
    return [
        replay.rule,
        *_spread([run.trace.speed_up for run in runs], SPEED_UP),
        f"{sum(run.kept_winner for run in runs)} of {len(runs)}",
        digits.difference(max(run.loss for run in runs)),
        *_spread([run.shift for run in runs], digits),
    ]


def _spread(values: list[float], digits: Digits) -> tuple[str, str]:
    """Mean; smallest and largest."""
    ends = f"{digits.difference(min(values))} {digits.difference(max(values))}"
    return digits.difference(sum(values) / len(values)), ends


def _digits_of(replay: Replay) -> Digits:
    return phrases.digits_by(replay.metric, (replay.naive, replay.value))
