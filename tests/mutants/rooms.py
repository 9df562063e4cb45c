"""The rooms, and their tests: those that a mutation is to die of, the quick ones first."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Room:
    """Some modules and their tests.

    Attributes
    ----------
    name
        As it is called.
    modules
        Folders and files of `bbccli`.
    tests
        Folders and files of `tests`, in the order in which they are run.
    """

    name: str
    modules: tuple[str, ...]
    tests: tuple[str, ...]


METHODS_TESTS = (
    "methods/test_reference.py",
    "methods/test_oracles.py",
    "methods/test_laws.py",
    "methods",
)

ROOMS = (
    Room(
        "metrics",
        ("metrics",),
        ("metrics/test_oracles.py", "metrics", "test_kernels.py", "test_scale.py"),
    ),
    Room(
        "kernels",
        ("kernels",),
        ("test_kernels.py", "test_scale.py", "metrics", "methods/test_reference.py"),
    ),
    Room("resampling", ("resampling.py", "bootstrap"), ("test_resampling.py", *METHODS_TESTS)),
    Room("methods", ("methods",), METHODS_TESTS),
    Room("intervals", ("intervals",), ("intervals", *METHODS_TESTS)),
    Room("selection", ("selection",), (*METHODS_TESTS, "cli/test_correct.py", "reports")),
    Room("comparisons", ("comparisons",), ("comparisons", "cli/test_compare.py")),
    Room("dropping", ("dropping",), ("dropping", "cli/test_drop.py")),
    Room("readers", ("readers",), ("readers",)),
    Room("recording", ("recording",), ("test_recording.py",)),
    Room(
        "gate", ("gate.py", "rounding.py"), ("test_gate.py", "test_rounding.py", "cli/test_gate.py")
    ),
    Room("leaderboard", ("leaderboard.py",), ("test_leaderboard.py", "evidence")),
    Room("planning", ("planning",), ("planning", "cli/test_plan.py")),
    Room("batch", ("batch",), ("batch",)),
)
