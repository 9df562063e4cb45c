"""Which of all possible mutations are planted: those that change what is computed, drawn by lot."""

import re
from pathlib import Path
from random import Random

from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec, WorkerOutcome, WorkItem, WorkResult

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

Key = tuple[str, str, str]


def key_of(mutation: MutationSpec, tree: Path) -> Key:
    """Module, operator and the line without its indentation: what `equivalent.tsv` names."""
    text = (tree / mutation.module_path).read_text(encoding="utf-8")
    line = text.splitlines()[mutation.start_pos[0] - 1].strip()
    return mutation.module_path.as_posix(), mutation.operator_name.removeprefix("core/"), line


def equivalents(path: Path) -> set[Key]:
    """Mutations that no test can tell from the code; each line ends with the reason."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines() if line]
    return {(module, operator, line) for module, operator, line, _ in rows}


def draw(session: WorkDB, tree: Path, count: int, seed: int, known: set[Key]) -> int:
    """Leave that many mutations to be done, one of a line at most; return how many there are."""
    possible: dict[tuple[str, int], list[WorkItem]] = {}
    for item in session.work_items:
        mutation = item.mutations[0]
        key = key_of(mutation, tree)
        if _changes_results(mutation, key) and key not in known:
            place = mutation.module_path.as_posix(), mutation.start_pos[0]
            possible.setdefault(place, []).append(item)
    lot = Random(seed)
    lines = lot.sample(sorted(possible), min(count, len(possible)))
    chosen = {lot.choice(sorted(possible[line], key=_order)).job_id for line in lines}
    others = [item.job_id for item in session.work_items if item.job_id not in chosen]
    session.set_multiple_results(others, WorkResult(WorkerOutcome.SKIPPED))
    return len(chosen)


def _changes_results(mutation: MutationSpec, key: Key) -> bool:
    """Whether it is in a function, and not in a decorator or an import."""
    inside = mutation.definition_name is not None
    return inside and bool(SEMANTIC.match(mutation.operator_name)) and not NOT_CODE.match(key[2])


def _order(item: WorkItem) -> tuple[str, int]:
    return item.mutations[0].operator_name, item.mutations[0].occurrence
