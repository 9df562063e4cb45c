"""Tables of a terminal, read back by where their columns stand."""

import re
from collections.abc import Collection, Sequence
from itertools import groupby

from rich.cells import cell_len

MORE = re.compile(r"(and )?\d+ (more|can't be).*--format |sorted by ")
"""Lines below a table: on rows that are not listed, and on their order."""

WRAPPED = frozenset(
    {"configuration", "first", "second", "family", "winner", "what was found", "check"}
)
"""Columns of text; a line on which another column says something begins a row."""

MOST_LINES = 3
"""Lines of the name of a column, at most."""


def letters(text: str) -> str:
    """Return the text without its blanks: a line may end at any of them."""
    return "".join(text.split())


def cells_of(text: str, names: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of the first table with columns of these names, of all its parts.

    Each part has the first of the names. In a block for each row the names stand in front.
    """
    rows: list[dict[str, str]] = []
    blocks: list[dict[str, str]] = []
    listed = [line for line in text.splitlines() if not MORE.match(line)]
    for filled, lines in groupby(listed, bool):
        columns = _columns(list(lines)) if filled else []
        head, part = _block(columns), _part(columns, names)
        if not part and names[0] in head and len({*names} & {*head}) >= min(3, len(names)):
            blocks.append(dict.fromkeys(names, "") | head)
        elif part:
            rows = rows or [{}] * len(part)
            for old, new in zip(rows, part, strict=True):
                assert all(letters(old[key]) == letters(new[key]) for key in {*old} & {*new})
            rows = [old | new for old, new in zip(rows, part, strict=True)]
    return blocks or rows


def _columns(lines: Sequence[str]) -> list[list[str]]:
    """Return the cells of each line, column by column: two blanks in all lines part columns."""
    grid = [_cells(line) for line in lines]
    wide = max(map(len, grid))
    grid = [line + [" "] * (wide - len(line)) for line in grid]
    blank = "".join(" " if {*column} == {" "} else "x" for column in zip(*grid, strict=True))
    spans = [found.span() for found in re.finditer(r"x(?: ?x)*", blank)]
    return [["".join(line[a:b]).strip() for line in grid] for a, b in spans]


def _cells(line: str) -> list[str]:
    """Return a text for each cell of a line: none behind a wide character."""
    cells: list[str] = []
    for character in line:
        width = cell_len(character)
        if width:
            cells += [character, *[""] * (width - 1)]
        else:
            cells[-1] += character
    return cells


def _block(columns: Sequence[Sequence[str]]) -> dict[str, str]:
    """Return what stands behind each name in front."""
    found: dict[str, str] = {}
    name = ""
    for first, *rest in zip(*columns, strict=True):
        name = first or name
        found[name] = " ".join(filter(None, [found.get(name, ""), *rest]))
    return found


def _part(columns: Sequence[Sequence[str]], names: Collection[str]) -> list[dict[str, str]]:
    """Return the rows of a part, as far as its columns have one of the names."""
    headed = [_headed(columns, n, names) for n in range(1, MOST_LINES + 1)]
    found = max(headed, key=len)
    if len(found) < 2 or next(iter(names)) not in found:
        return []
    rows: list[dict[str, str]] = []
    for n in range(headed.index(found) + 1, len(columns[0])):
        line = {name: column[n] for name, column in found.items()}
        if any(line[name] for name in line if name not in WRAPPED):
            rows.append(line)
        else:
            rows[-1] = {name: f"{rows[-1][name]} {line[name]}".strip() for name in line}
    return rows


def _headed(
    columns: Sequence[Sequence[str]], n_lines: int, names: Collection[str]
) -> dict[str, Sequence[str]]:
    """Return the columns whose first lines are one of the names; `x` and `o` are of a drawing."""
    heads = [" ".join(filter(None, column[:n_lines])) for column in columns]
    named = zip(
        (head.removeprefix("x ").removeprefix("o ") for head in heads), columns, strict=True
    )
    found: dict[str, Sequence[str]] = {}
    for name, column in named:
        if name in names:
            found.setdefault(name, column)
    return found
