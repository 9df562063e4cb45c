"""Sentences of reports and papers."""
