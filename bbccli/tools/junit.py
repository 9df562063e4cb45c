"""JUnit XML, written by pytest and many others: a test is an item, a file a configuration.

Document types are refused, and with them all entities but the usual five.
"""

from __future__ import annotations

import re
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator, Sequence
from dataclasses import replace
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from bbccli.reading.evaluations.files import File
from bbccli.reading.interface import Framework, ItemScores, Log, ScorerInfo
from bbccli.reading.layout.stack import names_of_files
from bbccli.reading.numerals import moment_of

_SCORE, _PARTS = "passed", "parts"
_DIGITS = 10
"""Fewer digits than these has a count of tests."""

_TAG, _COMMENT = re.compile(rb"<\w"), re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)

_ANYBODY = frozenset({"", "pytest", "tests", "test", "testsuite", "junit", "unittest"})
"""Names of suites that don't identify what was tested."""

_XFAIL = "pytest.xfail"
"""Type of an expected failure: the test ran, although it is reported as skipped."""

_NOT_RUN = ("notrun", "disabled", "skipped")
"""Values of `status` by which googletest and others mark skipped tests."""


def _owns(file: File) -> bool:
    """True for a file whose root is a suite, or that begins with one, after a long comment."""
    only_comment = _TAG.search(_COMMENT.sub(b"", file.head)) is None
    return b"<testsuite" in (file.text if only_comment else file.head)


def _load(file: File) -> Iterator[Log]:
    """Yield a log for each configuration: suites with the same tests are several."""
    try:
        suites = _suites(file)
    except (ParseError, ValueError, LookupError) as error:
        raise file.fault(f"is not JUnit XML: {error}") from None
    read = [(suite, [*map(_result, suite.findall("testcase"))]) for suite in suites]
    items = [item for _, results in read for item in {result.item for result in results}]
    parts = [read] if len({*items}) == len(items) else [[case] for case in read]
    for part in parts:
        suites, tests = [suite for suite, _ in part], [case for _, each in part for case in each]
        failed = {test.item: test for test in tests if test.error}  # as well, in its teardown
        times = [moment_of(suite.get("timestamp")) for suite in suites]
        name = suites[0].get("name", "") if len(suites) == 1 else ""
        yield Log(
            configuration={"model": name, _PARTS: len(parts)},
            results=[*failed.values(), *(test for test in tests if test.item not in failed)],
            scorers={_SCORE: ScorerInfo(reported=_reported(suites, tests))},
            created=min(filter(None, times), default=None),
            left_out="" if suites else "it holds no tests",
        )


class _Builder(TreeBuilder):
    def doctype(self, *_: object) -> None:
        raise ValueError("it declares a document type")


def _suites(file: File) -> list[Element]:
    """Return the suites with tests of a file; raise ValueError for a document type."""
    known = file.content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))  # a shell's, whatever is declared
    parser = XMLParser(target=_Builder(), encoding="utf-8" if known else None)
    parser.feed(file.text if known else file.content)
    root = parser.close()
    if root.tag not in ("testsuites", "testsuite"):
        raise ValueError("its root is neither testsuites nor testsuite")
    suites = [suite for suite in root.iter("testsuite") if suite.find("testcase") is not None]
    tests = [test for suite in suites for test in suite.findall("testcase")]
    if len(tests) != _n_within(root) or any("name" not in test.attrib for test in tests):
        raise ValueError("it has a test without a name or a suite")
    return suites


def _n_within(element: Element) -> int:
    return sum(1 for _ in element.iter("testcase"))


def _result(test: Element) -> ItemScores:
    """Return a test: 1 without failure or error, 0 with one, nothing if skipped."""
    name, place = test.attrib["name"], test.get("classname", "")
    between = "." if "." not in name else "::"  # a.b and c are not a and b.c
    inside = {child.tag: child for child in test}
    error = inside.get("error")
    skipped = "skipped" in inside or test.get("status", "").lower() in _NOT_RUN
    failed = "failure" in inside or error is not None or _is_xfailed(test)
    item = f"{place}{between}{name}" if place else name
    score = 0.0 if failed else None if skipped else 1.0
    why = "" if error is None else error.get("message") or "error"
    return ItemScores(item, {_SCORE: score}, error=why, about={"classname": place})


def _is_xfailed(test: Element) -> bool:
    return any(skipped.get("type") == _XFAIL for skipped in test.findall("skipped")[-1:])


def _together(logs: Sequence[Log]) -> list[Log]:
    """Return logs named after their suites if all have telling names, else after their files."""
    names = [str(log.configuration["model"]) for log in logs]
    telling = not any(name.lower() in _ANYBODY for name in names) and len(set(names)) > 1
    places = list(dict.fromkeys(str(log.place) for log in logs))
    stems = dict(zip(places, names_of_files(places), strict=True))
    called = []
    for log, name in zip(logs, names, strict=True):
        stem, several = stems[str(log.place)], log.configuration[_PARTS] != 1
        model = name if telling else f"{stem} {name}".strip() if several else stem
        called.append(replace(log, configuration={"model": model}))
    return called


def _reported(suites: Sequence[Element], results: Sequence[ItemScores]) -> float | None:
    """Return the proportion of passed tests by the counts of the suites."""
    kinds = ("tests", "failures", "errors", "skipped")
    counts = ([_count_of(suite, kind) for suite in suites] for kind in kinds)
    tests, failures, errors, skipped = counts
    again = len({result.item for result in results}) < len(results)
    if again or None in (*tests, *failures, *errors):
        return None  # repeated tests are counted differently there
    n_run = sum(filter(None, tests)) - sum(filter(None, skipped))
    xfailed = sum(_is_xfailed(test) for suite in suites for test in suite.findall("testcase"))
    n_passed = n_run - sum(filter(None, (*failures, *errors)))
    return n_passed / (n_run + xfailed) if n_run + xfailed else None


def _count_of(suite: Element, key: str) -> int | None:
    """Return a count of a suite's own tests; some count those of the suites within, too."""
    inner = suite.findall("testsuite")
    count, within = _number(suite, key), [_number(each, key) for each in inner]
    whole = all(_number(each, "tests") == _n_within(each) for each in (suite, *inner))
    if not inner or not whole or count is None:
        return count
    return None if None in within else count - sum(filter(None, within))


def _number(suite: Element, key: str) -> int | None:
    text = suite.get(key, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < _DIGITS else None


FRAMEWORK = Framework(
    "JUnit",
    "`*.xml` of JUnit, as pytest writes it",
    "1 if passed, 0 if failed; nothing if skipped",
    _owns,
    _load,
    _together,
)
