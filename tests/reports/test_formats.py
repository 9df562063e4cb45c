"""Each report to the letter, and what only it promises."""

import csv
import io
import json
import math
import re
from collections import Counter
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest
from day import swept
from documents import gated, result

from bbccli.reports import FORMS, Kind, Style, form_of, forms_of
from bbccli.types import Direction, GateOn, Side


def of_no_version(found):
    """The document, so that a golden text does not change with every version."""
    return found | {"version": "0.0.0"}


def test_markdown():
    assert FORMS["markdown"](of_no_version(gated(0.25))) == dedent(
        """\
        ### by\\_hand.csv

        binary (positive: yes), 6 samples x 2 configurations, 3 folds, accuracy

        **DOUBT:** only 3 folds: too few for methods that compare or resample folds to be precise. *use 10 folds, or report bbc, which resamples samples*

        **a scored 0.833 in cross-validation, the best of 2.**

        **Expect 0.512 on new samples (95% CI 0.000 to 1.000).**

        **Gate failed: lower bound of the accuracy (bbc-f) is 0, 0.25 below the required 0.25.**

        - report: accuracy 0.512 (95% CI 0.000 to 1.000), corrected for choosing a among 2 configurations; N = 6, 3 folds; BBC-F with selection by fold means, boundary-guarded percentile interval, all 9 bootstrap resamples, bbc 0.0.0

        | accuracy | naive | corrected | 95% CI | optimism |
        | --- | --: | --: | --- | --: |
        | **&gt; bbc-f** | **0.833** | **0.512** | **0.000 to 1.000** | **0.321** |

        - choice: unstable: in the resamples of bbc-f the winners were b (52%), a (48%, selected here)
        """  # noqa: E501
    )


def test_github():
    assert FORMS["github"](of_no_version(gated(0.25))) == dedent(
        """\
        ::warning title=bbc%3A by_hand.csv::doubt: only 3 folds: too few for methods that compare or resample folds to be precise; hint: use 10 folds, or report bbc, which resamples samples
        ::notice title=bbc%3A by_hand.csv::accuracy 0.512 (95%25 CI 0.000 to 1.000), corrected for choosing a among 2 configurations; N = 6, 3 folds; BBC-F with selection by fold means, boundary-guarded percentile interval, all 9 bootstrap resamples, bbc 0.0.0
        ::error title=bbc%3A by_hand.csv::gate failed: lower bound of the accuracy (bbc-f) is 0, 0.25 below the required 0.25
        """  # noqa: E501
    )


def test_github_warns_of_what_is_shaky_alone():
    codes = ("tied-winners", "winners-differ", "few-groups", "of-a-later-version")
    notes = [{"code": code, "text": f"{code}!", "remedy": ""} for code in codes]
    found = result(names=["cvt"]) | {"notes": notes}
    lines = FORMS["github"](found).splitlines()
    assert [(line.split()[0], line.rpartition("::")[2]) for line in lines] == [
        ("::warning", "doubt: few-groups!"),
        ("::warning", "doubt: of-a-later-version!"),
        ("::notice", "note: winners-differ!"),
    ]
    assert "tied-winners" in FORMS["markdown"](found)
    assert "tied-winners!" in FORMS["junit"](found)


def test_the_table_has_three_notes_and_counts_the_others():
    codes = ("tied-winners", "winners-differ", "few-groups", "polarity", "one-se-winner")
    notes = [{"code": code, "text": f"<{code}>", "remedy": ""} for code in codes]
    found = result(names=["cvt"]) | {"notes": notes}
    text = FORMS["table"](found)
    assert re.findall("<(.*)>", text) == ["few-groups", "polarity", "winners-differ"]
    assert text.endswith("notes    2 harmless: --notes all\n")
    text = FORMS["table"](found, Style(all_notes=True))
    assert len(re.findall("<(.*)>", text)) == 5
    assert "--notes all" not in text


