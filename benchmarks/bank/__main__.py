"""Add repetitions to the store, then renew the tables of the pages.

A part of the time is for the studies of `benchmarks.validation`, unless populations are named.
What is in the store is not judged again, and matrices that were trained before are taken from the
cache. It may be stopped at any time (Ctrl-C or SIGTERM): what was judged is written first.
"""

import argparse
import math
import signal
import sys
import time
from itertools import chain
from pathlib import Path
from types import FrameType

from benchmarks.bank.items import items
from benchmarks.bank.nesting import nested_items
from benchmarks.bank.pages import renew
from benchmarks.bank.populations import BY_NAME, Half
from benchmarks.bank.results import FOLDER, forget
from benchmarks.bank.variants import variants
from benchmarks.bank.work import Work
from benchmarks.validation import __main__ as validation
from benchmarks.validation.settings import bias_settings, inclusion_settings

MINUTES = 10
N_REPETITIONS = 100
N_SIMULATED = 200
N_NESTED = 200

SHARE_OF_STUDIES = 0.15
"""Of the minutes, while studies of `benchmarks.validation` lack repetitions."""


def main(arguments: list[str] | None = None) -> None:
    options = parse(arguments)
    signal.signal(signal.SIGTERM, _stop)
    for method in options.forget:
        forget(options.store, method)
    if options.minutes > 0:
        named = [BY_NAME[name] for name in options.population] or list(BY_NAME.values())
        populations = [one for one in named if options.half in (None, one.half)]
        settings = [] if options.population else [*inclusion_settings(), *bias_settings()]
        todo = chain(
            items(populations, settings, options.repetitions, options.simulated),
            nested_items(0 if options.population else options.nested),
        )
        start = time.monotonic()
        if not options.population:
            validation.repeat(validation.STUDIES, 60 * options.minutes * SHARE_OF_STUDIES)
        work = Work(options.store, options.matrices, variants())
        n_done = work.run(todo, 60 * options.minutes - (time.monotonic() - start))
        print(f"{n_done} repetitions judged, in {options.store}", file=sys.stderr)
    if not options.no_pages:
        renew(options.store)
        validation.renew()


def parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bank", description=__doc__)
    parser.add_argument("--full", action="store_true", help="without a time limit")
    parser.add_argument(
        "--minutes", type=float, help=f"time limit; 0 only renews the pages (default {MINUTES})"
    )
    parser.add_argument(
        "--repetitions", type=int, default=N_REPETITIONS, help="of each study of the bank"
    )
    parser.add_argument(
        "--simulated", type=int, default=N_SIMULATED, help="repetitions of each simulated setting"
    )
    parser.add_argument(
        "--nested", type=int, default=N_NESTED, help="repetitions of each nested cross-validation"
    )
    parser.add_argument("--half", type=Half, choices=list(Half), help="of the populations")
    parser.add_argument(
        "--population", choices=list(BY_NAME), action="append", default=[], help="only these"
    )
    parser.add_argument(
        "--forget", metavar="METHOD", action="append", default=[], help="judge a method again"
    )
    parser.add_argument("--store", type=Path, default=FOLDER, metavar="DIR")
    parser.add_argument(
        "--matrices", type=Path, default=Path("validation-results/bank"), metavar="DIR"
    )
    parser.add_argument("--no-pages", action="store_true", help="leave the pages as they are")
    options = parser.parse_args(arguments)
    if options.minutes is None:
        options.minutes = math.inf if options.full else MINUTES
    return options


def _stop(number: int, frame: FrameType | None) -> None:
    """End by an exception, so that what was judged is written."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    main()
