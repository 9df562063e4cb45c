"""Many files, one document each: sources, workers, a crash-proof journal, a table."""
