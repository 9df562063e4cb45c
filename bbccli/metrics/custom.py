"""Metrics of the user's own, named by the module that holds them."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from bbccli.errors import OptionError
from bbccli.metrics.base import Metric

EXAMPLE = "for example --metric mypackage.metrics:COST, where COST is a bbccli.metrics.Metric"


def load(name: str) -> Metric:
    """Import the metric called ``package.module:NAME``; the current folder is searched last.

    Raises
    ------
    OptionError
        The module or the name in it does not exist, or is no `Metric`.
    """
    module_name, _, attribute = name.partition(":")
    if not all(part.isidentifier() for part in [*module_name.split("."), attribute]):
        raise OptionError(f"{name!r} is not the name of a module and a metric in it", hint=EXAMPLE)
    with suppress(OSError):  # the current folder may be gone
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.append(here)
    try:
        module = import_module(module_name)
    except ImportError as error:
        raise OptionError(f"cannot import {module_name!r}: {error}", hint=EXAMPLE) from error
    held = [key for key, value in vars(module).items() if isinstance(value, Metric)]
    metrics_there = f"metrics in it: {', '.join(held)}" if held else "there is no metric in it"
    if not hasattr(module, attribute):
        raise OptionError(f"{module_name} has no {attribute!r}", hint=metrics_there)
    found = getattr(module, attribute)
    if not isinstance(found, Metric):
        raise OptionError(
            f"{name} is {_what(found)}, not a bbccli.metrics.Metric", hint=metrics_there
        )
    return found


def _what(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return "a function"
    return f"of type {type(value).__name__}"
