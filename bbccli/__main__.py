"""Run `bbc` as ``python -m bbccli``."""

import sys

from bbccli.cli.app import main

if __name__ == "__main__":
    sys.exit(main())
