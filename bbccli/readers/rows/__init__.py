"""Rows told by their values: those that nobody predicted, and repeats of a cross-validation."""
