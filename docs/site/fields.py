"""Document the fields of result records from the lines on them in their docstrings."""

import dataclasses
import re
from typing import Any

from bbccli.platform.records import DESCRIBED, described


def add_fields(
    app: object, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Make an Attributes section of the lines of a docstring that describe fields."""
    if what != "class" or not dataclasses.is_dataclass(thing):
        return
    told = described(thing)
    if told and "Attributes" not in lines:
        of_field = re.compile(DESCRIBED.pattern + "\n*", re.MULTILINE)
        text = of_field.sub(lambda m: "" if m[1] in told else m[0], "\n".join(lines))
        lines[:] = [*text.rstrip().split("\n"), "", "Attributes", "----------"]
        for one in dataclasses.fields(thing):
            if one.name in told:
                lines += [f"{one.name} : {one.type}", f"    {told[one.name]}"]
