"""Matrices of the same samples as one: rows by key, and what has to be the same."""

import json
import pickle
from dataclasses import replace
from hashlib import sha256
from random import Random

import numpy as np
import pytest
from day import swept
from matrices import binary, changed_source, regression
from written_logs import Run, inspect

from bbccli import METRICS, Plan, read
from bbccli.comparisons import between_families, families_by, joined
from bbccli.domain.matrix import SampleKeys
from bbccli.domain.source import Evaluation, ToolRun
from bbccli.errors import InputError, OptionError
from bbccli.types import Missing


def keyed(matrix, keys=None, path="a.csv"):
    keys = np.arange(matrix.n_samples) + 100 if keys is None else np.asarray(keys)
    source = replace(matrix.source, path=path)
    return replace(matrix, sample_keys=SampleKeys(keys), source=source)


def shuffled(matrix, seed=1, keep=None):
    """The same samples in another order, or some of them."""
    order = np.random.default_rng(seed).permutation(matrix.n_samples)[:keep]
    return order, matrix.of_samples(order)


def renamed(matrix, letter="d"):
    return replace(
        matrix, configurations=tuple(n.replace("c", letter) for n in matrix.configurations)
    )


def two(seed=1):
    """The halves of a matrix; the second in another order."""
    whole = keyed(binary(n_samples=60))
    first = whole.of_configurations(np.array([0, 1, 2]))
    second = replace(whole.of_configurations(np.array([3, 4, 5, 6])), fold_names=tuple("vwxyz"))
    return whole, first, shuffled(second, seed)[1]


def test_rows_are_matched_by_key():
    whole, first, second = two()
    found = joined([first, second], ["a", "b"])
    np.testing.assert_array_equal(found.matrix.predictions, whole.predictions)
    np.testing.assert_array_equal(found.matrix.folds, whole.folds)
    assert found.matrix.configurations == whole.configurations
    assert found.families == {"a": (0, 1, 2), "b": (3, 4, 5, 6)}
    assert families_by(found.matrix, "family") == found.families
    assert found.matrix.notes == ()
    plan = Plan(n_resamples=60)
    (ours,) = between_families(found.matrix, METRICS["auc"], plan, found.families)
    (theirs,) = between_families(whole, METRICS["auc"], plan, found.families)
    assert ours == theirs


def test_metadata_of_configurations_stay_theirs():
    one = changed_source(keyed(binary(n_configurations=2)), {"configs": [{"id": "c1", "depth": 3}]})
    found = joined([one, one], ["a", "b"])
    assert found.matrix.source.metadata["configs"] == [
        {"id": "a/c0", "family": "a"},
        {"id": "a/c1", "depth": 3, "family": "a"},
        {"id": "b/c0", "family": "b"},
        {"id": "b/c1", "depth": 3, "family": "b"},
    ]


def test_rows_that_are_missing_are_refused_or_left_out():
    whole, first, second = two()
    _, fewer = shuffled(second, keep=50)
    with pytest.raises(InputError, match="10 of 60 samples of a are not in all files, such as"):
        joined([first, fewer], ["a", "b"])
    with pytest.raises(InputError, match="10 of 60 samples of b") as caught:
        joined([fewer, first], ["a", "b"])
    assert str(caught.value).count("1") >= 3
    assert "common-rows" in caught.value.hint
    found = joined([first, fewer], ["a", "b"], Missing.COMMON_ROWS).matrix
    assert found.n_samples == 50
    rows = np.isin(whole.keys, fewer.keys)
    np.testing.assert_array_equal(found.predictions, whole.predictions[:, rows])
    np.testing.assert_array_equal(found.outcome.values, whole.outcome.values[rows])
    with pytest.raises(OptionError, match='missing="drop"'):
        joined([first, fewer], ["a", "b"], Missing.DROP)


def test_nothing_in_common():
    one = keyed(binary())
    other = keyed(renamed(binary()), np.arange(40) + 1000)
    with pytest.raises(InputError, match="no sample in common"):
        joined([one, other], ["a", "b"], Missing.COMMON_ROWS)


