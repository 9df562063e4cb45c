"""JUnit XML, as pytest and many others write it: a test is an item, a file a configuration.

It is parsed as a stream. Document types are refused, and with them all entities but the usual five.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from xml.parsers import expat

from bbccli.readers.evaluations.base import File, Framework, Log, Result, Scorer
from bbccli.readers.layout.stack import names_of

_SCORE = "passed"

_ANYBODY = frozenset({"", "pytest", "tests", "test", "testsuite", "junit", "unittest"})
"""Names of suites that say nothing of who was tested."""

_XFAIL = "pytest.xfail"
"""A test that was expected to fail, and did. It was run, although it is reported as skipped."""

_NOT_RUN = ("notrun", "disabled", "skipped")
"""Values of `status` by which googletest and others say that a test was skipped."""


@dataclass(slots=True)
class _Suite:
    """A suite of tests with their results."""

    attributes: dict[str, str]
    results: list[Result] = field(default_factory=list)
    n_xfailed: int = 0

    def count(self, name: str) -> int | None:
        """Return a number among the attributes."""
        text = self.attributes.get(name, "")
        return int(text) if text.isascii() and text.isdigit() else None


class _Suites:
    """The suites of a file that hold tests; raises ValueError for a document type."""

    def __init__(self, content: bytes) -> None:
        self.found: list[_Suite] = []
        self._open: list[_Suite] = []
        self._tags: list[str] = []
        self._test: dict[str, str] = {}
        self._children: list[tuple[str, dict[str, str]]] = []
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.StartDoctypeDeclHandler = self._refuse
        parser.Parse(content, True)
        self.found = [suite for suite in self.found if suite.results]

    def _refuse(self, *_: object) -> None:
        raise ValueError("it declares a document type")

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if not self._tags and tag not in ("testsuites", "testsuite"):
            raise ValueError("its root is neither testsuites nor testsuite")
        if tag == "testsuite":
            self._open.append(_Suite(attributes))
            self.found.append(self._open[-1])
        elif tag == "testcase":
            self._test, self._children = attributes, []
        elif self._tags and self._tags[-1] == "testcase":
            self._children.append((tag, attributes))
        self._tags.append(tag)

    def _end(self, tag: str) -> None:
        self._tags.pop()
        if tag == "testsuite":
            self._open.pop()
        elif tag == "testcase":
            if not self._open or "name" not in self._test:
                raise ValueError("it has a test without a name or a suite")
            self._add(self._open[-1])

    def _add(self, suite: _Suite) -> None:
        """Add a test: 1 without failure or error, 0 with one, nothing where it was skipped."""
        own, children = self._test, dict(self._children)
        parts = (own.get("classname", ""), own["name"])
        error = children.get("error")
        xfailed = children.get("skipped", {}).get("type") == _XFAIL
        skipped = "skipped" in children or own.get("status", "").lower() in _NOT_RUN
        failed = "failure" in children or error is not None or xfailed
        suite.n_xfailed += xfailed
        suite.results.append(
            Result(
                ".".join(part for part in parts if part),
                {_SCORE: 0.0 if failed else None if skipped else 1.0},
                error="" if error is None else error.get("message") or "error",
                about={"classname": own.get("classname", "")},
            )
        )


def _owns(file: File) -> bool:
    return file.suffix == ".xml" and b"<testsuite" in file.head


def _load(files: Sequence[File]) -> Iterator[Log]:
    runs = [(file, suites) for file in files for suites in _configurations(file)]
    names = [suites[0].attributes.get("name", "") if len(suites) == 1 else "" for _, suites in runs]
    telling = not any(name.lower() in _ANYBODY for name in names) and len(set(names)) > 1
    stems = dict(zip(files, names_of([str(file.path) for file in files]), strict=True))
    parts = Counter(file for file, _ in runs)
    for (file, suites), name in zip(runs, names, strict=True):
        called = f"{stems[file]} {name}".strip() if parts[file] > 1 else stems[file]
        yield Log(
            place=file.path,
            configuration={"model": name if telling else called},
            results=_merged([result for suite in suites for result in suite.results]),
            scorers={_SCORE: _scorer(suites)},
            created=min((suite.attributes.get("timestamp", "") for suite in suites), default=""),
            left_out="" if suites else "it holds no tests",
        )


def _configurations(file: File) -> list[list[_Suite]]:
    """Return the suites of each configuration of a file: those with the same tests are several.

    Raises
    ------
    InputError
        No XML, or none of a test run.
    """
    try:
        suites = _Suites(file.content).found
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise file.fault(f"is no JUnit XML: {error}") from None
    n_tests = sum(len({one.item for one in suite.results}) for suite in suites)
    together = {one.item for suite in suites for one in suite.results}
    return [suites] if n_tests == len(together) else [[suite] for suite in suites]


def _merged(results: Sequence[Result]) -> list[Result]:
    """Return the results, those of a test with an error as one: it failed while it was torn down.

    Others of one test are its epochs.
    """
    failed = {one.item: one for one in results if one.error}
    return [*failed.values(), *(one for one in results if one.item not in failed)]


def _scorer(suites: Sequence[_Suite]) -> Scorer:
    """Return the score with the share of the tests passed, by the counts of the suites."""
    tests, failures, errors, skipped = (
        [suite.count(key) for suite in suites] for key in ("tests", "failures", "errors", "skipped")
    )
    known = [one for counts in (tests, failures, errors) for one in counts]
    names = [one.item for suite in suites for one in suite.results]
    if None in known or len(set(names)) < len(names):  # counted one by one, and several as one
        return Scorer((0.0, 1.0))
    n_tests, n_failed = (
        sum(one or 0 for one in counts) for counts in (tests, [*failures, *errors])
    )
    n_skipped = sum(one or 0 for one in skipped)
    n_run = n_tests - n_skipped + sum(suite.n_xfailed for suite in suites)
    return Scorer((0.0, 1.0), reported=(n_tests - n_failed - n_skipped) / n_run if n_run else None)


FRAMEWORK = Framework(
    "JUnit",
    "`*.xml` of JUnit, as pytest writes it",
    "1 if passed, 0 if failed; nothing if skipped",
    _owns,
    _load,
)
