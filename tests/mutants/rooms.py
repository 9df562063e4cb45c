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
        Folders and files of `bbccli`, from the root on.
    near
        Files of tests that are run first, after those that are called as the module is.
    tests
        Folders and files of `tests` that are run where these find nothing.
    """

    name: str
    modules: tuple[str, ...]
    near: tuple[str, ...]
    tests: tuple[str, ...]


ANSWERS = ("methods/test_reference.py", "methods/test_oracles.py", "methods/test_naive.py")
"""Of methods by other means, in seconds."""

ROOMS = (
    Room(
        "metrics",
        ("bbccli/metrics",),
        ("metrics/test_oracles.py", "metrics/test_leaving_out.py", "metrics/test_planned.py"),
        (
            *("metrics", "reading/test_weights.py", "batch/test_parts.py", "test_kernels.py"),
            *("test_scale.py", "making"),
        ),
    ),
    Room(
        "kernels",
        ("bbccli/metrics/kernels",),
        ("test_kernels.py", "metrics/test_oracles.py"),
        ("making", "test_scale.py", "metrics", "methods/test_reference.py"),
    ),
    Room(
        "resampling",
        ("bbccli/stats/resampling.py", "bbccli/stats/bootstrap"),
        ("test_resampling.py", *ANSWERS),
        (
            *("intervals", "methods", "making"),
            *("batch/test_parts.py", "test_scale.py", "comparisons/test_families.py"),
        ),
    ),
    Room(
        "methods",
        ("bbccli/methods",),
        (*ANSWERS, "cli/test_explain.py"),
        ("methods", "making", "test_vault.py"),
    ),
    Room("intervals", ("bbccli/stats/intervals",), ("intervals",), ("methods",)),
    Room(
        "selection",
        ("bbccli/stats/selection",),
        ("test_pooling.py", *ANSWERS, "methods/test_selection_rule.py", "metrics/test_planned.py"),
        ("methods", "cli/test_correct.py", "intervals/test_kinds.py", "test_frozen.py", "reports"),
    ),
    Room(
        "comparisons",
        ("bbccli/comparisons",),
        ("comparisons/test_pairs_oracles.py", "comparisons/test_evidence.py"),
        ("comparisons", "cli/test_compare.py", "test_frozen.py"),
    ),
    Room(
        "dropping",
        ("bbccli/dropping",),
        ("dropping/test_rules.py",),
        ("dropping", "cli/test_drop.py", "test_frozen.py"),
    ),
    Room(
        "reading",
        ("bbccli/reading", "bbccli/tools"),
        ("reading/test_read_long.py", "reading/test_messages.py"),
        (
            *("reading", "cli/test_inspect.py", "cli/test_messages.py", "cli/test_simulate.py"),
            *(
                "test_tampering.py",
                "test_evaluations.py",
                "recording/test_vault.py",
                "test_vault.py",
            ),
            *("batch/test_parts.py", "test_doctests.py"),
        ),
    ),
    Room(
        "recording",
        ("bbccli/recording",),
        ("recording/test_arguments.py", "recording/test_searches.py"),
        (
            *("recording", "test_axis.py", "test_stopping.py", "reading/test_hostile_arrays.py"),
            "test_frozen.py",
        ),
    ),
    Room(
        "gate",
        ("bbccli/documents/gate.py", "bbccli/platform/text.py"),
        ("test_gate.py", "test_rounding.py"),
        (
            "cli/test_gate.py",
            "reports/test_escaping.py",
            "reading/test_urls.py",
            "test_doctests.py",
        ),
    ),
    Room(
        "leaderboard",
        ("bbccli/documents/leaderboard.py", "bbccli/reports/evidence"),
        ("test_leaderboard.py", "evidence"),
        (
            *("making/test_beside.py", "cli/test_tight.py", "test_stopping.py"),
            *("cli/test_pages.py", "reports/test_page.py", "test_doctests.py"),
        ),
    ),
    Room(
        "planning",
        ("bbccli/planning",),
        ("planning",),
        ("cli/test_plan.py", "cli/test_simulate.py", "test_simulation.py", "test_frozen.py"),
    ),
    Room(
        "batch",
        ("bbccli/batch",),
        ("batch/test_batch.py", "batch/test_reliability.py"),
        ("batch",),
    ),
)
