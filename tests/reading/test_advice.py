"""One refusal names every option that is needed: following its hint leads to the right answer."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from reading import refused

LIVEBENCH = Path(__file__).parents[1] / "data" / "livebench" / "ground_truth_judgment.jsonl"
"""The first judgments of livebench/data/live_bench/data_analysis/cta in LiveBench/LiveBench, commit
2ddab462, on GitHub."""
N = 60
RNG = np.random.default_rng(11)
Y = RNG.integers(0, 2, N)
MODELS = {"lgb": 1.0, "xgb": 0.7, "cat": 0.4}
P = {name: np.clip(0.5 + 0.25 * s * (2 * Y - 1) + RNG.normal(0, 0.2, N), 0.01, 0.99)
     for name, s in MODELS.items()}  # fmt: skip
ABCD = RNG.choice(list("ABCD"), N)
ANSWERS = {m: np.where(RNG.random(N) < s * 0.8, ABCD, RNG.choice(list("ABCD"), N))
           for m, s in MODELS.items()}  # fmt: skip


def text(rows, sep=","):
    return "".join(sep.join(map(str, row)) + "\n" for row in rows)


def german():
    rows = [("Kennung", "Wahrheit", "Modell A", "Modell B")]
    words = np.where(Y == 1, "ja", "nein")
    rows += [(f"K{i:03}", words[i], f"{P['lgb'][i]:.3f}".replace(".", ","), f"0,{i + 10}")
             for i in range(N)]  # fmt: skip
    return {"p.csv": text(rows, ";")}


def long(key, who, truth, value, *, of=P, truths=Y):
    rows = [(key, who, truth, value)]
    rows += [(f"c{i}", m, truths[i], of[m][i]) for m in MODELS for i in range(N)]
    return {"p.csv": text(rows)}


def seeds(truth="y", value="p"):
    """Two seeds of each model, of which no column is called a repeat."""
    rows = [("id", truth, "algo", value, "seed")]
    rows += [(f"c{i}", Y[i], m, P[m][i] ** k, k)
             for k in (1, 2) for m in MODELS for i in range(N)]  # fmt: skip
    return {"p.csv": text(rows)}


def kaggle():
    files = {
        f"oof_{m}.csv": text([("PassengerId", "Survived"), *enumerate(P[m], 892)]) for m in MODELS
    }
    rows = [(892 + i, Y[i], i % 3 + 1, 20 + i % 40) for i in range(N)]
    return files | {"train.csv": text([("PassengerId", "Survived", "Pclass", "Age"), *rows])}


def per_model(*columns, make, **more):
    return {f"oof_{m}.csv": text([columns, *(make(m, i) for i in range(N))]) for m in MODELS} | more


def wide_answers():
    rows = [(f"q{i}", *(ANSWERS[m][i] for m in MODELS), ABCD[i]) for i in range(N)]
    return {"p.csv": text([("question_id", *MODELS, "gold"), *rows])}


def samples():
    files = {}
    for m in MODELS:
        rows = [
            {
                "task_id": f"T/{i // 2}",
                "completion": f"return {m} {i}",
                "passed": bool(P[m][i] > 0.5),
            }
            for i in range(N)
        ]
        files[f"{m}.jsonl"] = "".join(json.dumps(row) + "\n" for row in rows)
    return files


def judged(*, text_of_items=True):
    """Scores of answers, beside the question, a unique id of each and the time of the judgment."""
    rows = [("item", "text", "system", "score", "at", "judgment_id")]
    rows += [(f"q{i}", f"What is {i}?" if text_of_items else "", m, int(P[m][i] > 0.5),
              1754994723.25 + i, f"j{m}{i}") for m in MODELS for i in range(N)]  # fmt: skip
    return {"p.csv": text(rows)}


def follow_up(time, event, ends):
    at = RNG.exponential(20, N).round(1)
    rows = [("patient", time, event, *MODELS)]
    rows += [(f"c{i}", at[i], ends[Y[i]], *(P[m][i] for m in MODELS)) for i in range(N)]
    return {"p.csv": text(rows)}


def marked():
    rows = [("question", "model", "answer", "gold", "correct")]
    rows += [(f"q{i}", m, ANSWERS[m][i], ABCD[i], ANSWERS[m][i] == ABCD[i])
             for m in MODELS for i in range(N)]  # fmt: skip
    return {"p.csv": text(rows)}


CASES = {
    "marked answers": (marked(), "p.csv",
        "--row-id question --configuration model --prediction answer", 3, N),
    "survival": (follow_up("T", "E", (0, 1)), "p.csv", "--time T --event E", 3, N),
    "months": (follow_up("OS_months", "OS_status", ("0:LIVING", "1:DECEASED")), "p.csv",
        "--time OS_months --event OS_status", 3, N),
    "scores": (judged(), "p.csv", "--task score if each row is", 3, N),
    "scores without a text": (judged(text_of_items=False), "p.csv", "--task score if each", 3, N),
    "scores of LiveBench": (
        {"p.jsonl": LIVEBENCH.read_text()}, "p.jsonl", "--task score if", 3, 18),
    "german": (german(), "p.csv", "--truth Wahrheit --row-id Kennung --positive ja", 2, N),
    "long": (long("case", "algo", "wahr", "p"), "p.csv",
        "--truth wahr --row-id case --configuration algo --prediction p", 3, N),
    "long of labels": (
        long("frage", "wer", "loesung", "antwort", of=ANSWERS, truths=ABCD), "p.csv",
        "--truth loesung --row-id frage --configuration wer --prediction antwort", 3, N),
    "long of seeds": (seeds(), "p.csv", "--configuration algo --repeat seed --prediction p", 3, N),
    "long with a model": (long("q", "model", "gold", "reply", of=ANSWERS, truths=ABCD), "p.csv",
        "--row-id q --configuration model --prediction reply", 3, N),
    "long of values": (
        long("fall", "wer", "wert", "p", truths=[f"{v:.2f}" for v in RNG.normal(9, 3, N)]), "p.csv",
        "--truth wert --row-id fall --configuration wer --prediction p", 3, N),
    "kaggle": (kaggle(), "oof_*.csv --labels train.csv",
        "--row-id PassengerId --prediction Survived --truth Survived", 3, N),
    "a file per model": (
        per_model("image", "site", "label", "kfold", "preds",
            make=lambda m, i: (f"I{i}", f"s{i % 4}", Y[i], i % 5, P[m][i])), "oof_*.csv",
        "--row-id image --prediction preds", 3, N),
    "wide answers": (wide_answers(), "p.csv", "--row-id question_id", 3, N),
    "samples of code": (samples(), "*.jsonl --task score", "--row-id task_id --prediction passed",
        3, N // 2),
}  # fmt: skip


@pytest.fixture
def told(run, tmp_path, monkeypatch):
    """Write files, run a command in their folder, and return its status, output and hint."""
    monkeypatch.chdir(tmp_path)

    def told(files, words):
        for name, content in files.items():
            (tmp_path / name).write_text(content)
        status, out, err = run("correct", *shlex.split(words), "--n-resamples", "50")
        return status, out, err.partition("hint: ")[2]

    return told


@pytest.mark.parametrize("case", CASES)
def test_following_the_hint(told, case):
    files, words, expected, n_configurations, n_samples = CASES[case]
    status, _, hint = told(files, words)
    assert status == 2
    assert hint.removeprefix("give ").startswith(expected)
    if " if" in expected:  # two hints
        words += " " + hint.partition("; also give ")[2].rpartition(",")[0]
    status, out, _ = told(files, f"{words} {expected.partition(' if')[0]}")
    assert status == 0
    assert f"{n_samples} samples x {n_configurations} configurations" in " ".join(out.split())


def test_what_passed_is_a_score_beside_texts(told):
    rows = [
        {
            "task_id": f"T/{i // 4}",
            "completion": f"return {i % 4}",
            "result": "passed" if Y[i] else "failed: AssertionError",
            "passed": bool(Y[i]),
        }
        for i in range(N)
    ]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    status, _, hint = told({"p.jsonl": lines}, "p.jsonl")
    assert status == 2
    assert hint.startswith("--task score if each row is the score of an answer")


def test_scores_of_several_metrics_are_not_guessed(told):
    files = per_model(
        *("user_input", "response", "faithfulness", "relevancy"),
        make=lambda m, i: (f"q{i}", "r", P[m][i], 1 - P[m][i] / 2),
    )
    status, _, hint = told(files, "oof_*.csv --task score")
    assert status == 2
    assert hint.startswith("--row-id user_input --prediction NAME, where NAME is one of faithf")
    words = "oof_*.csv --task score --row-id user_input --prediction faithfulness"
    status, out, _ = told(files, words)
    assert status == 0
    assert f"{np.mean(P['lgb']):.3g} on" in " ".join(out.split()) or "score" in out


def test_classes_and_the_label_of_them_are_one_configuration(told):
    """As the AutoML benchmark writes them: a column per class, then the predicted one."""

    def row(m, i):
        yes = P[m][i]
        return f"{1 - yes:.4f}", f"{yes:.4f}", "yes" if yes > 0.5 else "no", "yes" if Y[i] else "no"

    files = per_model("no", "yes", "predictions", "truth", make=row)
    status, out, _ = told(files, "oof_*.csv --metric auc")
    assert status == 0
    assert f"{N} samples x 3 configurations" in out


@pytest.mark.parametrize("name", ["actual", "gold", "ground_truth", "true_label", "observed"])
def test_further_names_of_the_truth(told, name):
    rows = [(Y[i], P["lgb"][i], P["xgb"][i]) for i in range(N)]
    status, out, _ = told({"p.csv": text([(name, "lgb", "xgb"), *rows])}, "p.csv")
    assert status == 0
    assert "2 configurations" in out


def test_a_further_name_beside_a_truth_is_a_configuration(told):
    rows = [(Y[i], P["lgb"][i], P["xgb"][i]) for i in range(N)]
    status, out, _ = told({"p.csv": text([("label", "expected", "xgb"), *rows])}, "p.csv")
    assert status == 0
    assert "2 configurations" in out
    assert "expected scored" in out


def test_a_system_is_a_configuration(told):
    files = long("item", "system", "truth", "score")
    status, out, _ = told(files, "p.csv --row-id item")
    assert status == 0
    assert "3 configurations" in out


def test_unequal_samples_of_items_are_no_epochs(told):
    files = samples()
    files["lgb.jsonl"] = "".join(files["lgb.jsonl"].splitlines(keepends=True)[:-1])
    words = "*.jsonl --task score --row-id task_id --prediction passed"
    status, _, hint = told(files, words)
    assert status == 2
    assert "add a column 'repeat'" in hint


def test_epochs_by_order_are_noted(run, tmp_path):
    for name, content in samples().items():
        (tmp_path / name).write_text(content)
    how = ("--task", "score", "--row-id", "task_id", "--prediction", "passed")
    document = run.document("correct", tmp_path / "*.jsonl", *how)
    assert "epochs-by-order" in [note["code"] for note in document["notes"]]
    first = document["estimates"][0]
    assert first["naive"] == pytest.approx(max(np.mean(P[m] > 0.5) for m in MODELS))


def test_the_columns_of_a_fault_have_their_own_names(run, tmp_path):
    names = ("id", "y", ".pred_a", ".pred_b")
    files = per_model(*names, make=lambda m, i: (i, "ab"[Y[i]], 1 - P[m][i], P[m][i]))
    files["oof_xgb.csv"] = files["oof_xgb.csv"].replace(".pred_b", ".pred_c")
    for name, content in files.items():
        (tmp_path / name).write_text(content)
    error = run.refused("correct", tmp_path / "oof_*.csv")
    assert "has no column '.pred_b', but" in error


def test_labels_spelled_otherwise_are_no_key(told):
    words = np.where(P["lgb"] > 0.5, "Yes", "No")
    rows = [(f"s{i}", "yes" if Y[i] else "no", words[i]) for i in range(N)]
    status, _, hint = told(
        {"p.csv": text([("case", "truth", "svm"), *rows])}, "p.csv --row-id case"
    )
    assert status == 2
    assert hint.startswith("spell labels as in the truth")


def test_lines_in_a_file_of_json_are_not_called_damage(run, tmp_path):
    """As BFCL writes its scores: a summary, then the failures alone."""
    path = tmp_path / "score" / "m" / "BFCL_v4_simple_score.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"accuracy": 0.9}\n{"id": "simple_19", "valid": false}\n')
    error = run.refused("correct", tmp_path / "score")
    assert "has one value per line, so it is not a log" in error
    path.write_text('{"accuracy": 0.9')
    assert "is not valid JSON" in run.refused("correct", tmp_path / "score")


def test_results_that_name_the_resolved_alone(run, tmp_path):
    path = tmp_path / "verified" / "agent" / "results" / "results.json"
    path.parent.mkdir(parents=True)
    path.write_text('{"no_logs": [], "resolved": ["repo-1"]}')
    error = run.refused("correct", tmp_path / "verified")
    assert "names only the instances that were resolved" in error
    path.write_text("{}")
    assert "resolved" not in run.refused("correct", tmp_path / "verified")


def test_infinite_values_are_no_levels(save):
    refused("no truth column|survival outcome", save("m.csv", "time\ninf\n"))


def test_a_column_with_several_values_of_an_item_is_no_truth(told):
    rows = [("id", "algo", "p"), *((f"c{i}", m, P[m][i]) for m in MODELS for i in range(N))]
    files = {
        "p.csv": text(rows),
        "t.csv": text([("id", "y"), *((f"c{i}", Y[i]) for i in range(N))]),
    }
    status, _, hint = told(files, "p.csv")
    assert status == 2
    assert "--truth algo" not in hint
    assert "also give --configuration algo --prediction p, if that is right" in hint
    words = "p.csv --labels t.csv --configuration algo --prediction p"
    status, out, _ = told(files, words)
    assert status == 0
    assert f"{N} samples x 3 configurations" in " ".join(out.split())


def grid(n_items, n_models):
    return {"nr": np.repeat(np.arange(n_items), n_models) + 7,
            "wer": [f"m{i}" for i in range(n_models)] * n_items,
            "wert": np.linspace(0.1, 0.9, n_items * n_models)}  # fmt: skip


def predicted(*signs):
    """Two classes, and predictions that are higher on the first of them, or on the second."""
    first = np.arange(40) % 2 == 0
    return {"urteil": np.where(first, "ja", "nein")} | {
        f"p{i}": 0.5 + sign * 0.2 * (2 * first - 1) + np.arange(40) / 1000
        for i, sign in enumerate(signs)
    }


PASSAGES = {"item": np.repeat(np.arange(40), 3), "passage": [f"p{i // 12}" for i in range(120)],
            "model": [*"abc"] * 40, "score": np.arange(120) * 7 % 11 / 10}  # fmt: skip


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (PASSAGES, "--row-id item --configuration model --prediction score"),  # text is no truth
        # a grid has more items than models, and several of these
        (grid(4, 3), "--row-id nr --configuration wer --prediction wert"),
        *((grid(*shape), "") for shape in ((3, 3), (2, 3), (12, 1))),
        # the positive class is told where all predictions agree
        (predicted(1, 1), "--truth urteil --positive ja"),
        *((predicted(*signs), "--truth urteil") for signs in ((1, -1), (-1, -1))),
    ],
)
def test_what_values_tell(columns, expected):
    hint = refused("no truth column among", pa.table(columns)).told()[1]
    told = re.findall("give (--[^,;]+?),? if that is right", hint)
    assert told == [expected] * bool(expected)


def test_texts_alone_are_no_scores(save):
    judged = {"question_id": np.arange(40), "a": ["x", "y"] * 20, "b": ["z", "x"] * 20}
    error = refused("no truth", save("m.csv", judged | {"winner": ["a", "b", "a", "tie"] * 10}))
    told = error.told()[1]
    assert "score" not in told
    assert "--row-id question_id" in told


def test_no_truth_is_advised_for_scores(save):
    rng = np.random.default_rng(0)
    table = {
        "question": [f"q{i}" for i in range(40)],
        "gpt": rng.random(40),
        "qwen": rng.random(40),
    }
    table["category"] = ["math", "code", "law", "art"] * 10
    hint = "give --row-id question if that is right"
    refused("prediction is text", save("m.csv", table), task="score", hint=hint)
