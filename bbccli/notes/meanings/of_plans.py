"""Notes on plans of studies."""

from __future__ import annotations

from bbccli.notes.meanings.record import Meaning, Severity

OF_PLANS = (
    Meaning(
        "not-attainable",
        Severity.CARE,
        """`bbc plan` was asked for a width or an optimism that a million rows do not reach. The
        answer is about a million rows, and what they give.""",
        """ask for a larger `--width` or `--optimism`, or plan with fewer `--configurations`.""",
    ),
    Meaning(
        "near-perfect",
        Severity.DOUBT,
        """The mean of the best quarter of the pilot's configurations is within two standard errors
        of the best possible value. There chance is no longer normal, the noise of all
        configurations is far larger than that of the best ones, and the upper figure of the
        optimism can be several times too high. It is cut at the distance of the best configuration
        to the median one.""",
        """take the upper figure as a limit. A pilot with more rows tells more.""",
    ),
    Meaning(
        "no-true-spread",
        Severity.CARE,
        """The performances of the pilot differ no more than chance lets them, so their true spread
        is taken to be 0; or `--spread` states that it is. The optimism is that of equally good
        configurations, the largest that the noise allows.""",
        """nothing, or fewer configurations: none of them is known to be better.""",
    ),
    Meaning(
        "rough-pilot",
        Severity.CARE,
        """The pilot has fewer than 50 rows or 10 configurations. Its noise and its spread are
        themselves uncertain, by a fifth and more, and so is what is planned by them.""",
        """a larger pilot, or plan for a third more rows.""",
    ),
    Meaning(
        "few-planned-rows",
        Severity.CARE,
        """The plan is for fewer than 50 rows. Performances of so few are far from normal, which
        its figures rest on.""",
        """plan for at least 50 rows, or look at `--check`, which simulates the cell.""",
    ),
)
