"""The pages of the site, and the part that each belongs to."""

from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Part:
    """Pages that belong together.

    Parameters
    ----------
    name, title
        Name of its index, and what that is called.
    pages
        Of this repository, in their order, and what each is about.
    made
        Those that are made for the site alone.
    headings
        Headings of the index, each by the first page below it.
    """

    name: str
    title: str
    pages: dict[str, str]
    made: tuple[str, ...] = ()
    headings: dict[str, str] = field(default_factory=dict)

    def index(self, root: Path) -> str:
        """Return its index."""
        lines = [f"# {self.title}", ""]
        for page, about in self.pages.items():
            if page in self.headings:
                lines += ["", f"## {self.headings[page]}", ""]
            title = (root / page).read_text(encoding="utf-8").partition("\n")[0].strip("# ")
            lines.append(f"- [**{title}**]({page}): {about}.")
        places = [*(page.removesuffix(".md") for page in self.pages), *self.made]
        return "\n".join([*lines, toctree(places)])


def toctree(names: list[str]) -> str:
    """Return a hidden table of contents, which tells Sphinx the place of pages."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])


STORIES = Part(
    "stories",
    "Stories",
    {
        "docs/story-study.md": "from the protocol to the sentence in the paper, and the truth",
        "docs/story-ci.md": "a gate for a model that ships by itself",
        "docs/ten-prompts.md": "from a table of answers to the sentence to report",
    },
)
GUIDE = Part(
    "guide",
    "How to",
    {
        "docs/your-data.md": "which file to write, and how to check that it is understood",
        "docs/automl.md": "folders of AutoML tools, and a recorder for searches",
        "docs/evaluations.md": "how good the best of several prompts, models or settings is",
        "docs/notebooks.md": "`correct`, `compare` and `plan` in one line of Python each",
        "docs/which-number.md": "which one, what it assumes, and when not to report it",
        "docs/guided.md": "searches that build on their best: which are honest, which are not",
        "docs/vault.md": "rows that the search never saw",
        "docs/report.md": "one HTML file with figures, for anyone to read",
        "docs/compare.md": "is the winner better than a baseline, and which may be the best",
        "docs/dropping.md": "stop training configurations that are unlikely to win",
        "docs/plan.md": "how many rows and configurations a study needs",
        "docs/ci.md": "gates, exit statuses, forms of results, defaults of a project",
        "docs/batch.md": "hundreds of experiments, and nothing lost",
    },
    headings={
        "docs/your-data.md": "Read my data",
        "docs/which-number.md": "Report a number",
        "docs/compare.md": "Decide between models",
        "docs/plan.md": "Plan a study",
        "docs/ci.md": "Automate",
    },
)
REFERENCE = Part(
    "reference",
    "Reference",
    {
        "docs/commands.md": "every command and option",
        "docs/formats.md": "every file, table and folder that is read, and what is refused",
        "docs/methods.md": "what each method, interval and test computes, and how well it does",
        "docs/metrics.md": "definition, range and source of each metric, and metrics of your own",
        "docs/notes.md": "what each note means, and what to do",
        "docs/glossary.md": "the words of these pages",
        "docs/api.md": "what programs may rely on; [in full](python.md): every parameter and error",
    },
    ("python",),
)
EVIDENCE = Part(
    "evidence",
    "Understand",
    {
        "docs/validation.md": "bias and inclusion of the methods, where the truth is known",
        "benchmarks/validation-tables.md": "each setting and each population",
        "docs/extending.md": "readers, metrics, methods and forms in a package of yours",
        "docs/reliability.md": "what is promised when input or machines fail, and how it is tested",
        "docs/performance.md": "time, memory, and runs on a cluster",
        "benchmarks/performance-tables.md": "every size and metric that was measured",
    },
)
PROJECT = Part(
    "project",
    "Project",
    {
        "CHANGELOG.md": "what each version added, changed and fixed",
        "CONTRIBUTING.md": "how to set up, test and add things",
        "SECURITY.md": "what counts as a vulnerability, and how to report one",
        "docs/design.md": "how the source is laid out, and its laws",
        "sample_data/README.md": "what is in the files, how they were made, and the truth",
        "benchmarks/reference/README.md": "published figures that those of `bbc` are compared with",
    },
)
PARTS = (STORIES, GUIDE, REFERENCE, EVIDENCE, PROJECT)
HOME = ["docs/tutorial", "stories", "guide", "reference", "gallery", "evidence", "project"]
"""Links at the top of every page."""

PAGES = ("docs/tutorial.md", *(page for part in PARTS for page in part.pages))
"""All but README.md, which is the first."""
