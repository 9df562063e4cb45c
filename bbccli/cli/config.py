"""Defaults of a project: from the environment, from the project's file, or from `bbc`.

A flag overrides the environment, the environment the file, and the file the default of `bbc`. A
setting of one command (`BBC_DROP_SEED`, `[drop]`) overrides one of all commands whose option
means the same. typer gets the outcome as plain defaults; it reads no variables itself.

The file is `bbc.toml`, or `[tool.bbc]` in `pyproject.toml`. A file that is merely found may have
come with somebody else's data. So the search stays inside the project, the file must belong to
the user (or root), and it must not name code to run; compare git's `safe.directory`. A file named
by --config is trusted.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from bbccli.cli.command import CONFIGURABLE, command_named
from bbccli.errors import OptionError, nearest
from bbccli.platform.arguments import Declared, MisfitError, Scope
from bbccli.platform.dataclass import dataclass
from bbccli.platform.guarded_files import opened
from bbccli.platform.text import pattern

PREFIX = "BBC_"


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a command that a project can set."""

    command: str
    option: Declared

    @property
    def key(self) -> str:
        """Name in a file, the same as that of the option."""
        return self.option.key

    @property
    def shared(self) -> bool:
        """True if it means the same in all commands that have it."""
        return self.option.option.scope is Scope.SHARED

    @property
    def variables(self) -> tuple[str, ...]:
        """Names in the environment: for this command alone, then for all."""
        option = self.key.replace("-", "_").upper()
        of_command = f"{PREFIX}{self.command.upper()}_{option}"
        return (of_command, f"{PREFIX}{option}") if self.shared else (of_command,)

    def origin(self, file: Project, *, alone: bool = True) -> tuple[Any, str, str]:
        """Return the value for the command, or else for all, with the variable or key that set
        it.
        """
        first = 0 if alone else 1
        for variable in self.variables[first:]:
            if text := os.environ.get(variable):
                return text, variable, ""
        keys = (f"{self.command}.{self.key}", self.key)[first : 1 + self.shared]
        key = next((key for key in keys if key in file.values), self.key)
        return file.values.get(key) if key in keys else None, "", key


@cache
def settings() -> Mapping[str, Mapping[str, Setting]]:
    """Return what a project can set, by command and parameter."""
    return {
        name: {
            option.name: Setting(name, option)
            for option in command_named(name).options.values()
            if option.option.scope is not Scope.RUN and not option.option.positional
        }
        for name in CONFIGURABLE
    }


@cache
def common() -> Mapping[str, Setting]:
    """Return the settings shared by commands, by key, each as the first command has it."""
    every: dict[str, Setting] = {}
    for of_command in settings().values():
        for setting in of_command.values():
            if setting.shared:
                every.setdefault(setting.key, setting)
    return every


def why_not(key: str) -> str:
    """Return why an option can't be set; empty if it can."""
    if key == "strict":
        return 'use missing = "error" instead'
    every = (option for name in CONFIGURABLE for option in command_named(name).options.values())
    if any(declared.key == key and declared.option.scope is Scope.RUN for declared in every):
        return f"--{key} is for a single run: give it on the command line"
    return ""


def defaults(command: str, named: str | None) -> dict[str, Any]:
    """Return the project's settings for a command, by parameter; `named` is the file of
    --config.
    """
    check_variables()
    file = project(named)
    if file.path is None and not any(_variables()):
        return {}  # the usual case, in which no other command is imported
    held, of_all = {}, common()
    for name, setting in settings()[command].items():
        value, variable, _ = setting.origin(file)
        if variable:
            form = setting if variable == setting.variables[0] else of_all[setting.key]
            try:
                value = form.option.parse_variable(value)
            except MisfitError as error:
                problem = f"{variable} in the environment is {value!r}"
                raise OptionError(problem, hint=str(error)) from error
        if isinstance(value, list) and setting.option.kind is not list:
            value = next(iter(value), None)  # the first of several metrics selects
        if value is not None:
            held[name] = value
    return held


def holding(named: str | None) -> list[tuple[str, str, str]]:
    """Return the effective settings without flags: rows of key, value, source.

    Shared settings come first, then those of single commands.
    """
    check_variables()
    file = project(named)
    rows = [_row(setting.key, setting, file) for setting in common().values()]
    for command, of_command in settings().items():
        for setting in of_command.values():
            key = f"{command}.{setting.key}"
            if not setting.shared or os.environ.get(setting.variables[0]) or key in file.values:
                rows.append(_row(key, setting, file))
    return rows


