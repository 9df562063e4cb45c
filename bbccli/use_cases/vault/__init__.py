"""Rows of a table that are sealed before a search, and opened with scores of its winner."""
