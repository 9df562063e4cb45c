"""README and docs/ show what the program does, all of it, and nothing else."""

import ast
import builtins
import doctest
import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import refresh
import typer
import yaml
from day import daily

import bbccli
from bbccli import METHODS, METRICS, Plan, read
from bbccli.cli.app import app
from bbccli.documents.leaderboard import leaderboard
from bbccli.notes import NOTES
from bbccli.reading.roles import NAMES
from bbccli.stats.intervals import INTERVALS

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
SAMPLES = ROOT / "sample_data"


PAGES = refresh.pages()
COMMANDS = typer.main.get_command(app)


def name_of(page):
    return str(page.relative_to(ROOT)) if isinstance(page, Path) else None


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


def sections(name):
    """Text under each heading of a page, by the words of the heading."""
    prose = re.sub(r"^```.*?^```$", "", text_of(name), flags=re.M | re.S)
    parts = re.split(r"^#+ (.+)$", prose, flags=re.M)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def fenced(page, language):
    return re.findall(rf"^```{language}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)


# Shown output


def test_the_picture_is_current():
    assert refresh.PICTURE.read_text(encoding="utf-8") == refresh.drawing(), "run `make docs`"


@pytest.mark.parametrize("page", daily(PAGES, [ROOT / "README.md"]), ids=name_of)
def test_shown_output_is_current(page):
    assert refresh.stale(page) == [], "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_output_comment_has_its_block(page):
    text = page.read_text(encoding="utf-8")
    assert len(refresh.BLOCK.findall(text)) == len(re.findall(r"^<!-- output", text, re.M))


def test_a_stale_block_is_found_and_renewed():
    page = "<!-- output: bbc --version -->\n```text\nold\n```\n"
    new = refresh.renewed(page)
    assert re.fullmatch(
        r"<!-- output: bbc --version -->\n```text\n\$ bbc --version\nbbc [\d.]+\n```\n", new
    )
    assert refresh.renewed(new) == new


def test_parts_of_an_output_leave_marks_for_the_others(monkeypatch):
    monkeypatch.setattr(refresh, "output_of", lambda *_, **__: "a\n\nb\nb\n\nc\n\nd\n\ne\n")
    page = "<!-- output parts=2,4: bbc x -->\n```text\n```\n"
    shown = refresh.renewed(page).partition("$ bbc x\n")[2]
    assert shown == "...\nb\nb\n...\nd\n...\n```\n"


# Completeness


HELP = {"-h", "--help", "--help-all"}
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
ALL_OF = re.compile(r"(?<!\*)\*([\w ]+)\*((?: but [^;.]*)?)")


def shared_options(panel):
    """Options of a panel in the help of `bbc correct`, as the page shows it."""
    shown = text_of("docs/commands.md").partition("$ bbc correct --help-all\n")[2]
    lines = shown.partition("```")[0].partition(f"\n{panel}:\n")[2].partition("\n\n")[0]
    shown = re.findall(r"^  (-\w, )?(--[\w-]+)", lines, re.M)
    return {opt.strip(" ,") for flags in shown for opt in flags if opt}


@pytest.mark.parametrize("name", sorted(COMMANDS.commands))
def test_every_command_and_option_is_documented(name):
    start = re.split(rf"^## bbc {name}$", text_of("docs/commands.md"), flags=re.M)
    assert len(start) == 2, f"no section for bbc {name}"
    section = re.split(r"^## ", start[1], flags=re.M)[0]
    options = [opt for param in COMMANDS.commands[name].params for opt in param.opts]
    shared = set()
    for panel, but in re.findall(ALL_OF, section):
        assert "[`bbc correct`](#bbc-correct):" in section
        shared |= shared_options(panel) - set(OPTION.findall(but))
    assert shared - HELP <= set(options)
    written = shared | set(OPTION.findall(re.sub(ALL_OF, "", section)))
    assert {opt for opt in options if opt.startswith("-")} <= written | HELP
    assert len(re.findall(rf"^bbc {name}\b", section, re.M)) >= 2, "two examples"


def test_options_of_several_commands_are_described_once():
    """By name where they work as in `bbc correct`, in full where another command differs."""
    own, shared = refresh.options_of("drop")
    assert "; *Columns of the files* but `--outer-fold`;" in shared
    assert ", `--notes`, `-q, --quiet`;" in shared
    assert "`--n-resamples B`: Bootstrap resamples after each fold." in own
    assert "--n-resamples" not in shared
    assert "- `--metric NAME`: Metric to compare configurations by" in own
    assert refresh.options_of("schema") == []


def test_every_common_option_is_documented():
    text = text_of("docs/commands.md")
    assert all(opt in text for param in COMMANDS.params for opt in param.opts)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_documented(name):
    """In full on a page of the site, and on the page of all in a section or a row."""
    told = refresh.method_page(name)
    for word in ("Formula", "Algorithm", "When to use", "When not", "Cost", "Source"):
        assert re.search(rf"\b{word}[:,]", told), word
    page = text_of("docs/methods.md")
    row = re.search(rf'^\| <a id="{name}"></a>{name} \| \[.+\]\(.+\) \| .+ \| .+ \|$', page, re.M)
    section = sections("docs/methods.md").get(name, "")
    assert bool(row) != bool(section)
    words = ("Formula", "When to use", "When not", "Source")
    assert row or all(re.search(rf"\b{word}[:,]", section) for word in words)
    assert "Cost:" not in section


def test_methods_are_in_order_whether_they_have_a_section_or_a_row():
    page = text_of("docs/methods.md")
    rows = re.findall(r'^\| <a id="(?!test-)([\w-]+)"></a>', page, re.M)
    headings = re.findall(r"^## (.+)$", "\n".join(refresh.method_parts()), re.M)
    assert {*rows} | {*headings} == {*METHODS}
    assert headings == [name for name in METHODS if name in headings]
    ignoring = [name for name in METHODS if METHODS[name].ignores_selection and name in rows]
    assert rows == [name for name in METHODS if name in rows and name not in ignoring] + ignoring
    assert len(ignoring) == 10


def test_every_test_of_comparisons_has_a_row_and_a_section_of_the_site():
    rows = re.findall(r'^\| <a id="test-([\w-]+)"></a>\1 ', text_of("docs/methods.md"), re.M)
    told = re.split(r"^## Test (.+)$", refresh.test_page(), flags=re.M)[1:]
    assert rows == told[::2]
    assert len(rows) == 20
    for text in told[1::2]:
        for word in ("Formula", "Algorithm", "When to use", "When not", "Source"):
            assert re.search(rf"\b{word}[:,]", text), word


@pytest.mark.parametrize("kind", INTERVALS)
def test_every_interval_is_documented(kind):
    [section] = re.findall(
        rf"^\*\*`--interval {kind}`\.\*\*(.*?)^(?:\*\*`|How often)",
        text_of("docs/methods.md"),
        re.M | re.S,
    )
    assert "\n\nSource: " in section


def test_wrapped_lines_are_joined_and_tables_and_code_are_not():
    wrapped = "One\ntwo.\n\n1. a\n   b\n2. c\n\n| x |\n|---|\n\n```text\np\nq\n```\n\nEnd\nof it."
    joined = "One two.\n\n1. a b\n2. c\n\n| x |\n|---|\n\n```text\np\nq\n```\n\nEnd of it."
    assert refresh.unwrapped(wrapped) == joined


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_is_documented(name):
    """What isn't so of most metrics, and where it comes from."""
    metric, section = METRICS[name], sections("docs/metrics.md")[name]
    assert f"({metric.reference})." in section
    assert ("**Range**" in section) == (metric.bounds != (0, 1) or "minimi" in metric.direction)
    assert ("**Undefined**" in section) == (metric.undefined != "without samples")
    assert (f"**N:** {metric.rests_on.words[4:]}." in section) == (
        metric.rests_on.words != "all samples"
    )
    usual = {METRICS[one].under_weights for one in ("accuracy", "gini")}
    assert metric.under_weights in usual or f"**Weights:** {metric.under_weights}" in section
    listed = sections("docs/metrics.md")["Metrics"]
    assert re.findall(rf"^- .*\[{re.escape(name)}\]\(#.*$", listed, re.M)


@pytest.mark.parametrize("name", METRICS)
def test_every_citation_is_in_the_references(name):
    authors, year = METRICS[name].reference.rsplit(" ", 1)
    references = sections("docs/metrics.md")["References"].splitlines()
    last_names = [word for word in re.findall(r"[^\W\d]{3,}", authors) if word != "van"]
    assert any(
        f" {year}:" in line and all(word in line for word in last_names) for line in references
    )


def test_every_note_is_documented():
    page = text_of("docs/notes.md")
    shown = re.findall(r'^\| <a id="([a-z-]+)"></a>\1 \((\w+)\) \|', page, re.M)
    assert shown == [(code, one.severity.name.lower()) for code, one in NOTES.items()]
    assert [code for code, one in NOTES.items() if not one.meaning] == []
    assert [code for code, one in NOTES.items() if not one.remedy] == ["folds-within-repeats"]
    texts = {code: f"{one.meaning} {one.remedy}" for code, one in NOTES.items()}
    assert [code for code, text in texts.items() if re.search(r"[a-z]_[a-z]+ = ", text)] == []


def test_every_note_is_described_where_all_are():
    texts = {path: path.read_text() for path in (ROOT / "bbccli").rglob("*.py")}
    assert [path for path, text in texts.items() if re.search(r"\bNote\(\s*f?\"", text)] == []


def test_every_column_name_is_documented():
    text = text_of("docs/formats.md").lower()
    assert [n for names in NAMES.values() for n in names if f"`{n}`" not in text] == []


# Links and code


def anchors(page):
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r'<a id="([^"]+)">', text))


