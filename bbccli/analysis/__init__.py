"""The options of `bbc correct`, and its answer: the same for one file and for many."""
