"""Words for what is made of several configurations: its members, the single one below, the gain."""

from __future__ import annotations

from bbccli.domain.estimate import Estimate, Made, MadeGain
from bbccli.platform.rounding import Digits, count, percent, trimmed
from bbccli.reports.words import phrases

MOST_MEMBERS = 4
"""Members of an ensemble that a sentence names."""


def made_of(made: Made) -> str:
    """Return an ensemble, and its members with their weights."""
    members = [one for one in made.members if one.weight > 0][:MOST_MEMBERS]
    named = [f"{one.configuration} {percent(one.weight, 0)}" for one in members]
    n_more = made.n_members - len(named)
    return f"{made.rule} ensemble ({', '.join(named + [count(n_more, 'other')] * (n_more > 0))})"


def membership(made: Made, n_resamples: int) -> str:
    """Tell how often configurations were members of the ensembles of the resamples."""
    often = sorted(made.members, key=lambda one: -(one.share or 0.0))[:MOST_MEMBERS]
    shares = ", ".join(f"{one.configuration} {percent(one.share or 0.0, 0)}" for one in often)
    mean = trimmed(f"{made.mean_members or 0.0:.1f}")
    repeated = f"{made.rule}, repeated in {count(n_resamples, 'resample')}"
    return f"{repeated}: {mean} members on average; a member in {shares} of them"


def single_sentence(single: Estimate, label: str, digits: Digits) -> str:
    """Return the figures of the best single configuration."""
    naive, value = digits.performance(single.naive), digits.performance(single.value)
    ends = phrases.interval_text(single.interval, digits)
    figures = f"scored{label} {naive}, expect {value} ({ends})"
    return f"Best single configuration, {single.winner}: {figures}."


def gain_sentence(gain: MadeGain, label: str, digits: Digits) -> str:
    """Say what an ensemble gains over the best single configuration, and whether that is shown."""
    looked = f"{digits.difference(abs(gain.looked))} {'better' if gain.looked >= 0 else 'worse'}"
    ends = phrases.ends_text(gain.interval, digits.difference)
    shown = "" if gain.shown else ": not shown"
    return (
        f"{label}the ensemble looked {looked}; expect {digits.difference(gain.value)} ({ends})"
        f"{shown}; better in {percent(gain.wins, 0)} of the resamples"
    )