def test_the_table_tells_how_clear_the_choice_is():
    found = result(names=["bbc-f"])
    (one,) = found["estimates"]
    shares = [("a", 0.4), ("b", 0.3), ("c", 0.1), ("d", 0.1)]
    won = [{"configuration": name, "share": share} for name, share in shares]
    text = FORMS["table"](found | {"estimates": [one | {"selection": won}]})
    start = "in the resamples of bbc-f the winners were"
    shown = f"unstable: {start} a (40%, selected here), b (30%), c (10%), others (20%)"
    assert shown in " ".join(text.split())
    for share, runner_up, said in (
        (0.54, 0.46, "unstable"),
        (0.5, 0.05, "moderately stable"),
        (0.45, 0.05, "moderately stable"),
        (0.44, 0.05, "unstable"),
        (0.89, 0.1, "moderately stable"),
        (0.9, 0.1, "stable"),
    ):
        won = [{"configuration": "a", "share": share}, {"configuration": "b", "share": runner_up}]
        text = FORMS["table"](found | {"estimates": [one | {"selection": won}]})
        shown = f"choice {said}: {start} a ({100 * share:.0f}%, selected here)"
        assert shown in " ".join(text.split())
    won = [{"configuration": name, "share": share} for name, share in shares[1:]]
    text = " ".join(FORMS["table"](found | {"estimates": [one | {"selection": won}]}).split())
    assert f"{start} b (30%), c (10%), a (at most 10%, selected here)" in text


def test_junit():
    found = gated(0.25)
    found["version"] = "0.0.0"
    assert FORMS["junit"](found) == dedent(
        """\
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="bbc" tests="4" failures="1" errors="0">
          <testsuite name="by_hand.csv" time="0" tests="4" failures="1" errors="0">
            <properties>
              <property name="version" value="0.0.0" />
              <property name="sha256" value="" />
              <property name="winner accuracy cvt" value="a" />
              <property name="winner accuracy bbc-f" value="a" />
            </properties>
            <testcase classname="by_hand.csv" name="accuracy cvt" time="0">
              <system-out>accuracy 0.833, not corrected for choosing a among 2 configurations; N = 6, 3 folds; CVT with pooled selection, bbc 0.0.0</system-out>
            </testcase>
            <testcase classname="by_hand.csv" name="accuracy bbc-f" time="0">
              <system-out>accuracy 0.512 (95% CI 0.000 to 1.000), corrected for choosing a among 2 configurations; N = 6, 3 folds; BBC-F with selection by fold means, boundary-guarded percentile interval, all 9 bootstrap resamples, bbc 0.0.0</system-out>
            </testcase>
            <testcase classname="by_hand.csv" name="gate lower bound of the accuracy (bbc-f)" time="0">
              <failure type="gate missed" message="gate failed: lower bound of the accuracy (bbc-f) is 0, 0.25 below the required 0.25">gate failed: lower bound of the accuracy (bbc-f) is 0, 0.25 below the required 0.25</failure>
            </testcase>
            <testcase classname="by_hand.csv" name="doubt few-folds" time="0">
              <system-out>doubt: only 3 folds: too few for methods that compare or resample folds to be precise; hint: use 10 folds, or report bbc, which resamples samples</system-out>
            </testcase>
            <system-out>read: by_hand.csv: binary (positive: yes), 6 samples x 2 configurations, 3 folds, accuracy
        doubt: only 3 folds: too few for methods that compare or resample folds to be precise; hint: use 10 folds, or report bbc, which resamples samples</system-out>
          </testsuite>
        </testsuites>
        """  # noqa: E501
    )


