"""The command line; it only connects the other rooms."""
