"""Where `bbc correct` works: in this process, or on workers of dask."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bbccli import resources
from bbccli.errors import OptionError

if TYPE_CHECKING:
    from bbccli.analysis import Analysis
    from bbccli.cli.shared import RunnerOptions


def check_runner(where: RunnerOptions, asked: Analysis, form: str, *, cost_of_search: bool) -> None:
    """Find out what workers are not for, before any starts.

    Raises
    ------
    OptionError
        A scheduler for the local runner, or what needs all predictions in one place.
    """
    where.check()
    if where.runner != "dask":
        return
    from bbccli.analysis.answer import check_methods

    check_methods(asked.method)
    for wrong, what in (
        (form == "html", "makes no page"),
        (cost_of_search, "can't tell what the search cost"),
    ):
        if wrong:
            raise OptionError(
                f"--runner dask {what}: that takes all predictions in one place",
                hint="leave out --runner dask, or ask for JSON or a table without it",
            )


@contextmanager
def working_on(where: RunnerOptions, limits: resources.Resources) -> Iterator[None]:
    """Work within limits, on workers where these are asked for; of them the limits hold for each.

    Raises
    ------
    OptionError, BbcError
        No scheduler answers, or no worker comes.
    """
    if where.runner != "dask":
        with resources.use(limits):
            yield
        return
    from bbccli import elsewhere
    from bbccli.batch.parts import limits_of, workers_of_dask

    with (
        workers_of_dask(limits.jobs, where.scheduler) as workers,
        resources.use(limits_of(limits, workers)),
        elsewhere.use(workers),
    ):
        yield
