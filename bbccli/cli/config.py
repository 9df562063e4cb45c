"""Defaults of a project: those of the environment, of the project's file, or of `bbc`.

A flag wins over the environment, the environment over the file, and the file over the default of
`bbc`. In the environment and in the file, a setting of one command (`BBC_DROP_SEED`, `[drop]`) wins
over one of all commands whose option means the same. Typer gets the outcome as plain defaults; it
reads no variable itself.

The file is `bbc.toml`, or `[tool.bbc]` in `pyproject.toml`. One that is found on the way may have
come with somebody else's data. So it is looked for inside the project only, it must belong to the
user (or root), and it never names code to run; git treats repositories of others alike
(`safe.directory`). A file named by --config is trusted.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

from bbccli.cli.command import CONFIGURABLE, command_named
from bbccli.core.local import opened
from bbccli.core.option import Declared, MisfitError, Scope
from bbccli.errors import OptionError, nearest

PREFIX = "BBC_"


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a command that a project can set."""

    command: str
    option: Declared

    @property
    def key(self) -> str:
        """Name in a file, which is that of the option."""
        return self.option.key

    @property
    def shared(self) -> bool:
        """True if it means the same in all commands that have it."""
        return self.option.option.scope is Scope.SHARED

    @property
    def variables(self) -> tuple[str, ...]:
        """Names in the environment: of this command alone, then of all."""
        option = self.key.replace("-", "_").upper()
        own = f"{PREFIX}{self.command.upper()}_{option}"
        return (own, f"{PREFIX}{option}") if self.shared else (own,)

    def origin(self, file: Project, *, alone: bool = True) -> tuple[Any, str, str]:
        """Return what is set for the command, or else for all, and what sets it.

        Returns
        -------
        value, variable, key
            None where nothing sets it. The text of a variable, or the value of a key in the file.
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
    """Return what a project can set, by command and parameter: options not of one run alone."""
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
    """Return the settings that all commands share, by key; each as the first command has it."""
    every: dict[str, Setting] = {}
    for its in settings().values():
        for setting in its.values():
            if setting.shared:
                every.setdefault(setting.key, setting)
    return every


def why_not(key: str) -> str:
    """Return why an option can't be set, if that is so."""
    if key == "strict":
        return 'set missing to "error" instead'
    every = (one for name in CONFIGURABLE for one in command_named(name).options.values())
    if any(one.key == key and one.option.scope is Scope.RUN for one in every):
        return f"--{key} belongs to one run: give it on the command line"
    return ""


def defaults(command: str, named: str | None) -> dict[str, Any]:
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
    file = project(named=named)
    if file.path is None and not any(_variables()):
        return {}  # as nearly always: no command but this one is imported
    held, of_all = {}, common()
    for name, setting in settings()[command].items():
        value, variable, _ = setting.origin(file)
        if variable:
            form = setting if variable == setting.variables[0] else of_all[setting.key]
            try:
                value = form.option.of_variable(value)
            except MisfitError as error:
                problem = f"{variable} in the environment is {value!r}"
                raise OptionError(problem, hint=str(error)) from error
        if isinstance(value, list) and setting.option.kind is not list:
            value = next(iter(value), None)  # of several metrics the first selects
        if value is not None:
            held[name] = value
    return held


def holding(named: str | None) -> list[tuple[str, str, str]]:
    """Return what holds without flags, and from where: rows of key, value, source.

    First what all commands share, then what one command has of its own or is set for it alone.
    """
    check_variables()
    file = project(named=named)
    rows = [_row(setting.key, setting, file) for setting in common().values()]
    for command, its in settings().items():
        for setting in its.values():
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
    """Return what sets some parameters of a command, which are set, by their flags."""
    file, by_flag = project(named=named), {}
    for setting in (settings()[command][name] for name in names):
        _, variable, key = setting.origin(file)
        place = f"{variable} in the environment" if variable else f"{key} in {file.path}"
        by_flag[f"--{setting.key}"] = place
    return by_flag


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
            key = name.removeprefix(PREFIX).lower().replace("_", "-")
            hint = why_not(key) or nearest(name, known, "unset it; bbc --show-config lists options")
            raise OptionError(f"{name} in the environment sets no option of bbc", hint=hint)


def _variables() -> Iterator[str]:
    """Names of the variables that are meant for `bbc`."""
    return (name for name, text in os.environ.items() if text and name.startswith(PREFIX))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(value)
    if isinstance(value, Enum):
        return str(value.value)
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


FILES = {"bbc.toml": (), "pyproject.toml": ("tool", "bbc")}
"""Names of the files, the first of which wins in a folder, and the table that counts."""

LARGEST = 2**20
"""Bytes of a file; settings take a few hundred."""

_DEEP_KEY = re.compile(rb"(?:[\w\"'-]+[ \t]*\.[ \t]*){50}")


@dataclass(frozen=True, slots=True)
class Project:
    """Settings of a file; without a path if there is no file.

    Attributes
    ----------
    values
        By key, for all commands whose option means the same; `drop.seed` is for one command.
    """

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)


