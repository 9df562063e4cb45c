"""Divide the page on methods: on the site each method has a page of its own."""

import re

METHODS = re.compile(
    r"^<!-- methods -->\n(.*?)^<!-- end of methods -->\n", re.DOTALL | re.MULTILINE
)
PAGE = "docs/methods.md"


def divided(pages: dict[str, str]) -> dict[str, str]:
    """Return pages by path, with a page for each method, and links that lead there."""
    found = METHODS.search(pages[PAGE])
    assert found is not None
    parts = re.split(r"^## (\S+)\n\n", found[1], flags=re.MULTILINE)[1:]
    own = dict(zip(parts[::2], parts[1::2], strict=True))
    titles = {name: text.partition("\n")[0].strip("*") for name, text in own.items()}
    listed = "\n".join(f"- [{name}](#{name}): {title}" for name, title in titles.items())
    names = "\n".join(f"methods/{name}" for name in own)
    index = f"## Every method\n\n{listed}\n\n```{{toctree}}\n:hidden:\n\n{names}\n```\n"
    whole = pages[PAGE].replace(found[0], index)
    leading = {path: _led(path, text, own) for path, text in (pages | {PAGE: whole}).items()}
    return leading | {
        f"docs/methods/{name}.md": _below(f"# {name}\n\n{text}", own) for name, text in own.items()
    }


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
