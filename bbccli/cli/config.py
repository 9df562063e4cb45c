"""Defaults of a project: options from the environment, and from `bbc.toml` or `pyproject.toml`.

A flag wins over the environment, the environment over a file, a file over the default of `bbc`.
"""

from __future__ import annotations

import difflib
import inspect
import os
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

from bbccli.cli.values import MisfitError, converted, of_text
from bbccli.errors import OptionError

Command = Callable[..., None]

OF_ONE_RUN = frozenset({"output", "distribution", "labels", "folds", "strict"})
OF_ONE_RUN |= {"resume", "dry_run"}
"""Options that make no default: they name files of one run, or are short for another option."""

FILES = {"bbc.toml": (), "pyproject.toml": ("tool", "bbc")}
"""Names of the files, the first of which wins in a folder, and the table that counts."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An option that can have a default of the project."""

    name: str
    kind: Any
    default: Any
    parse: Callable[[str], Any] | None

    @property
    def key(self) -> str:
        """Name in a file, which is that of the option."""
        return self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """Name in the environment."""
        return f"BBC_{self.name.upper()}"


@dataclass(frozen=True, slots=True)
class Project:
    """What a file sets: values by name of the setting; no path where there is no file."""

    path: Path | None
    values: Mapping[str, Any]


def configurable(command: Command) -> dict[str, Setting]:
    """Return the settings of a command by name, and let the environment set each of them."""
    found = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        info = next((i for i in get_args(hints[name])[1:] if isinstance(i, OptionInfo)), None)
        if get_origin(hints[name]) is Annotated and info is not None and name not in OF_ONE_RUN:
            kind = _without_none(get_args(hints[name])[0])
            found[name] = Setting(name, kind, parameter.default, info.parser)
            info.envvar = found[name].variable
            info.show_envvar = False  # all are named alike, and the help is long enough
    return found


def project(settings: Mapping[str, Setting], folder: Path | None = None) -> Project:
    """Read the nearest file with defaults, from a folder (the current one) upwards.

    Raises
    ------
    OptionError
        A file that can't be read, an unknown key, or a value of another type; names file and key.
    """
    for path, keys in _candidates(folder):
        table = _table(path, keys)
        if table is not None:
            known = {setting.key: setting for setting in settings.values()}
            return Project(path, dict(_value(path, known, *item) for item in table.items()))
    return Project(None, {})


def check_environment(settings: Mapping[str, Setting]) -> None:
    """Refuse a variable that does not fit its option.

    Raises
    ------
    OptionError
        Names the variable.
    """
    for setting in settings.values():
        text = os.environ.get(setting.variable)
        if text:
            try:
                converted(of_text(text, setting.kind), setting.kind, setting.parse)
            except MisfitError as error:
                problem = f"{setting.variable} in the environment is {_toml(text)}"
                raise OptionError(problem, hint=str(error)) from error


def default_map(commands: Mapping[str, Mapping[str, Setting]], found: Project) -> dict[str, Any]:
    """Return the defaults of each command, in the form that typer takes."""
    return {
        command: {name: found.values[name] for name in settings if name in found.values}
        for command, settings in commands.items()
    }


def holding(settings: Mapping[str, Setting], found: Project) -> list[tuple[str, str, str]]:
    """Return what holds without flags, and from where: rows of key, value, source."""
    rows = []
    for name, setting in settings.items():
        if os.environ.get(setting.variable):
            value, source = os.environ[setting.variable], f"environment, {setting.variable}"
        elif name in found.values:
            value, source = found.values[name], str(found.path)
        else:
            value, source = setting.default, "default"
        rows.append((setting.key, _shown(value), source))
    return rows


def _without_none(annotation: Any) -> Any:
    if get_origin(annotation) in (Union, types.UnionType):
        (annotation,) = (part for part in get_args(annotation) if part is not type(None))
    return get_origin(annotation) or annotation


def _candidates(folder: Path | None) -> Iterable[tuple[Path, tuple[str, ...]]]:
    try:
        start = (folder or Path.cwd()).absolute()
    except FileNotFoundError:  # the current folder was removed
        return
    for parent in (start, *start.parents):
        for name, keys in FILES.items():
            if os.path.isfile(parent / name):  # noqa: PTH113 - never raises, unlike Path.is_file
                yield parent / name, keys


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """The table of a file; None where it has none."""
    try:
        content = path.read_bytes()
        if keys and b"bbc" not in content:
            return None
        import tomllib

        table: Any = tomllib.loads(content.decode())
    except OSError as error:
        raise OptionError(
            f"{path}: {error.strerror or error}", hint="it is read for defaults of bbc"
        ) from error
    except ValueError as error:
        raise OptionError(f"{path}: {error}", hint="it is read for defaults of bbc") from error
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    if table is not None and not isinstance(table, dict):
        raise OptionError(f"{path}: {'.'.join(keys)} is not a table", hint=f"[{'.'.join(keys)}]")
    return table


def _value(path: Path, known: Mapping[str, Setting], key: str, value: Any) -> tuple[str, Any]:
    """Name of the setting and its value, once it is known to fit."""
    setting = known.get(key.replace("_", "-"))
    if setting is None:
        raise OptionError(f"{path}: unknown key {key!r}", hint=_nearest(key, known))
    try:
        return setting.name, converted(value, setting.kind, setting.parse)
    except MisfitError as error:
        raise OptionError(f"{path}: {key} is {_toml(value)}", hint=str(error)) from error


def _nearest(key: str, known: Iterable[str]) -> str:
    near = difflib.get_close_matches(key, list(known), n=1)
    return f"did you mean {near[0]}?" if near else f"one of: {', '.join(known)}"


def _toml(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, Enum):
        return str(value.value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
