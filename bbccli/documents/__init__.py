"""Documents that the commands write, and read back."""
