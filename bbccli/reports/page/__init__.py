"""One self-contained page: no script, nothing fetched, every name escaped."""
