"""Folders that other tools leave behind: predictions of many configurations, without an export."""
