"""From a file and its options to a result: read, estimate, judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bbccli.documents.correct import Envelope, MadeGain, envelope, reported_estimate, with_most
from bbccli.documents.gate import judged, undecided_verdict
from bbccli.domain.estimate import Estimate, SearchCost
from bbccli.domain.matrix import PredictionMatrix
from bbccli.domain.plan import CLIP, OF_TOOL, Plan
from bbccli.domain.source import Ensemble, ToolRun
from bbccli.errors import UndecidedError, UndefinedError, UnsupportedError
from bbccli.methods import ALL, METHODS, estimate
from bbccli.methods.base import check_makes
from bbccli.metrics import METRICS, Metric, blamed, choose_metrics, fitting
from bbccli.metrics.capped import POWERS, attainable, changes, with_plan
from bbccli.notes import Note
from bbccli.notes.intervals import no_effect
from bbccli.notes.lacking import deployed_is_stacked, ensemble_not_repeated, ensemble_not_reproduced
from bbccli.platform import resources
from bbccli.platform.arguments import as_list
from bbccli.platform.dataclass import dataclass
from bbccli.platform.records import Json
from bbccli.platform.resources import Progress, enter, silent
from bbccli.platform.text import count
from bbccli.reading import Paths
from bbccli.stats.case import Case, maker_of
from bbccli.stats.stopping import stopped_of
from bbccli.types import Calibration, PredictionKind, Select
from bbccli.use_cases import Analysis

if TYPE_CHECKING:
    from bbccli.stats.making.tool import Repeated


@dataclass(frozen=True, slots=True)
class Analysed:
    """The result of a file, and what it was made from; the first metric selects."""

    matrix: PredictionMatrix
    metrics: Sequence[Metric]
    estimates: Sequence[Estimate]
    record: Envelope
    plan: Plan


def answer(
    analysis: Analysis,
    path: Paths | PredictionMatrix,
    *,
    cost: bool | None = False,
    progress: Progress = silent,
) -> Analysed:
    """Read a file (unless it is a matrix already), estimate, and judge the result.

    `cost` is true to compute the cost of the search, None to do so if possible. An UndecidedError,
    with the result, if the figure of a gate can't be computed; a BbcError if there is no result.
    """
    enter(progress, "reading")
    (sheet, matrix), rule = analysis.read_sheet(path), analysis.rule
    plan = analysis.plan(matrix.source.metadata)
    matrix, metrics = measured(analysis, analysis.metric, matrix)
    try:
        if rule is not None:
            judging = with_plan(metrics[0], plan)
            rule.check(judging.label, judging.direction, attainable(judging, matrix.outcome))
        with working(analysis.metric, matrix):
            plan, matrix, on_ensemble = of_deployed(analysis, matrix, plan, metrics[0])
            methods = analysis.method
            if analysis.vault is not None:
                from bbccli.use_cases.vault.opening import with_vault

                matrix = with_vault(analysis, sheet, matrix, plan, metrics[0])
                added = not {ALL, "vault"} & {*(methods or (ALL,))}
                methods = [*(methods or ()), "vault"] if added else methods
            sheet = None
            estimates, notes = estimate(
                matrix, metrics, plan, methods, tight=analysis.tight, progress=progress
            )
            hidden = not any(estimate.opened for estimate in estimates)
            if analysis.vault is not None and rule is not None and hidden:
                raise UndefinedError(
                    "the vault shows no figure that could be judged",
                    hint="go on with the search; or leave out the gate, or reach",
                )
            of_search = None
            if cost is not False:
                of_search = cost_of_search(matrix, metrics[0], plan.single, needed=cost is True)
            beside = list(_beside(matrix, metrics, plan, estimates))
            of_run: Json = {
                "capped": _capped(matrix, metrics, plan, estimates),
                "single": [single for single, _ in beside],
                "gains": [gain for _, gain in beside],
                "stopping": stopped_of(matrix, estimates),
            }
    except (UndefinedError, UnsupportedError) as error:
        if rule is None:
            raise
        problem, hint = error.told()
        gate = undecided_verdict(rule, metrics[0].name, rule.method, problem)
        record = envelope(matrix, [], plan=plan, gate=gate)
        raise UndecidedError(problem, record, hint=hint) from error
    notes += on_ensemble
    record = envelope(matrix, estimates, notes, search_cost=of_search, **of_run)
    return Analysed(matrix, metrics, estimates, judged(record, rule), plan)


MUCH, TOO_MUCH, PAIRS = 1e9, 3e9, 8
"""Scores of samples in ensembles that are tried, about 15 s and 45 s of it; pairs take longer."""
FEWER = 200
"""Resamples of what takes long: enough for the figure and the gain; ends are coarser."""
CUTS_APART = 1e-7
"""Predictions in 32 bits move a cut by as much."""


def of_deployed(
    analysis: Analysis, matrix: PredictionMatrix, plan: Plan, metric: Metric
) -> tuple[Plan, PredictionMatrix, tuple[Note, ...]]:
    """Return the plan that repeats the ensemble that a tool deploys, if no rule is asked for and
    the tool's is known to give its members, weights and score; and a note if it does not.

    A metric of labels takes them at the cut of `predict`, if that is found again. The matrix says
    no more that the ensemble is left out.
    """
    run = matrix.source.run
    rule = run.ensemble if run else None
    if run is None or rule is None or analysis.select or rule.name in matrix.configurations:
        return plan, counted_in(matrix, plan), ()
    if rule.stacked:
        return plan, matrix, (deployed_is_stacked(rule.name, run.tool),)
    from bbccli.stats.making.tool import maker_of_run, repeat_ensemble
    from bbccli.stats.verification import mismatch

    tool = replace(plan, select=Select.TOOL)
    try:
        for name in ("bbc", *(analysis.methods or ())):
            if name != ALL:
                check_makes(METHODS[name], tool)
        repeat = repeat_ensemble(maker_of_run(matrix), rule)
    except UnsupportedError:  # by options: a method, an interval, models that are left out
        return plan, matrix, ()
    if not repeat.holds:
        other = "" if rule.n_copies else mismatch(matrix)
        apart = _apart(run, rule, repeat, other)
        note = ensemble_not_reproduced(rule.name, run.tool, apart, data_differ=other != "")
        return plan, matrix, (note,)
    if rule.temperature is not None and metric.wants is PredictionKind.PROBABILITY:
        tool = replace(tool, calibrate=tool.calibrate or Calibration.TEMPERATURE)
    work = rule.rounds * len(rule.candidates) * matrix.n_samples
    work *= PAIRS if METRICS[rule.metric].of_pairs else 1
    if work * plan.n_resamples > MUCH and analysis.n_resamples is None:
        tool = replace(tool, n_resamples=FEWER)
    if work * tool.n_resamples > TOO_MUCH:
        return plan, matrix, (ensemble_not_repeated(rule.name, run.tool, matrix.n_samples),)
    matrix = counted_in(matrix, tool)
    if metric.wants is PredictionKind.LABEL and rule.cuts and analysis.threshold is None:
        at_cut = replace(tool, cut=OF_TOOL)
        maker = maker_of(matrix, metric, at_cut)
        cuts = maker.of_all.cuts if maker else None
        if cuts is not None and (rule.cut is None or abs(cuts[0] - rule.cut) <= CUTS_APART):
            tool = at_cut
    return tool, matrix, ()


def counted_in(matrix: PredictionMatrix, plan: Plan) -> PredictionMatrix:
    """Return a matrix that does not say that an ensemble is left out if the plan repeats it."""
    run = matrix.source.run
    name = run.ensemble.name if run and run.ensemble else ""
    if plan.select is not Select.TOOL or {left.name for left in matrix.source.left_out} != {name}:
        return matrix
    kept = tuple(note for note in matrix.notes if note.code != "flagged-left-out")
    about = dict(matrix.source.metadata)
    about["configs"] = [config for config in about.get("configs", ()) if config["id"] != name]
    source = replace(matrix.source, left_out=(), metadata=about)
    return replace(matrix, notes=kept, source=source)


def _apart(run: ToolRun, rule: Ensemble, repeat: Repeated, why: str) -> str:
    """Return how an ensemble that is made again differs from the tool's, and why if known."""
    label = METRICS[rule.metric].label
    if rule.n_copies:
        more = count(rule.n_copies, "more row")
        why = f"it chose by {more}, copies of rows of rare classes, which are dropped here"
    elif not why and repeat.same_score:
        return f"{run.tool}'s rule reaches its {label}, {repeat.score:.6g}, with other members"
    return (
        f"{run.tool}'s rule gives {label} {repeat.score:.6g}, and {run.tool} reports "
        f"{repeat.reported:.6g}{why and ', because '}{why}"
    )


