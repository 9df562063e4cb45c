"""A number -> a case: files, mutated, and a command line with random options."""

from random import Random

from bbccli.comparisons.across import TESTS as ACROSS
from bbccli.comparisons.pairs import TESTS
from bbccli.dropping import RULES
from bbccli.methods import METHODS
from bbccli.metrics import METRICS

from . import seeds
from .case import Case
from .mutations import mutated

COUNTS = ("1", "2", "3", "10", "50", "0", "-1", "1e3", "1000000000000", "x", "")
COLUMNS = ("truth", "fold", "row_id", "group", "repeat", "a", "b", "nowhere", "")
NUMBERS = ("0", "1", "-1", "0.5", "0.95", "1e-9", "nan", "inf", "x", "")
READING = (
    "--truth --fold --repeat --group --row-id --weight --time --event --outer-fold --configuration "
    "--prediction --positive --only --exclude --dialect --task --labels --folds --quoted-newlines "
)
SCORING = "--metric --pooling --missing --risk-direction --clip --seed "
GATING = "--fail-under --fail-over --gate-on --gate-method "
OPTIONS = {
    "correct": READING + SCORING + GATING + "--method --level --side --select --interval --models "
    "--cap --cost-of-search --notes --guard --threshold --tolerance --evaluation-share "
    "--distribution --strict --format --output",
    "drop": READING + SCORING + "--rule --confidence --min-samples --list --n-folds --replay "
    "--fold-order --orders --cut --format --output",
    "leaderboard": READING + SCORING + "--select --threshold --top --no-wins --format --output",
    "compare": READING + SCORING + "--baseline --by --across --test --adjust --margin --rope "
    "--level --threshold --select --interval --fail-unless --notes --format --output",
    "simulate": "--samples --configurations --folds-of --balance --classes --correlation --beta "
    "--seed --files --output --truth-of",
    "schema": "--format --output",
    "plan": READING + SCORING + "--width --optimism --samples --configurations --within --expected "
    "--prevalence --spread --correlation --level --bounds --cap --check --format --output",
    "inspect": READING + "--missing --format --output",
    "convert": READING + "--layout --output",
    "batch": READING + SCORING + "--output --method --resume",
    "gate": GATING + "--format --output",
}
NAMES = {"--folds-of": "--folds", "--truth-of": "--truth"}
"""Options of `simulate` that mean another thing elsewhere."""

FLAGS = "--quoted-newlines --cost-of-search --guard --strict --replay --no-wins --across --check"
FLAGS += " --resume"
BESIDE = ("o.json", "o.csv", "o.md", "o.xml", "o.jsonl", "o.txt", "o.parquet", "o.tsv", "no/o.json")
VALUES = {
    "--truth": COLUMNS, "--fold": COLUMNS, "--repeat": COLUMNS, "--group": COLUMNS,
    "--row-id": COLUMNS, "--weight": COLUMNS, "--time": COLUMNS, "--event": COLUMNS,
    "--outer-fold": COLUMNS, "--configuration": COLUMNS, "--prediction": COLUMNS,
    "--positive": ("x", "y", "1", "q"), "--only": ("a", "*", "b*", "[", "q"),
    "--exclude": ("a", "*", "fold", "q"), "--labels": ("labels.csv",), "--folds": ("folds.csv",),
    "--dialect": ("wide", "long", "caret", "tidymodels", "mlr3", "openml", "kaggle"),
    "--task": ("binary", "multiclass", "regression", "survival"),
    "--metric": tuple(METRICS), "--pooling": ("pooled", "fold-mean", "within-folds"),
    "--missing": ("error", "drop", "common-rows", "available"),
    "--risk-direction": ("earlier", "later"), "--clip": ("1e-7", "0.1", "0.9", "x"),
    "--seed": ("0", "7", "-1", str(2**64), "x"), "--gate-on": ("bound", "estimate"),
    "--gate-method": tuple(METHODS), "--method": (*METHODS, "all"),
    "--side": ("two", "lower", "upper", "pessimistic"),
    "--select": ("best", "one-se", "one-se-simplest"), "--models": ("fixed", "trained"),
    "--interval": ("percentile", "matched", "bca", "calibrated", "sharp", "t"),
    "--notes": ("top", "all"), "--tolerance": ("0.1", "0", "x"),
    "--distribution": ("d.json", "d.parquet", "d.txt"), "--rule": (*RULES, "all"),
    "--min-samples": ("0", "1", "50", "-1"), "--list": ("drop", "keep"),
    "--n-folds": ("1", "3", "10", "-1"), "--fold-order": ("0,1,2", "0", "x", ""),
    "--orders": ("1", "3", "0"), "--top": ("1", "3", "0", "x"),
    "--baseline": ("a", "b", "nowhere", ""),
    "--by": ("family", "regex:(.)", "regex:^(a|b)", "regex:(", ""),
    "--test": (*TESTS, *ACROSS, "all", "x"), "--fail-unless": ("better", "not-worse"),
    "--adjust": ("holm", "hochberg", "bh", "max-t", "none"), "--layout": ("wide", "long"),
    "--samples": (*COUNTS, "20,50"), "--configurations": (*COUNTS, "3,10", "2,x"),
    "--folds-of": COUNTS, "--classes": COUNTS, "--files": ("1", "3", "0", "-1", "x", ""),
    "--beta": ("9,6", "0,0", "1e-300,1", "1e300,1e300", "nan,1", "1", "1,2,3", ",", ""),
    "--truth-of": ("t.json", "s.parquet", "no/t.json", "", "-", "t.txt"),
    "--bounds": ("0,1", "1,0", "nan,1", "0", "x", "-inf,inf", ""),
    "--format": ("table", "json", "jsonl", "csv", "markdown", "junit", "github", "metrics"),
    "--output": (*BESIDE, "p.csv", "s.tsv.gz", "s.csv.zst", "t.json", "", "-"),
}  # fmt: skip
"""Of each option; those of the others are `NUMBERS`."""