def project(folder: Path | None = None, named: str | None = None) -> Project:
    """Read the file that is named, or the nearest one from a folder (the current one) upwards.

    Parameters
    ----------
    folder
        Where the search starts; None for the current one.
    named
        The file that counts; None for the nearest one.

    Raises
    ------
    OptionError
        A file that can't be read, an unknown key, or a value of another type; names file and key.
        One that was only found belongs to another user, or names code.
    """
    if named is not None:
        path = Path(named)
        keys = FILES.get(path.name, ())
        table = _table(path, keys)
        if table is None:
            words = f"[{'.'.join(keys)}]"
            raise OptionError(f"{named} has no table {words}", hint=f"settings stand under {words}")
        return _checked(path, table, trusted=True)
    for path, keys in _candidates(folder):
        table = _table(path, keys)
        if table is not None:
            check_owner(path)
            return _checked(path, table, trusted=False)
    return Project()


def _checked(path: Path, table: Mapping[str, Any], *, trusted: bool) -> Project:
    """Return what a table sets, once every value is known to fit its option, and to do no harm."""
    values: dict[str, Any] = {}
    known: Mapping[str, Setting]
    for key, value in table.items():
        if key in settings():
            if not isinstance(value, dict):
                hint = f"[{key}] begins the settings of bbc {key}"
                raise OptionError(f"{path}: {key} is not a table", hint=hint)
            known, own, prefix = {s.key: s for s in settings()[key].values()}, value, f"{key}."
        elif isinstance(value, dict):
            raise OptionError(f"{path}: unknown table [{key}]", hint=nearest(key, settings()))
        else:
            known, own, prefix = common(), {key: value}, ""
        for spelled, given in own.items():
            name = spelled.replace("_", "-")
            if not trusted:
                check_harmless(path, spelled, given)
            if name not in known:
                hint = why_not(name) or nearest(name, known)
                raise OptionError(f"{path}: unknown key {prefix + spelled!r}", hint=hint)
            if prefix + name in values:
                hint = "with - or with _, not both"
                raise OptionError(f"{path}: {name} is set twice", hint=hint)
            try:
                values[prefix + name] = known[name].option.of_toml(given)
            except MisfitError as error:
                problem = f"{path}: {prefix}{spelled} is {_toml(given)}"
                raise OptionError(problem, hint=str(error)) from error
    return Project(path, values)


def _candidates(folder: Path | None) -> Iterable[tuple[Path, tuple[str, ...]]]:
    try:
        start = (folder or Path.cwd()).absolute()
    except OSError:  # the current folder was removed, or can't be seen
        return
    for parent in folders(start):
        for name, keys in FILES.items():
            # os.path never raises, unlike Path
            if os.path.isfile(parent / name):  # noqa: PTH113
                yield parent / name, keys
            elif not keys and os.path.lexists(parent / name):
                raise OptionError(
                    f"{parent / name}: not a file, or a link to none",
                    hint="it is read for defaults of bbc",
                )


def _table(path: Path, keys: tuple[str, ...]) -> dict[str, Any] | None:
    """The table of a file; None where it has none."""
    try:
        with opened(path) as file:
            content = file.read(LARGEST + 1)
        if keys and b"bbc" not in content.lower():
            return None
        if len(content) > LARGEST:
            raise ValueError(f"it is over {LARGEST >> 20} MiB")
        if _DEEP_KEY.search(content):  # which takes tomllib the square of its length
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


def _toml(value: Any) -> str:
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


MARKS = (".git", ".hg")
"""Names in the folder of a project that is the last to be searched."""

CODE = ":"
"""In the name of a metric: that of a module, which is run."""

FOLLOWS = "follow-links"
"""The option by which the folder of a run reads what lies elsewhere."""


def folders(start: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to that of the repository or of the user.

    Where neither is above, the folder alone.
    """
    above, home = (start, *start.parents), None
    with suppress(OSError, RuntimeError):  # a user without a home
        home = Path.home().resolve()
    for position, folder in enumerate(above):
        if folder == home or any(os.path.lexists(folder / mark) for mark in MARKS):
            yield from above[: position + 1]
            return
    yield start


def check_owner(path: Path) -> None:
    """Refuse a file that belongs to another user than this one or root.

    Raises
    ------
    OptionError
        Names the file.
    """
    if os.name == "nt":
        return
    ours = {0, os.geteuid()}
    if 0 in ours and os.environ.get("SUDO_UID", "").isdecimal():
        ours.add(int(os.environ["SUDO_UID"]))
    owners = {path.stat().st_uid, path.lstat().st_uid}
    if owners - ours:
        raise OptionError(
            f"{path} belongs to another user, so it is not used for defaults",
            hint=f"bbc --config {path} ... if you trust it; else move or remove it",
        )


def check_harmless(path: Path, key: str, value: Any) -> None:
    """Refuse a value that names a module to import, or lets folders lead out of themselves.

    Raises
    ------
    OptionError
        Names file and key.
    """
    names = value if isinstance(value, list) else [value]
    does = ""
    if key == "metric" and any(CODE in str(name) for name in names):
        does = "names code"
    elif key.replace("_", "-") == FOLLOWS and value is not False:
        does = "lets links lead out of folders"
    if does:
        raise OptionError(
            f"{path}: {key} {does}, which only the command line or --config FILE may do",
            hint=f"bbc --config {path} ... if you trust it",
        )
