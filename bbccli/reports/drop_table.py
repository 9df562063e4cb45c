"""What `bbc drop` says, as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from bbccli.drop_schema import DropEnvelope
from bbccli.dropping.results import DropDecision, Fate, Replay, ReplayRun
from bbccli.notes import listing
from bbccli.reports import phrases
from bbccli.reports.base import Style
from bbccli.reports.layout import add_notes, as_text, facts, grid_of_facts, listing_table
from bbccli.rounding import Digits, count, percent
from bbccli.text import visible

PROBABILITY = Digits(3, bounds=(0.0, 1.0))
SPEED_UP = Digits(1)

GAP = 3
"""Blanks between columns."""

MOST_ROWS = 30
"""Configurations listed, at most; JSON and --list have all of them."""


def render(documents: Sequence[DropEnvelope], style: Style) -> str:
    """Return one screen per document."""
    return "\n".join(_screen(document, style) for document in documents)


def _screen(document: DropEnvelope, style: Style) -> str:
    """Who stays and who goes, or what dropping would have saved."""
    path, understood = visible(document.input.path), phrases.understood(document)
    head = Text.assemble((path, "bold"), "   ", understood)
    for line in phrases.lines_on_run(document):
        head.append(f"\n{line}")
    decision = document.decision
    body = _decision(decision, style) if decision else _replays(document.replays, style)
    notes = add_notes(grid_of_facts(), phrases.notes_of(document), style)
    parts = [as_text(head, style), *body, *([as_text(notes, style)] if notes.row_count else [])]
    return "\n".join(parts)


def _decision(decision: DropDecision, style: Style) -> Iterator[str]:
    """Totals, and one row per configuration."""
    fates = [d.fate for d in decision.decisions]
    n_kept, n_now = fates.count(Fate.KEEP), fates.count(Fate.DROP)
    n_earlier = len(fates) - n_kept - n_now
    grid = facts(
        keep=f"{n_kept} of {count(len(fates), 'configuration')}; {n_now} dropped now, "
        f"{n_earlier} dropped earlier",
        folds=_folds(decision),
        models=_models(decision),
        rule=f"{decision.rule} above {percent(decision.threshold)}",
    )
    yield as_text(grid, style)
    yield _configurations(decision, style)


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


def _configurations(decision: DropDecision, style: Style) -> str:
    """Those to keep first, the best first; then those dropped now, then those dropped earlier."""
    sign = -1 if decision.direction == "maximize" else 1
    rank = {"keep": 0, "drop": 1, "dropped earlier": 2}
    rows = sorted(
        decision.decisions,
        key=lambda d: (
            rank[d.fate],
            d.performance is None,
            sign * (d.performance or 0.0),
        ),
    )
    digits = phrases.digits_by(decision.metric, [d.performance for d in rows])
    tested = "p_value" if any(d.p_value is not None for d in rows) else "probability"
    header = ["configuration", "decision", phrases.metric_label(decision.metric)]
    header += ["p" if tested == "p_value" else "worse"]
    shown = [
        [
            visible(row.configuration),
            row.fate,
            digits.performance(row.performance),
            "best"
            if row.configuration == decision.best
            else PROBABILITY.performance(getattr(row, tested)),
        ]
        for row in rows[:MOST_ROWS]
    ]
    looks = ["" if row.fate == "keep" else "dim" for row in rows[:MOST_ROWS]]
    text = listing_table(header, shown, style, figures=header[2:], emphasis=looks, gap=GAP)
    n_more = len(rows) - len(shown)
    return f"{text}and {n_more} more, see --format json\n" if n_more else text


def _replays(replays: Sequence[Replay], style: Style) -> Iterator[str]:
    """What one rule did fold by fold; and one row per rule."""
    if not replays:
        yield "no rule could be computed\n"
        return
    first = replays[0]
    winner = facts(
        winner=f"{visible(first.winner)}   naive {_figure(first, first.naive)}, "
        f"bbc {_figure(first, first.value)}",
    )
    yield as_text(winner, style)
    if len(replays) == 1 and len(first.runs) == 1:
        yield _steps(first.runs[0], style)
    rows = [_over_orders(one) if len(first.runs) > 1 else _in_order(one) for one in replays]
    header = ("rule", *(OVER_ORDERS if len(first.runs) > 1 else IN_ORDER))
    yield listing_table(header, rows, style, figures=header[1:], gap=GAP)


def _steps(run: ReplayRun, style: Style) -> str:
    header = ("after fold", "samples", "trained", "dropped", "who")
    rows = [
        [
            visible(step.fold),
            str(step.n_samples),
            str(step.n_raced),
            str(len(step.dropped)),
            listing([visible(name) for name in step.dropped], 4),
        ]
        for step in run.trace.steps
    ]
    return listing_table(header, rows, style, figures=header[1:4], gap=GAP)


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


def _figure(replay: Replay, value: float) -> str:
    return _digits_of(replay).performance(value)
