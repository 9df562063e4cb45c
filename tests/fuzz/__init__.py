"""Random command lines on mutated files, and what must hold of each: see docs/reliability.md."""
