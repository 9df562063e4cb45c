"""Measures of speed and memory. Run `python -m benchmarks`.

Importing the package settles the threads of the matrix product, as `bbccli.cli` does: the
libraries read these variables when numpy is imported, which comes later.
"""

import os

for _library in ("OPENBLAS", "MKL", "OMP"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")