def test_another_truth_names_the_first_row():
    _, first, second = two()
    wrong = second.outcome.values.copy()
    wrong[4] = 1 - wrong[4]
    other = replace(second, outcome=replace(second.outcome, values=wrong))
    with pytest.raises(InputError, match=f"the truth of sample {second.keys[4]}: (no|yes) and"):
        joined([first, other], ["a", "b"])
    values = keyed(regression())

    def moved(letter, *rows):
        moved = values.outcome.values + np.isin(np.arange(values.n_samples), rows)
        return renamed(replace(values, outcome=replace(values.outcome, values=moved)), letter)

    with pytest.raises(InputError, match="the truth of sample 107") as caught:
        joined([values, moved("d", 7, 9)], ["a", "b"])
    assert caught.value.further == 1
    with pytest.raises(InputError, match=": b and a differ in the truth of sample 107"):
        joined([values, moved("d", 7), moved("e", 9)], ["a", "b", "c"])


def test_other_folds_are_left_out_with_a_note():
    one = keyed(binary(n_samples=60))
    other = renamed(replace(one, folds=one.folds[:, ::-1]))
    found = joined([one, other], ["a", "b"]).matrix
    assert found.folds is None
    assert [note.code for note in found.notes] == ["folds-differ"]
    without = renamed(replace(one, folds=None, fold_names=()))
    for pair in ([one, without], [without, one]):  # unknown, which the reader notes
        found = joined(pair, ["a", "b"]).matrix
        assert (found.folds, found.notes) == (None, ())


