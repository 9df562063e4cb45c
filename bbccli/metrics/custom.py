"""Metrics of the user's own, named by the module that holds them."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

from bbccli.errors import BbcError, InputError, OptionError
from bbccli.metrics.base import Metric
from bbccli.platform.guarded_files import record_read

EXAMPLE = "for example --metric mypackage.metrics:COST, where COST is a bbccli.metrics.Metric"


def load_metric(name: str) -> Metric:
    """Import the metric called ``package.module:NAME``; the current folder is searched last.

    Raises OptionError: the module or the name in it does not exist, it can't be imported, or it is
        no `Metric`.
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
    except (Exception, SystemExit) as error:
        raise OptionError(
            f"cannot import {module_name!r}: {_in_a_line(error)}", hint="correct the module"
        ) from error
    record_read(getattr(module, "__file__", None) or "")
    names = [key for key, value in vars(module).items() if isinstance(value, Metric)]
    metrics_there = f"metrics in it: {', '.join(names)}" if names else "there is no metric in it"
    if not hasattr(module, attribute):
        raise OptionError(f"{module_name} has no {attribute!r}", hint=metrics_there)
    metric = getattr(module, attribute)
    if not isinstance(metric, Metric):
        raise OptionError(
            f"{name} is {_kind_of(metric)}, not a bbccli.metrics.Metric", hint=metrics_there
        )
    return metric


@contextmanager
def blamed(names: Iterable[str], path: str) -> Iterator[None]:
    """Turn an error or an exit of the user's own metric into an error that names it.

    names: all metrics in use; nothing is changed where none is the user's own.
    path: the predictions to be scored.
    Raises InputError: a metric of the user's own failed.
    """
    custom = [name for name in names if ":" in str(name)]
    try:
        yield
    except (BbcError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        if not custom:
            raise
        files = {
            getattr(sys.modules.get(name.partition(":")[0]), "__file__", ""): name
            for name in custom
        }
        steps = [
            step for step in traceback.extract_tb(error.__traceback__) if step.filename in files
        ]
        name = files[steps[-1].filename] if steps else ", ".join(custom)
        where = f" ({steps[-1].filename}, line {steps[-1].lineno})" if steps else ""
        raise InputError(
            f"the metric {name} fails: {_in_a_line(error)}{where}",
            path=path,
            hint="correct the metric: help(bbccli.metrics.Metric) says what it gets and returns",
        ) from error


def _in_a_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}".rstrip(": ")


def _kind_of(value: object) -> str:
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return "a function"
    return f"of type {type(value).__name__}"