def _row(key: str, setting: Setting, file: Project) -> tuple[str, str, str]:
    value, variable, _ = setting.origin(file, alone="." in key)
    option = setting.option
    if variable:
        return key, value, f"environment, {variable}"
    if value is not None:
        return key, _shown(value), str(file.path)
    return key, _shown(option.option.default if option.option.parse else option.default), "default"


def sources(command: str, names: Iterable[str], named: str | None) -> dict[str, str]:
    """Return the source of some parameters of a command that are set, by flag."""
    file, by_flag = project(named), {}
    for setting in (settings()[command][name] for name in names):
        _, variable, key = setting.origin(file)
        place = f"{variable} in the environment" if variable else f"{key} in {file.path}"
        by_flag[f"--{setting.key}"] = place
    return by_flag


def check_variables() -> None:
    """Refuse a variable that sets no option of any command; the hint names the nearest one."""
    if not any(_variables()):
        return
    every = [setting for of_command in settings().values() for setting in of_command.values()]
    # shared ones first: BBC_SEED is a better guess than BBC_DROP_SEED
    known = list(dict.fromkeys(v for s in every for v in s.variables[1:]))
    known += [setting.variables[0] for setting in every]
    for name in _variables():
        if name not in known:
            key = name.removeprefix(PREFIX).lower().replace("_", "-")
            hint = why_not(key) or nearest(
                name, known, ("unset it; see the options with bbc --show-config")
            )
            raise OptionError(f"{name} in the environment sets no option of bbc", hint=hint)