def test_csv():
    found = gated(0.25)
    found["version"] = "0.0.0"
    naive, exact = (e["value"] for e in found["estimates"])
    header, *rows = FORMS["csv"](found).split("\r\n")
    assert header == (
        "path,sha256,task,n_samples,n_configurations,metric,selected_by,direction,method,winner,"
        "naive,value,optimism,lower,upper,level,side,n_resamples,exact,ignores_selection,"
        "experimental,value_error,lower_error,upper_error,pooling,select,interval_kind,guard,seed,"
        "gate,gate_threshold,gate_margin,notes,version,clip,models,cap,n_samples_read,n_tried,"
        "size_correction,calibration,cut,tuned_for,gain,gain_lower,gain_upper"
    )
    start = "by_hand.csv,,binary,6,2,accuracy,accuracy,maximize"
    assert rows == [
        f"{start},cvt,a,{naive!r},{naive!r},0.0,,,,,,false,false,false,,,,"
        f"pooled,best,percentile,true,0,,,,,0.0.0,{2**-23},trained,,6,2,,,,,,,",
        f"{start},bbc-f,a,{naive!r},{exact!r},{naive - exact!r},0.0,1.0,0.95,two,9,true,"
        "false,false,0.0,0.0,0.0,pooled,best,percentile,true,0,missed,0.25,-0.25,few-folds,0.0.0,"
        f"{2**-23},trained,,6,2,,,,,,,",
        "",
    ]


@pytest.mark.parametrize("name", forms_of(Kind.CORRECT))
def test_every_report_shows_a_verdict(name):
    for outcome, threshold, side in (
        ("met", 0.25, Side.TWO),
        ("missed", 0.5, Side.TWO),
        ("undecided", 0.5, Side.UPPER),
    ):
        text = FORMS[name](gated(threshold, found=result(side=side, level=0.3)))
        assert text.endswith("\n")
        if name == "metrics":
            met = {"met": 1, "missed": 0}.get(outcome)
            assert json.loads(text).get("gate_met") == met
            continue
        if name != "junit":
            told = (
                outcome if name in ("json", "jsonl", "csv") else outcome.replace("missed", "failed")
            )
            assert told in text
            continue
        root = ElementTree.fromstring(text)
        counts = {"met": ("0", "0"), "missed": ("1", "0"), "undecided": ("0", "1")}
        assert (root.get("failures"), root.get("errors")) == counts[outcome]


@pytest.mark.parametrize("name", forms_of(Kind.CORRECT))
def test_a_document_without_estimates_is_no_crash(name):
    assert FORMS[name](gated(0.5, found=result() | {"estimates": []}))


def test_an_undefined_value_is_an_error_of_its_case():
    found = result()
    found["estimates"][0]["value"] = None
    suite = ElementTree.fromstring(FORMS["junit"](found))[0]
    assert suite.get("errors") == "1"
    assert suite.find("testcase/error").get("message").startswith("accuracy undefined, ")


# The subset of junit-10.xsd of the xUnit plugin of Jenkins that is used here: for each element
# its attributes, those required, and its children.
SHAPE = {
    "testsuites": ({"name", "tests", "failures", "errors"}, set(), {"testsuite"}),
    "testsuite": (
        {"name", "time", "tests", "failures", "errors"},
        {"name", "tests", "failures", "errors"},
        {"properties", "testcase", "system-out"},
    ),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, {"name", "value"}, set()),
    "testcase": (
        {"classname", "name", "time"},
        {"classname", "name"},
        {"failure", "error", "system-out"},
    ),
    "failure": ({"type", "message"}, set(), set()),
    "error": ({"type", "message"}, set(), set()),
    "system-out": (set(), set(), set()),
}


@pytest.mark.parametrize("threshold", [0.25, 0.5])
def test_junit_has_the_known_shape(threshold):
    root = ElementTree.fromstring(FORMS["junit"](gated(threshold, found=result(level=0.3))))
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, required, children = SHAPE[element.tag]
        assert required <= set(element.keys()) <= attributes
        assert {child.tag for child in element} <= children
    for suite in root:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
        names = [(case.get("classname"), case.get("name")) for case in suite.iter("testcase")]
        assert len(set(names)) == len(names), "dashboards follow a case by its name"


