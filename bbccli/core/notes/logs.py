"""Notes on the logs of evaluation frameworks."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.core.notes.note import CARE, Texts, listing, note
from bbccli.core.rounding import count


@note(CARE, "readable")
def failed_runs(logs: Sequence[str]) -> Texts:
    """Logs of runs that ended in an error, were cancelled or killed, or were invalidated take no
    part, for what they hold may be a part that is not like the rest. Unless another log has the
    same configuration, one that was tried can't win.

    Remedy: finish these runs, for instance by `inspect eval-retry`.
    """
    return (
        f"{count(len(logs), 'log')} of runs that did not end well left out: {listing(logs, 3)}",
        "finish these runs",
    )


@note(CARE, "readable")
def run_again(logs: Sequence[str]) -> Texts:
    """Several logs are of one configuration on one task. The newest counts, whatever it scored: the
    best of them would be a choice that nothing corrects. Logs are of one configuration where model,
    prompt, arguments, solver and settings are equal, as far as the logs tell.

    Remedy: if they were different prompts or settings, say so in the logs: by an argument of the
    task or a label of the prompt. Then each is a configuration.
    """
    return (
        f"{count(len(logs), 'log')} replaced by newer ones of the same configuration: "
        f"{listing(logs, 3)}",
        "if these are different configurations, give them different arguments or labels",
    )


@note(CARE, "readable")
def tasks_left_out(tasks: Sequence[str]) -> Texts:
    """Some configurations did not run a task, or it has no score of the name that counts. Its items
    take no part for any configuration, so that all are compared on the same items.

    Remedy: run the task for all configurations; or name the logs of fewer of them.
    """
    return (
        f"{count(len(tasks), 'task')} left out: {listing(tasks, 3)}",
        "run them for all configurations, or name the logs of fewer",
    )


@note(CARE, "readable")
def first_score(score: str, others: Sequence[str]) -> Texts:
    """The logs hold several scores, and the framework does not say which of them counts, or that
    one is not in all logs. The first that all of them have does. Whoever looks at several and
    reports the best has chosen once more, which nothing corrects.

    Remedy: `--prediction NAME` for another one.
    """
    return (
        f"{score} counts, the first score that all logs have; there are also {listing(others)}",
        f"--prediction {others[0]} for another one",
    )
