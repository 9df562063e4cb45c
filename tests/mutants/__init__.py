"""Plant mutations in the rooms that matter, and see whether the tests of these rooms die of them.

`make mutants` runs it: some mutations of each room, drawn by a seed, by Cosmic Ray. A mutation that
no test can tell from the code has its place, with the reason, in `equivalent.tsv`.
"""
