"""`bbc drop`: drop losers during cross-validation, or in a replay of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

from bbccli.cli.command import command, origin_of
from bbccli.cli.shared import Files, PrintOptions, ThreadOptions, form_option
from bbccli.errors import OptionError
from bbccli.platform.arguments import Panel, Scope, names_in, option
from bbccli.platform.dataclass import dataclass
from bbccli.use_cases import InputOptions, ScoringOptions, metric_option

_method = partial(option, panel=Panel.METHOD)


@dataclass(frozen=True, kw_only=True)
class DropOptions:
    """Options of the rule, and of the folds after which it decides."""

    rule: Sequence[str] | None = option(
        None,
        "Rule: {names}. Several, or all, only with --replay.",
        "NAME",
        names=names_in("bbccli.dropping:RULES", "bbccli.dropping:EVERY"),
        open=True,
        default="bbcd",
    )
    confidence: float | None = option(
        None,
        "Drop configurations that are worse than the best with this confidence, above 0.5.",
        "P",
        default="the rule's own, 0.99 for bbcd",
    )
    metric: str | None = metric_option("Metric to compare configurations by; see bbc metrics.")
    list_: str | None = option(
        None,
        "Print only the names to drop, or those to keep, one per line.",
        names=lambda: ("drop", "keep"),
    )
    replay_: bool = option(
        False, "Treat FILE as a complete cross-validation, and show what dropping would have saved."
    )
    min_samples: int = _method(50, "Drop nothing until this many samples are predicted.", "N")
    n_folds: int | None = _method(
        None,
        "Number of folds in all repeats of the cross-validation, to count the models saved.",
        "F",
        default="inferred if FILE has rows for the remaining folds",
    )
    fold_order: str | None = _method(
        None, "With --replay: walk the folds in this order.", "F1,F2,..."
    )
    orders: int | None = _method(None, "With --replay: try this many random orders.", "N")
    n_resamples: int = _method(
        1000, "Bootstrap resamples after each fold.", "B", scope=Scope.COMMAND
    )
    cut: float | None = _method(
        None,
        "Binary tasks: predict the positive class above this score, like --threshold of bbc "
        "correct.",
        "X",
        default="0.5 for probabilities, none for unbounded scores",
    )

    def rules(self) -> list[str]:
        """Return the rules; an OptionError if options do not go together."""
        from bbccli.dropping import EVERY

        wrong: dict[str, object] = {"--fold-order": self.fold_order, "--orders": self.orders}
        if self.replay_:
            wrong = {"--list": self.list_, "--n-folds": self.n_folds}
        for flag, value in wrong.items():
            if value is not None:
                verb = "does not go with" if self.replay_ else "needs"
                raise OptionError(f"{flag} {verb} --replay", hint="see bbc drop --help")
        chosen = list(self.rule or ["bbcd"])
        if not self.replay_ and (len(chosen) > 1 or EVERY in chosen):
            raise OptionError(
                "one rule decides; several can only be compared with --replay",
                hint="give one, such as --rule bbcd",
            )
        return chosen


@dataclass(frozen=True, kw_only=True)
class Dropping(InputOptions, ScoringOptions, DropOptions):
    """All options that a decision depends on."""


@command(without=("outer_fold",), reads=True)
def drop(
    files: Files,
    options: Dropping,
    work: ThreadOptions,
    format: Annotated[str, form_option("drop")] = "table",
    *,
    where: PrintOptions,
) -> None:
    """Show which configurations need no further training.

    Run it between the folds of a cross-validation, on the predictions so far. A configuration
    that lacks predictions the others have is taken to have been dropped already.

    Examples:
      bbc drop partial.csv
      bbc drop partial.parquet --list drop
      bbc drop --replay sample_data/digits.parquet --rule all --metric accuracy
    """
    from bbccli.cli.output import exit_by_verdicts, form_for, publish, report_reading, write
    from bbccli.documents.drop import drop_document
    from bbccli.domain.plan import Plan, pooling_of
    from bbccli.dropping import drop as decide
    from bbccli.dropping import replay
    from bbccli.platform.resources import enter
    from bbccli.platform.text import visible
    from bbccli.reports import Kind
    from bbccli.types import GateOutcome
    from bbccli.use_cases.correct import measured, working

    rules = options.rules()
    if options.list_:
        _refuse_form(format, where)
    result: Any
    limits: Any = {"threshold": options.confidence, "min_samples": options.min_samples}
    plan = Plan(options.n_resamples, clip=options.clip, seed=options.seed)
    form = form_for(format, where, None if options.list_ else Kind.DROP) or format
    with work.working(quiet=where.quiet) as progress:
        enter(progress, "reading")
        matrix = options.read_files(files, unfinished=not options.replay_)
        matrix = options.scored(matrix, options.cut)
        matrix, (metric, *_) = measured(options, options.metric, matrix)
        pooling, selection = pooling_of(options.pooling, matrix.source.metadata)
        plan = replace(plan, pooling=pooling, selection=selection)
        enter(progress, "resampling")
        with working(options.metric, matrix):
            if options.replay_:
                order = options.fold_order.split(",") if options.fold_order else None
                result, notes = replay(
                    *(matrix, metric, plan),
                    rules=rules,
                    order=order,
                    n_orders=options.orders,
                    progress=progress,
                    **limits,
                )
            else:
                n_folds = options.n_folds
                result = decide(matrix, metric, plan, rule=rules[0], n_folds=n_folds, **limits)
                notes = result.notes
    record = drop_document(matrix, plan, result, notes)
    if not options.list_:
        return publish([record], form, where, Kind.DROP)
    if not where.quiet:
        report_reading([record])
    write("".join(f"{visible(name)}\n" for name in getattr(result, options.list_)), where.output)
    exit_by_verdicts([record], where, list(GateOutcome) if not where.quiet else [])


def _refuse_form(given: str | None, where: PrintOptions) -> None:
    """Refuse a form of results for a list of names, or a file that would hold one."""
    from bbccli.reports import Kind, forms_of

    ends = [end for form in forms_of(Kind.DROP).values() for end in form.suffixes]
    asked = f"--output {where.output}" * where.output.endswith((*ends,))
    instead = "write a file ending in .txt"
    if given != "table" and origin_of("format") == "COMMANDLINE":
        asked, instead = f"--format {given}", "leave out --format"
    if asked:
        raise OptionError(
            f"--list prints one name per line, not {asked}",
            hint=f"leave out --list: every format has the names; or {instead}",
        )
