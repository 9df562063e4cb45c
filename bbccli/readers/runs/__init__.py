"""Folders that tools leave behind: a file for each tool."""
