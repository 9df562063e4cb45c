"""`bbc drop`: losers leave during the cross-validation, or in a replay of it."""

from __future__ import annotations

from dataclasses import replace

import typer

from bbccli import resources
from bbccli.cli import options as o
from bbccli.cli.output import (
    check_writable,
    progress_bar,
    report_format,
    style_for_stdout,
    tell,
    write,
)
from bbccli.cli.places import check_apart
from bbccli.dropping import EVERY, replay
from bbccli.dropping import drop as decide
from bbccli.errors import OptionError
from bbccli.metrics import choose_metrics, custom
from bbccli.plan import CLIP, Plan, pooling_of
from bbccli.readers import Roles, read
from bbccli.reports import FORMS, Kind, Style
from bbccli.resources import Engine, resources_of
from bbccli.schema import drop_document
from bbccli.text import visible


def drop(
    ctx: typer.Context,
    files: o.Files,
    metric: o.MetricName = None,
    rule: o.RuleNames = None,
    threshold: o.DropThreshold = None,
    min_samples: o.MinSamples = 50,
    list_: o.ListNames = None,
    n_folds: o.NFolds = None,
    replay_: o.ReplayFlag = False,
    fold_order: o.FoldOrder = None,
    orders: o.Orders = None,
    n_resamples: o.DropResamples = 1000,
    pooling: o.PoolingOption = None,
    seed: o.Seed = 0,
    format: o.DropFormat = "table",
    output: o.Output = "-",
    truth: o.Truth = None,
    fold: o.Fold = None,
    repeat: o.Repeat = None,
    group: o.Group = None,
    row_id: o.RowId = None,
    time: o.Time = None,
    event: o.Event = None,
    weight: o.Weight = None,
    positive: o.Positive = None,
    task: o.TaskOption = None,
    configuration: o.Configuration = None,
    prediction: o.Prediction = None,
    dialect: o.Dialect = None,
    only: o.Only = None,
    exclude: o.Exclude = None,
    labels: o.Labels = None,
    folds: o.Folds = None,
    cut: o.Cut = None,
    clip: o.Clip = CLIP,
    risk_direction: o.RiskOption = None,
    jobs: o.Jobs = None,
    memory: o.Memory = "auto",
    engine: o.EngineOption = Engine.AUTO,
    quiet: o.Quiet = False,
) -> None:
    """Say which configurations need not be trained on the folds to come.

    Call it between the folds of a cross-validation, on the predictions so far. Configurations
    without predictions that others have were dropped earlier, and stay dropped.

    Examples:

      bbc drop partial.csv

      bbc drop partial.parquet --list drop

      bbc drop --replay sample_data/digits.parquet --rule all --metric accuracy
    """
    rules = _modes(replay_, rule, list_, n_folds, fold_order, orders)
    plan = Plan(n_resamples, clip=clip, seed=seed)
    limits = resources_of(jobs, memory, engine)
    form = format if list_ else report_format(ctx, format, output, Kind.DROP) or format
    check_writable(output)
    check_apart({"--output": output}, files, labels, folds)
    columns = (truth, fold, repeat, group, row_id, time, event, weight)
    matrix = read(
        files,
        roles=Roles(*columns, None, configuration, prediction),
        task=task,
        positive=positive,
        labels=labels,
        folds=folds,
        unfinished=not replay_,
        dialect=dialect,
        only=only or (),
        exclude=exclude or (),
    )
    if cut is not None:
        matrix = matrix.with_threshold(cut)
    if risk_direction is not None:
        matrix = matrix.with_risk_direction(risk_direction)
    plan = replace(plan, pooling=pooling_of(pooling, matrix.source.metadata))
    chosen = choose_metrics([metric] if metric else None, matrix)[0]
    with (
        resources.use(limits.for_predictions(*matrix.size)),
        custom.blamed([metric or ""], matrix.source.path),
        progress_bar(quiet=quiet) as progress,
    ):
        if replay_:
            order = fold_order.split(",") if fold_order else None
            replays, notes = replay(
                matrix,
                chosen,
                plan,
                rules=rules,
                threshold=threshold,
                min_samples=min_samples,
                order=order,
                n_orders=orders,
                progress=progress,
            )
            result = drop_document(matrix, plan, replays, notes)
        else:
            decision = decide(
                matrix,
                chosen,
                plan,
                rule=rules[0],
                threshold=threshold,
                min_samples=min_samples,
                n_folds=n_folds,
            )
            result = drop_document(matrix, plan, decision, decision.notes)
    if (list_ or form != "table") and not quiet:
        tell([result])
    if list_ and not replay_:
        text = "".join(f"{visible(name)}\n" for name in getattr(decision, list_))
    else:
        style = style_for_stdout() if output == "-" else Style()
        text = FORMS[form].render([result], style, Kind.DROP)
    write(text, output)


def _modes(
    replayed: bool,
    rules: list[str] | None,
    listed: str | None,
    n_folds: int | None,
    fold_order: str | None,
    orders: int | None,
) -> list[str]:
    """Return the rules, once the options are known to go together."""
    wrong = {"--fold-order": fold_order, "--orders": orders}
    if replayed:
        wrong = {"--list": listed, "--n-folds": n_folds}
    for option, value in wrong.items():
        if value is not None:
            verb = "does not go with" if replayed else "needs"
            raise OptionError(f"{option} {verb} --replay", hint="see bbc drop --help")
    chosen = list(rules or ["bbcd"])
    if not replayed and (len(chosen) > 1 or EVERY in chosen):
        raise OptionError(
            "one rule decides; several are compared with --replay", hint="for example --rule bbcd"
        )
    return chosen
