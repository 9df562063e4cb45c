"""Options of the analyses, and their answers: the same for one file and for many."""
