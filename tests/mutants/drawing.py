"""Which of all possible mutations are planted: those that change what is computed, drawn by lot."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from itertools import count, islice
from pathlib import Path

from cosmic_ray.ast import ast_nodes, get_ast_from_path
from cosmic_ray.ast.ast_query import ASTQuery
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

SEMANTIC = re.compile(
    r"core/(?:"
    r"ReplaceBinaryOperator_(?:Add_Sub|Sub_Add|Mul_Div|Div_Mul|Mul_Add|Pow_Mul|FloorDiv_Mul|Mod_Add"
    r"|BitAnd_BitOr)"
    r"|ReplaceComparisonOperator_(?:Lt_LtE|LtE_Lt|Gt_GtE|GtE_Gt|Lt_Gt|Gt_Lt|LtE_GtE|GtE_LtE"
    r"|Eq_NotEq|NotEq_Eq|Is_IsNot|IsNot_Is)"
    r"|ReplaceUnaryOperator_Delete_\w+|AddNot|ReplaceTrueWithFalse|ReplaceFalseWithTrue"
    r"|ReplaceAndWithOr|ReplaceOrWithAnd|NumberReplacer|ZeroIterationForLoop"
    r")$"
)
"""Operators of Cosmic Ray; others make errors of types, or change how the code is written only."""

NOT_CODE = re.compile(r"^\s*(?:@|from |import |__all__|assert )")

ASSERTED = re.compile(r"\bstrict=True")
"""Of `zip`: an assertion that lengths agree, which nothing that is computed depends on."""

Key = tuple[str, str, str, str]


@dataclass(frozen=True)
class Mutation:
    """One place of a module that an operator changes.

    Attributes
    ----------
    tree
        The copy of the project.
    module
        From the copy on.
    operator
        Its name for Cosmic Ray.
    occurrence
        Which of the places in the module that the operator could change.
    row
        Of the line, from 0.
    """

    tree: Path
    module: str
    operator: str
    occurrence: int
    row: int

    @cached_property
    def before(self) -> str:
        """The module as it is."""
        return (self.tree / self.module).read_text(encoding="utf-8")

    @cached_property
    def after(self) -> str:
        """The module with the mutation."""
        return str(mutate_code(self.before, get_operator(self.operator)(), self.occurrence))

    @cached_property
    def is_code(self) -> bool:
        """Whether the mutated module can be read: an asterisk may be no product."""
        try:
            ast.parse(self.after)
        except SyntaxError:
            return False
        return True

    @cached_property
    def key(self) -> Key:
        """Module, operator, and the line without and with it: what `equivalent.tsv` names."""
        lines = [text.splitlines()[self.row].strip() for text in (self.before, self.after)]
        return self.module, self.operator.removeprefix("core/"), lines[0], lines[1]

    @property
    def keys(self) -> set[Key]:
        """Its key, and that of all mutations of its line."""
        return {self.key, (self.key[0], "*", self.key[2], "*")}


def equivalents(path: Path) -> set[Key]:
    """Mutations that no test can tell from the code; each line ends with the reason.

    A line of code with `*` in place of operator and mutation says how fast, or in how much memory:
    none of it is planted.
    """
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {(module, operator, before, after) for module, operator, before, after, _ in rows}


def draw(
    tree: Path, modules: Sequence[str], number: int, seed: int, known: set[Key]
) -> list[Mutation]:
    """As many mutations, one of a line at most; few others come up when the code changes.

    Each line has a number by lot, made of its text and the seed: the lowest are drawn. So has
    each mutation of a line.
    """
    by_line: defaultdict[tuple[str, int, str], list[Mutation]] = defaultdict(list)
    for name in modules:
        for path in sorted((tree / name).rglob("*.py")) or [tree / name]:
            lines = path.read_text(encoding="utf-8").splitlines()
            for one in _possible(tree, path.relative_to(tree).as_posix(), lines):
                by_line[one.module, one.row, lines[one.row].strip()].append(one)
    lines_by_lot = sorted(by_line, key=lambda line: (_lot(seed, line[0], line[2]), line[1]))
    drawn = (_first(by_line[line], seed, known) for line in lines_by_lot)
    return list(islice((one for one in drawn if one), number))


def _lot(seed: int, *words: object) -> str:
    return sha256("\t".join(map(str, (seed, *words))).encode()).hexdigest()


def _first(of_line: list[Mutation], seed: int, known: set[Key]) -> Mutation | None:
    by_lot = sorted(of_line, key=lambda one: _lot(seed, one.operator, one.occurrence))
    return next((one for one in by_lot if one.is_code and not one.keys & known), None)


def _possible(tree: Path, module: str, lines: list[str]) -> Iterator[Mutation]:
    """All of a module that are in a function, and not in a decorator or an import."""
    nodes = list(ast_nodes(get_ast_from_path(tree / module)))
    for name in filter(SEMANTIC.match, operator_names()):
        counted = count()
        operator = get_operator(name)()
        for node in nodes:
            for (row, column), _ in operator.mutation_positions(node):
                occurrence = next(counted)
                line = lines[row - 1]
                asserted = any(found.end() - 4 == column for found in ASSERTED.finditer(line))
                outside = NOT_CODE.match(line) or asserted or node.parent.type == "parameters"
                if not outside and ASTQuery(node).get_definition_name() is not None:
                    yield Mutation(tree, module, name, occurrence, row - 1)
