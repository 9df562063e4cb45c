"""Many files, one document each: sources, workers, a journal that outlives a crash, a table."""
