"""Domain records and the tools that every room uses."""
