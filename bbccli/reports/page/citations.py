"""What to cite for the methods that a page reports, as BibTeX."""

from __future__ import annotations

BIBTEX = {
    "tsamardinos2018": """@article{tsamardinos2018,
  author  = {Tsamardinos, Ioannis and Greasidou, Elissavet and Borboudakis, Giorgos},
  title   = {Bootstrapping the out-of-sample predictions for efficient and accurate
             cross-validation},
  journal = {Machine Learning},
  volume  = {107},
  pages   = {1895--1922},
  year    = {2018},
  doi     = {10.1007/s10994-018-5714-4}
}""",
    "rink2025": """@article{rink2025,
  author  = {Rink, Pascal and Brannath, Werner},
  title   = {Post-selection confidence bounds for prediction performance},
  journal = {Machine Learning},
  volume  = {114},
  pages   = {82},
  year    = {2025},
  doi     = {10.1007/s10994-024-06632-w}
}""",
}

OF_METHODS = {"mabt": "rink2025", "tilting": "rink2025", "tilting-10p": "rink2025"}
"""What else to cite, by the method."""


def keys_of(method: str) -> list[str]:
    """Return what to cite where a method is reported: always the correction that it is held to."""
    own = OF_METHODS.get(method)
    return ["tsamardinos2018", *([own] if own else [])]
