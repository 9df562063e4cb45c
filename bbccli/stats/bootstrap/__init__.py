"""Resamples drawn, selected in and scored out of the bag."""
