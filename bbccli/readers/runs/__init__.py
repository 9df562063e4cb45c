"""Folders that tools write while they try configurations: a file per tool."""
