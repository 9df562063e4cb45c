"""Make tied_concordance.json: concordance by lifelines on samples that share times and risks.

lifelines does not go with pandas 3, so its answers are frozen; run this where it is installed:
``python tests/oracles/tied_concordance.py``.
"""

import json
from pathlib import Path

import numpy as np

TARGET = Path(__file__).with_suffix(".json")


def tied(seed, n_samples=60):
    """Times, events, risks (60, 4) with many ties, and weights that repeat some samples."""
    rng = np.random.default_rng(seed)
    time = rng.integers(1, 12, n_samples).astype(float)
    # The last sample outlives all others: Uno's index of scikit-survival needs it.
    time[-1] = 20.0
    event = rng.random(n_samples) < 0.5
    event[-1] = False
    risks = np.round(rng.normal(size=(n_samples, 4)) - 0.2 * time[:, None], 1)
    return time, event, risks, rng.integers(0, 4, n_samples)


def main():
    import lifelines
    from lifelines.utils import concordance_index

    cases = []
    for seed in range(5):
        time, event, risks, weights = tied(seed)
        rows = np.repeat(np.arange(len(time)), weights)
        # lifelines expects predicted times, the opposite of risks
        found = [concordance_index(time[rows], -risk[rows], event[rows]) for risk in risks.T]
        held = {"time": time, "event": event, "risks": risks, "weights": weights}
        cases.append({**{k: v.tolist() for k, v in held.items()}, "concordance": found})
    made_by = f"lifelines {lifelines.__version__}, numpy {np.__version__}"
    TARGET.write_text(json.dumps({"made_by": made_by, "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
