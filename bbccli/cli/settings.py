"""What can be set once and for all: every option of a command that is not of one run alone.

A setting has a key in a file and a variable in the environment. Both come in two forms: one for all
commands whose option means the same, and one for a single command (`[drop]`, `BBC_DROP_SEED`).
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from typer.models import OptionInfo

Command = Callable[..., None]

OF_ONE_RUN = frozenset({"output", "distribution", "labels", "folds", "strict"})
OF_ONE_RUN |= {"resume", "dry_run"}
"""Options that make no default: they name files of one run, or are short for another option."""

OWN_MEANING: Mapping[str, frozenset[str]] = {
    "drop": frozenset({"threshold", "format", "n_resamples"}),
    "inspect": frozenset({"format"}),
    "gate": frozenset({"format"}),
}
"""Options by command that mean something else than those of `bbc correct` that are called alike."""


@dataclass(frozen=True, slots=True)
class Setting:
    """An option of a command that can have a default.

    Parameters
    ----------
    command
        Name of the command.
    name
        Name of its parameter.
    kind
        Type of the option, without None.
    default
        Of the option, where nothing sets it.
    parse
        Checks a text further; may be None.
    """

    command: str
    name: str
    kind: Any
    default: Any
    parse: Callable[[str], Any] | None

    @property
    def key(self) -> str:
        """Name in a file, which is that of the option."""
        return key_of(self.name)

    @property
    def shared(self) -> bool:
        """Whether it means the same in all commands that have it."""
        return self.name not in OWN_MEANING.get(self.command, ())

    @property
    def variables(self) -> tuple[str, ...]:
        """Names in the environment: of this command alone, then of all."""
        option = self.key.replace("-", "_").upper()
        own = f"BBC_{self.command.upper()}_{option}"
        return (own, f"BBC_{option}") if self.shared else (own,)


Settings = Mapping[str, Mapping[str, Setting]]
"""Settings by command and by name of the parameter."""


def configurable(command: Command) -> dict[str, Setting]:
    """Return the settings of a command by the names of its parameters."""
    found = {}
    hints = get_type_hints(command, include_extras=True)
    for name, parameter in inspect.signature(command).parameters.items():
        info = next((i for i in get_args(hints[name])[1:] if isinstance(i, OptionInfo)), None)
        if get_origin(hints[name]) is Annotated and info is not None and name not in OF_ONE_RUN:
            kind = kind_of(hints[name])
            found[name] = Setting(command.__name__, name, kind, parameter.default, info.parser)
    return found


def common(commands: Settings) -> dict[str, Setting]:
    """Return the settings that all commands share, by key; each as the first command has it."""
    every: dict[str, Setting] = {}
    for settings in commands.values():
        for setting in settings.values():
            if setting.shared:
                every.setdefault(setting.key, setting)
    return every


def key_of(name: str) -> str:
    """Return the name of an option; its parameter has a trailing _ where Python has the word."""
    return name.rstrip("_").replace("_", "-")


def why_not(key: str) -> str:
    """Return why an option can't be set, if that is so."""
    if key == "strict":
        return 'set missing to "error" instead'
    if key.replace("-", "_") in OF_ONE_RUN:
        return f"--{key} belongs to one run: give it on the command line"
    return ""


def kind_of(hint: Any) -> Any:
    """Return the type of an option from its annotation, without None and what a list holds."""
    annotation = get_args(hint)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        (annotation,) = (part for part in get_args(annotation) if part is not type(None))
    return get_origin(annotation) or annotation
