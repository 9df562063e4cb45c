"""Sanity checks of the predictions."""
