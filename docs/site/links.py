"""Find broken links of a site, and anything that its pages would fetch from elsewhere."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

FETCHED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
"""Elements that make a browser fetch something -> the attribute with its address."""


class Seen(HTMLParser):
    """Anchors and links of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: set[str] = set()
        self.fetched: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record the anchors and the links of one element."""
        values = {key: value for key, value in attrs if value}
        self.names |= {values[key] for key in ("id", "name") if key in values}
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        if tag in FETCHED and FETCHED[tag] in values and values.get("rel") != "canonical":
            self.fetched.add(values[FETCHED[tag]])


def broken_links(site: Path) -> list[str]:
    """Return a line for each link to a missing file or anchor, and for each thing fetched."""
    found = [path for path in sorted(site.rglob("*.html")) if "_static" not in path.parts]
    pages = {path.resolve(): Seen(path.read_text("utf-8")) for path in found}
    lines = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        remote = sorted(one for one in page.fetched if is_elsewhere(one))
        lines += [f"{name}: fetches {one}" for one in remote]
        for link in sorted(page.links | page.fetched):
            if not is_elsewhere(link) and not leads_somewhere(link, path, pages):
                lines.append(f"{name}: {link}")
    return lines


def is_elsewhere(link: str) -> bool:
    """Return True if a link leads to another server, or not to a file."""
    parts = urlsplit(link)
    return bool(parts.scheme or parts.netloc)


def leads_somewhere(link: str, page: Path, pages: dict[Path, Seen]) -> bool:
    """Return True if a relative link leads to a file and, if it names one, to an anchor in it."""
    parts = urlsplit(link)
    target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if target.is_dir():
        target /= "index.html"
    place = unquote(parts.fragment)
    if target not in pages:
        return target.is_file() and not place
    return not place or place in pages[target].names