OTHERS = (
    "CHANGELOG",
    "CONTRIBUTING",
    "SECURITY",
    "sample_data/README",
    "benchmarks/reference/README",
)


@pytest.mark.parametrize("page", [*PAGES, *(ROOT / f"{name}.md" for name in OTHERS)], ids=name_of)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target), link


WITH_PYTHON = [page for page in PAGES if fenced(page, "python") or fenced(page, "pycon")]


@pytest.mark.parametrize("page", daily(WITH_PYTHON, WITH_PYTHON[:1]), ids=name_of)
def test_python_examples_run(page, tmp_path, monkeypatch):
    (tmp_path / "sample_data").symlink_to(SAMPLES)
    monkeypatch.chdir(tmp_path)
    namespace = {}
    for code in fenced(page, "python"):
        exec(compile(code, str(page), "exec"), namespace)
    examples = "".join(fenced(page, "pycon"))
    test = doctest.DocTestParser().get_doctest(examples, namespace, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(test).failed == 0


PROGRAMS = dict(re.findall(r"^```python (\w+)\n(.*?)^```$", text_of("docs/automl.md"), re.M | re.S))
"""Programs of a page that run alone, by the package that they need."""


@pytest.mark.parametrize("tool", PROGRAMS)
def test_programs_bring_all_that_they_name(tool):
    nodes = list(ast.walk(ast.parse(PROGRAMS[tool])))
    imported = {n.asname or n.name.partition(".")[0] for node in nodes for n in names_in(node)}
    bound = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    bound |= {n.name for n in nodes if isinstance(n, ast.FunctionDef)}
    bound |= {n.arg for n in nodes if isinstance(n, ast.arg)}
    used = {n.id for n in nodes if isinstance(n, ast.Name)}
    assert used - bound - imported - set(dir(builtins)) == set()
    assert any(one.split(".")[0] == tool for node in nodes for one in modules_in(node))


def names_in(node):
    return node.names if isinstance(node, ast.Import | ast.ImportFrom) else ()


def modules_in(node):
    if isinstance(node, ast.ImportFrom):
        return [node.module]
    return [one.name for one in names_in(node)]


@pytest.mark.sweep
def test_programs_of_quick_tools_run(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = [sys.executable, "-c", PROGRAMS["optuna"]]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    out = run.printed("correct", "optuna", "--n-resamples", "20")
    assert "of 20 tried" in out
    assert " scores recomputed" in out


# The tables of truth


def corrected(name, pooling="pooled"):
    """Estimates of a sample file by method, as the command line gives them."""
    command = f"bbc correct sample_data/{name}.parquet --format json --quiet"
    if pooling != "pooled":
        command += f" --pooling {pooling}"
    document = json.loads(refresh.output_of(command, errors=False))
    return {estimate["method"]: estimate for estimate in document["estimates"]}


def truth_of(name):
    return json.loads((SAMPLES / f"{name}.truth.json").read_text())["performances"]["auc"]


def interval(estimate):
    ends = estimate["interval"]
    return f"{ends['lower']:.3f} to {ends['upper']:.3f} " if ends else ""


def holds(estimate, value):
    return estimate["interval"]["lower"] <= value <= estimate["interval"]["upper"]


@pytest.mark.sweep
def test_tutorial_shows_naive_corrected_and_true():
    pooled, by_fold = corrected("progression"), corrected("progression", "fold-mean")
    rows = {
        "`cvt`, naive": pooled["cvt"],
        "`tt`": pooled["tt"],
        "`bbc`": pooled["bbc"],
        "`cvt --pooling fold-mean`, naive": by_fold["cvt"],
        "`bbc-f`": pooled["bbc-f"],
    }
    page, truth = text_of("docs/tutorial.md"), truth_of("progression")
    for label, e in rows.items():
        true = truth[e["winner"]]
        row = f"| {label} | {e['winner']} | {e['value']:.3f} | {interval(e)}| {true:.3f} |"
        assert f"{row} {e['value'] - true:.3f} |" in page


def test_tutorial_says_what_the_numbers_say():
    estimates, truth = corrected("progression"), truth_of("progression")
    progression = SAMPLES / "progression.parquet"
    matrix = read(progression)
    scorer = METRICS["auc"].bind(matrix.outcome, matrix.predictions[0])
    median = np.median(scorer(np.ones((1, matrix.n_samples), np.uint8)))
    true_median = np.median(list(truth.values()))
    naive, bbc = estimates["cvt"], estimates["bbc"]
    page = text_of("docs/tutorial.md")
    for claim in (
        f"The naive figure is {naive['value'] - truth[naive['winner']]:.3f} too high",
        f"has an AUC of {median:.3f} in cross-validation and of {true_median:.3f} in truth",
        f"leads the median configuration by {naive['value'] - median:.3f} in cross-validation",
        f"BBC takes off {bbc['optimism']:.3f}",
        "Both intervals contain the true AUC",
        f"selects another winner, {bbccli.correct(progression, metric='accuracy').winner},",
    ):
        assert claim in page
    assert truth[naive["winner"]] <= true_median  # "not at all in truth"
    assert all(holds(e, truth[e["winner"]]) for e in (bbc, estimates["bbc-f"]))


def test_readme_tells_the_truth_of_its_example():
    winner = bbccli.correct(SAMPLES / "breast_cancer.parquet", metric="accuracy").winner
    truth = json.loads((SAMPLES / "breast_cancer.truth.json").read_text("utf-8"))
    readme = text_of("README.md")
    worth = truth["performances"]["accuracy"][winner]
    assert (
        f"On the {truth['n_held_out']} cases kept aside, that winner scores **{worth:.3f}**"
        in readme
    )
    assert f"![{refresh.drawing().partition('<title>')[2].partition('</title>')[0]}]" in readme


@pytest.mark.parametrize("name", ["progression", "breast_cancer"])
def test_tutorial_shows_both_studies(name):
    bbc, truth = corrected(name)["bbc"], truth_of(name)
    row = (
        f"| {name} | {bbc['winner']} | {bbc['naive']:.3f} | {bbc['value']:.3f} "
        f"| {interval(bbc)}| {truth[bbc['winner']]:.3f} |"
    )
    assert row in text_of("docs/tutorial.md")
    assert holds(bbc, truth[bbc["winner"]])


def test_the_page_on_numbers_says_what_the_table_shows():
    """Figures of docs/which-number.md: those of the first table of docs/validation.md, rounded."""
    page = text_of("docs/validation.md")
    cells = [[one.strip(" `") for one in row.split("|")[1:-1]] for row in page.splitlines()]
    shown = {}
    for row in cells:
        if len(row) == 10 and row[1] in ("percentile", "none", "own"):
            shown.setdefault(row[0], row)
    told_on = text_of("docs/which-number.md")
    for before, method, cell, after in (
        ("`bbc` is cautious, by ", "bbc", 2, " of its root mean squared error"),
        ("the naive score is too good by ", "cvt", 2, "."),
        ("The 95% interval of `bbc` covered the truth in ", "bbc", 7, " of the studies"),
    ):
        figure, _, error = shown[method][cell].strip("-)").partition("(")
        digits = len(figure.partition(".")[2])
        rounded = f"{float(figure):.2f} ± {int(error) / 10**digits:.2f}"
        assert f"{before}{rounded}{after}" in told_on
    (studies,) = re.findall(r"^([\d,]+ studies) of", page, re.M)
    assert f"in the {studies} of" in told_on


# The stories


STORIES = ("docs/story-study.md", "docs/story-ci.md")


def scores_of(name, metric):
    """Cross-validated scores and true performances of all configurations of a sample file."""
    matrix = read(SAMPLES / f"{name}.parquet")
    rows = leaderboard(matrix, metric, Plan(), wins=False).record.rows
    truths = json.loads((SAMPLES / f"{name}.truth.json").read_text("utf-8"))["performances"]
    scores = np.array([row.performances[0].value for row in rows])
    return scores, np.array([truths[metric][row.configuration] for row in rows])


def test_the_story_of_80_patients_says_what_the_numbers_say():
    file, baseline = SAMPLES / "progression.parquet", "logistic-l2 C=1"
    bbc = bbccli.correct(file, metric="auc", method="bbc")
    naive = bbccli.correct(file, metric="auc", method="naive")
    compared = bbccli.compare(file, metric="auc", baseline=baseline)
    wins = np.mean([row == bbc.winner for row in bbc.resamples()["winner"]])
    truth = truth_of("progression")
    true, true_baseline = truth[bbc.winner], truth[baseline]
    ends, naive_ends = ("{:.3f} to {:.3f}".format(*one.interval) for one in (bbc, naive))
    scores, truths = scores_of("progression", "auc")
    page = text_of("docs/story-study.md")
    for claim in (
        f"| AUC of the winner | {naive.value:.3f} | {bbc.value:.3f} | {true:.3f} |",
        f"| its 95% CI | {naive_ends} | {ends} | |",
        f"| its lead over the baseline | {compared.difference:+.3f} | {compared.corrected:+.3f} "
        f"| {true - true_baseline:+.3f} |",
        f"The best score of the search is {bbc.naive:.3f}",
        f"expect {bbc.value:.3f}, and anything from {ends} is compatible",
        f"in {1 - wins:.0%} of the resamples another",
        f"leads by {compared.difference:.3f}, and after the correction it trails by "
        f"{-compared.corrected:.3f}",
        f"Of the {len(scores)} configurations, {compared.best_set.n_inside} can't be ruled out",
        f"cross-validated AUC of {bbc.naive:.3f}",
        f"the AUC was {bbc.value:.3f} (95% CI {ends}; BBC, 1000 resamples)",
        f"logistic regression reaches {true_baseline:.3f}, the winner {true:.3f}",
        f"still {bbc.value - true:.3f} too high",
        f"{(scores > truths).sum()} of the {len(scores)} configurations look better on them",
        f"interval {bbc.interval[1] - bbc.interval[0]:.2f} wide doesn't settle",
    ):
        assert claim in page
    assert naive.interval[0] > true > bbc.interval[0]  # "an interval that misses the truth"
    assert compared.verdict == "not-shown"


def test_the_story_of_ci_says_what_the_numbers_say():
    file, floor = SAMPLES / "breast_cancer.parquet", 0.95
    bbc = bbccli.correct(file, metric="accuracy", method="bbc")
    scores, truths = scores_of("breast_cancer", "accuracy")
    said = json.loads((SAMPLES / "breast_cancer.truth.json").read_text("utf-8"))
    true, n = said["performances"]["accuracy"][bbc.winner], said["n_held_out"]
    page = text_of("docs/story-ci.md")
    for claim in (
        f"| The score on the leaderboard | {bbc.naive:.3f} |",
        f"| What `bbc` expects | {bbc.value:.3f} |",
        f"| Accuracy on the other {n} tumours | {true:.3f} |",
        f"{bbc.value:.3f} is under {floor}",
        f"not the bound of {bbc.interval[0]:.3f}",
        f"leaderboard's {bbc.naive:.3f} would have been green",
        f"{(1 - true) * n:.0f} errors on those {n} tumours, where {floor} allows "
        f"{int((1 - floor) * n)}",
        f"{(scores >= floor - 1e-9).sum()} of the {len(scores)} configurations score at least "
        f"{floor} in cross-validation, and on the other tumours {(truths >= floor).sum()} does",
    ):
        assert claim in page
    assert bbc.interval[0] < 0.9 < bbc.value < floor <= bbc.naive
    assert true < floor


def test_gates_of_the_story_of_ci_exit_as_it_says(run):
    commands = [match["command"] for match in refresh.BLOCK.finditer(text_of("docs/story-ci.md"))]
    statuses = {one: run(*shlex.split(one)[1:])[0] for one in commands if "--fail-" in one}
    assert list(statuses.values()) == [3, 4, 3]


def test_the_job_of_the_story_is_one_that_the_action_runs():
    (block,) = fenced(ROOT / "docs/story-ci.md", "yaml")
    (step,) = yaml.safe_load(block)
    assert step["uses"] == "./bbc"
    assert set(step["with"]) <= set(yaml.safe_load(text_of("action.yml"))["inputs"])


@pytest.mark.parametrize(("name", "most"), [("README.md", 900), *((one, 700) for one in STORIES)])
def test_a_story_and_the_readme_are_short(name, most):
    prose = re.sub(r"^```.*?^```$", "", text_of(name), flags=re.M | re.S)
    assert len(prose.split()) <= most
    assert name == "README.md" or f"]({name})" in text_of("README.md")


def test_the_way_of_an_answer_is_as_told():
    """A process of its own: nothing is kept from earlier answers."""
    program = f"""
import sys
from pathlib import Path

import bbccli.cli.app

called = {{}}
package = str(Path(bbccli.__file__).parent) + "/"


def note(frame, event, _):
    code = frame.f_code
    if event == "call" and code.co_filename.startswith(package):
        called[f"{{code.co_filename.removeprefix(package)}}:{{code.co_qualname}}"] = None


sys.setprofile(note)
words = "--method bbc --fail-under 0.1 --quiet".split()
status = bbccli.cli.app.main(["correct", {str(SAMPLES / "progression.parquet")!r}, *words])
sys.setprofile(None)
print(status, *called, sep="\\n", file=sys.stderr)
"""
    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    status, *called = ran.stderr.split("\n")
    page = (DOCS / "design.md").read_text(encoding="utf-8")
    section = page.partition("## The way of one answer")[2].partition("\n## ")[0]
    told = re.findall(r"`([\w/]+\.py:[\w.]+)`", section)
    assert status == "0" and len(told) > 15
    assert [name for name in called if name in told] == told
