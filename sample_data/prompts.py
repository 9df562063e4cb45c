"""Make `prompts.csv`: sixteen prompts on 150 questions, right or wrong, with known truth.

Questions differ in difficulty, and so do prompts in how many they get right: the best ones by one
or two in a hundred. Run it from anywhere: python sample_data/prompts.py
"""

from pathlib import Path

import numpy as np

N_QUESTIONS, N_PROMPTS, SEED = 150, 16, 20
SKILLS = np.linspace(-0.15, 0.15, N_PROMPTS)
PATH = Path(__file__).with_name("prompts.csv")


def chances(skill: float, difficulty: np.ndarray) -> np.ndarray:
    """Chance that a prompt gets questions of these difficulties right."""
    return 1 / (1 + np.exp(difficulty - skill - 0.5))


def true_scores() -> np.ndarray:
    """Mean score of each prompt over all questions that there could be."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    return np.array([chances(s, nodes) @ weights for s in SKILLS]) / weights.sum()


def rows() -> list[str]:
    """Lines of the file: a question, a prompt, and whether the answer was right."""
    rng = np.random.default_rng(SEED)
    difficulty = rng.normal(size=N_QUESTIONS)
    lines = ["item,model,score"]
    for position in rng.permutation(N_PROMPTS):
        right = rng.random(N_QUESTIONS) < chances(SKILLS[position], difficulty)
        lines += [f"q{i},prompt {position + 1},{int(r)}" for i, r in enumerate(right)]
    return lines


if __name__ == "__main__":
    PATH.write_text("\n".join(rows()) + "\n", encoding="utf-8")
