"""Which default holds: that of the environment, of the project's file, or of `bbc`.

A flag wins over the environment, the environment over the file, and the file over the default of
`bbc`. In the environment and in the file, what is set for one command wins over what is set for
all. Typer is told the outcome as plain defaults; it reads no variable itself.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

from bbccli.cli.project import Project, project
from bbccli.cli.settings import Setting, common, key_of, settings, why_not
from bbccli.cli.values import MisfitError
from bbccli.errors import OptionError, nearest

PREFIX = "BBC_"


def defaults(command: str, named: Path | None) -> dict[str, Any]:
    """Return what is set for a command, by name of the parameter.

    Parameters
    ----------
    command
        Its name.
    named
        The file whose defaults count; None for the nearest one.

    Raises
    ------
    OptionError
        A variable or a file that sets no option, or to what does not fit.
    """
    check_variables()
    found = project(named=named)
    if found.path is None and not any(_variables()):
        return {}  # as nearly always: no command but this one is imported
    held, of_all = {}, common()
    for name, setting in settings()[command].items():
        value = _from_environment(setting, of_all.get(setting.key, setting))
        if value is None:
            value = _from_file(setting, found)
        if isinstance(value, list) and setting.kind is str:
            value = next(iter(value), None)  # of several metrics the first selects
        if value is not None:
            held[name] = value
    return held


def holding(named: Path | None) -> list[tuple[str, str, str]]:
    """Return what holds without flags, and from where: rows of key, value, source.

    First what all commands share, then what one command has of its own or is set for it alone.
    """
    check_variables()
    found = project(named=named)
    rows = [_row(setting.key, setting, found) for setting in common().values()]
    for command, its in settings().items():
        for setting in its.values():
            own = os.environ.get(setting.variables[0])
            if not setting.shared or own or setting.key in found.own.get(command, {}):
                rows.append(_row(f"{command}.{setting.key}", setting, found))
    return rows


def sources(command: str, names: Iterable[str], named: Path | None) -> dict[str, str]:
    """Return what sets some parameters of a command, which are set, by their flags."""
    found, told = project(named=named), {}
    for name in names:
        setting = settings()[command][name]
        variable = next((one for one in setting.variables if os.environ.get(one)), None)
        table = f"{command}." if setting.key in found.own.get(command, {}) else ""
        of_file = f"{table}{setting.key} in {found.path}"
        told[f"--{setting.key}"] = f"{variable} in the environment" if variable else of_file
    return told


def check_variables() -> None:
    """Refuse a variable that sets no option of any command; an empty one is none.

    Raises
    ------
    OptionError
        Names the variable, and the one that is most like it.
    """
    if not any(_variables()):
        return
    every = [setting for its in settings().values() for setting in its.values()]
    # those of all commands first: BBC_SEED is a better guess than BBC_DROP_SEED
    known = list(dict.fromkeys(v for s in every for v in s.variables[1:]))
    known += [setting.variables[0] for setting in every]
    for name in _variables():
        if name not in known:
            key = key_of(name.removeprefix(PREFIX).lower())
            hint = why_not(key) or nearest(name, known, "unset it; bbc --show-config lists options")
            raise OptionError(f"{name} in the environment sets no option of bbc", hint=hint)


def _variables() -> Iterator[str]:
    """Names of the variables that are meant for `bbc`."""
    return (name for name, text in os.environ.items() if text and name.startswith(PREFIX))


def _row(key: str, setting: Setting, found: Project) -> tuple[str, str, str]:
    alone = "." in key
    for variable in setting.variables if alone else setting.variables[1:]:
        if text := os.environ.get(variable):
            return key, text, f"environment, {variable}"
    value = _from_file(setting, found) if alone else found.shared.get(setting.key)
    if value is not None:
        return key, _shown(value), str(found.path)
    return key, _shown(setting.default), "default"


def _from_environment(setting: Setting, of_all: Setting) -> Any:
    """Value of the first variable that is set, as the command or all have it; None without one."""
    for variable, form in zip(setting.variables, (setting, of_all), strict=False):
        if text := os.environ.get(variable):
            try:
                return form.value_of_text(text)
            except MisfitError as error:
                problem = f"{variable} in the environment is {text!r}"
                raise OptionError(problem, hint=str(error)) from error
    return None


def _from_file(setting: Setting, found: Project) -> Any:
    """Value for the command, else for all; None where there is none."""
    own = found.own.get(setting.command, {})
    if setting.key in own:
        return own[setting.key]
    return found.shared.get(setting.key) if setting.shared else None


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, Enum):
        return str(value.value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
