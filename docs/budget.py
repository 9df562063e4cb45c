"""Count the code lines of each room, and hold them against the budget in docs/design.md.

    python docs/budget.py            # name rooms that exceed their budget, exit status 1 if any
    python docs/budget.py --counts   # the lines of every room

Code lines are those with a token that is no comment, docstrings left out.
"""

import ast
import io
import re
import sys
import tokenize
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE, DESIGN = ROOT / "bbccli", ROOT / "docs" / "design.md"
LAYOUT = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    tokenize.ENDMARKER,
}


def code_lines(text: str) -> int:
    r"""Count the code lines of a module.

    >>> code_lines('"Doc."\n\n# why\nx = [\n    1,\n]\n')
    3
    """
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {n for t in tokens if t.type not in LAYOUT for n in range(t.start[0], t.end[0] + 1)}
    for node in ast.walk(ast.parse(text)):
        text_alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if text_alone and isinstance(node.value.value, str):
            lines -= set(range(node.lineno, node.end_lineno + 1))
    return len(lines)


def counts(package: Path = PACKAGE) -> Counter[str]:
    """Return the code lines of each room; what stands at the root is one room."""
    lines: Counter[str] = Counter()
    for path in package.rglob("*.py"):
        room, *inside = path.relative_to(package).parts
        lines[room if inside else "at the root"] += code_lines(path.read_text(encoding="utf-8"))
    return lines


def budget(text: str) -> dict[str, int]:
    """Return the budget of each room, by the table in a page."""
    section = text.partition("\n## Budget\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([\w ]+) \| ([\d,]+) \|", section, re.M)
    return {room: int(lines.replace(",", "")) for room, lines in rows}


def exceeded(lines: Counter[str], allowed: dict[str, int]) -> list[str]:
    """Return what is wrong: rooms that exceed their budget, and rooms without one."""
    return [
        f"{room}: {lines[room]:,} code lines, {allowed.get(room, 0):,} in the budget"
        for room in sorted({*lines, *allowed})
        if lines[room] > allowed.get(room, 0) or room not in lines
    ]


if __name__ == "__main__":
    now = counts()
    if "--counts" in sys.argv:
        print(
            "\n".join(f"{n:6,} {room}" for room, n in now.most_common()),
            f"{now.total():6,}",
            sep="\n",
        )
    wrong = exceeded(now, budget(DESIGN.read_text(encoding="utf-8")))
    hint = "cut, or raise the budget in docs/design.md and say there why, and what went for it"
    sys.exit("\n".join([*wrong, hint]) if wrong else 0)