def cost_of_search(
    matrix: PredictionMatrix, metric: Metric, plan: Plan, *, needed: bool = False
) -> SearchCost | None:
    """Return the naive and corrected best-so-far against the number of configurations tried.

    None if it can't be computed; the error is raised if it is `needed`.
    """
    from bbccli.stats.bootstrap.search_cost import search_cost

    metric = with_plan(metric, plan)
    with suppress(*(() if needed else (UndefinedError, UnsupportedError))):
        return search_cost(Case(matrix, metric, metric, plan))
    return None


CAP = 0.95
"""Quantile at which `--cap` would cap errors of metrics without a worst value."""


def _capped(
    matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan, estimates: Sequence[Estimate]
) -> list[Estimate]:
    """Return the effect of `--cap` on each reported error without a worst value."""
    capped = []
    for metric in metrics if plan.cap is None else ():
        reported = reported_estimate([e for e in estimates if e.metric == metric.name])
        if reported is not None and metric.name in POWERS:
            method = METHODS[reported.method]
            of_cap = replace(plan, cap=CAP)
            at_cap = method.run(matrix, metric, of_cap, select_by=metrics[0])
            capped.append(replace(at_cap, selection=()))
    return capped


def _beside(
    matrix: PredictionMatrix, metrics: Sequence[Metric], plan: Plan, estimates: Sequence[Estimate]
) -> Iterator[tuple[Estimate, MadeGain]]:
    """Yield the best single configuration by each metric, and what an ensemble gains over it."""
    for metric in metrics if plan.makes else ():
        made = reported_estimate([e for e in estimates if e.metric == metric.name])
        if made is None:
            continue
        from bbccli.stats.bootstrap.differences import difference_at_size

        method = METHODS[made.method]
        single = method.run(matrix, metric, plan.single, select_by=metrics[0])
        cases = (method.case(matrix, metric, p, select_by=metrics[0]) for p in (plan, plan.single))
        gain = difference_at_size(*cases)
        interval = gain.interval
        looked = float(made.direction.gain(made.naive, single.naive))
        if not any((looked, gain.value, interval.lower, interval.upper)):
            continue  # such as a cut, on which the metric does not depend
        figures = looked, gain.value, interval, gain.wins, gain.error
        yield with_most(single), MadeGain(metric.name, *figures)


def measured(
    options: Any, names: str | Sequence[str] | None, matrix: PredictionMatrix
) -> tuple[PredictionMatrix, list[Metric]]:
    """Return the metrics, and the matrix with a note on each option that changes none of them."""
    metrics, notes = choose_metrics(names, matrix), []
    for name in ("clip", "cap", "threshold", "cut"):
        value = vars(options).get(name)  # where the command has it
        if value not in (None, CLIP) and not any(changes(name, metric) for metric in metrics):
            other = next((m.name for m in fitting(matrix) if changes(name, m)), "")
            notes.append(no_effect(f"--{name} {value}", other))
    return replace(matrix, notes=(*matrix.notes, *notes)) if notes else matrix, metrics


@contextmanager
def working(names: str | Sequence[str] | None, matrix: PredictionMatrix) -> Iterator[None]:
    """Work on a matrix within the memory that it needs; errors of a custom metric name it."""
    with (
        resources.use(resources.current().for_predictions(*matrix.size)),
        blamed(as_list(names), matrix.source.path),
        np.errstate(over="ignore"),
    ):
        yield
