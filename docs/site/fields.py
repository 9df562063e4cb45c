"""The fields of a record of results, from what each of them says in its metadata."""

import dataclasses
from typing import Any


def add_fields(
    app: object, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Add a section of numpydoc to the docstring of a record whose fields say what they are."""
    if what != "class" or not dataclasses.is_dataclass(thing):
        return
    told = [one for one in dataclasses.fields(thing) if "doc" in one.metadata]
    if told and "Attributes" not in lines:
        lines += ["", "Attributes", "----------"]
        for one in told:
            lines += [f"{one.name} : {one.type}", f"    {one.metadata['doc']}"]
