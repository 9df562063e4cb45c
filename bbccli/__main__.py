"""The entry points: ``bbc`` and ``python -m bbccli``."""

from __future__ import annotations

import sys

INTERRUPTED = 130


def run() -> None:
    """Run the command line and exit with its status, also when stopped while still importing."""
    try:
        from bbccli.cli.app import main

        status = main()
    except KeyboardInterrupt:
        status = INTERRUPTED
    if status == INTERRUPTED:
        print("interrupted; no result was written", file=sys.stderr)
    sys.exit(status)


if __name__ == "__main__":
    run()
