"""The frame of a page, and its style.

It has the fonts of the system, is light or dark, and fits paper and a telephone. The page is
written to be read without it, for some servers allow no style in a page.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from bbccli.reports.page.markup import Markup, tag, text
from bbccli.version import __version__

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --paper: #ffffff; --soft: #f3f5f7;
  --line: #c9d1d9; --quiet: #4d5661; --accent: #1f6fa8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ec; --paper: #14171a; --soft: #1f2429; --line: #3d454d; --quiet: #a9b3bd;
    --accent: #74b9e8; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
header, main, footer { max-width: 46rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 1.5rem; }
h1 { font-size: 1.35rem; margin: 0; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-top: .8rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p { margin: .5rem 0; }
.about, figcaption, .quiet, footer { color: var(--quiet); font-size: .875rem; }
.verdict { font-size: 1.2rem; margin: 1rem 0; padding: .8rem 1rem; background: var(--soft);
  border-left: 4px solid var(--accent); }
.verdict p { margin: .2rem 0; }
.reading { font-weight: 600; }
figure { margin: .5rem 0 1rem; }
svg { display: block; max-width: 100%; height: auto; margin: .6rem 0; }
.scroll { overflow-x: auto; max-width: 100%; }
table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums;
  margin: .5rem 0; }
caption { text-align: left; color: var(--quiet); padding: .2rem 0; }
th, td { text-align: right; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; overflow-wrap: normal; }
tbody th { font-weight: 500; overflow-wrap: anywhere; }
th:first-child, .text { text-align: left; }
td { white-space: nowrap; }
td.long, .words td { white-space: normal; min-width: 9rem; }
th.long { min-width: 9rem; }
.words th, .words td { text-align: left; overflow-wrap: break-word; }
td.unbroken, .words td.unbroken { overflow-wrap: anywhere; }
thead th { font-weight: 600; }
details { margin: .5rem 0; }
summary { cursor: pointer; color: var(--accent); font-size: .9rem; }
ul { padding-left: 1.2rem; margin: .5rem 0; }
li { margin: .35rem 0; }
pre { background: var(--soft); padding: .7rem; overflow-x: auto; white-space: pre-wrap;
  font: .8125rem/1.45 ui-monospace, monospace; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media (max-width: 30rem) { .words td, .words th { min-width: 0; padding-right: .4rem; } }
@media print {
  :root { color-scheme: light; --ink: #000; --paper: #fff; --soft: #fff; --line: #999;
    --quiet: #333; --accent: #000; }
  body { font-size: 10.5pt; }
  header, main, footer { max-width: none; padding: 0; }
  .scroll { overflow: visible; }
  details::details-content { content-visibility: visible; height: auto; }
  summary { list-style: none; }
  figure, tr, .verdict { break-inside: avoid; }
  h2, h3, .reading { break-after: avoid; }
  p { break-inside: avoid; }
  svg { max-width: 12cm; }
  table { font-size: 8.5pt; }
  th, td { padding: .05rem .6rem .05rem 0; }
}
""".strip()


CELL = """
.bbc-result { max-width: 46rem; overflow-wrap: anywhere; }
.bbc-result .verdict { padding: .3rem .9rem; border-left: 4px solid #4a90c2; }
.bbc-result p { margin: .2rem 0; }
.bbc-result summary { cursor: pointer; }
.bbc-result caption { text-align: left; }
.bbc-result table th, .bbc-result table td { text-align: left; background: none; color: inherit; }
.bbc-result .quiet { opacity: .75; }
""".strip()
"""Style of a result within a notebook, in whose colours it stands: light or dark."""


def whole(title: str, about: str, parts: Sequence[Markup]) -> str:
    """Return a page around its parts; its own policy allows the one style, and nothing else."""
    digest = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'"
    head = "\n".join(
        [
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f'<meta name="generator" content="bbc {__version__}">',
            f"<title>{text(title)}</title>",
            f"<style>{STYLE}</style>",
        ]
    )
    header = tag("header", tag("h1", title), tag("p", text(about), class_="about"))
    footer = tag("footer", tag("p", f"Made by bbc {__version__}. Nothing was trained again."))
    body = "\n".join([header, tag("main", *(Markup(part + "\n") for part in parts)), footer])
    inside = f"<head>\n{head}\n</head>\n<body>\n{body}\n</body>"
    return f'<!DOCTYPE html>\n<html lang="en">\n{inside}\n</html>\n'
