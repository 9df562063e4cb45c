"""Shared tools: options, arguments, records, text, files, threads and workers."""
