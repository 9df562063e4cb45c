"""Configurations made for a bag: ensembles, calibrations and cuts, repeated in every resample.

What such a rule chooses in a bag is a column of predictions of its own, *made* for that bag. It is
scored out of the bag as any other; so every metric, interval and note is that of `bbc`.

`interface.py` is the contract, a file per rule; `made.py` puts them together.
"""
