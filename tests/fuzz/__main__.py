"""`make fuzz`: cases until the time is up, and a file for each that fails.

--seconds T, --cases N: stop after either; --seed S: the stream of cases; --first K: its first case;
--case K: only this one, printed; --once: do not run each case a second time; --trees: folders of
runs instead of files; --logs: logs of evaluations; --only COMMAND: cases of this command alone.
"""

import argparse
import sys
import time
import traceback

from . import commands, logs, trees
from .case import CORPUS, Case
from .oracle import faults
from .run import run


def main() -> int:
    """Run cases, report, and return 1 where some failed."""
    asked = _arguments()
    if asked.case is not None:
        return _show(_case(asked, asked.case))
    start, seen, number = time.monotonic(), {}, asked.first
    while number - asked.first < asked.cases and time.monotonic() - start < asked.seconds:
        case = _case(asked, number)
        found = faults(case, twice=not asked.once and number % asked.every == 0)
        if found and seen.setdefault(_kind(found[0]), number) == number:
            print(f"case {number} of seed {asked.seed}: {found[0]}\n  {case.arguments}", flush=True)
            if asked.keep:
                path = CORPUS / f"seed-{asked.seed}-case-{number}.json"
                path.write_text(case.saved(_kind(found[0])))
        number += 1
        if number % (1_000 if asked.trees else 10_000) == 0:
            _report(asked, number, start, len(seen))
    _report(asked, number, start, len(seen))
    return 1 if seen else 0


def _report(asked: argparse.Namespace, number: int, start: float, n_kinds: int) -> None:
    n_cases, seconds = number - asked.first, time.monotonic() - start
    print(
        f"seed {asked.seed}: {n_cases:,} cases from {asked.first:,} in {seconds:.0f} s "
        f"({n_cases / max(seconds, 1e-9):.0f} a second), {n_kinds} kinds of failure",
        flush=True,
    )


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make fuzz", description=__doc__)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--cases", type=int, default=10**9)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--case", type=int)
    parser.add_argument("--trees", action="store_true")
    parser.add_argument("--logs", action="store_true")
    parser.add_argument("--only", default="", choices=("", *commands.WEIGHTS))
    parser.add_argument("--every", type=int, default=1, help="run each so many a second time")
    parser.add_argument("--once", action="store_true")
    parser.add_argument("--keep", action="store_true", help="write failing cases to tests/corpus")
    return parser.parse_args()


def _kind(fault: str) -> str:
    """What tells failures apart: the last line of ours in a traceback, or the first words."""
    lines = fault.splitlines()
    places = [line.strip() for line in lines if line.startswith('  File "')]
    if not places:
        return lines[0][:160]
    own = [place for place in places if "bbccli" in place] or places
    return f"{lines[-1].partition(':')[0]} {own[-1]}"


def _case(asked: argparse.Namespace, number: int) -> Case:
    if asked.trees:
        return trees.make(asked.seed, number)
    if asked.logs:
        return logs.make(asked.seed, number)
    return commands.make(asked.seed, number, asked.only)


def _show(case: Case) -> int:
    print(case.saved("shown"), run(case), *faults(case), sep="\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:
        traceback.print_exc()
        sys.exit(2)
