"""Bias, inclusion and tightness of every method on known truth: `python -m benchmarks.validation`.

A repetition is one matrix of a setting with its truth, and what every variant says of it. It is
known from the setting and its number, so that a study can be stopped and taken up again.
"""
