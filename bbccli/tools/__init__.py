"""Readers for what tools leave: folders of AutoML runs, logs of evaluation frameworks."""
