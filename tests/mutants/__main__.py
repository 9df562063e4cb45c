"""Plant mutations and print the score; survivors are shown as they stand in the code."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.planting import ROOT, Found, plant
from tests.mutants.rooms import ROOMS

PER_ROOM = 13
WANTED = 0.95


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--per-room", type=int, default=PER_ROOM, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", action="append", choices=[room.name for room in ROOMS])
    parser.add_argument("--jobs", type=int, default=2, help="rooms at a time")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    given = parser.parse_args()
    rooms = [room for room in ROOMS if room.name in (given.room or [one.name for one in ROOMS])]
    with ThreadPoolExecutor(given.jobs) as pool:
        running = [
            pool.submit(plant, room, given.folder, given.per_room, given.seed) for room in rooms
        ]
        found = [one.result() for one in running]
    return show(found)


def show(found: list[Found]) -> int:
    """Print the score of each room and the survivors; 1 if too many survive."""
    for one in found:
        for (module, operator, _), diff in one.survivors.items():
            print(f"\n{module}: {operator} survives\n{diff.rstrip()}")
    planted, killed = 0, 0
    print(f"\n{'room':<14} {'planted':>8} {'killed':>8}")
    for one in found:
        planted += one.planted
        killed += one.planted - len(one.survivors)
        print(f"{one.room:<14} {one.planted:>8} {one.planted - len(one.survivors):>8}")
    share = killed / max(planted, 1)
    print(f"{'all':<14} {planted:>8} {killed:>8}   {share:.1%}")
    return int(share < WANTED)


if __name__ == "__main__":
    sys.exit(main())
