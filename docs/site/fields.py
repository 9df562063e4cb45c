"""Document the fields of result records from their metadata."""

import dataclasses
from typing import Any


def add_fields(
    app: object, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Add an Attributes section to the docstring of a record with documented fields."""
    if what != "class" or not dataclasses.is_dataclass(thing):
        return
    told = [one for one in dataclasses.fields(thing) if "doc" in one.metadata]
    if told and "Attributes" not in lines:
        lines += ["", "Attributes", "----------"]
        for one in told:
            lines += [f"{one.name} : {one.type}", f"    {one.metadata['doc']}"]
