"""Plant mutations and print the score; survivors are shown as they stand in the code."""

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.mutants.planting import ROOT, Found, plant
from tests.mutants.rooms import ROOMS

PER_ROOM = 12
WANTED = 0.95


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--per-room", type=int, default=PER_ROOM, metavar="N")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", action="append", choices=[room.name for room in ROOMS])
    parser.add_argument("--jobs", type=int, default=2, help="rooms at a time")
    parser.add_argument("--resume", action="store_true", help="plant none that died before")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "mutants")
    given = parser.parse_args()
    rooms = [room for room in ROOMS if room.name in (given.room or [one.name for one in ROOMS])]
    with ThreadPoolExecutor(given.jobs) as pool:
        running = [
            pool.submit(
                plant, room, given.folder.resolve(), given.per_room, given.seed, given.resume
            )
            for room in rooms
        ]
        found = [one.result() for one in running]
    return show(found)


def show(found: list[Found]) -> int:
    """Print the survivors and the score of each room; 1 if too many survive."""
    for mutation in [one for room in found for one in room.survivors]:
        module, operator, before, after = mutation.key
        print(f"\n{module}:{mutation.row + 1}: {operator} survives\n- {before}\n+ {after}")
    print(f"\n{'room':<14} {'planted':>8} {'killed':>8}")
    counts = {one.room: (len(one.killers), len(one.killers) - len(one.survivors)) for one in found}
    for room, (planted, killed) in counts.items():
        print(f"{room:<14} {planted:>8} {killed:>8}")
    planted, killed = (sum(column) for column in zip(*counts.values(), strict=True))
    share = killed / max(planted, 1)
    print(f"{'all':<14} {planted:>8} {killed:>8}   {share:.1%}")
    return int(share < WANTED)


if __name__ == "__main__":
    sys.exit(main())
