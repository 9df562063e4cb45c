"""No table cuts a figure or a name: each is read back, and compared with the JSON."""

import csv
import json
import re
from collections import Counter

import numpy as np
import pytest
from day import daily
from printed import cells_of, letters
from rich.cells import cell_len

from bbccli.platform.text import visible
from bbccli.reports import FORMS, Kind, Style
from bbccli.reports.content import BlockTable, TableColumn
from bbccli.reports.forms.terminal import NARROWEST, terminal

NAMES = (
    "extra-trees max_depth=12 min_samples_leaf=5 features=0.50 k=1",
    "extra-trees max_depth=12 min_samples_leaf=5 features=0.50 k=2",
    "x" * 59 + "1",
    "x" * 59 + "2",
    "[red]x[/red]",
    ":smile:",
    "\u6a21\u578b\u914d\u7f6e" * 8 + "\u7532",
    "\u6a21\u578b\u914d\u7f6e" * 8 + "\u4e59",
    "e\u0301" * 70 + "\U0001f600",
)
WIDTHS = (60, 80, 120)
NARROW = (12, 24, 36)
QUICK = ("--n-resamples", "40", "-q")
MSE = ("--metric", "mse", *QUICK)
METRICS = ("mse", "rmse", "mae", "medae")
SEVERAL = [word for name in METRICS for word in ("--metric", name)]
SETS = ("set0.csv", "set1.csv", "set2.csv", "set3.csv")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Files whose squared errors have ten digits and more, one of them with repeats."""
    folder, rng = tmp_path_factory.mktemp("tables"), np.random.default_rng(0)
    n = 40
    header = ["row_id", "fold", "repeat", "truth", *NAMES]
    for name in ("big.csv", *SETS):
        truth = rng.normal(150, 77, n) * 1e3
        rows = [
            [i, (i + r) % 4, r, truth[i], *(truth[i] + rng.normal(0, 50 + np.arange(len(NAMES)))
            * 1e3)]
            for r in range(2 if name == "big.csv" else 1)
            for i in range(n)
        ]  # fmt: skip
        with (folder / name).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return folder


def of_correct(document):
    estimates = [e for e in document["estimates"] if e["metric"] == "mse"]
    uncorrected = any(e["ignores_selection"] and e["method"] != "cvt" for e in estimates)
    name = "estimate" if uncorrected else "corrected"
    for one in estimates:
        if one["method"] == "cvt":  # its figure stands in every other row
            continue
        interval = one["interval"] or {"lower": None, "upper": None}
        corrected = one["value"]
        ends = (interval["lower"], interval["upper"])
        yield {"MSE": one["method"], "naive": one["naive"], name: corrected,
               "95% CI": ends}  # fmt: skip


def of_leaderboard(document):
    for row in document["rows"]:
        labels = ("MSE", "RMSE", "MAE", "median error")
        values = [one["value"] for one in row["performances"]]
        first = row["performances"][0]
        yield {"rank": str(row["rank"]), "configuration": row["configuration"], "sd":
               first["fold_sd"], **dict(zip(labels, values, strict=False))}  # fmt: skip


def of_decision(document):
    for one in sorted(document["decision"]["decisions"], key=lambda one: one["performance"]):
        yield {"configuration": one["configuration"], "decision": one["fate"],
               "MSE": one["performance"]}  # fmt: skip


def saved(run):
    """Models that a walk did not train, in percent."""
    return 100 * (1 - run["trace"]["n_trained"] / run["trace"]["n_models"])


def of_replays(document):
    for one in document["replays"]:
        (run,) = one["runs"]
        yield {"rule": one["rule"], "bbcd": run["value"], "bbcd - bbc": run["shift"],
               "score lost": run["loss"], "share": saved(run)}  # fmt: skip


def of_orders(document):
    for one in document["replays"]:
        runs = one["runs"]
        kept = f"{sum(run['kept_winner'] for run in runs)} of {len(runs)}"
        yield {"rule": one["rule"], "most lost": max(run["loss"] for run in runs),
               "saved": float(np.mean([saved(run) for run in runs])), "winner kept": kept,
               "bbcd - bbc": float(np.mean([run["shift"] for run in runs]))}  # fmt: skip


def of_members(document):
    for one in document["best_set"]["members"]:
        yield {"configuration": one["configuration"], "MSE": one["performance"],
               "behind winner": -one["difference"],
               "95% CI": (one["lower"], one["upper"])}  # fmt: skip


def of_pairs(document):
    for one in document["comparisons"][:15]:
        ends = (one["interval"]["lower"], one["interval"]["upper"])
        yield {"first": one["first"], "second": one["second"], "test": one["test"], "p": one["p"],
               "difference": one["difference"], "95% CI": ends,
               "p adjusted": one["p_adjusted"]}  # fmt: skip


def of_sides(document):
    first = document["comparisons"][0]
    for side in ("first", "second"):
        yield {"configuration": first[f"{side}_selected"] or first[side],
               "MSE": first[f"{side}_value"]}  # fmt: skip


def of_standings(document):
    for one in document["ranks"]["standings"]:
        yield {
            "configuration": one["family"],
            "mean rank": one["mean_rank"],
            "MSE": one["performance"],
            "best on": f"{one['wins']} of {len(SETS)}",
        }


def of_rank_pairs(document):
    place = {one["family"]: i for i, one in enumerate(document["ranks"]["standings"])}
    pairs = sorted(document["ranks"]["pairs"], key=lambda one: (
        one["p"], *sorted((place[one["first"]], place[one["second"]]))))  # fmt: skip
    contests = {(one["first"], one["second"]): one for one in document["ranks"]["contests"]}
    for one in pairs[:15]:
        contest = contests[one["first"], one["second"]]
        counts = " / ".join(str(contest[key]) for key in ("wins", "ties", "losses"))
        yield {"first": one["first"], "second": one["second"], "win / tie / loss": counts,
               "test": one["test"], "p": one["p"], "p adjusted": one["p_adjusted"]}  # fmt: skip


def of_plan(document):
    cells = document["planned"]["cells"]
    several = len({one["n_configurations"] for one in cells}) > 1
    for one in cells:
        counts = {"configurations": str(one["n_configurations"])} if several else {}
        yield {"samples": str(one["n_samples"]), "apparent": one["naive"],
               "expected": one["honest"], "width": one["width"]} | counts  # fmt: skip


def of_findings(inspection):
    for one in inspection["findings"]:
        said = f"{one['text']}   hint: {one['remedy']}" if one["remedy"] else one["text"]
        yield {"check": one["check"], "result": one["status"], "what was found": said}


TABLES = {
    "correct": (Kind.CORRECT, ("correct", "big.csv", *MSE), [of_correct]),
    "correct, several": (Kind.CORRECT, ("correct", "big.csv", *SEVERAL, *QUICK), [of_correct]),
    "correct, all": (Kind.CORRECT, ("correct", "set0.csv", "--method", "all", *MSE), [of_correct]),
    "leaderboard": (Kind.LEADERBOARD, ("leaderboard", "set0.csv", *SEVERAL, *QUICK),
                    [of_leaderboard]),
    "leaderboard, repeats": (Kind.LEADERBOARD, ("leaderboard", "big.csv", *MSE),
                             [of_leaderboard]),
    "drop": (Kind.DROP, ("drop", "set0.csv", *MSE), [of_decision]),
    "replay": (Kind.DROP, ("drop", "set0.csv", "--replay", "--rule", "all", *MSE), [of_replays]),
    "orders": (Kind.DROP, ("drop", "set0.csv", "--replay", "--orders", "3", *MSE), [of_orders]),
    "set": (Kind.COMPARE, ("compare", "set0.csv", *MSE), [of_members]),
    "pairs": (Kind.COMPARE, ("compare", "set0.csv", "--test", "wald", *MSE), [of_pairs]),
    "pair": (Kind.COMPARE, ("compare", "set0.csv", "--pair", *NAMES[:2], "--test", "wald", *MSE),
             [of_sides]),
    "across": (Kind.COMPARE, ("compare", *SETS, "--across", *MSE), [of_standings, of_rank_pairs]),
    "baseline": (Kind.COMPARE, ("compare", "set0.csv", "--baseline", NAMES[2], *MSE), [of_sides]),
    "families": (Kind.COMPARE, ("compare", "set0.csv", "--by", "regex:^(.)", *MSE), [of_sides]),
    "plan": (Kind.PLAN, ("plan", "--expected", "0.85", "--samples", "1000000", "--configurations",
                         "1000,100000"), [of_plan]),
    "plan, pilot": (Kind.PLAN, ("plan", "set0.csv", "--metric", "mse", "--samples", "1000,1000000"),
                    [of_plan]),
    "inspect": (Kind.INSPECTION, ("inspect", "set0.csv"), [of_findings]),
}  # fmt: skip
FOUND = {}


@pytest.fixture
def found(run, folder, monkeypatch):
    """found("drop") -> the JSON of a command, which is run once."""
    monkeypatch.chdir(folder)

    def call(name):
        if name not in FOUND:
            FOUND[name] = json.loads(run.printed(*TABLES[name][1], "--format", "json"))
        return FOUND[name]

    return call


def printed(document, kind, width):
    return FORMS["table"].render([document], Style(width, all_notes=True), kind)


def differs(cell, value):
    """Whether a cell does not show a value of the JSON."""
    if value is None:
        return cell not in ("", "unbounded")
    if isinstance(value, str):
        return letters(cell.replace(",", "")) != letters(visible(value).replace(",", ""))
    if isinstance(value, tuple):
        ends = cell.split(" to ") if cell else [""] * 2
        return len(ends) != 2 or any(map(differs, ends, value))
    if cell.startswith("< "):
        return not value < float(cell[2:])
    shown = cell.replace(",", "").removesuffix("%")
    decimals = len(shown.partition(".")[2])
    return not abs(float(shown) - value) <= 0.5001 * 10.0**-decimals


def check(rows, text):
    """Compare the rows of the JSON with those that are printed, in any order of the methods."""
    first = next(iter(rows[0]))
    printed_rows = [row | {first: row[first].strip("> ")} for row in cells_of(text, list(rows[0]))]
    if first == "MSE":
        printed_rows = sorted(printed_rows, key=lambda row: row["MSE"])
        rows = sorted(rows, key=lambda row: row["MSE"])
    assert len(printed_rows) == len(rows), (printed_rows, text)
    for shown, row in zip(printed_rows, rows, strict=True):
        wrong = {
            key: (shown[key], value) for key, value in row.items() if differs(shown[key], value)
        }
        assert not wrong, (wrong, text)


@pytest.mark.parametrize(
    "name", daily(TABLES, ["correct", "leaderboard", "replay", "pairs", "plan, pilot"])
)
def test_every_row_is_that_of_the_json(found, name):
    document, (kind, _, tables) = found(name), TABLES[name]
    for width in WIDTHS:
        text = printed(document, kind, width)
        for rows in tables:
            check(list(rows(document)), text)
        assert max(map(cell_len, text.splitlines())) <= width


LARGE = re.compile(r"(?<![\w.])\d{6,}(?![\w.])")


def large_numbers(value):
    """Every number of six digits and more in a document, as it reads without decimals."""
    if isinstance(value, dict):
        return {one for part in value.values() for one in large_numbers(part)}
    if isinstance(value, list):
        return {one for part in value for one in large_numbers(part)}
    if isinstance(value, str):
        return set(LARGE.findall(value))
    return {f"{abs(value):.0f}"} if isinstance(value, (int, float)) else set()


@pytest.mark.parametrize("name", [name for name in TABLES if name not in ("orders", "inspect")])
def test_no_form_has_a_large_number_that_the_json_has_not(found, name):
    document, kind = found(name), TABLES[name][0]
    known = large_numbers(document)
    forms = {form: FORMS[form] for form in FORMS if kind in FORMS[form].modules}
    texts = [forms[form].render([document], Style(), kind) for form in {*forms} & TEXTS]
    # from 100 columns on there is a scale, whose numbers are round
    for text in [*texts, *(printed(document, kind, width) for width in (60, 80))]:
        assert set(LARGE.findall(re.sub(r"(?<=\d),(?=\d{3})", "", text))) <= known


TEXTS = {"markdown", "github", "junit"}


@pytest.mark.parametrize("name", ["baseline", "correct", "leaderboard"])
def test_names_beside_tables_are_whole(found, name):
    document, kind = found(name), TABLES[name][0]
    if kind is Kind.COMPARE:
        names = [document["comparisons"][0][key] for key in ("first", "second")]
    elif kind is Kind.CORRECT:
        names = [document["estimates"][0]["winner"]]
    else:
        names = [document["winner"]]
    for width in WIDTHS:
        text = letters(printed(document, kind, width))
        assert all(letters(visible(one)) in text for one in names)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_summary_of_a_batch(run, folder, monkeypatch, width):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", str(width))
    words = ("batch", *SETS[:2], "--method", "bbc", "--jobs", "1", "--summary", *MSE)
    out = run.printed(*words, "-o", f"{width}.jsonl")
    assert max(map(cell_len, out.splitlines())) <= width
    lines = [json.loads(line) for line in (folder / f"{width}.jsonl").read_text().splitlines()]
    documents = [line.get("document", line) for line in lines]
    optimism = [one["estimates"][0]["optimism"] for one in documents]
    row = {"optimism": "MSE, bbc", "files": "2", "least": min(optimism), "most": max(optimism),
           "median": sum(optimism) / 2}  # fmt: skip
    check([row], out)
    winners = Counter(one["estimates"][0]["winner"] for one in documents)
    check([{"winner": name, "files": str(n)} for name, n in winners.most_common()], out)


LISTINGS = {
    "methods": ("methods", "tilting-10p"),
    "metrics": ("metrics", "brier"),
    "explain": ("explain", "bbc-632plus"),
    "explain, all": ("explain",),
    "options": ("--show-config", "methods"),
}


@pytest.mark.parametrize("name", LISTINGS)
def test_listings_say_the_same_at_every_width(run, monkeypatch, name):
    """Where all wrapping is undone, by reading column after column."""
    told = []
    for width in (400, *WIDTHS, *NARROW):
        monkeypatch.setenv("COLUMNS", str(width))
        out = run.printed(*LISTINGS[name])
        told.append(Counter(letters(out)))
    whole, *others = told
    assert all(whole <= one for one in others)


CASES = [
    (["name", "MSE"], [["a" * 30, "2930123456"], ["b c " * 9, "1"]]),
    (["[b]", ":smile:"], [["[red]x[/red]", ":smile:"]]),
    (["first", "second", "p"], [["\u6a21" * 20, "x" * 50, "2930123456"]] * 3),
    (["rank", "a long name of figures", "sd", "p"], [["1", "2930123456", "1234567890", "< 0.1"]]),
    (["path/" * 9, "MSE"], []),
]


@pytest.mark.parametrize(("header", "rows"), CASES)
def test_every_letter_is_there_however_narrow_the_page(header, rows):
    for width in range(1, 60, 4):
        columns = [TableColumn(name, text=name == header[0]) for name in header]
        text = terminal([BlockTable(columns, rows)], Style(width))
        wanted = Counter(letters("".join(header) * (len(rows) < 2) + "".join(map("".join, rows))))
        assert max(map(cell_len, text.splitlines()), default=0) <= max(width, NARROWEST)
        assert "\u2026" not in text
        assert wanted <= Counter(text), (width, text)


def test_parts_begin_with_the_same_rows_and_headers_end_on_one_line():
    header = ["rank", "configuration", "mean rank", "MSE", "p"]
    rows = [["1", "ridge alpha=1", "1.50", "2930123456", "0.5"], ["2", "b", "3.0", "1", "< 0.1"]]
    columns = [TableColumn(name, text=n == 1, key=n < 2) for n, name in enumerate(header)]
    text = terminal([BlockTable(columns, rows)], Style(34))
    assert text == (
        "                     mean\n"
        "rank  configuration  rank\n"
        "   1  ridge alpha=1  1.50\n"
        "   2  b               3.0\n"
        "\n"
        "rank  configuration         MSE\n"
        "   1  ridge alpha=1  2930123456\n"
        "   2  b                       1\n"
        "\n"
        "rank  configuration      p\n"
        "   1  ridge alpha=1    0.5\n"
        "   2  b              < 0.1\n"
    )
    text = terminal([BlockTable(columns, rows)], Style(30))
    assert text == (
        "rank            1\n"
        "configuration   ridge alpha=1\n"
        "mean rank       1.50\n"
        "MSE             2930123456\n"
        "p               0.5\n"
        "\n"
        "rank            2\n"
        "configuration   b\n"
        "mean rank       3.0\n"
        "MSE             1\n"
        "p               < 0.1\n"
    )
