"""Methods that the literature compares with."""
