"""One test of many cases, where hundreds of tests would cost more than what they check."""

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType
from typing import Any

import pytest
from day import swept

FAILURES = (Exception, pytest.fail.Exception)


def each(
    some: Mapping[str, Any],
    rest: Mapping[str, Any] = MappingProxyType({}),
    **arguments: Callable[[Any], Any],
) -> Callable[[Any], Any]:
    """As `pytest.mark.parametrize`, in one test, which names all cases that fail.

    Each argument that the test names is made of the case, before the first of them runs, which
    may patch something; the others are fixtures. A case is skipped as a test is. `some` are tried
    every day, the `rest` in a sweep.
    """

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        parameters = inspect.signature(test).parameters
        wanted = {name: make for name, make in arguments.items() if name in parameters}
        assert some and wanted and not set(some) & set(rest)

        @wraps(test)
        def of_all(*args: object, chosen: Mapping[str, Any] = some, **fixtures: object) -> None:
            failed: dict[str, BaseException] = {}
            given = {
                label: {name: make(case) for name, make in wanted.items()}
                for label, case in chosen.items()
            }
            for label, own in given.items():
                try:
                    test(*args, **fixtures, **own)
                except pytest.skip.Exception:
                    continue
                except FAILURES as error:
                    failed[label] = error
            if failed:
                said = "\n".join(f"[{label}] {error}" for label, error in failed.items())
                first = next(iter(failed.values()))
                raise AssertionError(f"{len(failed)} of {len(chosen)} cases:\n{said}") from first

        left = [one for one in parameters.values() if one.name not in wanted]
        if rest:
            left.append(inspect.Parameter("chosen", inspect.Parameter.KEYWORD_ONLY))
        of_all.__signature__ = inspect.Signature(left)
        del of_all.__wrapped__
        return pytest.mark.parametrize("chosen", [some, swept(rest)])(of_all) if rest else of_all

    return decorate


def labelled(*cases: Any) -> dict[str, Any]:
    """Cases by what they are called in a failure; no two are called the same."""
    named = {"-".join(map(str, c)) if isinstance(c, tuple) else str(c): c for c in cases}
    assert len(named) == len(cases)
    return named
