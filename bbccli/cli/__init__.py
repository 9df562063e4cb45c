"""The command line; it only connects the other rooms."""

import os

# Resamples run in threads of our own (--jobs); a matrix product that starts its own would take
# the same cores twice. The libraries read this when numpy is imported, which comes later.
for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
