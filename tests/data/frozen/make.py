"""Wrote what is stored here: one document of each kind, as version 1.0.0 writes it.

    python tests/data/frozen/make.py

Once 1.0.0 is released, nothing here is made again: what a later version adds gets a new file, and
`tests/test_frozen.py` says what must go on being read.
"""

import contextlib
import io
import json
import shlex
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from public import public_names  # noqa: E402

from bbccli.cli.app import main  # noqa: E402

HERE = Path(__file__).parent
FEW = "sample_data/progression.parquet --only 'logistic-l2 C=1*' --only 'lda*'"
QUICK = "--n-resamples 50 --seed 1"

DOCUMENTS = {
    "correct": f"correct {FEW} {QUICK}",
    "correct-all": f"correct {FEW} {QUICK} --method all --cost-of-search",
    "correct-bounds": "correct sample_data/prompts.csv --task score --bounds 0,1 "
    f"--only 'prompt 1*' {QUICK}",
    "correct-folder": f"correct tests/data/runs/mljar {QUICK}",
    "correct-gate": f"correct {FEW} {QUICK} --fail-under 0.5",
    "correct-metrics": f"correct {FEW} {QUICK} --metric accuracy --metric auc --threshold 0.5",
    "correct-multiclass": f"correct sample_data/digits.parquet --only 'knn*' {QUICK}",
    "correct-regression": f"correct sample_data/diabetes.parquet --only 'ridge*=1*' {QUICK}",
    "correct-repeats": "correct sample_data/breast_cancer_repeats.parquet "
    f"--only 'svm-linear*' {QUICK}",
    "correct-survival": f"correct sample_data/whas500.parquet --only 'coxnet*' {QUICK}",
    "correct-undecided": f"correct {FEW} {QUICK} --method tt --fail-under 0.5",
    "drop": f"drop {FEW} {QUICK}",
    "drop-replay": f"drop --replay {FEW} {QUICK} --rule all",
    "leaderboard": f"leaderboard {FEW} {QUICK} --metric auc --metric brier",
    "leaderboard-no-wins": f"leaderboard {FEW} --no-wins --top 2",
    "compare": f"compare {FEW} {QUICK}",
    "compare-baseline": f"compare {FEW} --n-resamples 100 --baseline 'lda shrinkage=0.1' "
    "--fail-unless not-worse",
    "compare-families": f"compare {FEW} {QUICK} --by 'regex:^([a-z]+)'",
    "compare-pair": f"compare {FEW} {QUICK} --pair 'lda shrinkage=0.1' 'logistic-l2 C=1' "
    "--test all",
    "compare-across": "compare sample_data/progression.parquet sample_data/breast_cancer.parquet "
    "--across --by 'regex:^(lda|svm|logistic)' --only 'lda*' --only 'svm-rbf C=1 *' "
    f"--only 'logistic-l2 C=1*' {QUICK}",
    "plan": f"plan {FEW} --samples 100,200 --configurations 1,50",
    "plan-stated": "plan --metric auc --expected 0.85 --prevalence 0.3 --spread 0.03 "
    "--correlation 0.7 --configurations 200 --width 0.1",
    "inspect": f"inspect {FEW}",
    "inspect-errors": "inspect tests/data/caret_knn.csv --folds no-such-file.csv",
}
"""Words of the command that wrote each with `--format json`."""


def written(words: str) -> str:
    """What a command writes, with any exit status that leaves a result."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(io.StringIO()) as err:
        main(shlex.split(words))
    assert out.getvalue(), f"{words}\n{err.getvalue()}"
    return out.getvalue()


def batches() -> None:
    """The tables of a batch of three files, of which one has no result."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("first.csv", "second.csv", "third.csv")]
        for file in files[:2]:
            main(["convert", *shlex.split(FEW), "-o", str(file), "--quiet"])
        files[2].write_text("fold,a,b\n0,1,2\n")
        with contextlib.chdir(folder):
            for suffix in ("csv", "jsonl", "parquet"):
                table = HERE / f"batch.{suffix}"
                names = [file.name for file in files]
                main(["batch", *names, "-o", str(table), *shlex.split(QUICK), "--fail-under", "0.5",
                      "--jobs", "1", "--quiet"])  # fmt: skip
                Path(f"{table}.journal").unlink(missing_ok=True)


def save(name: str, value: object) -> None:
    """One value as JSON, in a file of its own."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    with contextlib.chdir(ROOT):
        for name, words in DOCUMENTS.items():
            save(name, json.loads(written(f"{words} --format json")))
        save("schema", json.loads(written("schema")))
    save("api", public_names())
    batches()