def test_groups_and_weights_have_to_agree():
    one = keyed(binary(n_samples=60))
    grouped = replace(one, groups=np.arange(60) // 3)
    found = joined([one, renamed(grouped)], ["a", "b"]).matrix
    np.testing.assert_array_equal(found.groups, grouped.groups)
    recoded = replace(grouped, groups=19 - np.arange(60) // 3)
    assert joined([grouped, renamed(recoded)], ["a", "b"]).matrix.n_groups == 20
    other = replace(grouped, groups=np.arange(60) // 2)
    with pytest.raises(InputError, match="differ in the group of sample") as caught:
        joined([grouped, renamed(other)], ["a", "b"])
    assert "across=True if they are of different data sets" in caught.value.hint
    weighed = replace(one, outcome=replace(one.outcome, weights=np.full(60, 2.0)))
    with pytest.raises(InputError, match="only one of a and b gives the weight"):
        joined([one, renamed(weighed)], ["a", "b"])


def held_out():
    """One repeat, which holds out two thirds of the samples."""
    one = binary()
    available = np.zeros(one.predictions.shape, bool)
    available[:, np.arange(one.n_samples) % 3 > 0] = True
    return replace(one, available=available, repeated_holdout=True, folds=None)


@pytest.mark.parametrize(
    ("other", "what"),
    [
        (regression(), "tasks"),
        swept(binary(kind="score"), "kinds of predictions"),
        swept(binary(n_repeats=2), "numbers of repeats"),
        (held_out(), "kinds of repeats"),
    ],
)
def test_other_studies_are_refused(other, what):
    with pytest.raises(InputError, match=f"their {what} differ, ") as caught:
        joined([keyed(binary()), keyed(renamed(other))], ["a", "b"])
    if what == "kinds of repeats":
        assert "differ, each predicts all samples and repeated hold-out" in str(caught.value)


def test_gaps_stay_gaps():
    one = keyed(binary())
    gaps = np.ones(one.predictions.shape, bool)
    gaps[0, 3, 2] = False
    found = joined([one, renamed(replace(one, available=gaps))], ["a", "b"]).matrix
    assert (~found.available).sum() == 1
    assert not found.available[0, 3, 9]


def test_names_are_distinct():
    one = keyed(binary())
    with pytest.raises(OptionError, match="only one file"):
        joined([one], ["a"])
    with pytest.raises(OptionError, match="b is given twice"):
        joined([one, one, one], ["a", "b", "b"])


def test_a_key_of_one_file_alone():
    _, first, second = two()
    keyless = replace(second, sample_keys=None)
    with pytest.raises(InputError, match="a has the key 'row_id', b has no key"):
        joined([first, keyless], ["a", "b"])
    with pytest.raises(InputError, match="a has no key, b has the key 'row_id'"):
        joined([keyless, first], ["a", "b"])
    other = replace(second, sample_keys=SampleKeys(second.sample_keys.values, "id"))
    with pytest.raises(InputError, match="a has the key 'row_id', b has the key 'id'") as error:
        joined([first, other], ["a", "b"])
    assert error.value.hint


def test_a_join_by_position_has_a_note():
    one = replace(binary(n_samples=60), sample_keys=None)
    found = joined([one, renamed(one)], ["a", "b"]).matrix
    (note,) = [note for note in found.notes if note.code == "joined-by-position"]
    assert "(a, b)" in note.text


@pytest.mark.parametrize("missing", [Missing.ERROR, Missing.COMMON_ROWS])
def test_rows_that_are_missing_without_a_key_may_be_any(missing):
    """Their truth may agree by chance, where the rows are sorted by it."""
    one = replace(binary(n_samples=60), sample_keys=None)
    rows = np.delete(np.arange(60), np.flatnonzero(one.outcome.values == 1)[:7])
    fewer = renamed(replace(one.of_samples(rows), sample_keys=None))
    with pytest.raises(InputError, match="a, b have 53 to 60 samples, and no key") as caught:
        joined([one, fewer], ["a", "b"], missing)
    assert "'row_id'" in caught.value.hint
    positions = SampleKeys(rows, None)  # of the rows that have predictions
    gaps = replace(fewer, source=replace(fewer.source, n_samples=60), sample_keys=positions)
    assert joined([one, gaps], ["a", "b"], Missing.COMMON_ROWS).matrix.n_samples == 53


def of_logs(matrix, tasks=("addition",), score="match"):
    counts = dict.fromkeys(("n_epochs", "n_errors", "n_scored_errors", "n_unscored"), 1)
    evaluation = Evaluation(tasks=tasks, n_items=(60,) * len(tasks), score=score, **counts)
    run = ToolRun(tool="inspect", evaluation=evaluation)
    return replace(matrix, source=replace(matrix.source, run=run))


def test_items_of_two_tasks_may_have_the_same_keys():
    _, first, second = two()
    for other, words in (
        (of_logs(second, ("subtraction",)), "match of addition and match of subtraction"),
        (of_logs(second, score="f1"), "match of addition and f1 of addition"),
    ):
        with pytest.raises(InputError, match=f"their evaluations differ, {words}"):
            joined([of_logs(first), other], ["a", "b"])
    several = of_logs(first, ("addition", "division")), of_logs(second, ("addition", "product"))
    for pair in ((of_logs(first), of_logs(second)), (first, of_logs(second)), several):
        assert joined(pair, ["a", "b"]).matrix.n_samples == 60


def asked_again(path, what=("input", "target"), items=range(3), n_first=12):
    """The logs of two models; the second was asked something else under some of the keys."""
    one, other = path / "one" / "f0.json", path / "other" / "f0.json"
    for log, model, n_items in ((one, "a", n_first), (other, "b", 12)):
        inspect(log.parent, [Run(model, {item: [item % 2] for item in range(n_items)})], Random(1))
    log = json.loads(other.read_text("utf-8"))
    for sample in log["samples"]:
        if sample["id"] in items:
            sample |= {part: f"new {sample[part]}" for part in what}
    other.write_text(json.dumps(log), "utf-8")
    return [read(log) for log in (one, other)]


def test_logs_that_asked_something_else_under_the_same_keys_are_refused(tmp_path):
    pair = asked_again(tmp_path)
    with pytest.raises(InputError, match="3 items of t differ between b and a in question and"):
        joined(pair, ["a", "b"])
    few = asked_again(tmp_path, items=range(2), n_first=8)  # over a fifth of those in both
    with pytest.raises(InputError, match="2 items of t differ between b and a"):
        joined(few, ["a", "b"], Missing.COMMON_ROWS)


@pytest.mark.parametrize(
    ("what", "items"),
    [(["input"], range(12)), (["target"], range(12)), (["input", "target"], range(2))],
)
def test_other_prompts_and_corrected_answers_are_compared(tmp_path, what, items):
    pair = asked_again(tmp_path, what, items)
    assert joined(pair, ["a", "b"]).matrix.n_samples == 12


def test_logs_that_do_not_keep_what_was_asked_are_compared(tmp_path):
    first, second = asked_again(tmp_path)
    run = first.source.run
    for asked in ({}, dict.fromkeys(run.evaluation.asked, ())):
        forgotten = replace(run, evaluation=replace(run.evaluation, asked=asked))
        other = replace(first, source=replace(first.source, run=forgotten))
        for pair in ((other, second), (second, other)):
            assert joined(pair, ["a", "b"]).matrix.n_samples == 12


def test_what_was_asked_is_known_in_other_processes(tmp_path):
    matrix = pickle.loads(pickle.dumps(asked_again(tmp_path)[0]))
    question, answer = matrix.source.run.evaluation.asked["t", "3"]
    assert question == sha256(b'"q3"').hexdigest()[:12]
    assert answer == sha256(b'"a3"').hexdigest()[:12]
