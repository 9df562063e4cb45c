"""Sources of tables: files, standard input, web servers, object stores; and file formats."""
