"""The gallery: notebooks, pages, and every figure of `bbc plot`, drawn from the sample data."""

import contextlib
import io
import json
import shlex
from pathlib import Path

from notebooks import NOTEBOOKS, page, read, title_of
from parts import toctree

from bbccli.cli.app import main

DATA = "sample_data/progression.parquet"
FEW = "--only 'logistic-*' --only 'lda*' --only 'tree*' --only 'svm-linear*'"
ACROSS = (
    f"{DATA} sample_data/breast_cancer.parquet sample_data/breast_cancer_repeats.parquet --across "
    "--by 'regex:^(logistic|svm|tree|forest|lda)' --only 'logistic*' --only 'svm*' --only 'tree*' "
    "--only 'forest*' --only 'lda*' --metric auc"
)
SAVED = {
    "result.json": f"bbc correct {DATA} --cost-of-search",
    "compared.json": f"bbc compare {DATA} --baseline 'lda shrinkage=0.1' {FEW}",
    "ranks.json": f"bbc compare {ACROSS}",
}
"""Saved results from which some figures are drawn."""

FIGURES = {
    "forest": ("Estimates of all methods", "result.json"),
    "cost": ("What the search cost", "result.json"),
    "distribution": ("The resamples' winners", DATA),
    "wins": ("How often each configuration wins", "result.json"),
    "ranking": ("All configurations, best first", DATA),
    "folds": ("The winner in each fold", DATA),
    "roc": ("ROC of the winner", DATA),
    "calibration": ("Calibration of the winner", DATA),
    "differences": ("Every configuration against a baseline", "compared.json"),
    "cd": ("Critical differences over data sets", "ranks.json"),
}
"""Kind -> its heading, and the data it is drawn from."""

PAGES = {
    "report.html": (f"bbc correct {DATA}", "The page of a result"),
    "compared.html": (SAVED["compared.json"], "The page of a comparison"),
}


def draw_gallery(source: Path, root: Path) -> None:
    """Write the gallery and its figures below a folder."""
    folder, extra = source / "figures", source / "extra"
    folder.mkdir()
    lines = ["# Gallery", "", "Notebooks, with what they print and draw:", ""]
    for path in NOTEBOOKS:
        notebook, place = read(path), path.relative_to(root)
        text = page(notebook, folder, path.stem) + f"\nThe notebook: [{place.name}]({place}).\n"
        (source / f"{path.stem}.md").write_text(text, encoding="utf-8")
        lines.append(f"- [{title_of(notebook)}]({path.stem}.md)")
    lines += [
        "",
        "Every figure is drawn by `bbc plot` from the sample data, as SVG, PNG, PDF or Vega-Lite; "
        "[the page](docs/report.md#figures) says what each one needs. A whole page of them is one "
        "command:",
        "",
    ]
    with contextlib.chdir(root):
        for name, words in SAVED.items():
            run(f"{words} --output {shlex.quote(str(folder / name))}")
        for name, (words, title) in PAGES.items():
            run(f"{words} --output {shlex.quote(str(extra / name))}")
            lines += [f'- <a href="{name}">{title}</a>: `{words} --output {name}`']
        for kind, (title, drawn_from) in FIGURES.items():
            lines += ["", *shown(kind, title, drawn_from, folder)]
    lines.append(toctree([path.stem for path in NOTEBOOKS]))
    (source / "gallery.md").write_text("\n".join(lines), encoding="utf-8")


def shown(kind: str, title: str, drawn_from: str, folder: Path) -> list[str]:
    """Draw a figure; return its heading, sentence, picture, and the commands that made it."""
    given = str(folder / drawn_from) if drawn_from in SAVED else drawn_from
    for suffix in ("svg", "vl.json"):
        run(f"bbc plot {shlex.quote(given)} --kind {kind} -o {folder / kind}.{suffix}")
    says = json.loads((folder / f"{kind}.vl.json").read_text(encoding="utf-8"))["description"]
    words = [f"{SAVED[drawn_from]} -o {drawn_from}"] if drawn_from in SAVED else []
    words.append(f"bbc plot {drawn_from} --kind {kind} -o {kind}.svg")
    return [
        *(f"## {title}", "", says, "", f"![{says}](figures/{kind}.svg)", ""),
        *("```sh", *words, "```"),
    ]


def run(words: str) -> None:
    """Run a command that must succeed."""
    err = io.StringIO()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(err):
        status = main(shlex.split(words)[1:])
    if status:
        raise SystemExit(f"{words}: exit status {status}\n{err.getvalue()}")
