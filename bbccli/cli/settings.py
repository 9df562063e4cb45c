"""What can be set once and for all: every option of a command that is not of one run alone.

A setting has a key in a file and a variable in the environment. Both come in two forms: one for all
commands whose option means the same, and one for a single command (`[drop]`, `BBC_DROP_SEED`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from bbccli.cli.check import converted
from bbccli.cli.commands import CONFIGURABLE, command_named
from bbccli.core.option import Declared, Scope


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a command that can have a default.

    Parameters
    ----------
    command
        Name of the command.
    option
        The option of the command.
    """

    command: str
    option: Declared

    @property
    def key(self) -> str:
        """Name in a file, which is that of the option."""
        return self.option.key

    @property
    def kind(self) -> Any:
        """Type of a default; what has a parser of its own is parsed when it is used."""
        return str if self.option.option.parse else self.option.kind

    @property
    def default(self) -> Any:
        """Value of the option where nothing sets it, as people write it."""
        return self.option.option.default if self.option.option.parse else self.option.default

    @property
    def shared(self) -> bool:
        """Whether it means the same in all commands that have it."""
        return self.option.option.scope is Scope.SHARED

    @property
    def variables(self) -> tuple[str, ...]:
        """Names in the environment: of this command alone, then of all."""
        option = self.key.replace("-", "_").upper()
        own = f"BBC_{self.command.upper()}_{option}"
        return (own, f"BBC_{option}") if self.shared else (own,)

    def value_of(self, value: Any) -> Any:
        """Return what a file sets, as the command line takes it; a `MisfitError` if it can't."""
        return converted(value, self.kind, self.option.choices)


Settings = Mapping[str, Mapping[str, Setting]]
"""Settings by command and by name of the parameter."""


@cache
def settings() -> Settings:
    """Return what a project can set: the options of all commands that are not of one run."""
    return {
        name: {
            option.name: Setting(name, option)
            for option in command_named(name).options.values()
            if option.option.scope is not Scope.RUN and not option.option.positional
        }
        for name in CONFIGURABLE
    }


def common() -> dict[str, Setting]:
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
