"""Options of `bbc drop` alone, and which of them go together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated

from bbccli.analysis.asked import metric_names
from bbccli.errors import OptionError
from bbccli.option import Option, Panel, Scope


def _rules() -> Iterable[str]:
    from bbccli.dropping import EVERY, RULES

    return (*RULES, EVERY)


@dataclass(frozen=True, kw_only=True)
class DropOptions:
    """What to drop, and between which folds."""

    rule: Annotated[
        Sequence[str] | None,
        Option(
            "Rule that decides: {names}. Several, and all, only with --replay.",
            metavar="NAME",
            names=_rules,
            open=True,
            default="bbcd",
        ),
    ] = None
    threshold: Annotated[
        float | None,
        Option(
            "Drop above this confidence.",
            metavar="P",
            default="the rule's own, 0.99 for bbcd",
            scope=Scope.COMMAND,
        ),
    ] = None
    metric: Annotated[
        str | None,
        Option(
            "Metric that decides which configuration is worse; see bbc metrics.",
            metavar="NAME",
            names=metric_names,
            open=True,
            default="the first that fits the task",
        ),
    ] = None
    list_: Annotated[
        str | None,
        Option(
            "Print only names, one per line: those to drop, or those to keep.",
            names=lambda: ("drop", "keep"),
        ),
    ] = None
    replay_: Annotated[
        bool, Option("FILE is a finished cross-validation: show what dropping would have saved.")
    ] = False
    min_samples: Annotated[
        int,
        Option(
            "Drop nothing before this many samples are predicted.", metavar="N", panel=Panel.METHOD
        ),
    ] = 50
    n_folds: Annotated[
        int | None,
        Option(
            "Folds of the whole cross-validation, over all repeats, to count what is saved.",
            metavar="F",
            panel=Panel.METHOD,
            default="inferred if FILE has rows of the folds to come",
        ),
    ] = None
    fold_order: Annotated[
        str | None,
        Option("With --replay: the folds in this order.", metavar="F1,F2,...", panel=Panel.METHOD),
    ] = None
    orders: Annotated[
        int | None,
        Option("With --replay: this many random orders.", metavar="N", panel=Panel.METHOD),
    ] = None
    n_resamples: Annotated[
        int,
        Option(
            "Bootstrap resamples after each fold.",
            metavar="B",
            panel=Panel.METHOD,
            scope=Scope.COMMAND,
        ),
    ] = 1000
    cut: Annotated[
        float | None,
        Option(
            "Binary tasks: predict the positive class above this score, as with --threshold of bbc "
            "correct.",
            metavar="X",
            panel=Panel.METHOD,
            default="0.5 for probabilities, none for unbounded scores",
        ),
    ] = None

    def rules(self) -> list[str]:
        """Return the rules, once the options are known to go together.

        Raises
        ------
        OptionError
            Options of a replay without one, or the other way; several rules without a replay.
        """
        from bbccli.dropping import EVERY

        wrong: dict[str, object] = {"--fold-order": self.fold_order, "--orders": self.orders}
        if self.replay_:
            wrong = {"--list": self.list_, "--n-folds": self.n_folds}
        for option, value in wrong.items():
            if value is not None:
                verb = "does not go with" if self.replay_ else "needs"
                raise OptionError(f"{option} {verb} --replay", hint="see bbc drop --help")
        chosen = list(self.rule or ["bbcd"])
        if not self.replay_ and (len(chosen) > 1 or EVERY in chosen):
            raise OptionError(
                "one rule decides; several are compared with --replay",
                hint="for example --rule bbcd",
            )
        return chosen
