"""Many files, one document each: sources, workers, a journal that outlives a crash, a table."""

from bbccli.batch.journal import Journal, journal_path
from bbccli.batch.run import RUNNERS, Runner, Tally, drive, results, todo
from bbccli.batch.sources import BatchFile, sources_of
from bbccli.batch.worker import is_current, key_of
from bbccli.schema.gate import FAILED

__all__ = [
    "FAILED",
    "RUNNERS",
    "BatchFile",
    "Journal",
    "Runner",
    "Tally",
    "drive",
    "is_current",
    "journal_path",
    "key_of",
    "results",
    "sources_of",
    "todo",
]
