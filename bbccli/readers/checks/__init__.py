"""Checks of the predictions' validity, by the predictions themselves."""