def _variables() -> Iterator[str]:
    """Yield the names of non-empty variables of `bbc`."""
    return (name for name, text in os.environ.items() if text and name.startswith(PREFIX))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, Enum):
        return str(value.value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


FILES = {"bbc.toml": (), "pyproject.toml": ("tool", "bbc")}
"""Names of the files, in order of precedence within a folder, and the table that counts."""

LARGEST = 2**20
"""Largest size of a settings file, in bytes."""

_TOOL = pattern(rb"\[\s*[\"']?tool[\"']?\s*\]")
"""The table that bbc may follow in."""

_DEEP_KEY = pattern(rb"(?:[\w\"'-]+[ \t]*\.[ \t]*){50}")


@dataclass(frozen=True, slots=True)
class Project:
    """Settings of a file: key -> value, `drop.seed` for one command; no path without a file."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def project(named: str | None = None) -> Project:
    """Read the named settings file, or the nearest one from the current folder upwards.

    An OptionError, naming file and key, if the file can't be read, or if a key is unknown or has a
    value of the wrong type. A file that was only found must belong to the user and name no code.
    """
    if named is not None:
        path = Path(named)
        keys = FILES.get(path.name, ())
        table = _table(path, keys)
        if table is None:
            words = f"[{'.'.join(keys)}]"
            raise OptionError(f"{named} has no table {words}", hint=f"put settings under {words}")
        return _checked(path, table, trusted=True)
    for path, keys in _candidates():
        table = _table(path, keys)
        if table is not None:
            check_owner(path)
            return _checked(path, table, trusted=False)
    return Project()


def _checked(path: Path, table: Mapping[str, Any], *, trusted: bool) -> Project:
    """Return the settings of a table after checking that each fits its option and does no harm."""
    values: dict[str, Any] = {}
    known: Mapping[str, Setting]
    for key, value in table.items():
        if key in settings():
            if not isinstance(value, dict):
                hint = f"put the settings of bbc {key} under [{key}]"
                raise OptionError(f"{path}: {key} is not a table", hint=hint)
            known, within, prefix = {s.key: s for s in settings()[key].values()}, value, f"{key}."
        elif isinstance(value, dict):
            nested = key in FILES["pyproject.toml"] and not FILES.get(path.name)
            hint = "leave out tool.bbc before keys and tables: that is for pyproject.toml"
            hint = hint if nested else nearest(key, settings())
            raise OptionError(f"{path}: unknown table [{key}]", hint=hint)
        else:
            known, within, prefix = common(), {key: value}, ""
        for spelled, given in within.items():
            name = spelled.replace("_", "-")
            if not trusted:
                check_harmless(path, spelled, given)
            if name not in known:
                hint = why_not(name) or nearest(name, known)
                raise OptionError(f"{path}: unknown key {prefix + spelled!r}", hint=hint)
            if prefix + name in values:
                hint = "write it with - or with _, not both"
                raise OptionError(f"{path}: {name} is set twice", hint=hint)
            try:
                values[prefix + name] = known[name].option.parse_toml(given)
            except MisfitError as error:
                problem = f"{path}: {prefix}{spelled} is {_toml(given)}"
                raise OptionError(problem, hint=str(error)) from error
    return Project(path, values)


def _candidates() -> Iterable[tuple[Path, tuple[str, ...]]]:
    try:
        start = Path.cwd()
    except OSError:  # the current folder was removed, or is not accessible
        return
    for parent in folders(start):
        for name, keys in FILES.items():
            # os.path never raises, unlike Path
            if os.path.isfile(parent / name):  # noqa: PTH113
                yield parent / name, keys
            elif not keys and os.path.lexists(parent / name):
                raise OptionError(
                    f"{parent / name}: not a regular file",
                    hint="it is read for defaults of bbc",
                )


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """Return the table of a file; None if it has none."""
    try:
        with opened(path) as file:
            content = file.read(LARGEST + 1)
        if keys and not _may_hold_ours(content.lower()):
            return None
        if len(content) > LARGEST:
            raise ValueError(f"it is over {LARGEST >> 20} MiB")
        if _DEEP_KEY.search(content):  # takes tomllib quadratic time
            raise RecursionError
        import tomllib

        table: Any = tomllib.loads(content.decode("utf-8-sig"))
    except RecursionError as error:
        raise OptionError(f"{path}: it is nested too deeply", hint="settings are flat") from error
    except OSError as error:
        raise OptionError(
            f"{path}: {error.strerror or error}", hint="it is read for defaults of bbc"
        ) from error
    except ValueError as error:
        raise OptionError(f"{path}: {error}", hint="it is read for defaults of bbc") from error
    for key in keys:
        held = table if isinstance(table, dict) else {}
        for other in held.keys() - {key}:
            if other.lower() == "bbc":
                words = f"[{'.'.join(keys)}]"
                raise OptionError(f"{path}: {other!r} is not {words}", hint=f"write {words}")
        table = held.get(key)
    if table is not None and not isinstance(table, dict):
        raise OptionError(f"{path}: {'.'.join(keys)} is not a table", hint=f"[{'.'.join(keys)}]")
    return table


def _may_hold_ours(content: bytes) -> bool:
    """Return whether a file may have [tool.bbc]; most that name bbc only depend on it."""
    lines = content.splitlines()
    ours = any(0 <= line.find(b"tool") < line.rfind(b"bbc") for line in lines)
    return ours or (b"bbc" in content and any(map(_TOOL.search, lines)))


def _toml(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


MARKS = (".git", ".hg")
"""Folder contents that mark the root of a project, where the search ends."""

CODE = ":"
"""A part of a metric name that means a module to import."""

FOLLOWS = "follow-links"
"""The option that lets the folder of a run refer to files elsewhere."""


def folders(start: Path) -> Iterator[Path]:
    """Yield a folder and its parents up to the repository or home; only itself if in neither."""
    above, home = (start, *start.parents), None
    with suppress(OSError, RuntimeError):  # no home folder
        home = Path.home().resolve()
    for position, folder in enumerate(above):
        if folder == home or any(os.path.lexists(folder / mark) for mark in MARKS):
            yield from above[: position + 1]
            return
    yield start


def check_owner(path: Path) -> None:
    """Refuse a file that belongs to another user than this one or root."""
    if os.name == "nt":
        return
    ours = {0, os.geteuid()}
    if 0 in ours and os.environ.get("SUDO_UID", "").isdecimal():
        ours.add(int(os.environ["SUDO_UID"]))
    owners = {path.stat().st_uid, path.lstat().st_uid}
    if owners - ours:
        raise OptionError(
            f"{path} belongs to another user, so its defaults are not used",
            hint=f"use bbc --config {path} ... if you trust it; else move or remove it",
        )


def check_harmless(path: Path, key: str, value: Any) -> None:
    """Refuse a value that names a module to import, or lets links lead out of folders."""
    names = value if isinstance(value, list) else [value]
    does = ""
    if key == "metric" and any(CODE in str(name) for name in names):
        does = "names code"
    elif key.replace("_", "-") == FOLLOWS and value is not False:
        does = "lets links lead out of folders"
    if does:
        raise OptionError(
            f"{path}: {key} {does}, which only the command line or --config FILE may do",
            hint=f"use bbc --config {path} ... if you trust it",
        )