class TestSeveralDocuments:
    both = (gated(0.25, found=result(level=0.3)), gated(0.5, on=GateOn.ESTIMATE))

    def test_one_header_in_csv(self):
        rows = list(csv.DictReader(io.StringIO(FORMS["csv"].render(self.both), newline="")))
        assert [row["gate"] for row in rows] == ["", "met", "", "met"]

    def test_a_line_each_in_jsonl(self):
        lines = FORMS["jsonl"].render(self.both).splitlines()
        assert [json.loads(line) for line in lines] == list(self.both)

    def test_a_suite_each_in_junit(self):
        root = ElementTree.fromstring(FORMS["junit"].render(self.both))
        assert len(root) == 2
        assert root.get("tests") == "8"

    def test_an_array_in_json(self):
        assert json.loads(FORMS["json"].render(self.both)) == list(self.both)

    @pytest.mark.parametrize("name", ["table", "markdown", "github"])
    def test_one_after_the_other(self, name):
        text = FORMS[name].render(self.both)
        met = "lower bound of the accuracy (bbc-f) is 0.429, 0.179 above"
        assert text.count(met) == text.count("estimate of the accuracy (bbc-f) is 0.5") == 1


def test_losses_are_over_and_above():
    text = FORMS["github"](gated(0.3, Direction.MINIMIZE, result("brier")))
    assert "upper bound of the Brier score (bbc-f)" in text
    assert "above the allowed 0.3" in text


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("r.json", "json"),
        swept("a.b/r.JSONL", "jsonl"),
        swept("r.ndjson", "jsonl"),
        swept("r.csv", "csv"),
        swept("r.md", "markdown"),
        swept("r.xml", "junit"),
        swept("r.txt", None),
        ("-", None),
        swept(".json", None),
    ],
)
def test_a_suffix_chooses(path, name):
    assert form_of(path, forms_of(Kind.CORRECT)) == name


@pytest.mark.parametrize("count", [0, 1, 3])
def test_distributions_are_json_with_a_line_per_value(count):
    columns = {"method": ["a}, {", 'é"\\', ""], "performance": [0.1, math.nan, 1e-300]}
    columns["winner"] = [None, "\n[]", "{}"]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    held = {name: column[:count] for name, column in columns.items()}
    expected = json.dumps(rows[:count], indent=0) + "\n"
    assert FORMS["json"].distribution(held).decode() == expected


# The registry


@pytest.mark.parametrize("kind", Kind)
def test_a_suffix_stands_for_one_form(kind):
    suffixes = Counter(end for form in forms_of(kind).values() for end in form.suffixes)
    assert set(suffixes.values()) <= {1}


def test_forms_of_each_kind():
    others = [kind for kind in Kind if kind is not Kind.CORRECT]
    assert {kind.value: " ".join(forms_of(kind)) for kind in others} == {
        "drop": "table json html",
        "leaderboard": "table json csv html",
        "compare": "table json csv markdown html junit",
        "inspect": "table json",
        "methods": "table json",
        "batch": "parquet jsonl csv html metrics",
        "distribution": "json parquet",
        "plan": "table json csv markdown html",
    }


def test_forms_of_results_are_those_on_the_page_with_their_suffixes():
    page = (Path(__file__).parents[2] / "docs" / "ci.md").read_text(encoding="utf-8")
    _, section = page.split("## Forms of the result\n")
    rows = re.findall(r"^\| `([a-z][\w-]*)` \| (.*?) ?\|", section.split("\n## ")[0], re.M)
    told = {name: tuple(re.findall(r"`(\.[\w.]+)`", suffixes)) for name, suffixes in rows}
    found = {name: form.suffixes for name, form in forms_of(Kind.CORRECT).items()}
    assert list(told.items()) == list((found | {"table": (".txt",)}).items())
    assert all(form.purpose for form in forms_of(Kind.CORRECT).values())


@pytest.mark.parametrize("name", forms_of(Kind.CORRECT))
def test_a_form_called_is_one_document_rendered(name):
    found, style = result(), Style(width=100)
    assert FORMS[name](found, style) == FORMS[name].render([found], style)


def test_files_without_a_result_have_a_place_in_json_and_on_a_page():
    error = {"path": "p.csv", "error": {"problem": "no", "hint": "", "status": 2}}
    file = io.BytesIO()
    FORMS["jsonl"].write_batch([error], file)
    assert json.loads(file.getvalue())["error"]["problem"] == "no"
    assert [name for name, form in FORMS.items() if form.holds_errors] == [
        "json",
        "jsonl",
        "html",
        "metrics",
    ]
