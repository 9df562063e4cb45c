"""What is wrong with a command line, in the form of every other error."""

from __future__ import annotations

import difflib
from typing import Any

import typer

from bbccli.errors import OptionError


def misuse() -> type[Exception]:
    """Return the class of all that typer finds wrong with a command line.

    The class is that of click or of the copy of it in typer, as the version of typer has it.
    """
    return next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


def as_help(error: Exception) -> str | None:
    """Return the help where nothing was asked for; None where something is wrong."""
    return str(error) if type(error).__name__ == "NoArgsIsHelpError" else None


def explained(error: Any) -> OptionError:
    """Return the error in one line, and in another the nearest options, or where they are listed.

    Parameters
    ----------
    error
        Of the class `misuse`.
    """
    problem = getattr(error, "message", "") if _near(error) else error.format_message()
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else "bbc"
    hint = f"did you mean {_near(error)[0]}?" if _near(error) else f"{command} --help"
    words = " ".join(str(problem).split())
    return OptionError(words, hint=hint)


def _near(error: Any) -> list[str]:
    known = getattr(error, "possibilities", None) or ()
    return difflib.get_close_matches(getattr(error, "option_name", ""), known, n=1)
