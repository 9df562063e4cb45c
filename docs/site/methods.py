"""Divide the page on methods: on the site each method has a page, and the tests share one."""

import re

from refresh import METHODS as NAMES
from refresh import method_page, test_page

METHODS = re.compile(
    r"^<!-- methods -->\n(.*?)^<!-- end of methods -->\n", re.DOTALL | re.MULTILINE
)
IN_TABLE = re.compile(
    r'(?P<before><a id="(?P<name>[\w-]+)"></a>[^|]*\| \[[^]]*\]\()\.\./bbccli/[^)]*\)'
)
PAGE = "docs/methods.md"


def divided(pages: dict[str, str]) -> dict[str, str]:
    """Return pages by path, with a page for each method, and links that lead there."""
    found = METHODS.search(pages[PAGE])
    assert found is not None
    own = {name: method_page(name) for name in NAMES}
    titles = {name: text.partition("\n")[0].strip("*") for name, text in own.items()}
    listed = "\n".join(f"- [{name}](#{name}): {title}" for name, title in titles.items())
    names = "\n".join(f"methods/{name}" for name in (*own, "tests"))
    index = f"## Every method\n\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    whole = IN_TABLE.sub(_page_of_row, pages[PAGE].replace(found[0], index))
    leading = {path: _led(path, text, own) for path, text in (pages | {PAGE: whole}).items()}
    below = {name: f"# {name}\n\n{text}" for name, text in own.items()} | {"tests": test_page()}
    return leading | {f"docs/methods/{name}.md": _below(text, own) for name, text in below.items()}


def _page_of_row(match: re.Match[str]) -> str:
    """Lead from the row of a table to a page, not to the source."""
    name = match["name"]
    page = f"tests.md#{name}" if name.startswith("test-") else f"{name}.md"
    return f"{match['before']}methods/{page})"


def _led(path: str, text: str, own: dict[str, str]) -> str:
    """Lead links to the section of a method to its page."""

    def page_of(match: re.Match[str]) -> str:
        folder, name = match["folder"] or "", match["name"]
        here = match["page"] or path == PAGE
        return f"]({folder}methods/{name}.md)" if here and name in own else match[0]

    link = r"\]\((?P<folder>(?:[./\w-]*/)?)(?P<page>methods\.md)?#(?P<name>[\w-]+)\)"
    return re.sub(link, page_of, text)


def _below(text: str, own: dict[str, str]) -> str:
    """Correct the links of a section that has become a page one folder down."""

    def deeper(match: re.Match[str]) -> str:
        link = match[1]
        if link.startswith("#"):
            return f"]({link[1:]}.md)" if link[1:] in own else f"](../methods.md{link})"
        return match[0] if "://" in link else f"](../{link})"

    return re.sub(r"\]\(([^)\s]+)\)", deeper, text)