WEIGHTS = {
    "correct": 10,
    "inspect": 4,
    "convert": 3,
    "drop": 4,
    "leaderboard": 3,
    "compare": 4,
    "plan": 2,
    "simulate": 1,
    "schema": 0.05,
    "batch": 1,
    "gate": 3,
}


def make(seed: int, number: int, only: str = "") -> Case:
    """Return case `number` of the stream `seed`, of one command alone if it is named."""
    random = Random(f"{seed} {number}")
    command = only or random.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    paths, files = (_saved if command == "gate" else predictions)(random)
    if command in ("simulate", "schema") or (command == "plan" and random.random() < 0.4):
        laws = ("right-or-wrong", "binormal", "multinormal", "noisy", "x", "")
        paths, files = [random.choice(laws)] if command == "simulate" else [], {}
    if command == "batch" and random.random() < 0.7:
        files["m.csv"] = mutated(seeds.MANIFEST, "m.csv", random)
        paths = ["m.csv"]
    arguments = [command, *paths, *_options(command, random)]
    if "labels.csv" in arguments:
        files["labels.csv"] = mutated(seeds.LABELS, "labels.csv", random)
    if "folds.csv" in arguments:
        files["folds.csv"] = mutated(seeds.FOLDS, "folds.csv", random)
    return Case(tuple(arguments), files)


def _options(command: str, random: Random) -> list[str]:
    """Options that bound the work, then some random ones."""
    chosen: list[str] = [] if command in ("inspect", "schema") else ["-q"]
    if command == "compare" and random.random() < 0.4:
        chosen += ["--pair", *random.choice((("a", "b"), ("b", "a"), ("a", "a"), ("a", "q")))]
    if command in ("correct", "drop", "leaderboard", "compare", "plan", "batch"):
        chosen += ["--n-resamples", random.choice(("20", "20", "20", "7", "1", "0", "auto"))]
        chosen += ["--jobs", "1"]
    if command == "correct":
        chosen += ["--tolerance", "0.2"] * ("auto" in chosen)
        chosen += ["--format", "json"] * (random.random() < 0.6)
    if command == "gate":
        chosen += ["--fail-under", "0.5"] * (random.random() < 0.6)
    if command == "batch":
        chosen += ["--dry-run", "-o", "o.csv"]
    if command == "plan" and random.random() < 0.5:
        chosen += ["--expected", random.choice(("0.7", "0.85", "0.999", "0.5", "0"))]
        chosen += ["--configurations", random.choice(("1", "2", "30", "3,10"))]
    if command == "simulate":
        chosen += ["--samples", random.choice(("1", "2", "20", "60"))]
        chosen += ["--configurations", random.choice(("1", "2", "5"))]
        chosen += ["--folds", random.choice(("1", "2", "3"))]
        chosen += ["-o", random.choice(("s.parquet", "s.csv", "s.tsv")), "--truth", "t.json"]
    if command == "convert":
        chosen += ["-o", random.choice(("o.csv", "o.parquet", "o.tsv"))]
    for _ in range(random.choice((0, 0, 1, 1, 2, 3))):
        option = random.choice(OPTIONS[command].split())
        name = NAMES.get(option, option)
        while command == "simulate" and name in chosen:  # which is given once
            chosen[chosen.index(name) : chosen.index(name) + 2] = []
        values = VALUES.get(option, NUMBERS)
        chosen += [name] if name in FLAGS.split() else [name, random.choice(values)]
    return chosen


def predictions(random: Random) -> tuple[list[str], dict[str, bytes]]:
    """One file in some format, sometimes several, with metadata now and then."""
    group = random.choices((seeds.wide(), seeds.long(), {"arff": seeds.ARFF}), (6, 4, 1))[0]
    data = random.choice(list(group.values()))
    if group.keys() == {"arff"}:
        return ["p.arff"], {"p.arff": mutated(data, "p.arff", random)}
    form = random.choices(
        ("csv", "tsv", "parquet", "csv.gz", "csv.zst", "several"), (8, 1, 2, 1, 1, 1)
    )[0]
    if form == "several":
        files = {f"{name}.csv": mutated(data, "p.csv", random) for name in "pq"}
        return list(files), files
    return [f"p.{form}"], _written(data, f"p.{form}", random)


def _written(data: bytes, name: str, random: Random) -> dict[str, bytes]:
    if name.endswith(".parquet"):
        table = mutated(data, "p.csv", random) if random.random() < 0.5 else data
        return {name: mutated(seeds.parquet(table), name, random)}
    text = mutated(data, "p.csv", random)
    files = {name: text.replace(b",", b"\t") if name.endswith(".tsv") else text}
    for suffix, packing in ((".gz", "gzip"), (".zst", "zstd")):
        if name.endswith(suffix):
            files = {name: mutated(seeds.packed(text, packing), "", random)}
    if random.random() < 0.2:
        files["p.meta.json"] = mutated(seeds.METADATA, "p.meta.json", random)
    return files


def _saved(random: Random) -> tuple[list[str], dict[str, bytes]]:
    suffix = random.choice((".json", ".jsonl", ".jsonl", ".parquet"))
    name, data = f"r{suffix}", seeds.saved(suffix)
    if suffix == ".parquet":
        return [name], {name: seeds.parquet(mutated(seeds.as_csv(data), "r.csv", random))}
    return [name], {name: mutated(data, name, random)}
