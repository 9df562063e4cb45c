"""Selection of a configuration, on the data and under any weights."""
