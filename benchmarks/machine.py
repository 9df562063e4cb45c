"""The machine and the versions that were measured."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

from bbccli.platform.resources import available_cores
from benchmarks.timing import least, ready

LIBRARIES = ("numpy", "numba", "pyarrow", "scikit-learn")


def describe() -> dict[str, str]:
    """Cores, processor, versions, and the rate of the matrix product in one thread."""
    return {
        "Processor": processor(),
        "Cores": str(available_cores()),
        "Python": platform.python_version(),
        **{library: _version(library) for library in LIBRARIES},
        "Matrix product, one thread": f"{rate(np.float32):.0f} Gflop/s in float32, "
        f"{rate(np.float64):.0f} in float64",
    }


def processor() -> str:
    """Model name of the processor."""
    source = Path("/proc/cpuinfo")
    lines = source.read_text().splitlines() if source.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def rate(dtype: type, size: int = 1000) -> float:
    """Gflop/s of a square matrix product."""
    a = np.ones((size, size), dtype)
    return 2e-9 * size**3 / least({"product": ready(lambda: a @ a)}, rounds=5)["product"]


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
