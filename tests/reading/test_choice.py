"""`--only` and `--exclude`."""

import json

import numpy as np
import pytest
from day import swept
from reading import refused

from bbccli.errors import InputError
from bbccli.reading import read

RNG = np.random.default_rng(0)
TRUTH = np.arange(24) % 2
TABLE = {"row_id": range(24), "fold": np.arange(24) // 2 % 3, "truth": TRUTH} | {
    name: np.round(RNG.random(24) * 0.8 + 0.1 * TRUTH, 3)
    for name in ("svm C=1", "svm C=10", "knn [5]", "forest")
}


def chosen(save, **options):
    return read(save("m.csv", TABLE), **options)


def test_only_keeps_what_a_pattern_matches(save):
    matrix = chosen(save, only=["svm*", "forest"])
    assert matrix.configurations == ("svm C=1", "svm C=10", "forest")
    (note,) = matrix.notes
    assert note.code == "configurations-left-out"
    assert note.text == "1 of 4 configurations left out on request: knn [5]"


def test_exclude_wins_over_only(save):
    assert chosen(save, only=["svm*"], exclude=["*=10"]).configurations == ("svm C=1",)
    assert chosen(save, exclude=["svm*"]).configurations == ("knn [5]", "forest")
    assert chosen(save, only=["knn [5]"]).configurations == ("knn [5]",)  # a name as it is
    assert chosen(save, only=["*"]).notes == ()
    with pytest.raises(InputError, match="only and exclude leave none of 4 configurations"):
        chosen(save, only=["svm*"], exclude=["svm*"])


@pytest.mark.parametrize("option", ["only", "exclude"])
def test_a_pattern_that_matches_nothing(save, option):
    with pytest.raises(InputError, match=f"{option} 'forrest' matches no configuration") as e:
        chosen(save, **{option: ["forrest"]})
    assert e.value.hint == "did you mean forest?"
    with pytest.raises(InputError) as e:
        chosen(save, **{option: ["zzz*"]})
    assert e.value.hint.startswith("choose from svm C=1, svm C=10")


def test_columns_of_classes_go_together(save):
    probability = RNG.random((2, 24))
    table = {"truth": TRUTH, "age": range(24)}
    for name, p in zip(("svm", "knn"), probability, strict=True):
        table |= {f"{name}::0": 1 - p, f"{name}::1": p}
    path = save("m.csv", table)
    refused("column has no class", path)
    assert read(path, exclude=["age"]).configurations == ("svm", "knn")
    assert read(path, only=["svm"]).configurations == ("svm",)


def test_long_tables(save):
    rows = [(name, i) for name in ("svm", "knn") for i in range(24)]
    table = {
        "config": [name for name, _ in rows],
        "row_id": [i for _, i in rows],
        "truth": [int(TRUTH[i]) for _, i in rows],
    }
    path = save("m.csv", table | {"score": np.tile(TABLE["forest"], 2)})
    assert read(path, exclude=["k*"]).configurations == ("svm",)
    p = np.tile(TABLE["forest"], 2)
    path = save("n.csv", table | {"prob.0": 1 - p, "prob.1": p})
    assert read(path, only=["knn"]).configurations == ("knn",)


@pytest.mark.parametrize(
    "command", ["correct", swept("inspect"), swept("convert"), swept("drop"), swept("batch")]
)
def test_on_the_command_line(run, save, tmp_path, command):
    path, target = save("m.csv", TABLE), tmp_path / "out.jsonl"
    more = {
        "correct": ("--n-resamples", 20, "--format", "json"),
        "inspect": ("--format", "json"),
        "drop": ("--format", "json"),
        "batch": ("-o", target, "--n-resamples", 20, "--jobs", 1),
    }.get(command, ())
    chosen = ("--only", "svm*", "--only", "forest", "--exclude", "*C=10")
    out = run.printed(command, path, *more, *chosen)
    if command == "convert":
        assert out.partition("\n")[0] == "row_id,fold,truth,svm C=1,forest"
        return
    text = target.read_text() if command == "batch" else out
    document = json.loads(text)
    document = document.get("document", document)
    assert document["input"]["configurations"] == ["svm C=1", "forest"]
    status, _, err = run(command, path, *more, "--only", "swm*")
    if command not in ("batch", "inspect"):
        assert (status, "matches no configuration" in err) == (2, True)
