"""A folder of recorded predictions: the form of its files, how they are written and read."""
