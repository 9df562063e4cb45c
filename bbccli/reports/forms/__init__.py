"""Forms of a report, a module each."""
