"""Make the site: lay out the pages of this repository, run Sphinx, and check every link.

    python docs/site/build.py build/site

The Markdown pages are taken as they are, but for a page for each method. Added are an index for
each part, the reference of the Python API by the lists of docs/api.md, and the gallery: notebooks
as they last ran, and figures that are drawn by `bbc plot`. No network is used, and the pages use
none.
"""

import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent), str(ROOT)]  # conf.py imports its neighbours

from gallery import draw_gallery  # noqa: E402
from links import broken_links  # noqa: E402
from methods import divided  # noqa: E402
from parts import HOME, PAGES, PARTS, toctree  # noqa: E402
from reference import reference_pages  # noqa: E402

ANCHOR = re.compile(r'^<a id="([^"]+)"></a>\n?', re.MULTILINE)
IN_TABLE = re.compile(r'<a id="([^"]+)"></a>([\w-]+)')
COPIED = (
    *("docs/*.svg", "docs/examples", "sample_data/prompts.py", "sample_data/ten_prompts.py"),
    *("benchmarks/searches.py", "benchmarks/openings.py", "CITATION.cff"),
)
"""Files that pages link to, besides other pages."""


def lay_out(source: Path) -> None:
    """Write all of Sphinx's input below an empty folder."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    write(source / "index.md", as_myst(readme) + toctree(HOME))
    pages = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    for page, text in divided(pages).items():
        write(source / page, as_myst(text))
    for path in (path for pattern in COPIED for path in ROOT.glob(pattern)):
        place = source / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if path.is_dir() else shutil.copyfile
        copy(path, place)
    (source / "extra").mkdir()
    for path, text in reference_pages((ROOT / "docs/api.md").read_text(encoding="utf-8")).items():
        write(source / path, text)
    draw_gallery(source, ROOT)
    for part in PARTS:
        write(source / f"{part.name}.md", part.index(ROOT))


def as_myst(text: str) -> str:
    """Return a page with anchors in MyST's form, and links to the site's home page."""
    text = IN_TABLE.sub(r"[\2]{#\1}", ANCHOR.sub(r"(\1)=\n", text))
    return text.replace("](../README.md", "](../index.md")


def write(path: Path, text: str) -> None:
    """Write a page, and make its folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def main(target: Path) -> int:
    """Make the site, replacing its folder, and return the exit status."""
    from sphinx.cmd.build import main as sphinx

    source = target.with_name(f"{target.name}-source")
    for folder in (source, target, Path(f"{source}-read")):
        shutil.rmtree(folder, ignore_errors=True)
    lay_out(source)
    words = ["-b", "html", "-W", "--keep-going", "-q", "-c", str(HERE), "-d", f"{source}-read"]
    # what conf.py names is sought beside it, and this is made
    words += ["-D", f"html_extra_path={source / 'extra'}", str(source), str(target)]
    status = sphinx(words)
    broken = broken_links(target)
    print(*broken, f"{target / 'index.html'}: {len(broken)} broken links", sep="\n")
    return status or bool(broken)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
