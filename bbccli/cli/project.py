"""The file with the defaults of a project: `bbc.toml`, or `[tool.bbc]` in `pyproject.toml`."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bbccli.cli.settings import Setting, common, settings, why_not
from bbccli.cli.trust import check_harmless, check_owner, folders
from bbccli.cli.values import MisfitError
from bbccli.errors import OptionError, nearest
from bbccli.local import opened

FILES = {"bbc.toml": (), "pyproject.toml": ("tool", "bbc")}
"""Names of the files, the first of which wins in a folder, and the table that counts."""

LARGEST = 2**20
"""Bytes of a file; settings take a few hundred."""

_DEEP_KEY = re.compile(rb"(?:[\w\"'-]+[ \t]*\.[ \t]*){50}")


@dataclass(frozen=True, slots=True)
class Project:
    """What a file sets; no path where there is no file.

    Attributes
    ----------
    shared
        Values by key, for all commands whose option means the same.
    own
        Values by command and key, for one command.
    """

    path: Path | None = None
    shared: Mapping[str, Any] = field(default_factory=dict)
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def project(folder: Path | None = None, named: Path | None = None) -> Project:
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
        return _named(named)
    for path, keys in _candidates(folder):
        table = _table(path, keys)
        if table is not None:
            check_owner(path)
            for key, value in _values(table):
                check_harmless(path, key, value)
            return _checked(path, table)
    return Project()


def _named(path: Path) -> Project:
    keys = FILES.get(path.name, ())
    table = _table(path, keys)
    if table is None:
        words = f"[{'.'.join(keys)}]"
        raise OptionError(f"{path} has no table {words}", hint=f"settings stand under {words}")
    return _checked(path, table)


def _values(table: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Keys and values of a table, and of the tables in it."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _values(value)
        else:
            yield key, value


def _checked(path: Path, table: Mapping[str, Any]) -> Project:
    known, commands = common(), settings()
    shared: dict[str, Any] = {}
    own: dict[str, dict[str, Any]] = {}
    for key, value in table.items():
        if key in commands:
            if not isinstance(value, dict):
                hint = f"[{key}] begins the settings of bbc {key}"
                raise OptionError(f"{path}: {key} is not a table", hint=hint)
            of_command = {s.key: s for s in commands[key].values()}
            own[key] = {}
            for item in value.items():
                _set(own[key], path, *_value(path, of_command, f"{key}.", *item))
        elif isinstance(value, dict):
            raise OptionError(f"{path}: unknown table [{key}]", hint=nearest(key, commands))
        else:
            _set(shared, path, *_value(path, known, "", key, value))
    return Project(path, shared, own)


def _set(held: dict[str, Any], path: Path, name: str, value: Any) -> None:
    """Set an option, unless another spelling has: `n-resamples` and `n_resamples`."""
    if name in held:
        raise OptionError(f"{path}: {name} is set twice", hint="with - or with _, not both")
    held[name] = value


def _value(
    path: Path, known: Mapping[str, Setting], table: str, key: str, value: Any
) -> tuple[str, Any]:
    """Key as the option is called, and its value, once it is known to fit."""
    name = key.replace("_", "-")
    setting = known.get(name)
    if setting is None:
        hint = why_not(name) or nearest(name, known)
        raise OptionError(f"{path}: unknown key {table + key!r}", hint=hint)
    try:
        return name, setting.value_of(value)
    except MisfitError as error:
        raise OptionError(f"{path}: {table}{key} is {_toml(value)}", hint=str(error)) from error


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
