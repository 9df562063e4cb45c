"""Add repetitions to the stores of the studies, then renew the tables of the pages.

    python -m benchmarks.validation                     # every study, ten minutes in all
    python -m benchmarks.validation plans dropping --minutes 30
    python -m benchmarks.validation --minutes 0         # only renews the pages

What is in a store is not run again. It may be stopped at any time.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.validation import (
    comparisons,
    dropping,
    guided,
    learning_curves,
    made,
    plans,
    stopping,
    trained_plans,
)
from benchmarks.validation.kept import FOLDER, Study
from benchmarks.validation.page import DOCS, between

STUDIES = (
    *comparisons.STUDIES,
    plans.STUDY,
    trained_plans.STUDY,
    dropping.STUDY,
    learning_curves.STUDY,
    made.STUDY,
    made.OF_STEPS,
    stopping.STUDY,
    *guided.STUDIES,
)
PAGES = ("../benchmarks/validation-tables.md", "plan.md", "dropping.md")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.validation", description=__doc__)
    # Python 3.11 looks for the empty list among the choices too
    parser.add_argument("study", nargs="*", choices=[[], *(one.name for one in STUDIES)])
    parser.add_argument("--minutes", type=float, default=10, help="0 only renews the pages")
    parser.add_argument("--jobs", type=int, default=1, help="processes that work side by side")
    parser.add_argument("--store", type=Path, default=FOLDER, metavar="DIR")
    parser.add_argument("--docs", type=Path, default=DOCS, metavar="DIR", help="of the pages")
    options = parser.parse_args(arguments)
    chosen = [one for one in STUDIES if one.name in (options.study or [one.name])]
    n_done = repeat(chosen, 60 * options.minutes, options.store, options.jobs)
    renew(options.store, options.docs)
    print(f"{n_done} repetitions, in {options.store}", file=sys.stderr)


def repeat(studies: Sequence[Study], seconds: float, store: Path = FOLDER, jobs: int = 1) -> int:
    """Share the seconds among the studies; return how many repetitions were done."""
    return sum(one.repeat(one.kept(store), seconds / len(studies), jobs) for one in studies)


def renew(store: Path = FOLDER, docs: Path = DOCS) -> None:
    """Put the tables between their markers; everything else is kept."""
    blocks = blocks_of(store)
    for name in PAGES:
        text = (docs / name).read_text(encoding="utf-8")
        for marker, block in blocks.items():
            text = between(text, marker, block)
        (docs / name).write_text(text, encoding="utf-8")


def blocks_of(store: Path = FOLDER) -> dict[str, str]:
    """All blocks by the names of their markers."""
    kept = {one.name: one.kept(store) for one in STUDIES}
    return {
        "comparisons": comparisons.block(kept),
        "plans": plans.block(kept["plans"]),
        "plans-trained": trained_plans.block(kept["plans-trained"]),
        "plans-in-all": plans.in_all(kept["plans"]) + trained_plans.in_short(kept["plans-trained"]),
        "dropping": dropping.block(kept["dropping"]),
        "dropping-in-short": dropping.in_short(kept["dropping"]),
        "learning-curves": learning_curves.block(kept["learning-curves"]),
        "made": made.block(kept["made"]) + "\n" + made.block(kept["made-steps"], made.QUESTIONS),
        "made-narrow": made.narrow_block(kept["made-steps"]),
        "stopping": stopping.block(kept["stopping"]),
        "guided": guided.block([kept["guided"], kept["guided-boosting"]]),
        "guided-lists": guided.block_of_lists(kept["guided-lists"]),
    }


if __name__ == "__main__":
    main()
