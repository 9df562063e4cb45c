"""The driver: repeat what is not on disk yet, then renew the page."""

import argparse
import math
import sys
from pathlib import Path

from bbccli.core.resources import available_cores
from benchmarks.validation.page import PAGE, renew
from benchmarks.validation.run import tasks, work
from benchmarks.validation.settings import Part
from benchmarks.validation.store import Store

MINUTES = 10
SHARES = {Part.BIAS: 0.25, Part.INCLUSION: 0.35, Part.REAL: 0.3, Part.DROP: 0.1}
"""Of the minutes; of those that an earlier part leaves, later ones take their share too."""


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    store = Store(options.out)
    parts = options.part or list(SHARES)
    seconds, shares = 60 * options.minutes, sum(SHARES[part] for part in parts)
    for part in parts:
        share, shares = SHARES[part] / shares, shares - SHARES[part]
        todo = tasks(part, options.out, store, full=options.full)
        print(f"{part}: ", end="", file=sys.stderr, flush=True)
        n_done, spent = work(todo, store, options.jobs, seconds * share)
        seconds = max(seconds - spent, 0)
        print(f"{n_done} repetitions in {spent / 60:.1f} minutes", file=sys.stderr)
    renew(options.page, options.out, store)
    print(f"records in {store.path}, tables in {options.page}", file=sys.stderr)


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    parser.add_argument("--full", action="store_true", help="every setting, without a time limit")
    parser.add_argument(
        "--minutes", type=float, help=f"time limit; 0 only renews the page (default {MINUTES})"
    )
    parser.add_argument(
        "--part", type=Part, choices=list(Part), action="append", help="may be repeated"
    )
    parser.add_argument("--jobs", type=int, default=available_cores(), help="processes")
    parser.add_argument("--out", type=Path, default=Path("validation-results"), metavar="DIR")
    parser.add_argument("--page", type=Path, default=PAGE, help="page whose tables are renewed")
    options = parser.parse_args(arguments)
    if options.minutes is None:
        options.minutes = math.inf if options.full else MINUTES
    return options


if __name__ == "__main__":
    main()
