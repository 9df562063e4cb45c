"""The content of results, put together once per kind; a form writes its blocks.

`blocks_of` puts the doubts above the answer of every kind, so that no form can forget them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from typing import Any

from bbccli.documents.correct import doubts_of, gate_outcome
from bbccli.reports.blocks import AnswerLines, Block, Doubts, Notes


def blocks_of(document: Any) -> Iterator[Block]:
    """Yield the blocks of a record, its doubts above the answer and not again among the notes."""
    doubts = doubts_of(document)
    for block in import_module(f"{__name__}.{document.command}").blocks(document):
        if isinstance(block, AnswerLines) and doubts:
            yield Doubts(doubts)
        if isinstance(block, Notes):
            yield replace(block, notes=[note for note in block.notes if note not in doubts])
        else:
            yield block


def answer_of(document: Any) -> list[str]:
    """Return the sentences of the answer; names are not yet escaped."""
    answers = (block.lines for block in blocks_of(document) if isinstance(block, AnswerLines))
    return list(next(answers, ()))


def look_of(document: Any) -> str:
    """Return the look of a gate's verdict on a terminal."""
    return {"met": "green", "met, with doubts": "yellow"}.get(gate_outcome(document), "red")
