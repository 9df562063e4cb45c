"""Words for what is made of several configurations: its members, the single one below, the gain."""

from __future__ import annotations

from bbccli.documents.correct import Envelope
from bbccli.domain.estimate import Estimate, Made, MadeGain
from bbccli.domain.plan import OF_TOOL, Plan
from bbccli.metrics import METRICS
from bbccli.platform.rounding import Digits, count, percent, short, trimmed
from bbccli.reports.words import phrases
from bbccli.types import PredictionKind

MOST_MEMBERS = 4
"""Members of an ensemble that a sentence names."""


def named(made: Made, winner: str) -> str:
    """Return what an ensemble is called."""
    if made.tool is None:
        return f"{made.rule} ensemble"
    return f"{winner} that {made.tool} deploys"


def made_of(made: Made, winner: str) -> str:
    """Return what was made: an ensemble with its members, or a configuration, and what it gets."""
    members = [member for member in made.members if member.weight > 0][:MOST_MEMBERS]
    shares = [f"{member.configuration} ({percent(member.weight, 0)})" for member in members]
    n_more = made.n_members - len(shares)
    listed = ", ".join(shares + [count(n_more, "other")] * (n_more > 0))
    start, steps = (f"The {named(made, winner)}" if made.ensemble else winner), []
    if made.tool is not None and made.n_members == 1:
        steps.append(f"{members[0].configuration} alone")
    elif made.ensemble:
        steps.append(f"made of {listed}")
    steps += [f"calibrated by {made.calibration}"] if made.calibration else []
    if made.cut is not None and made.tuned_for is not None:
        tuned_for = phrases.metric_label(made.tuned_for)
        steps.append(f"cut at {short(round(made.cut, 3))}, tuned for {tuned_for}")
    return ", ".join([start, *steps]) + "," * bool(steps)


def steps_of(made: Made) -> str:
    """Name what makes it: the subject of a sentence on its gain."""
    if made.ensemble:
        return "the ensemble"
    steps = [made.calibration and "the calibration", made.tuned_for and "the tuned cut"]
    return " and ".join(filter(None, steps))


def membership(made: Made, n_resamples: int) -> str:
    """Tell how often configurations were members of the ensembles of the resamples."""
    often = sorted(made.members, key=lambda member: -(member.share or 0.0))[:MOST_MEMBERS]
    shares = ", ".join(f"{one.configuration} ({percent(one.share or 0.0, 0)})" for one in often)
    mean = trimmed(f"{made.mean_members or 0.0:.1f}")
    rule = made.rule
    if made.tool is not None:
        rule = f"{made.tool}'s rule, which gives its members, weights and score"
    repeated = f"{rule}; repeated in {count(n_resamples, 'resample')}"
    return f"{repeated}: {mean} member{'s' * (mean != '1')} on average, most often {shares}"


def elsewhere(estimate: Estimate, plan: Plan, digits: Digits) -> str:
    """Return the figure of the leaderboard, if that takes labels at another cut than `predict`."""
    made = estimate.made
    if made is None or made.cut is None or made.reported is None:
        return ""
    if plan.cut != OF_TOOL or plan.calibrate or estimate.metric != estimate.selected_by:
        return ""
    cut = short(round(made.cut, 3))
    if METRICS[estimate.metric].wants is not PredictionKind.LABEL or cut == "0.5":
        return ""
    figure = digits.performance(made.reported)
    return f"{made.tool}'s predict cuts at {cut}; its leaderboard shows {figure}, cut at 0.5"


def single_sentence(single: Estimate, made: Made, cut: float, label: str, digits: Digits) -> str:
    """Return the figures of the best configuration as it is."""
    naive, value = digits.performance(single.naive), digits.performance(single.value)
    ends = phrases.interval_text(single.interval, digits)
    figures = f"scored{label} {naive}, expect {value} ({ends})"
    plain = [made.calibration and "uncalibrated", made.tuned_for and f"cut at {short(cut)}"]
    what = "model" if made.tool else "configuration"
    as_it_is = f"single {what}" if made.ensemble else what
    told = "" if made.ensemble else "".join(f", {one}" for one in plain if one)
    return f"Best {as_it_is}{told}, {single.winner}: {figures}."


def gain_sentence(gain: MadeGain, made: Made, label: str, digits: Digits) -> str:
    """Say what is gained over the best configuration as it is, and whether that is shown."""
    looked = f"{digits.difference(abs(gain.looked))} {'better' if gain.looked >= 0 else 'worse'}"
    ends = phrases.ends_text(gain.interval, digits.difference)
    subject, shown = steps_of(made), "" if gain.shown else ", no evidence of a gain"
    if gain.shown and gain.on_edge:
        shown = ", which with another seed may include 0"
    look = "look" if " and " in subject else "looks"
    return (
        f"{label}{subject} {look} {looked}; expect {digits.difference(gain.value)} ({ends})"
        f"{shown}; better in {percent(gain.wins, 0)} of the resamples"
    )


def making(estimate: Estimate, made: Made) -> str:
    """Everything that was chosen on the samples, in the order in which it was."""
    chosen = f"choosing {estimate.winner}"
    if made.ensemble:
        chosen = f"choosing the members of the {named(made, estimate.winner)}"
    chosen += f" by {phrases.metric_label(estimate.selected_by)}" * (
        made.ensemble or estimate.selected_by != estimate.metric
    )
    steps = [made.calibration and f"its {made.calibration} calibration"]
    steps += [made.tuned_for and f"its cut for {phrases.metric_label(made.tuned_for)}"]
    return ", ".join([chosen, *filter(None, steps)])


def stopping(estimate: Estimate, document: Envelope) -> str:
    """Whether the figure allows for early stopping on the folds that score, where there was any."""
    if estimate.stopping is not None:
        return " and for early stopping on the folds that score it"
    stopped = [one.configuration for one in document.stopping]
    if estimate.made is None and estimate.winner not in stopped:
        return ""
    return ", not for early stopping on the folds that score" * bool(stopped)
