"""Which configurations take no part because of what their flags say, unless they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bbccli.core.notes import declared
from bbccli.core.source import LeftOut
from bbccli.errors import InputError, OptionError, nearest, parameter, short
from bbccli.readers.sheet import Sheet

ALL = "all"
INCLUDED = {
    "ensembles": "ensemble",
    "stacked": "stacked",
    "calibrated": "calibrated_on_fold",
    "low-fidelity": "low_fidelity",
    "dummies": "dummy",
    ALL: "",
}
"""What `--include` may name, and the flags: these saw the outcome, or are no candidates."""


def leave_out(sheet: Sheet, include: Sequence[str]) -> Sheet:
    """Return the sheet without the configurations that a flag leaves out.

    Raises
    ------
    OptionError
        Something to include that there is not.
    InputError
        Nothing is left.
    """
    unknown = [one for one in include if one not in INCLUDED]
    if unknown:
        hint = nearest(short(unknown[0], str), INCLUDED)
        raise OptionError(f"{parameter('include')} is {short(unknown[0])}", hint=hint)
    if ALL in include:
        return sheet
    refused = [flag for name, flag in INCLUDED.items() if name not in include and flag]
    found = {
        name: flag
        for name in sheet.configurations
        for flag in refused
        if flag in sheet.metadata.flags.get(name, ())
    }
    if not found:
        return sheet
    if len(found) == len(sheet.configurations):
        raise InputError(
            f"all {len(found)} configurations are left out because of their flags: "
            f"{', '.join(sorted(set(found.values())))}",
            path=sheet.path,
            hint=f"--include {ALL}",
        )
    names = {flag: name for name, flag in INCLUDED.items()}
    options = list(dict.fromkeys(names[flag] for flag in found.values()))
    return replace(
        sheet,
        cells=tuple(cell for cell in sheet.cells if cell.configuration not in found),
        notes=(*sheet.notes, declared.flagged_left_out(found, len(sheet.configurations), options)),
        left_out=tuple(LeftOut(name, flag) for name, flag in found.items()),
    )
