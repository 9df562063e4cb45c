"""Which configuration wins, on the data and under any weights."""
