"""Figures for experiment trackers: which ones, by which names, and never what is no number."""

import io
import json
import math
import re

import pytest
from day import swept
from documents import gated, result

from bbccli.reports import FORMS, suffix_of

FORM = FORMS["metrics"]


def read(text):
    """What a tracker reads: each name once, and no NaN."""

    def once(pairs):
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    def refuse(word):
        raise AssertionError(word)

    return json.loads(text, object_pairs_hook=once, parse_constant=refuse)


def batched(*records):
    file = io.BytesIO()
    FORM.write_batch(iter(records), file)
    return file.getvalue().decode()


def test_the_estimate_to_report_has_the_name_of_its_metric_and_comes_first():
    found = gated(0.25)
    naive, exact = (e["value"] for e in found["estimates"])
    assert list(read(FORM(found)).items()) == [
        ("accuracy", exact),
        ("accuracy_lower", 0.0),
        ("accuracy_upper", 1.0),
        ("accuracy_naive", naive),
        ("accuracy_optimism", naive - exact),
        ("cvt_accuracy", naive),
        ("cvt_accuracy_naive", naive),
        ("cvt_accuracy_optimism", 0.0),
        ("doubts", 1),
        ("gate_met", 0),
        ("gate_threshold", 0.25),
        ("gate_margin", -0.25),
    ]


def test_a_naive_figure_never_has_the_name_of_the_metric():
    assert list(read(FORM(result(names=["cvt"])))) == [
        "cvt_accuracy",
        "cvt_accuracy_naive",
        "cvt_accuracy_optimism",
        "doubts",
    ]


def test_the_figures_of_naive_are_not_those_of_what_is_reported():
    """`auc_naive` is one figure and `naive_auc` another."""
    found = read(FORM(result(names=["naive", "bbc-f"], n_resamples=20)))
    assert found["accuracy_naive"] != found["accuracy"]
    assert found["naive_accuracy"] == found["naive_accuracy_naive"]
    assert {"naive_accuracy_lower", "naive_accuracy_upper"} <= set(found)


@pytest.mark.parametrize("value", [None, swept(math.nan), math.inf, swept(-math.inf)])
@pytest.mark.parametrize("name", ["value", swept("naive"), swept("optimism")])
def test_what_is_no_number_is_left_out(name, value):
    found = result(names=["cvt"])
    (one,) = found["estimates"]
    left = read(FORM(found | {"estimates": [one | {name: value}]}))
    assert len(left) == 3
    assert f"cvt_accuracy_{name}".removesuffix("_value") not in left


def test_an_end_that_is_infinite_is_left_out():
    found = result("brier", names=["bbc-f"])
    (one,) = found["estimates"]
    endless = one | {"interval": one["interval"] | {"upper": None}}
    left = read(FORM(found | {"estimates": [endless]}))
    assert "brier_lower" in left
    assert "brier_upper" not in left


def test_an_undecided_gate_is_neither_met_nor_missed():
    found = gated(0.25)
    verdict = found["gate"] | {"outcome": "undecided", "value": None, "margin": None}
    left = read(FORM(found | {"gate": verdict}))
    assert [name for name in left if name.startswith("gate")] == ["gate_threshold"]
    assert read(FORM(found | {"gate": found["gate"] | {"outcome": "met"}}))["gate_met"] == 1


def test_names_are_words_and_each_stands_once():
    found = result(names=["cvt"])
    (one,) = found["estimates"]
    metrics = ("log-loss", "log_loss", "a.b c/é", "log-loss")
    left = read(FORM(found | {"estimates": [one | {"metric": m} for m in metrics]}))
    assert [name for name in left if not re.search("naive|optimism", name)] == [
        "cvt_log_loss",
        "cvt_log_loss_2",
        "cvt_a_b_c__",
        "cvt_log_loss_3",
        "doubts",
    ]
    assert all(name.isascii() and name.isidentifier() for name in left)


def test_several_results_have_an_object_each_by_their_paths():
    one, error = result(), {"path": "no.csv", "error": {"problem": "no", "hint": "", "status": 2}}
    other = one | {"input": one["input"] | {"path": 'b/"ü"\n.csv'}}
    alone = read(FORM(one))
    tree = read(FORM.render([one, other, one, error]))
    assert list(tree) == ["by_hand.csv", 'b/"ü"\n.csv', "by_hand.csv_2", "no.csv"]
    assert list(tree.values()) == [alone, alone, alone, {}]
    assert FORM.render([one, other, one, error]) == json.dumps(
        tree, indent=2, ensure_ascii=False
    ) + ("\n")


def test_a_batch_is_a_tree_whatever_its_size():
    one, error = result(), {"path": "no.csv", "error": {"problem": "no", "hint": "", "status": 2}}
    record = {"path": "by_hand.csv", "document": one}
    assert batched() == "{}\n"
    assert read(batched(record)) == {"by_hand.csv": read(FORM(one))}
    assert batched(record, error) == FORM.render([one, error])


def test_a_path_that_is_no_text_stays_json():
    assert read(batched({"path": "\udcff.csv", "document": result()})).keys() == {"\udcff.csv"}


def test_the_suffix_is_the_longest_that_fits():
    known = [end for form in FORMS.values() for end in form.suffixes]
    assert suffix_of("a/Run.Metrics.JSON", known) == ".metrics.json"
    assert suffix_of("metrics.json", known) == ".json"
    assert suffix_of(".metrics.json", known) == ".json"
    assert suffix_of("a.b.csv", known) == ".csv"
    assert suffix_of("a.metrics", known) == ".metrics"
    assert suffix_of("a", known) == ""
