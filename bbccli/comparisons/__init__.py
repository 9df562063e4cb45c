"""Which configuration is better: after selection, of fixed pairs, and across data sets."""
