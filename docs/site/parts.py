"""Which page stands where on the site, and in which part."""

from dataclasses import dataclass
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
    """

    name: str
    title: str
    pages: dict[str, str]
    made: tuple[str, ...] = ()

    def index(self, root: Path) -> str:
        """Return its index."""
        lines = [f"# {self.title}", ""]
        for page, about in self.pages.items():
            title = (root / page).read_text(encoding="utf-8").partition("\n")[0].strip("# ")
            lines.append(f"- [**{title}**]({page}): {about}.")
        places = [*(page.removesuffix(".md") for page in self.pages), *self.made]
        return "\n".join([*lines, toctree(places)])


def toctree(names: list[str]) -> str:
    """Return what tells Sphinx where pages belong, and shows nothing."""
    return "\n".join(["", "```{toctree}", ":hidden:", "", *names, "```", ""])


STORIES = Part(
    "stories",
    "Stories",
    {
        "docs/story-study.md": "from the protocol to the sentence in the paper, and the truth",
        "docs/story-ci.md": "a gate in front of a model that ships by itself",
        "docs/ten-prompts.md": "from a table of answers to the sentence that can be reported",
    },
)
GUIDE = Part(
    "guide",
    "Guide",
    {
        "docs/which-number.md": "the one to report, what it assumes, and when not to",
        "docs/notebooks.md": "one line of Python each for correct, compare and plan",
        "docs/formats.md": "files and tables that are read",
        "docs/automl.md": "folders of AutoML tools, and a recorder for searches",
        "docs/evaluations.md": "the best of several prompts, models or settings",
        "docs/compare.md": "is the winner better than a baseline, or than any other",
        "docs/plan.md": "rows and configurations before the work: optimism and width to expect",
        "docs/dropping.md": "stop training what can't win any more",
        "docs/report.md": "one HTML file with figures, for anyone to read",
        "docs/batch.md": "hundreds of experiments, and nothing lost",
        "docs/scale.md": "clusters, and files in a cloud",
        "docs/ci.md": "gates, exit statuses, forms of results, defaults of a project",
    },
)
REFERENCE = Part(
    "reference",
    "Reference",
    {
        "docs/commands.md": "every command and option",
        "docs/methods.md": "formula, algorithm, use, cost and source of each method and interval",
        "docs/metrics.md": "definition, range and source of each metric, and metrics of your own",
        "docs/notes.md": "what each note means, and what to do",
        "docs/glossary.md": "the words of these pages",
        "docs/api.md": "what programs may rely on; [in full](python.md): every parameter and error",
    },
    ("python",),
)
EVIDENCE = Part(
    "evidence",
    "Evidence",
    {
        "docs/validation.md": "bias and inclusion of the methods, where the truth is known",
        "docs/validation-tables.md": "each setting and each population",
        "docs/reliability.md": "what is promised when input or machines fail, and how it is tested",
        "docs/performance.md": "time and memory, measured",
    },
)
PROJECT = Part(
    "project",
    "Project",
    {
        "CHANGELOG.md": "what each version added, changed and mended",
        "CONTRIBUTING.md": "how to set up, test and add things",
        "SECURITY.md": "what counts as a vulnerability, and how to report one",
        "docs/design.md": "how the source is laid out, and its laws",
        "sample_data/README.md": "what the sample data are",
        "benchmarks/reference/README.md": "published figures that ours are compared with",
    },
)
PARTS = (STORIES, GUIDE, REFERENCE, EVIDENCE, PROJECT)
HOME = ["docs/tutorial", "stories", "guide", "reference", "gallery", "evidence", "project"]
"""What stands at the top of every page."""

PAGES = ("docs/tutorial.md", *(page for part in PARTS for page in part.pages))
"""All but README.md, which is the first."""
