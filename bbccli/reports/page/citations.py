"""The methods of a paper: a paragraph, and what to cite, as BibTeX."""

from __future__ import annotations

from collections.abc import Sequence

from bbccli.reports.page.markup import Markup, code, listing, section, tag

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
    "lei2020": """@article{lei2020,
  author  = {Lei, Jing},
  title   = {Cross-Validation With Confidence},
  journal = {Journal of the American Statistical Association},
  volume  = {115},
  number  = {532},
  pages   = {1978--1997},
  year    = {2020},
  doi     = {10.1080/01621459.2019.1672556}
}""",
    "westfall1993": """@book{westfall1993,
  author    = {Westfall, Peter H. and Young, S. Stanley},
  title     = {Resampling-Based Multiple Testing: Examples and Methods for p-Value Adjustment},
  publisher = {Wiley},
  year      = {1993}
}""",
    "demsar2006": """@article{demsar2006,
  author  = {Dem{\\v{s}}ar, Janez},
  title   = {Statistical Comparisons of Classifiers over Multiple Data Sets},
  journal = {Journal of Machine Learning Research},
  volume  = {7},
  pages   = {1--30},
  year    = {2006}
}""",
    "benavoli2016": """@article{benavoli2016,
  author  = {Benavoli, Alessio and Corani, Giorgio and Mangili, Francesca},
  title   = {Should We Really Use Post-Hoc Tests Based on Mean-Ranks?},
  journal = {Journal of Machine Learning Research},
  volume  = {17},
  number  = {5},
  pages   = {1--10},
  year    = {2016}
}""",
}


def methods_section(text: str, keys: Sequence[str], references: Sequence[str] = ()) -> Markup:
    """Return a paragraph for the methods of a paper, and what to cite.

    Parameters
    ----------
    keys
        Of the entries of `BIBTEX`.
    references
        Of tests, which have no entry.
    """
    parts = [tag("p", text)]
    if references:
        parts += [tag("h3", "References of the tests"), listing(references)]
    if keys:
        parts += [tag("h3", "To cite"), code("\n\n".join(BIBTEX[key] for key in keys))]
    return section("Methods, for a paper", "methods", *parts)
