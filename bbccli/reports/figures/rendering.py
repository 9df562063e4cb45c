"""From a Vega-Lite dictionary to SVG, PNG, PDF or JSON: the only place that knows vl-convert.

Nothing is ever fetched: data are in the specification, and no address is allowed.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from bbccli.errors import OptionError, parameter
from bbccli.platform.resources import in_force
from bbccli.reports.figures.base import Absent, Drawn, Spec, themed

INSTALL = 'pip install "bbccli[report]"'
PICTURES = ("svg", "png", "pdf", "vl.json")
"""Forms of a figure, by their suffixes."""

SCALE = 2.0
"""Pixels of a PNG for each of the figure."""

ENLARGED = 1.2
"""Size of a figure in a page that has the room, against its own."""

PAINTER = """
import json, signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
from vl_convert import vegalite_to_svg
vegalite_to_svg({"data": {"values": [{}]}, "mark": "point"}, allowed_base_urls=[])
for spec in sys.stdin:
    print(json.dumps(vegalite_to_svg(spec, allowed_base_urls=[])), flush=True)
"""
"""Draws one figure, and then those of which it gets the specifications, a line each."""

TRIAL = f"""
import resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
for kind, limit in zip((resource.RLIMIT_AS, resource.RLIMIT_DATA), sys.argv[1:]):
    resource.setrlimit(kind, (int(limit), resource.getrlimit(kind)[1]))
{PAINTER}"""

_STRANGE = re.compile(r"\\u(?!0[0-4]|2[012])")
"""A character in JSON beyond Latin, Greek, Cyrillic, punctuation and arithmetic."""

SVG = "http://www.w3.org/2000/svg"
MARKS = frozenset(f"{{{SVG}}}{name}" for name in ("path", "line", "rect"))
"""Elements that marks are drawn by; labels of other elements describe axes and groups."""

_NEEDLESS = re.compile(r"(role|class|pointer-events|aria-.*|xml:space|version)$")


class _Painter:
    """A process that draws: what draws holds the interpreter as long as it does.

    It knows the fonts that it brings along, which it needn't open for each letter: that saves a
    third of the time. `_STRANGE` letters may lack there.
    """

    def __init__(self) -> None:
        fonts = {"FONTCONFIG_FILE": str(Path(__file__).with_name("no_fonts.conf"))}
        self.process: Any = subprocess.Popen(
            [sys.executable, "-P", "-c", PAINTER], env=os.environ | fonts, encoding="utf-8",
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.thread = ThreadPoolExecutor(1)
        self.pictures: dict[str, Future[str | None]] = {}

    def draw(self, spec: str) -> Future[str | None] | None:
        """Begin to draw, unless the letters are strange; once."""
        if spec not in self.pictures and not _STRANGE.search(spec):
            self.pictures[spec] = self.thread.submit(self._answer, spec)
        return self.pictures.get(spec)

    def _answer(self, spec: str) -> str | None:
        """Return a picture; None if the process has ended."""
        with suppress(OSError, ValueError):
            self.process.stdin.write(f"{spec}\n")
            self.process.stdin.flush()
            picture: str = json.loads(self.process.stdout.readline())
            return picture
        return None

    def end(self) -> None:
        self.process.kill()  # before its pipes are closed, of which the thread may read
        self.thread.shutdown(cancel_futures=True)
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()
        self.process.wait()


_painter: ContextVar[_Painter | None] = ContextVar("_painter", default=None)


@contextmanager
def painting() -> Iterator[None]:
    """Start a process that draws, beside the work of this block.

    A figure that it doesn't draw is drawn here, where its error is told.
    """
    painter = None
    if can_render():
        with suppress(OSError):
            painter = _Painter()
    try:
        with in_force(_painter, painter):
            yield
    finally:
        if painter is not None:
            painter.end()


def draw_ahead(figures: Iterable[Drawn | Absent]) -> None:
    """Have figures of a page drawn by the painter, if there is one."""
    if painter := _painter.get():
        for figure in figures:
            for spec in (figure.spec, figure.on_telephone()) if isinstance(figure, Drawn) else ():
                if spec is not None:
                    painter.draw(_text_of(themed(spec)))


def can_render() -> bool:
    """Return True if the package that draws is installed, and has enough memory."""
    return find_spec("vl_convert") is not None and _has_room()


def obstacle() -> tuple[str, str]:
    """Return why nothing can be drawn, if so, and the remedy."""
    if _has_room():
        return "figures are drawn by vl-convert-python, which is not installed", INSTALL
    return (
        "figures can't be drawn within the limits of this process: that takes some 64 GiB of "
        "address space, nearly all of it unused, and 1 GiB of data",
        "ulimit -v unlimited -d unlimited",
    )


@cache
def _has_room() -> bool:
    """True if the limits of this process leave vl-convert enough address space.

    Without it the engine aborts and takes the process along, so another process tries.
    """
    try:
        import resource
    except ImportError:  # Windows, which has no such limits
        return True
    soft = [resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA)]
    return all(limit == resource.RLIM_INFINITY for limit in soft) or _survives(*_left(soft))


def _left(limits: list[int]) -> list[int]:
    """Return the free address space and data segment, where limits are known."""
    try:
        sizes = Path("/proc/self/statm").read_text().split()
        pages, used = os.sysconf("SC_PAGE_SIZE"), (int(sizes[0]), int(sizes[5]))
    except (OSError, ValueError, IndexError):
        return limits
    return [
        max(limit - pages * size, 0) if limit >= 0 else limit
        for limit, size in zip(limits, used, strict=True)
    ]


def _survives(*limits: int) -> bool:
    """True if a process under limits of address space and data can draw."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", TRIAL, *map(str, limits)],
        stdin=subprocess.DEVNULL, capture_output=True, check=False,
    )  # fmt: skip
    return done.returncode == 0


