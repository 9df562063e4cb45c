"""Where tables come from: files, standard input, web servers and stores, and their formats."""
