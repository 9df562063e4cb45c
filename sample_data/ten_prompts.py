"""Make `ten_prompts.csv`: ten prompts on 100 questions about 25 passages, each asked twice.

Right or wrong, with known truth: questions of one passage are hard or easy together, and prompts
differ by one in a hundred or two. Run it from anywhere: python sample_data/ten_prompts.py
"""

from pathlib import Path

import numpy as np

SKILLS = {
    "plain": 0.00,
    "expert": 0.02,
    "step by step": 0.20,
    "two examples": 0.14,
    "short": -0.10,
    "in doubt say so": -0.06,
    "quote first": 0.17,
    "check twice": 0.15,
    "as JSON": -0.16,
    "reworded": 0.04,
}
N_QUESTIONS, N_PASSAGES, N_EPOCHS, SEED = 100, 25, 2, 20
PASSAGES, QUESTIONS, TOGETHER = 0.7, 0.8, 1.2
"""Standard deviations: of passages, of questions in one, and of questions under one prompt."""
PATH = Path(__file__).with_name("ten_prompts.csv")


def chances(logits: np.ndarray) -> np.ndarray:
    """Chance that an answer is right."""
    return 1 / (1 + np.exp(-logits - 0.4))


def true_scores() -> dict[str, float]:
    """Mean score of each prompt over all passages and questions that there could be."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    spread = np.sqrt(PASSAGES**2 + QUESTIONS**2 + TOGETHER**2)
    total = weights.sum()
    return {n: float(chances(s + spread * nodes) @ weights / total) for n, s in SKILLS.items()}


def rows() -> list[str]:
    """Lines of the file: a question, its passage, a prompt, the epoch, and 1 if it was right."""
    rng = np.random.default_rng(SEED)
    passages = np.arange(N_QUESTIONS) % N_PASSAGES
    easy = PASSAGES * rng.normal(size=N_PASSAGES)[passages]
    easy = easy + QUESTIONS * rng.normal(size=N_QUESTIONS)
    lines = ["item,passage,model,epoch,score"]
    for name, skill in SKILLS.items():
        own = chances(skill + easy + TOGETHER * rng.normal(size=N_QUESTIONS))
        for epoch in range(1, N_EPOCHS + 1):
            right = rng.random(N_QUESTIONS) < own
            lines += [f"q{i},p{passages[i]},{name},{epoch},{int(r)}" for i, r in enumerate(right)]
    return lines


if __name__ == "__main__":
    PATH.write_text("\n".join(rows()) + "\n", encoding="utf-8")