def inline_svg(drawn: Drawn, prefix: str) -> str:
    """Return a figure for a page: its ink is that of the text, its ids are its own.

    The marks show their text under the pointer.

    prefix: of the ids in it, which must differ between the figures of a page.
    """
    root = _drawn(drawn, drawn.spec, prefix)
    for side in ("width", "height"):
        root.set(side, f"{float(root.get(side, '0')) * ENLARGED:g}")
    return ElementTree.tostring(root, encoding="unicode")


def small_svg(drawn: Drawn, prefix: str) -> str:
    """Return the figure for a telephone, which is hidden until a style shows it; empty if none."""
    spec = drawn.on_telephone()
    if spec is None:
        return ""
    root = _drawn(drawn, spec, f"{prefix}-small")
    root.set("class", "small")
    root.set("display", "none")
    return ElementTree.tostring(root, encoding="unicode")


def _drawn(drawn: Drawn, spec: Spec, prefix: str) -> ElementTree.Element:
    root = ElementTree.fromstring(_converted("vegalite_to_svg", themed(spec)))
    for element in list(root.iter()):
        said = element.get("aria-label") if element.tag in MARKS else None
        _tidy(element, prefix)
        if said:
            ElementTree.SubElement(element, f"{{{SVG}}}title").text = said
            element.set("pointer-events", "all")  # within an open circle too
    for parent in list(root.iter()):
        paths = parent.findall(f"{{{SVG}}}path")
        for child in [path for path in paths if path.get("d") in ("", "M0,0h0v0h0Z")]:
            parent.remove(child)
    root.set("role", "img")
    root.set("aria-label", f"{drawn.title}. {drawn.reading}")
    ElementTree.register_namespace("", SVG)
    return root


def picture_form(path: str) -> str:
    """Return the form that the suffix of a file asks for, if it can be written here.

    Raises OptionError: another suffix, or one that needs a package that is not installed.
    """
    suffix = next((form for form in PICTURES if path.lower().endswith(f".{form}")), None)
    if suffix is None:
        raise OptionError(
            f"{parameter('path')} is {path!r}, which is not the name of a figure",
            hint=f"a file that ends in {', '.join(f'.{form}' for form in PICTURES)}",
        )
    if suffix != "vl.json":
        check_can_render()
    return suffix


def exported(drawn: Drawn, form: str) -> bytes:
    """Return a figure as a file: svg, png, pdf or vl.json, the last of which needs no package.

    Raises OptionError: the package that draws is not installed, or has not the room.
    """
    spec = drawn.on_paper()
    if form == "vl.json":
        return (json.dumps(spec, indent=2, ensure_ascii=True, allow_nan=False) + "\n").encode()
    if form == "svg":
        return str(_converted("vegalite_to_svg", spec)).encode()
    scale: dict[str, Any] = {"scale": SCALE} if form == "png" else {}
    data: bytes = _converted(f"vegalite_to_{form}", spec, **scale)
    return data


def check_can_render() -> None:
    """Refuse to draw where nothing can be drawn.

    Raises OptionError: it is not installed, or has not the room.
    """
    if not can_render():
        problem, remedy = obstacle()
        raise OptionError(
            problem, hint=f"{remedy}; or a file that ends in .vl.json, which needs nothing"
        )


def _converted(name: str, spec: dict[str, Any], **more: Any) -> Any:
    check_can_render()
    text, painter = _text_of(spec), _painter.get()
    if name == "vegalite_to_svg" and painter is not None and (begun := painter.draw(text)):
        picture = begun.result()
        if picture is not None:
            return picture
    import vl_convert

    convert: Callable[..., Any] = getattr(vl_convert, name)
    return convert(text, allowed_base_urls=[], **more)


def _text_of(spec: Spec) -> str:
    return json.dumps(spec, allow_nan=False)


def _tidy(element: ElementTree.Element, prefix: str) -> None:
    """Remove what a picture with one label does not need, and make its ids unique."""
    for key, value in list(element.attrib.items()):
        if _NEEDLESS.match(key):
            del element.attrib[key]
        elif key == "id":
            element.set(key, f"{prefix}-{value}")
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{prefix}-"))
